"""The history as each seat may read it, one line for each event, from the event alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

from domain.battalia import events as ev
from domain.battalia.cards import CARDS
from domain.game import Form, Named
from domain.shape import snake
from domain.terms import Seat

_NOBODY: frozenset[type[Any]] = frozenset((ev.MomentCame, ev.MomentsAdded))
_OWNER = frozenset((ev.LinePledged,))

_SHOWN: Mapping[type[Any], tuple[str, ...]] = {
    cls: tuple(field.name for field in fields(cls) if field.name not in ("answers", "agenda"))
    for cls in ev.EVENTS.values()
}
"""What everybody may read of an event, where no secret is in it."""


def audience(event: Any) -> Collection[Seat] | None:
    """Who may read any of it; None for everybody."""
    if type(event) in _NOBODY:
        return ()
    if type(event) in _OWNER:
        return (event.seat,)
    return None


def reveal(event: Any, seat: Seat | None) -> Any:
    """The line as the seat (None: the public) may read it; None if it may read none of it."""
    readers = audience(event)
    if readers is not None and seat not in readers:
        return None
    type_ = snake(type(event).__name__)
    match event:
        case ev.BattaliaBegun():
            return {"type": type_, **_begun(event)}
        case ev.CardsDrawn(owner, cards):
            return {"type": type_, "seat": owner, "count": len(cards), **_own(owner, seat, "cards", cards)}
        case ev.DeckShuffled(owner, order):
            return {"type": type_, "seat": owner, "count": len(order)}
        case ev.CardsKept(owner, tent, kept, brief):
            shown = {"seat": owner, "tent": tent, "brief": brief, "count": len(kept)}
            return {"type": type_, **shown, **_own(owner, seat, "kept", kept)}
        case ev.CardHidden(owner, card):
            return {"type": type_, "seat": owner, **_own(owner, seat, "card", card)}
        case _:
            return {"type": type_} | {name: _plain(getattr(event, name)) for name in _SHOWN[type(event)]}


def _own(owner: Seat, reader: Seat | None, name: str, value: Any) -> dict[str, Any]:
    return {name: _plain(value)} if owner == reader else {}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return {str(key): _plain(each) for key, each in value.items()} if isinstance(value, Mapping) else value


def _begun(event: ev.BattaliaBegun) -> dict[str, Any]:
    return {
        "ruleset": event.ruleset,
        "options": dict(event.options),
        "modules": list(event.modules),
        "factions": list(event.factions),
        "columns": event.columns,
        "rows": event.rows,
        "starts": list(event.starts),
        "centre": event.centre,
        "order": list(event.order),
        "piles": {name: _counted(cards) for name, cards in sorted(event.piles.items())},
        "decks": {str(seat): sorted(cards) for seat, cards in event.decks.items()},
        "great": list(event.great),
        "neutrals": {name: CARDS[card].faction for name, card in event.neutrals.items()},
    }


def _counted(cards: Sequence[str]) -> int:
    return len(cards)


NAMES: dict[str, dict[str, str]] = {
    "faction": {
        "barfolk": "Bärfolk",
        "islanders": "Islanders",
        "emberians": "Emberians",
        "cloudborn": "Cloudborn",
        "wolfsclan": "Wolfsclan",
        "sunblessed": "Sunblessed",
    }
}
"""SET-02; the names that modules bring stand with the modules."""


def _card(card: Any, named: Named) -> str:
    """A card by what it is, without the number that tells it from its like: ``frimen-islanders-3``."""
    return " ".join(named("faction", word) for word in re.sub(r"(-\d+)?(~\d+)?$", "", str(card)).split("-"))


OPENINGS = {
    "day_announced": "Day {day} of week {week}",
    "turn_began": "{seat:seat}",
}

FORMS: Mapping[str, Form] = {"card": _card}
LISTS: Mapping[str, str] = {"cards": "card"}

SENTENCES: dict[str, str | Sequence[str]] = {
    "battalia_begun": "The table is laid for {order:seats}, in this order; open beside the board: {great:cards}.",
    "faction_chosen": "{seat:seat} leads the {faction:faction}.",
    "start_placed": "{seat:seat} starts at {square:square}.",
    "day_announced": "Day {day} of week {week}: the {lit} is lit, the {matching} matches.",
    "day_ended": "Day {day} of week {week} is over.",
    "turn_began": "{seat:seat} begins a turn.",
    "turn_ended": "{seat:seat} ends the turn.",
    "question_asked": "To answer now: {seats:seats} ({clause}).",
    "question_answered": "{seat:seat} has answered.",
    "seat_out": "{seat:seat} is out of the game.",
    "end_reached": "The end has come: {reason} ({clause}).",
    "hand_mulliganed": "{seat:seat} discards the hand: [{cards:cards}~no cards].",
    "cohort_shown": "{seat:seat} shows a cohort: {cards:cards}.",
    "cards_drawn": ("{seat:seat} draws [{cards:cards}~no cards].", "{seat:seat} draws {count} {count:card|cards}."),
    "deck_shuffled": "{seat:seat} shuffles the discard pile ({count}) into a new deck.",
    "cards_discarded": "{seat:seat} discards {cards:cards}.",
    "card_taken": "{seat:seat} takes {card:card}[, for {paid:cards}].",
    "road_built": "{seat:seat} lays {card:card} on {square:square}, open to {exits}[, for {paid:cards}].",
    "city_founded": "{seat:seat} founds a city of level {level} on {square:square}: {card:card}[, for {paid:cards}].",
    "city_upgraded": "{seat:seat} raises the city on {square:square} to level {level}[, for {paid:cards}].",
    "city_rebuilt": "{seat:seat} rebuilds the city on {square:square}[, for {paid:cards}].",
    "hero_stepped": "{seat:seat} walks from {origin:square} to {to:square}[, for {paid:cards}].",
    "step_paid": "{seat:seat} steps onto {to:square}[, for {paid:cards}].",
    "amulet_rolled": "{seat:seat} rolls {rolls:list} for {paid:cards} and [gets {tokens:cards}~may wish].",
    "wish_granted": "{seat:seat} wishes for {token:card}.",
    "cards_kept": (
        "{seat:seat} keeps {kept:cards} with {tent:card}.",
        "{seat:seat} keeps {count} {count:card|cards} with {tent:card}.",
    ),
    "card_hidden": ("{seat:seat} lays {card:card} face down.", "{seat:seat} lays a card face down."),
    "wings_spread": "{seat:seat} plays {paid:cards}: a hero walks free this turn.",
    "horn_sounded": "{seat:seat} sounds the horn: {paid:cards}.",
    "hand_reached": "{seat:seat} reaches out: {paid:cards}.",
    "line_paid": "{seat:seat} pays with {cards:cards}.",
    "cards_laid": "{seat:seat} lays {cards:cards} open.",
    "hero_joined": "{hero:figure} on {square:square} fights for {seat:seat} from now on.",
    "hero_left": "{hero:figure} leaves the service of {seat:seat}.",
    "hero_returned": "A hero of {seat:seat} comes back on {square:square}.",
    "battle_began": "{seat:seat} attacks {square:square} from {origin:square}.",
    "line_pledged": "{seat:seat} lays a line: [{cards:cards}~no cards][; from the slots: {ambush:cards}].",
    "line_revealed": (
        "{seat:seat} reveals [{cards:cards}~no cards][; from the slots: {ambush:cards}][; amulets: {rolls:list}]."
    ),
    "battle_fought": "The attack of {seat:seat} on {square:square}: {strength} against {against}.",
    "figure_fought": "{seat:seat} fights {npc:module} on {square:square}: {strength} against {against}.",
    "hero_disbanded": "A hero of {seat:seat} is disbanded on {square:square}.",
    "hero_entered": "A hero of {seat:seat} enters {square:square}.",
    "city_taken": "{seat:seat} takes the city on {square:square}, level {level}.",
    "city_levelled": "The city on {square:square} falls to level {level}.",
    "city_destroyed": "The city on {square:square} is destroyed.",
    "ruins_beaten": "{seat:seat} beats the ruins.",
    "spoils_taken": "{seat:seat} takes {card:card} from the ruins.",
    "hero_fled": "A hero of {seat:seat} flees from {origin:square} to {to:square}.",
}
