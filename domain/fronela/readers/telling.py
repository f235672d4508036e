"""How events read: a JSON object with the names of things, and a sentence for each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from domain.fronela.episodes import EPISODES
from domain.fronela.events import SECRET, Die
from domain.fronela.scenarios import SCENARIOS
from domain.shape import snake
from domain.terms import Seat

NAMES: dict[str, str] = (
    {area.id: area.name for tables in SCENARIOS.values() for area in tables.areas.values()}
    | {nation.id: nation.name for tables in SCENARIOS.values() for nation in tables.nations.values()}
    | {key: name for episode in EPISODES.values() for key, name in episode.names.items()}
    | {"unit": "unit", "lord_death": "Lord Death"}
)
"""What things are called, of all scenarios; an id has the same name everywhere."""
ASKED: dict[str, str] = {
    "blinding_eye": "the sacrifice to the Blinding Eye",
    "battle": "which battle is fought next",
    "eleven_beasts": "where one more of the Eleven Beasts comes",
    "growth": "what grows",
    "harrek_ride": "where Harrek the Berserk rides",
    "hrestol": "where Hrestol goes",
    "landing": "where the God Learner fleet lands",
    "move": "moves",
}
"""What is asked, where neither the kind of the question nor a name says it."""
REASONS: dict[str, str] = {
    "area": "land held",
    "blinding-eye": "the Blinding Eye",
    "gonn-orta-killed": "Gonn Orta killed",
    "kingdom-of-war": "the Kingdom of War",
    "noble-killed": "a noble killed",
    "prey-killed": "prey killed",
    "river-tax": "river tax",
    "soldier-killed": "a soldier killed",
}
"""What points are for, where it is no name."""
_NAMED = ("nation", "area", "to", "by", "attacker", "defender", "person", "token")


def reveal(event: Any, seat: Seat | None) -> dict[str, Any] | None:
    """The event as the seat may read it: everything, but the standing orders of others."""
    if isinstance(event, SECRET) and event.seat != seat:
        return None
    document: dict[str, Any] = {"type": snake(type(event).__name__)}
    for field in dataclasses.fields(event):
        value = getattr(event, field.name)
        document[field.name] = _plain(value)
        if field.name in _NAMED and value:
            document[field.name + "_name"] = NAMES.get(value, value)
    if "kind" in document and "count" in document:
        document["units_text"] = _units({document["kind"]: document["count"]})
    if "units" in document:
        document["units_text"] = _units(document["units"])
    for side in ("attack", "defence"):
        if side in document:
            document[side + "_results"] = [die["result"] for die in document[side]]
    if "order" in document:
        document["order_names"] = [NAMES.get(slot, slot) for slot in document["order"]]
    for word, texts in (("kind", ASKED), ("stance", {}), ("reason", REASONS)):
        if word in document:
            document[word + "_text"] = _text(document[word] or "ask", texts)
    return document


def _plain(value: Any) -> Any:
    if isinstance(value, Die):
        return {"face": value.face, "modifier": value.modifier, "result": value.result}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in sorted(value.items())}
    return value


def _text(key: str, texts: Mapping[str, str]) -> str:
    return texts.get(key) or NAMES.get(key) or key.replace("_", " ").replace("-", " ")


def _units(units: Mapping[str, int]) -> str:
    words = [f"{number} {NAMES.get(kind, kind)}{'s' if number > 1 else ''}" for kind, number in sorted(units.items())]
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1] if words else "nobody"


SENTENCES: dict[str, str | Sequence[str]] = {
    "history_begun": "The history of Fronela begins.",
    "round_begun": "Round {round}, years {years} ST: {title}.",
    "round_ended": "Round {round} ends.",
    "order_changed": "The order of turns: {order_names:list}.",
    "turn_begun": "Turn of {nation_name}.",
    "asked": ("{seat:seat} is asked about {area_name}: {kind_text}.", "{seat:seat} is asked: {kind_text}."),
    "growth_rolled": "{nation_name}, growth in {area_name}: a {face}, which makes {result}.",
    "growth_lost": "{nation_name}: nothing grows in {area_name}.",
    "units_placed": "{nation_name}: {units_text} {units:comes|come} to {area_name}.",
    "units_readied": "{nation_name} make ready to move.",
    "units_marched": "{nation_name}: {units_text} from {area_name} to {to_name}.",
    "moves_ended": "{nation_name} stay where they are.",
    "battle_joined": "The attack of {attacker_name} on {defender_name} in {area_name}, round {number}.",
    "die_bent": "{nation_name}: a wizard bends die {die} of the {side}.",
    "battle_rolled": "The dice of {attacker_name}: {attack_results:list}; of {defender_name}: {defence_results:list}.",
    "units_lost": (
        "{nation_name} lose {units_text} in {area_name} to {by_name}.",
        "{nation_name} lose {units_text} in {area_name}.",
    ),
    "hits_spent": "{nation_name}: the other hits do nothing.",
    "farmers_taken": "{by_name} take over {count} {count:farmer|farmers} of {nation_name} in {area_name}.",
    "units_retreated": "{nation_name}: {units_text} {count:retreats|retreat} from {area_name} to {to_name}.",
    "fighting_ended": "The fighting is over.",
    "person_placed": "{person_name} appears in {area_name}.",
    "person_moved": "{person_name} goes from {area_name} to {to_name}.",
    "person_removed": "{person_name} leaves {area_name}.",
    "token_given": "{token_name}: now with {nation_name}.",
    "token_taken": "{token_name}: no longer with {nation_name}.",
    "points_scored": (
        "{nation_name} score {points} in {area_name}: {reason_text}.",
        "{nation_name} score {points}: {reason_text}.",
    ),
    "stance_set": "{nation_name} have orders: {stance_text}.",
    "refuges_set": "{nation_name} know where to retreat to.",
    "losses_set": "{nation_name} know whom to lose first.",
    "wizards_set": "{nation_name}: the wizards have orders.",
    "growth_set": "{nation_name} have orders about growth.",
} | {key: text for episode in EPISODES.values() for key, text in episode.sentences.items()}

OPENINGS = {"round_begun": "Round {round}", "turn_begun": "{nation_name}"}
"""Where a paragraph of the history begins, and its heading."""
