"""What every request needs at hand: the store and what this process remembers of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from flask import current_app

from domain.terms import Seat
from service.api.apart import Apart, Desk
from service.api.gate import Gate
from service.api.health import Health
from service.api.jury import Jury
from service.api.limits import Limits
from service.api.metrics import Requests
from service.api.problems import RETRY_SECONDS, Problem
from service.api.remembered import Remembered
from service.api.rooms import Rooms
from service.api.streams import Streams
from service.api.tokens import Tokens
from service.projections.facts import Facts
from service.projections.positions import Positions
from service.projections.rows import current_rows
from service.queue import Queue
from service.settings import Settings
from service.store.codec import UnknownEvent
from service.store.ports import Rows, Store

T = TypeVar("T")
EXTENSION = "oraclewheel"


@dataclass(frozen=True, slots=True)
class House:
    """The one of the app that answers; `here` finds it."""

    store: Store
    settings: Settings
    wake: Callable[[str], None]
    """Tell a worker that a game has become ready."""
    queue: Queue | None
    """RQ, for the metrics; None where there is none (tests)."""
    tokens: Tokens
    rooms: Rooms
    limits: Limits
    requests: Requests
    figures: Remembered[bytes]
    """What Prometheus reads, of a moment ago."""
    health: Health
    gate: Gate
    """Where long histories are read, page by page."""
    streams: Streams
    positions: Positions
    apart: Apart
    jury: Jury

    def rows(self, game: str, seats: tuple[Seat, ...] = ()) -> Rows:
        """The newest rows of a game that stands; raises the problems of one that does not."""
        try:
            rows = current_rows(self.store, self.positions, game, seats)
        except UnknownEvent as error:
            raise newer_release() from error
        if rows is None:
            raise Problem("not-started")
        if not rows.seen:
            raise Problem("not-settled")
        return rows

    def compute(self, game: str, work: Callable[[Desk, Facts], T]) -> T:
        """Do something with a started game, where it holds up nobody else."""

        def done(desk: Desk) -> T:
            facts = desk.positions.facts(game)
            if facts is None:
                raise Problem("not-started")
            return work(desk, facts)

        try:
            return self.apart.run(done)
        except UnknownEvent as error:
            raise newer_release() from error


def newer_release() -> Problem:
    """The problem of a game that a newer release has written to."""
    detail = "The game is waiting for a newer release of the service."
    return Problem("not-ready", detail, headers={"Retry-After": str(RETRY_SECONDS)})


def here() -> House:
    """The house of the app that answers this request."""
    return cast("House", current_app.extensions[EXTENSION])
