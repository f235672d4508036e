"""The outbox in Redis: a sorted set per partition, of deliveries by when they are due; a lease is a future instant."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from redis.exceptions import ResponseError

from domain.kernel.terms import GameId
from service.store.ports.outbox import (
    MAX_SUBSCRIPTIONS_PER_GAME,
    MOST_COUNTED,
    NO_GAME,
    SOON,
    DeliveryCursor,
    OutboxEntry,
    OutboxStats,
)
from service.store.redis import keys
from service.store.redis.client import RedisClient, Script
from service.store.redis.conditional import set_fields
from service.store.redis.keys import Keys

CLAIM, SETTLE = Script("claim_owed"), Script("settle_owed")


class Outbox:
    """Pending deliveries by game and subscription. Entries contain only these: messages are made from the log.

    A follower of the log (`service.features.notifications.follower`) adds an entry for every subscription of a game with new
    commits, so that every commit is delivered.
    """

    def __init__(self, wire: RedisClient, names: Keys, owing: set[int]) -> None:
        """``owing`` is the set to which sweeps add partitions with due deliveries."""
        self._wire, self._keys, self._owing = wire, names, owing

    def listen(self, games: Sequence[GameId], subscription: str) -> Sequence[bool]:
        """Subscribe to these games from their next commit on; an existing subscription keeps its progress.

        For each whether it is subscribed: False if the game does not exist, is over, or has `MAX_SUBSCRIPTIONS_PER_GAME`
        subscriptions.
        """
        return [self._listen(game_id, subscription) for game_id in games]

    def _listen(self, game_id: GameId, subscription: str) -> bool:
        names = self._keys.game(game_id)
        while True:
            status, seq, packed = self._wire.one("HMGET", names.meta, "status", "seq", "listening")
            known = (packed or b"").decode().split()
            if status in (None, b"over") or (subscription not in known and len(known) >= MAX_SUBSCRIPTIONS_PER_GAME):
                return False
            fields = {"listening": " ".join([*known, subscription])}
            before = {"status": status, "listening": packed}
            if subscription in known or set_fields(self._wire, names.meta, before, fields):
                break
        began = self._wire.one("HSETNX", names.told, subscription, f"{int(seq or 0)} 0 0 ")
        cursor = None if began else _unpack_cursor(self._wire.one("HGET", names.told, subscription))
        if cursor is not None and cursor.seq < int(seq or 0):
            # It listened before, and stopped: what came in between is to be delivered.
            member = f"{game_id} {subscription}"
            self._wire.one("ZADD", self._keys.partition(game_id).outbox, "NX", self._wire.now(), member)
        return True

    def leave(self, games: Collection[GameId], subscription: str) -> None:
        """Unsubscribe from these games and drop their pending deliveries."""
        for game_id in games:
            names = self._keys.game(game_id)
            while True:
                packed = self._wire.one("HGET", names.meta, "listening")
                others = " ".join(each for each in (packed or b"").decode().split() if each != subscription)
                if others.encode() == (packed or b"") or set_fields(
                    self._wire, names.meta, {"listening": packed}, {"listening": others}
                ):
                    break
            (dropped,) = self._wire.many([("HDEL", names.told, subscription)])
            if isinstance(dropped, ResponseError):  # it is no hash
                self._wire.one("DEL", names.told)
            self._wire.one("ZREM", self._keys.partition(game_id).outbox, f"{game_id} {subscription}")

    def put(self, game_id: GameId, subscription: str, what: str) -> None:
        """Add a delivery that is not for commits: a text without blanks that its kind of delivery understands."""
        member = f"{game_id} {subscription} {what}"
        self._wire.one("ZADD", self._keys.partition(game_id).outbox, "NX", self._wire.now(), member)

    def claim(self, partitions: Iterable[int], limit: int, lease: int) -> Sequence[OutboxEntry]:
        """Due deliveries of these partitions, at most ``limit`` of each, leased for ``lease`` milliseconds."""
        shared = [self._keys.partitions[number] for number in partitions]
        calls = [([each.outbox], [lease, limit, f"{each.tag}g:"]) for each in shared]
        return [
            OutboxEntry(*_parts(member.decode()), _unpack_cursor(cursor), ends, int(float(at)), ends - lease)
            for ends, *due in self._wire.calls(CLAIM, calls)
            for member, at, cursor in zip(due[::3], due[1::3], due[2::3], strict=True)
        ]

    def keep(self, entry: Sequence[OutboxEntry], lease: int) -> Sequence[OutboxEntry | None]:
        """Extend the leases; each with its new lease, or None if it was lost."""
        replies = self._wire.calls(SETTLE, [self._settling(each, None, f"+{lease}") for each in entry])
        return [replace(each, lease_ends=reply) if reply else None for each, reply in zip(entry, replies, strict=True)]

    def postpone(self, entries: Sequence[tuple[OutboxEntry, int]]) -> None:
        """Release claimed deliveries without progress, each until its instant, in one call."""
        self._wire.calls(SETTLE, [self._settling(entry, entry.cursor, str(until)) for entry, until in entries])

    def settle(
        self, entry: OutboxEntry, cursor: DeliveryCursor | None, again: int | None = None, lease: int = 0
    ) -> bool | OutboxEntry:
        """Finish a delivery for now: store its progress, and when to try again even without a new commit.

        Without ``again`` it is due at once if the game has newer commits, otherwise with its next commit; with a
        ``lease`` (in milliseconds) it is then leased again, and returned. Without ``cursor`` it is dropped. False, and
        nothing is written, if the lease was lost.
        """
        reply = self._wire.call(SETTLE, *self._settling(entry, cursor, "" if again is None else str(again), lease))
        if reply <= 1:
            return bool(reply)
        now = entry.now()
        return replace(
            entry,
            cursor=cursor,
            lease_ends=reply,
            due_since=now,
            claimed_at=reply - lease,
            claimed_monotonic=time.monotonic(),
        )

    def _settling(
        self, entry: OutboxEntry, cursor: DeliveryCursor | None, again: str, lease: int = 0
    ) -> tuple[list[str], list[Any]]:
        names = self._keys.game(entry.game_id)
        member = " ".join(part for part in entry.key if part)
        state, seq = ("", 0) if cursor is None or entry.subject else (cursor.pack(), cursor.seq)
        where = [self._keys.partition(entry.game_id).outbox, names.meta, names.told]
        return where, [member, entry.lease_ends, entry.subscription, state, seq, again, lease or ""]

    def caused(self, game_id: GameId, seq: int) -> str:
        """The id of the request that caused a commit, or ''.

        Known for the last `CAUSES` commits with a request in games that have subscriptions.
        """
        return causes(self._wire.one("HGET", self._keys.game(game_id).meta, "requests")).get(seq, "")

    def owe(self, partitions: Iterable[int]) -> None:
        """Note that there are newly due deliveries in these partitions."""
        self._owing.update(partitions)

    def owing(self) -> set[int]:
        """Partitions with newly due deliveries since the last call, from this process's followers and sweeps."""
        found = set(self._owing)
        self._owing -= found
        return found

    def census(self) -> OutboxStats:
        asked: list[tuple[Any, ...]] = [("GET", keys.DEAD)]
        for partition in self._keys.partitions:
            asked += [("ZCARD", partition.outbox), ("ZRANGE", partition.outbox, 0, 0, "WITHSCORES")]
        dead, *replies = self._wire.all(asked)
        first = [int(float(reply[1])) for reply in replies[1::2] if reply]
        waited = self._wire.now() - min(first) if first else -1
        return OutboxStats(sum(replies[::2]), waited if waited >= 0 else None, int(dead or 0))

    def due(self) -> Mapping[str, int]:
        """Number of entries per subscription that are due, leased, or due within `SOON`.

        At most `MOST_COUNTED` per partition.
        """
        now = self._wire.now() + SOON
        replies = self._wire.all(
            [
                ("ZRANGE", each.outbox, "-inf", now, "BYSCORE", "LIMIT", 0, MOST_COUNTED)
                for each in self._keys.partitions
            ]
        )
        return Counter(_parts(member.decode())[1] for reply in replies for member in reply)


def causes(lines: bytes | None) -> Mapping[int, str]:
    """The request ids of commits, by seq, from the field ``requests`` of their game."""
    pairs = (line.partition(b" ") for line in (lines or b"").splitlines())
    return {int(seq): name.decode() for seq, _, name in pairs if seq.isdigit()}


def _parts(member: str) -> tuple[GameId, str, str]:
    """Game, subscription, and the rest; for an entry that no release wrote the subscription does not exist."""
    game_id, _, rest = member.partition(" ")
    subscription, _, what = rest.partition(" ")
    return GameId(game_id or NO_GAME), subscription, what


def _unpack_cursor(packed: bytes | None) -> DeliveryCursor | None:
    """The stored progress; None also if it cannot be read."""
    try:
        return None if packed is None else DeliveryCursor.unpack(packed.decode())
    except ValueError:
        return None
