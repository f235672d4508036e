"""What readers of a game get, as ready JSON: the public part, each seat's private part, the standing questions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from domain import RELEASE
from domain.game import AnyGame
from domain.play.record import Position
from domain.terms import GameId, Seat
from service.projections.positions.cache import Positions
from service.store.chain import BrokenLog
from service.store.codec import plain
from service.store.ports.commits import Rows
from service.store.ports.store import Store


def public_part(game: AnyGame, position: Position) -> dict[str, Any]:
    """What everybody sees: the game's own view, and beside it, under ``table``, who sits where and how it ended."""
    assert position.table is not None
    around = position.table
    seats = [{"seat": number, "controller": name} for number, name in enumerate(around.controllers, 1)]
    table = {"seats": seats, "pace": around.pace, "outcome": plain(around.outcome), "sandbox": around.sandbox}
    return {**game.view(position.state), "table": table}


def private_part(game: AnyGame, position: Position, seat: Seat) -> Any:
    """What this seat sees besides the public part."""
    return game.private(position.state, seat)


def plan_part(game: AnyGame, position: Position, seat: Seat | None) -> Any:
    """What the seat needs to plan its turn; None for the public, and when there is nothing left to plan."""
    return None if seat is None or position.over else game.plan(position.state, seat)


def is_open(position: Position, seat: Seat) -> bool:
    """Whether the seat's private part is anybody's to see: a player has the seat, or the game is over."""
    return position.over or position.table is None or position.table.is_played(seat)


def shown(position: Position) -> tuple[int, ...]:
    """As `Position.seen`, for whoever comes to read: a seat that is not open is shown what everybody is."""
    return tuple(
        seen if not place or is_open(position, Seat(place)) else position.seen[0]
        for place, seen in enumerate(position.seen)
    )


def sides_of(game: AnyGame, rows: Rows | None) -> dict[Seat, str]:
    """What each seat plays, by the newest public part; nothing where there is none, or none that this release can read."""
    try:
        return sides_in(game, orjson.loads(rows.public) if rows is not None else {})
    except ValueError:
        return {}


def sides_in(game: AnyGame, view: Any) -> dict[Seat, str]:
    """What each seat plays, by a public part; nothing where it does not say."""
    try:
        seats = [Seat(number) for number in range(1, len(view["table"]["seats"]) + 1)]
        return {seat: side for seat in seats if (side := game.side(view, seat)) in game.sides}
    except (TypeError, LookupError):
        return {}


def standing_questions(position: Position) -> list[dict[str, Any]]:
    """The questions that stand, as everybody may read them."""
    return [
        {
            "id": asked.id,
            "seat": asked.question.seat,
            "kind": asked.question.kind,
            "rule": asked.question.clause,
            "about": plain(asked.question.about),
            "since": asked.since,
            "due": asked.due,
        }
        for asked in position.asked
    ]


def as_bytes(part: Any) -> bytes:
    """A part as readers get it; equal parts are equal bytes."""
    return orjson.dumps(part, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)


def rows_of(game: AnyGame, position: Position, since: int = -1, signature: tuple[str, str] = ("", "")) -> Rows:
    """The rows of a position: only those parts that showed something after the commit ``since`` (all by default).

    ``signature`` is that of the position's head, and the id of the key that made it.
    """
    public, private = b"", {}
    if position.table is not None:
        if position.seen[0] > since:
            public = as_bytes(public_part(game, position))
        changed = [Seat(n) for n, seen in enumerate(position.seen) if n and seen > since]
        private = {
            seat: as_bytes(private_part(game, position, seat) if is_open(position, seat) else None) for seat in changed
        }
    return Rows(
        position.seq,
        position.head,
        RELEASE,
        public,
        private,
        shown(position),
        as_bytes(standing_questions(position)),
        "over" if position.over else "running",
        *signature,
    )


def current_rows(store: Store, positions: Positions, game_id: GameId, seats: Iterable[Seat] = ()) -> Rows | None:
    """The newest rows as this release tells them: those of another release are written anew before they are served.

    None before the first commit. Raises `UnknownEvent` and `BrokenLog` as `Positions.up_to_date` does.
    """
    for _ in range(_TRIES):
        rows = store.log.rows(game_id, tuple(seats))
        if rows is None or rows.release == RELEASE:
            return rows
        facts = positions.facts(game_id)
        if facts is None:
            return None
        position = positions.newest(facts)
        if position.seq != rows.seq:
            continue
        fresh = rows_of(facts.rules, position, signature=(rows.signature, rows.key_id))
        if store.log.rewrite(game_id, fresh):
            return fresh
    raise BrokenLog(game_id, rows.seq if rows else 0, "its rows do not stand where its log does")


_TRIES = 50
"""How often a game that is being played may have moved on between reading its rows and its log."""
