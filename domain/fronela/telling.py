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
_NAMED = ("nation", "area", "to", "by", "attacker", "defender", "person", "token")


def reveal(event: Any, seat: Seat | None) -> dict[str, Any] | None:
    """The event as the seat may read it: everything, but the standing orders of others."""
    if isinstance(event, SECRET) and event.seat != seat:
        return None
    told: dict[str, Any] = {"type": snake(type(event).__name__)}
    for field in dataclasses.fields(event):
        value = getattr(event, field.name)
        told[field.name] = _plain(value)
        if field.name in _NAMED and value:
            told[field.name + "_name"] = NAMES.get(value, value)
    if "kind" in told and "count" in told:
        told["units_text"] = _units({told["kind"]: told["count"]})
    if "units" in told:
        told["units_text"] = _units(told["units"])
    if "attack" in told:
        told["attack_faces"] = [die["result"] for die in told["attack"]]
        told["defence_faces"] = [die["result"] for die in told["defence"]]
    return told


def _plain(value: Any) -> Any:
    if isinstance(value, Die):
        return {"face": value.face, "modifier": value.modifier, "result": value.result}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return value


def _units(units: Mapping[str, int]) -> str:
    words = [f"{number} {NAMES.get(kind, kind)}{'s' if number > 1 else ''}" for kind, number in units.items()]
    return ", ".join(words)


SENTENCES: dict[str, str | Sequence[str]] = {
    "history_begun": "The history of Fronela begins.",
    "round_begun": "Round {round} begins: {title} ({years} ST).",
    "round_ended": "Round {round} ends.",
    "order_changed": "The order of turns is set.",
    "turn_begun": "The turn of the {nation_name} begins.",
    "asked": "{seat:seat} is to answer: {kind}.",
    "growth_rolled": "The {nation_name} roll {face} for growth in {area_name}: {result}.",
    "growth_lost": "The {nation_name} gain no unit in {area_name}.",
    "units_placed": "The {nation_name} gain {units_text} in {area_name}.",
    "units_readied": "The {nation_name} make ready to move.",
    "units_marched": "{units_text} of the {nation_name} go from {area_name} to {to_name}.",
    "moves_ended": "The {nation_name} end their moves.",
    "battle_joined": "{attacker_name} attack {defender_name} in {area_name} (round {number}).",
    "die_bent": "A wizard of the {nation_name} bends die {die} of the {side}.",
    "battle_rolled": "{attacker_name} roll {attack_faces:list}, {defender_name} roll {defence_faces:list}.",
    "units_lost": (
        "The {nation_name} lose {units_text} in {area_name} to {by_name}.",
        "The {nation_name} lose {units_text} in {area_name}.",
    ),
    "hits_spent": "No more hits on {nation_name} count.",
    "farmers_taken": "The {by_name} take {count} farmers of the {nation_name} in {area_name}.",
    "units_retreated": "{units_text} of the {nation_name} retreat from {area_name} to {to_name}.",
    "fighting_ended": "The fighting ends.",
    "person_placed": "{person_name} appears in {area_name}.",
    "person_moved": "{person_name} goes from {area_name} to {to_name}.",
    "person_removed": "{person_name} leaves.",
    "token_given": "{token_name}: with the {nation_name}.",
    "token_taken": "{token_name} leaves the {nation_name}.",
    "points_scored": (
        "{nation_name}: {points} points in {area_name} ({reason}).",
        "{nation_name}: {points} points ({reason}).",
    ),
    "stance_set": "Standing orders of the {nation_name}: {stance}.",
    "refuges_set": "The {nation_name} know where to retreat to.",
    "losses_set": "The {nation_name} know whom to lose first.",
    "wizards_set": "The wizards of the {nation_name} know what to do.",
} | {key: text for episode in EPISODES.values() for key, text in episode.sentences.items()}
