"""The history as each seat may read it, one line for each event, from the event alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

from domain.battalia import events as ev
from domain.battalia.cards import CARDS
from domain.shape import snake
from domain.terms import Seat

_NOBODY: frozenset[type[Any]] = frozenset((ev.MomentCame, ev.MomentsAdded))
_OWNER = frozenset((ev.LinePledged,))

_SHOWN: Mapping[type[Any], tuple[str, ...]] = {
    cls: tuple(field.name for field in fields(cls) if field.name not in ("answers", "agenda"))
    for cls in ev.EVENTS.values()
}
"""What everybody may read of an event, where no secret is in it."""


TOLD: Mapping[str, Mapping[str, Any]] = {
    "": {"answers": None, "agenda": None},
    "battalia_begun": {
        "piles": Mapping[str, int],
        "decks": Mapping[str, tuple[str, ...]],
        "neutrals": Mapping[str, str],
        "markers": None,
        "hand": None,
        "gone": None,
        "neutral_level": None,
    },
    "cards_drawn": {"count": int, "cards": tuple[str, ...]},
    "deck_shuffled": {"count": int, "order": None},
    "cards_kept": {"count": int, "kept": tuple[str, ...]},
    "card_hidden": {"card": str},
    "hero_disbanded": {"answers": None, "why": str},
}
"""What `reveal` tells otherwise than the event has it (see `domain.game.Game.told`)."""


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
        case ev.HeroDisbanded():
            why = "no-refuge" if event.answers else "beaten"  # RAM-14: a question that is answered by nobody
            return {"type": type_, "seat": event.seat, "hero": event.hero, "square": event.square, "why": why}
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
