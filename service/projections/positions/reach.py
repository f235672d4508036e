"""How far a reader of a running game reads: a seat's own part ends with the commit by which its player gave it up."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from domain.play.parts.seats import given_up, memory_at
from domain.play.record import Position
from domain.terms import GameId, Seat
from service.store.ports.commits import Stored
from service.store.redis.log.log import Log

STEP = 128
"""Commits read at a time, from the newest back."""

MOST = 10_000
"""Resignations remembered at a time."""

_TYPE = b'"seat_resigned"'


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads: a seat, or with None the public."""

    seat: Seat | None
    until: int | None = None
    """The last commit whose private part is the seat's to read; None for no end."""

    def at(self, seq: int) -> Seat | None:
        """The seat whose private part of a commit may be shown; None for the public part alone."""
        return self.seat if self.until is None or seq <= self.until else None


class Resignations:
    """Where players resigned, found once in each log and remembered."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Seat], int] = {}

    def reader(self, log: Log, game_id: GameId, position: Position, seat: Seat | None) -> Reader:
        """The seat as a reader of its game, which stands at this position; when it is over everything is open."""
        if seat is None or position.over or position.table is None or position.table.is_played(seat):
            return Reader(seat)
        chairs = memory_at(position.table)
        if chairs is not None:
            return Reader(seat, given_up(chairs, seat))
        return Reader(seat, self._resigned(log, game_id, seat, position.seq))

    def _resigned(self, log: Log, game_id: GameId, seat: Seat, last: int) -> int:
        """The commit by which the seat's player resigned; 0 for a seat that was a bot's from the beginning."""
        known = self._known.get((game_id, seat), 0)
        # Looked at again each time: after a loss of the newest commits it may have happened elsewhere.
        if known and any(_resigns(stored, seat) for stored in log.commits(game_id, known, known)):
            return known
        while last > 0:
            first = max(1, last - STEP + 1)
            for stored in reversed(list(log.commits(game_id, first, last))):
                if _resigns(stored, seat):
                    if len(self._known) >= MOST:
                        self._known.clear()
                    self._known[game_id, seat] = stored.seq
                    return stored.seq
            last = first - 1
        return 0


def _resigns(stored: Stored, seat: Seat) -> bool:
    if _TYPE not in stored.body:  # nearly all: not worth parsing
        return False
    events = orjson.loads(stored.body).get("events", ())
    return any(event["type"] == "seat_resigned" and event["seat"] == seat for event in events)
