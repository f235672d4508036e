"""The context of an app, shared by all its requests: the store and the caches of this process."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from flask import current_app, request

from domain import RELEASE
from domain.kernel.terms import GameId, PlayerId, Seat
from service.core.accounts.apart import FindApart
from service.core.feature import Feature
from service.core.http.context.compute_jobs import ComputeJobs
from service.core.http.context.game_locks import GameLocks
from service.core.http.context.lobbies import LobbyCache
from service.core.http.context.offload import ReadContext, ThreadOffload
from service.core.http.context.tokens import TokenCache
from service.core.http.health import HealthChecks
from service.core.http.limits.history_limiter import HistoryLimiter
from service.core.http.limits.rates import RateLimiter
from service.core.http.limits.streams import StreamLimiter
from service.core.http.metrics import RequestMetrics
from service.core.http.problems import Problem, invalid_parameter, quarantine_problem
from service.core.http.responses import head_header
from service.core.http.ttl_cache import CachedValue, TtlCache
from service.core.lobbies.game_fields import GameFieldReader
from service.core.positions.cache import Positions
from service.core.positions.game_config import GameConfig
from service.core.positions.rows import load_current_rows
from service.core.queue import Queue
from service.ops.settings import Settings
from service.store.ports.commits import Rows
from service.store.redis.store import Store

T = TypeVar("T")
_TAG = re.compile(r'"([0-9]{1,15})(?:-[^"]*)?"')
_HEAD = re.compile(r"[0-9a-f]{64}")
EXTENSION = "oraclewheel"


@dataclass(frozen=True, slots=True)
class AppContext:
    """State shared by an app and all its requests; `current_context` returns it."""

    features: tuple[Feature, ...]
    store: Store
    settings: Settings
    wake: Callable[[GameId], None]
    """Wakes a worker for a game with work to do."""
    queue: Queue | None
    """RQ, for the metrics. None without a queue (tests)."""
    tokens: TokenCache
    lobby_cache: LobbyCache
    rate_limiter: RateLimiter
    request_metrics: RequestMetrics
    metrics: CachedValue[bytes]
    """The metrics for Prometheus, at most a few seconds old."""
    health: HealthChecks
    history_limiter: HistoryLimiter
    """Admits readers of long histories, page by page."""
    stream_limiter: StreamLimiter
    positions: Positions
    game_locks: GameLocks
    """For views that must be computed: by one of all requests for the same game."""
    options: TtlCache[tuple[object, ...], tuple[int, bytes]]
    """Options by game, head, seat and form."""
    offload: ThreadOffload
    compute_jobs: ComputeJobs
    find_apart: FindApart
    game_fields: GameFieldReader

    def are_apart(self, one: PlayerId, other: PlayerId) -> bool:
        """Whether the two players must not reach each other: no seats, sitters or messages."""
        return one != other and other in self.find_apart(self.store, one, [other])

    def base_url(self) -> str:
        """The public URL of the service, without a slash at its end."""
        return self.settings.public_url or request.url_root.rstrip("/")

    def rows(self, game_id: GameId, seats: tuple[Seat, ...] = (), *, views: bool = True) -> Rows:
        """The newest rows of a game.

        Raises the problems of a game that has not started or settled, and of an ETag ahead of its log.
        """
        rows = self.newest_rows(game_id, seats, views=views)
        if rows is None:
            raise Problem("not-started")
        if not rows.seen:
            raise Problem("game-stalled")
        held = lowest_seq(request.headers.get("If-None-Match", ""))
        if held > rows.seq:
            raise self.diverged_problem(game_id, held, "", rows.seq, rows.head)
        return rows

    def newest_rows(self, game_id: GameId, seats: tuple[Seat, ...] = (), *, views: bool = True) -> Rows | None:
        """As `load_current_rows`. Missing views are computed by one of the waiting requests, without blocking others.

        Also raises as `ThreadOffload.run`.
        """
        rows = self.store.views.rows(game_id, seats, views=views)
        if rows is None or rows.release == RELEASE:
            return rows
        with self.game_locks.lock(game_id):
            rows = self.store.views.rows(
                game_id, seats, views=views
            )  # another request may have computed it in the meantime
            if rows is None or rows.release == RELEASE:
                return rows
            return self.offload.run(
                lambda reads: load_current_rows(reads.store, reads.positions, game_id, seats, views=views), game_id
            )

    def require_not_quarantined(self, game_id: GameId) -> None:
        """Raises the problem of a quarantined game, for which no options are available."""
        mark = self.store.schedule.marked(game_id)
        if mark is not None and mark.holds(RELEASE):
            raise quarantine_problem(mark.code)

    def require_head(self, game_id: GameId, held: str) -> None:
        """Raises the problem of a reader with a head (``<seq> <head>``) that is not in the game's log."""
        seq, _, head = held.strip().partition(" ")
        if not (seq.isascii() and seq.isdecimal() and len(seq) <= 15) or (head and not _HEAD.fullmatch(head)):
            raise invalid_parameter(
                "Game-Head", "Game-Head must be a seq and its head, as in responses about the game."
            )
        now, stands = self.store.log.head(game_id)
        there = stands if int(seq) == now else self._head_of(game_id, int(seq)) if int(seq) < now else None
        if there != head:
            raise self.diverged_problem(game_id, int(seq), head, now, stands)

    def _head_of(self, game_id: GameId, seq: int) -> str:
        return next((stored.head for stored in self.store.log.commits(game_id, seq, seq)), "") if seq else ""

    def diverged_problem(self, game_id: GameId, seq: int | None, head: str, now: int, stands: str) -> Problem:
        """The problem of a reader whose seq or head is not in the log. Clears this process's caches of the game."""
        self.lobby_cache.forget(game_id)
        self.positions.forget(game_id)
        held, there = {"seq": seq, "head": head or None}, {"seq": now, "head": stands or None}
        return Problem("log-diverged", headers=head_header(now, stands), client=held, server=there)

    def compute(
        self, game_id: GameId, work: Callable[[ReadContext, GameConfig], T], client: str, *, at_once: bool = False
    ) -> T:
        """The value of ``work`` on a started game, computed for ``client`` without blocking others.

        Raises as `ThreadOffload.run`.

        ``at_once``: the work takes no longer than handing it to a thread would, so it is done in place.
        """

        def done(reads: ReadContext) -> T:
            facts = reads.positions.get_config(game_id)
            if facts is None:
                raise Problem("not-started")
            return work(reads, facts)

        return done(self.offload.local_reads) if at_once else self.offload.run(done, client)


def lowest_seq(header: str) -> int:
    """The lowest seq among the entity tags of a header, -1 without any. If it is above the log's end, all of them are."""
    return min((int(seq) for seq in _TAG.findall(header)), default=-1)


def current_context() -> AppContext:
    """The context of the app that handles this request."""
    return cast("AppContext", current_app.extensions[EXTENSION])
