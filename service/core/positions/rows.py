"""The rows that readers of a game get, as JSON: the public part, a private part per seat, and pending questions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import orjson

from domain import RELEASE
from domain.kernel.game import AnyGame
from domain.kernel.game.knowledge import Knowledge, SeatView
from domain.kernel.game.presentation import Presentation
from domain.kernel.lifecycle import PLAYER
from domain.kernel.record import OpenQuestion, Position
from domain.kernel.terms import GameId, Seat
from domain.table import features
from service.core.positions.cache import Positions
from service.core.positions.game_config import GameConfig
from service.store.chain import BrokenLog
from service.store.codec import UnknownEvent, plain
from service.store.ports.commits import Rows
from service.store.ports.errors import StoreDown
from service.store.redis.store import Store


def build_public(knowledge: Knowledge[Any, Any], position: Position) -> dict[str, Any]:
    """The public part: the game's view, and under ``table`` the seats and the outcome."""
    return {**knowledge.view(position.state), "table": build_table(position)}


def build_private(knowledge: Knowledge[Any, Any], position: Position, seat: Seat) -> Any:
    """The part that only this seat sees."""
    return knowledge.private(position.state, seat)


def build_seat_view(knowledge: Knowledge[Any, Any], position: Position, seat: Seat | None) -> SeatView:
    """The public and the private part of a position, decoded from JSON; the private part is null without a seat."""
    private = None if seat is None else build_private(knowledge, position, seat)
    return SeatView(orjson.loads(as_bytes(build_public(knowledge, position))), orjson.loads(as_bytes(private)))


def build_plan(knowledge: Knowledge[Any, Any], position: Position, seat: Seat | None) -> Any:
    """What the seat needs to plan its turn; None for the public and after the game."""
    return None if seat is None or position.over else knowledge.plan(position.state, seat)


def is_open(position: Position, seat: Seat) -> bool:
    """Whether the seat's private part may be shown: a player has the seat, or the game is over."""
    return position.over or position.table is None or position.table.is_played(seat)


def list_seen(position: Position) -> tuple[int, ...]:
    """As `Position.seen`, for readers. A seat that is not open sees the public part."""
    if position.over or position.table is None or all(name == PLAYER for name in position.table.controllers):
        return position.seen  # every seat is open
    return tuple(
        seen if not place or is_open(position, Seat(place)) else position.seen[0]
        for place, seen in enumerate(position.seen)
    )


def load_sides(store: Store, positions: Positions, game: AnyGame, game_id: GameId) -> dict[Seat, str]:
    """The side of each seat; empty before the game begins, or if this release cannot read it."""
    try:
        rows = store.views.rows(game_id)
        if rows is not None and rows.release == RELEASE:
            return find_sides(game.presentation, orjson.loads(rows.public))
        started = None if rows is None else positions.load_started(game_id)
        if started is None or started[1].position.table is None:
            return {}
        return find_sides(
            game.presentation, orjson.loads(as_bytes(build_public(started[0].game.knowledge, started[1].position)))
        )
    except (ValueError, UnknownEvent, BrokenLog):
        return {}


def find_sides(presentation: Presentation, view: Any) -> dict[Seat, str]:
    """The side of each seat, from a public part; empty if it has none."""
    try:
        seats = [Seat(number) for number in range(1, len(view["table"]["seats"]) + 1)]
        return {seat: side for seat in seats if (side := presentation.side(view, seat)) in presentation.sides}
    except (TypeError, LookupError):
        return {}


def build_questions(position: Position) -> list[dict[str, Any]]:
    """The pending questions as the stored rows contain them, with the deadline in ``due``."""
    return [{**_without_deadline(asked), "due": asked.due} for asked in position.asked]


def build_question(asked: OpenQuestion) -> dict[str, Any]:
    """A question in its public form."""
    return {**_without_deadline(asked), "deadline": asked.due}


def _without_deadline(asked: OpenQuestion) -> dict[str, Any]:
    return {
        "id": asked.id,
        "seat": asked.question.seat,
        "kind": asked.question.kind,
        "rule": asked.question.clause,
        "about": plain(asked.question.about),
        "since": asked.since,
    }


def as_bytes(part: Any) -> bytes:
    """A part as JSON bytes. Equal parts give equal bytes."""
    return orjson.dumps(part, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)


def build_table(position: Position) -> dict[str, Any]:
    """The ``table`` of the public part: seats and outcome."""
    assert position.table is not None
    table = position.table
    seats = [{"seat": number, "controller": name} for number, name in enumerate(table.controllers, 1)]
    told = {"seats": seats, "pace": table.pace, "outcome": plain(table.outcome), "sandbox": table.sandbox}
    return {**told, **features.view(table)} if table.memories else told


def build_parts(
    game: AnyGame, position: Position, since: int = -1, seats: Collection[Seat] | None = None
) -> dict[int, Any]:
    """The parts of the views that changed after the commit ``since``: 0 is the public one, the others are seats.

    ``seats`` limits the private parts; by default all are included. Empty before the game begins.
    """
    if position.table is None:
        return {}
    seen = list_seen(position)
    wanted = [Seat(number) for number in range(1, len(seen))] if seats is None else seats
    parts: dict[int, Any] = {0: build_public(game.knowledge, position)} if seen[0] > since else {}
    for seat in wanted:
        if seat < len(seen) and seen[seat] > since:
            parts[seat] = build_private(game.knowledge, position, seat) if is_open(position, seat) else None
    return parts


def build_rows(
    game: AnyGame,
    position: Position,
    signature: tuple[str, str] = ("", ""),
    parts: Mapping[int, Any] | None = None,
) -> Rows:
    """The rows of a position. ``parts`` defaults to all parts of its views.

    ``signature`` is the signature of the head, with the id of its key.
    """
    ready = {place: as_bytes(part) for place, part in (build_parts(game, position) if parts is None else parts).items()}
    return Rows(
        position.seq,
        position.head,
        RELEASE,
        ready.pop(0, b""),
        {Seat(place): part for place, part in ready.items()},
        list_seen(position),
        as_bytes(build_questions(position)),
        "over" if position.over else "running",
        *signature,
        b"" if position.table is None else as_bytes(build_table(position)),
    )


def load_current_rows(
    store: Store, positions: Positions, game_id: GameId, seats: Collection[Seat] = (), *, views: bool = True
) -> Rows | None:
    """The newest rows in the format of this release. Missing rows and those of another release are rebuilt first.

    None before the first commit. Raises `UnknownEvent` and `BrokenLog` as `Positions.up_to_date` does.
    """
    for _ in range(_TRIES):
        rows = store.views.rows(game_id, tuple(seats), views=views)
        if rows is None or rows.release == RELEASE:
            return rows
        started = positions.load_started(game_id)
        if started is None:
            return None
        fresh = _rebuild(store, started[0], started[1].position, rows, seats, views=views)
        if fresh is not None:
            return fresh
    raise BrokenLog(game_id, rows.seq if rows else 0, "its rows do not match its log")


def _rebuild(
    store: Store, config: GameConfig, position: Position, rows: Rows, seats: Collection[Seat], *, views: bool
) -> Rows | None:
    """Rebuild the rows from the position and store them. None if the game has advanced."""
    if position.seq != rows.seq:
        return None
    parts = build_parts(config.game, position, seats=seats) if views else {}
    fresh = build_rows(config.game, position, (rows.signature, rows.key_id), parts)
    try:
        if not store.views.rewrite(config.id, fresh, watched=views):
            return None
    except StoreDown:  # a store that refuses writes, for example on a full disk, can still be read
        pass
    return fresh if fresh.public else replace(fresh, public=b"null")


_TRIES = 50
"""How often the game may advance between the reads of its rows and its log."""
