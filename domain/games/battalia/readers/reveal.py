"""Each event as one line of history, for a seat or the public; derived from the event alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

from domain.games.battalia import events as ev
from domain.games.battalia.cards import CARDS
from domain.kernel.terms import Seat

_NOBODY: frozenset[type[Any]] = frozenset((ev.MomentCame, ev.MomentsAdded))
_OWNER = frozenset((ev.LinePledged, ev.OrderGiven, ev.OrderWithdrawn))

_OPEN = frozenset(
    (
        ev.MomentCame,
        ev.MomentsAdded,
        ev.TurnBegan,
        ev.QuestionAsked,
        ev.QuestionAnswered,
        ev.FactionChosen,
        ev.WishGranted,
        ev.HeroFled,
        ev.HeroReturned,
    )
)
"""Events that reveal only what their seat chose openly."""

_SHOWN: Mapping[type[Any], tuple[str, tuple[str, ...]]] = {
    cls: (type_, tuple(field.name for field in fields(cls) if field.name not in ("answers", "agenda")))
    for type_, cls in ev.EVENTS.items()
}
"""The type and the public fields of each event without secrets."""
_ATOMS = frozenset((str, int, bool, type(None)))
"""Types that JSON can represent directly: nearly every field."""


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
"""Fields of the lines of `reveal` that differ from the events (see `domain.kernel.game.knowledge.Knowledge.told`)."""


def audience(event: Any) -> Collection[Seat] | None:
    """The seats that may read any part of it. None: everyone."""
    if type(event) in _NOBODY:
        return ()
    if type(event) in _OWNER:
        return (event.seat,)
    return None


def gives_away(event: Any) -> bool:
    """Whether the event may reveal a secret, such as a card of a hand. Most do, and every module's event may."""
    if isinstance(event, ev.HeroStepped):
        return bool(event.paid)
    return type(event) not in _OPEN


def reveal(event: Any, seat: Seat | None) -> Any:
    """The line for the seat (None: the public); None if it may read nothing."""
    readers = audience(event)
    if readers is not None and seat not in readers:
        return None
    type_, names = _SHOWN[type(event)]
    tell = _OTHERWISE.get(type(event))
    if tell is not None:
        return {"type": type_, **tell(event, seat)}
    line: dict[str, Any] = {"type": type_}
    for name in names:
        value = getattr(event, name)
        line[name] = value if type(value) in _ATOMS else _plain(value)
    return line


def _drawn(event: ev.CardsDrawn, reader: Seat | None) -> dict[str, Any]:
    return {"seat": event.seat, "count": len(event.cards), **_own(event.seat, reader, "cards", event.cards)}


def _shuffled(event: ev.DeckShuffled, _reader: Seat | None) -> dict[str, Any]:
    return {"seat": event.seat, "count": len(event.order)}


def _kept(event: ev.CardsKept, reader: Seat | None) -> dict[str, Any]:
    shown = {"seat": event.seat, "tent": event.tent, "brief": event.brief, "count": len(event.kept)}
    return {**shown, **_own(event.seat, reader, "kept", event.kept)}


def _hidden(event: ev.CardHidden, reader: Seat | None) -> dict[str, Any]:
    return {"seat": event.seat, **_own(event.seat, reader, "card", event.card)}


def _disbanded(event: ev.HeroDisbanded, _reader: Seat | None) -> dict[str, Any]:
    why = "no-refuge" if event.answers else "beaten"  # RAM-14: a question that no one answers
    return {"seat": event.seat, "hero": event.hero, "square": event.square, "why": why}


def _own(owner: Seat, reader: Seat | None, name: str, value: Any) -> dict[str, Any]:
    return {name: _plain(value)} if owner == reader else {}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return {str(key): _plain(each) for key, each in value.items()} if isinstance(value, Mapping) else value


def _begun(event: ev.BattaliaBegun, _reader: Seat | None) -> dict[str, Any]:
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


_OTHERWISE: Mapping[type[Any], Callable[[Any, Seat | None], dict[str, Any]]] = {
    ev.BattaliaBegun: _begun,
    ev.CardsDrawn: _drawn,
    ev.DeckShuffled: _shuffled,
    ev.CardsKept: _kept,
    ev.CardHidden: _hidden,
    ev.HeroDisbanded: _disbanded,
}
"""Functions for events with secrets, or whose lines differ from their fields."""
