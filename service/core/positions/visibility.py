"""Which commits of a running game a reader can see in full: a seat's private part ends when its player gives up the seat."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from domain.kernel.record import Position
from domain.kernel.terms import GameId, Seat
from domain.table.seats import SEATS, given_up
from service.store.ports.commits import Stored
from service.store.redis.log.log import Log

BATCH_SIZE = 128
"""Commits read at a time, newest first."""

MAX_CACHED = 10_000
"""Maximum number of cached resignations."""

_TYPE = b'"seat_resigned"'


@dataclass(frozen=True, slots=True)
class HistoryReader:
    """A reader: a seat, or None for the public."""

    seat: Seat | None
    until: int | None = None
    """The last commit whose private part the seat may read; None for no limit."""

    def seat_at(self, seq: int) -> Seat | None:
        """The seat whose private part of a commit may be shown; None for the public part only."""
        return self.seat if self.until is None or seq <= self.until else None


class Resignations:
    """The commits in which players resigned, cached after one search of each log."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Seat], int] = {}

    def get_reader(self, log: Log, game_id: GameId, position: Position, seat: Seat | None) -> HistoryReader:
        """The reader for a seat at this position. Nothing is secret after the game."""
        if seat is None or position.over or position.table is None or position.table.is_played(seat):
            return HistoryReader(seat)
        chairs = SEATS.memory_at(position.table)
        if chairs is not None:
            return HistoryReader(seat, given_up(chairs, seat))
        return HistoryReader(seat, self._find_resignation(log, game_id, seat, position.seq))

    def _find_resignation(self, log: Log, game_id: GameId, seat: Seat, last: int) -> int:
        """The commit in which the seat's player resigned; 0 if the seat was a bot's from the start."""
        known = self._known.get((game_id, seat), 0)
        # Checked each time: if the newest commits were lost, the resignation may be in another one.
        if known and any(_is_resignation(stored, seat) for stored in log.commits(game_id, known, known)):
            return known
        while last > 0:
            first = max(1, last - BATCH_SIZE + 1)
            for stored in reversed(list(log.commits(game_id, first, last))):
                if _is_resignation(stored, seat):
                    if len(self._known) >= MAX_CACHED:
                        self._known.clear()
                    self._known[game_id, seat] = stored.seq
                    return stored.seq
            last = first - 1
        return 0


def _is_resignation(stored: Stored, seat: Seat) -> bool:
    if _TYPE not in stored.body:  # saves parsing nearly all bodies
        return False
    events = orjson.loads(stored.body).get("events", ())
    return any(event["type"] == "seat_resigned" and event["seat"] == seat for event in events)
