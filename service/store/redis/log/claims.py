"""Claims of games by worker processes, with their pending commands, and the release of claims."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import orjson
from redis.exceptions import ResponseError

from domain.kernel.terms import GameId
from service.store.ports.waiting import Mark, Work
from service.store.redis import keys
from service.store.redis.client import RedisClient, Script
from service.store.redis.conditional import execute_if
from service.store.redis.keys import Keys
from service.store.redis.log.schedule import USUAL, Schedule, mark_in, submission_in

CLAIM, GIVE_UP = Script("claim"), Script("release")

_NUMBERS = 1023
"""Number of processes that the score of a lease can distinguish."""


@dataclass(frozen=True, slots=True)
class HeldLease:
    """A game that this process has claimed."""

    lease: bytes
    """The score in the sorted set of leases."""
    clean: bool
    """No earlier claim had ended without a commit, and the game was not put off."""
    brief: bool
    """The lease has the usual length, so its length is not stored."""
    marked: bool
    """The game had a quarantine marker."""
    until: float
    """By this process's clock (`time.monotonic`): the lease has not ended before this."""


_UNHELD = HeldLease(b"", clean=False, brief=False, marked=False, until=0.0)


class Claims:
    def __init__(self, wire: RedisClient, names: Keys, schedule: Schedule) -> None:
        self._wire, self._keys, self._schedule = wire, names, schedule
        self._held: dict[GameId, HeldLease] = {}
        self._released: set[GameId] = set()
        """Games that were released by their last append."""
        self._number: tuple[int, int] | None = None
        """Process id, and this process's number among the lease owners."""

    def held(self, game_id: GameId) -> HeldLease:
        """The claim of this process on a game, or `_UNHELD`."""
        return self._held.get(game_id, _UNHELD)

    def has_released(self, game_id: GameId) -> None:
        self._held.pop(game_id, None)
        self._released.add(game_id)

    def claim(self, partitions: Sequence[int], limit: int, lease: int, entries: int = 32) -> Sequence[Work]:
        """Ready games with their pending commands, leased for ``lease`` milliseconds so that other workers skip them.

        Leases are no locks. Each lease of a game is unique, so that `sweep` finds those that have not changed for their
        duration, or that are further in the future than they can be because the clock was set back.
        Each partition gets an equal share of the limit, so there may be no more partitions than games to claim
        (`longest_waiting` says which to choose). Raises `ValueError` if there are more.
        """
        if not partitions:
            return []
        if len(partitions) > limit:
            raise ValueError(f"{len(partitions)} partitions for {limit} games")
        number, share, brief = self._own_number(), limit // len(partitions), lease <= USUAL
        until = time.monotonic() + lease / 1000
        calls = []
        for place in partitions:
            shared = self._keys.partitions[place]
            where = [shared.ready, shared.leases, shared.claims, shared.holders, shared.aside, shared.marks]
            limits = {"limit": share, "lease": lease, "holder": number, "entries": entries}
            calls.append((where, [orjson.dumps({**limits, "stem": f"{shared.tag}g:", "longest": USUAL})]))
        works: list[Work] = []
        ready: dict[GameId, float] = {}
        for reply in self._wire.calls(CLAIM, calls):
            parts = zip(*(reply[part::7] for part in range(1, 8)), strict=True)
            for game, score, times, mark, aside, since, waiting in parts:
                game_id = GameId(game.decode())
                self._held[game_id] = HeldLease(score, not (times or aside), brief, bool(mark), until)
                self._released.discard(game_id)
                ready[game_id] = float(since)
                works.append(_work(game_id, reply[0], entries, waiting, times, mark or None))
        # A game with earlier claims without a commit is processed alone; the other claimed games are returned. Of
        # several choose the one that was ready first, or a faulty one would kill worker after worker before the others
        # get a turn.
        suspects = sorted((work for work in works if work.claims > 1), key=lambda work: ready[work.game_id])
        keep = suspects[:1] or works
        if len(keep) < len(works):
            self._give_back([work.game_id for work in works if work is not keep[0]])
        return keep

    def longest_waiting(self, partitions: Sequence[int]) -> list[int]:
        """The partitions with ready games, the one where a game has been ready for longest first."""
        ready = [self._keys.partitions[number].ready for number in partitions]
        oldest = self._wire.all([("ZRANGE", name, 0, 0, "WITHSCORES") for name in ready])
        waiting = sorted((float(reply[1]), number) for number, reply in zip(partitions, oldest, strict=True) if reply)
        return [number for _, number in waiting]

    def _own_number(self) -> int:
        if self._number is None or self._number[0] != os.getpid():
            number = self._wire.one("HINCRBY", keys.HOLDERS, "#", 1) % _NUMBERS + 1
            self._wire.one("HSET", keys.HOLDERS, number, self._schedule.holder)
            self._number = os.getpid(), number
        return self._number[1]

    def _give_back(self, games: Sequence[GameId]) -> None:
        for game_id in games:
            shared, held = self._keys.partition(game_id), self._held.pop(game_id)
            score = self._wire.one("ZSCORE", shared.leases, game_id)
            if score is not None and float(score) == float(held.lease):
                writes = [
                    ("ZREM", shared.leases, game_id),
                    ("HDEL", shared.holders, game_id),
                    ("ZADD", shared.ready, "NX", self._wire.now(), game_id),
                ]
                execute_if(self._wire, {("ZSCORE", shared.leases, game_id): score}, writes)

    def work(self, games: Sequence[GameId], limit: int = 32) -> Sequence[Work]:
        """The pending commands of these games now, in one round trip."""
        if not games:
            return []
        names = [self._keys.game(game_id).commands for game_id in games]
        # No one counts claims or sets a marker during a lease: if the game had neither at the claim, it has neither now.
        held, now = [self._held.get(game_id) for game_id in games], time.monotonic()
        odd = [
            game_id
            for game_id, own in zip(games, held, strict=True)
            if own is None or not own.clean or own.marked or now >= own.until
        ]
        shared = [self._keys.partition(game_id) for game_id in odd]
        *replies, (seconds, micros) = self._wire.many(
            [
                *(("XRANGE", name, "-", "+", "COUNT", limit) for name in names),
                *(("HGET", each.claims, game_id) for game_id, each in zip(odd, shared, strict=True)),
                *(("HGET", each.marks, game_id) for game_id, each in zip(odd, shared, strict=True)),
                ("TIME",),
            ]
        )
        at, rest = int(seconds) * 1000 + int(micros) // 1000, replies[len(games) :]
        times = {game_id: int(reply or 0) for game_id, reply in zip(odd, rest[: len(odd)], strict=True)}
        marks = dict(zip(odd, rest[len(odd) :], strict=True))
        return [
            _work(
                game_id,
                at,
                limit,
                None if isinstance(waiting, ResponseError) else waiting,
                times.get(game_id, 0),
                marks.get(game_id),
            )
            for game_id, waiting in zip(games, replies, strict=False)
        ]

    def release(self, game_id: GameId, later: int = 0) -> bool:
        """Release a claimed game; True if more commands are waiting and it is ready again at once.

        Does nothing if the lease has lapsed and another process has the game. With ``later``, no worker gets it for so
        many milliseconds, and then one does, whether or not commands are waiting.
        """
        self._released.discard(game_id)
        return bool(self._wire.call(GIVE_UP, *self._giving_up(game_id, later)))

    def release_all(self, games: Sequence[GameId]) -> Sequence[bool]:
        """As `release`, in one round trip; skips games that were released by their last append."""
        left = [game_id for game_id in games if game_id not in self._released]
        self._released.difference_update(games)
        replies = self._wire.calls(GIVE_UP, [self._giving_up(game_id, 0) for game_id in left])
        again = {game_id for game_id, reply in zip(left, replies, strict=True) if reply}
        return [game_id in again for game_id in games]

    def _giving_up(self, game_id: GameId, later: int) -> tuple[Sequence[str], Sequence[Any]]:
        shared, held = self._keys.partition(game_id), self._held.pop(game_id, None)
        where = [shared.ready, shared.leases, shared.claims, shared.holders, shared.aside]
        return [self._keys.game(game_id).commands, *where], [game_id, later, "" if held is None else held.lease]


def _work(game_id: GameId, at: int, most: int, waiting: Sequence[Any] | None, times: int, packed: bytes | None) -> Work:
    mark: Mark | None = None if packed is None else mark_in(packed)
    if waiting is None:
        return Work(game_id, (), times + 1, True, mark, at)
    pending = tuple(takewhile(lambda each: each[1], (_pending(*entry) for entry in waiting[:most])))
    return Work(game_id, pending, times + 1, len(pending) < len(waiting), mark, at)


def _pending(entry: bytes, fields: Sequence[bytes]) -> tuple[str, Mapping[str, Any]]:
    return entry.decode(), submission_in(fields) or {}
