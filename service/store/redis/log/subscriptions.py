"""Subscriptions in Redis: a JSON text each, a set of ids for each player, and lists of delivery results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
import orjson

from domain.kernel.terms import PlayerId
from service.store import typed
from service.store.ports.outbox import MAX_RECORDED_ATTEMPTS, Subscription
from service.store.redis import keys
from service.store.redis.client import RedisClient
from service.store.redis.conditional import execute_if

_SUBSCRIPTION = typed.decoder(Subscription)

TRIM_EVERY = 20
"""Entries that a list of deliveries may have beyond `MAX_RECORDED_ATTEMPTS` before it is trimmed."""


class Subscriptions:
    def __init__(self, wire: RedisClient) -> None:
        self._wire = wire

    def add(self, subscription: Subscription, most: int) -> bool:
        """Add a subscription; False if its owner has the maximum number of its kind (0: no limit).

        Replaces one with the same id and owner; False if that id has another owner.
        """
        # The record first: a listed id must have a complete record.
        record, packed = keys.subscription(subscription.id), _pack(subscription)
        if not self._wire.one("SET", record, packed, "NX"):
            known = self.get(subscription.id)
            if known is None or known.owner != subscription.owner or not self.change(subscription, known):
                return False
        listed = keys.player_subscriptions(subscription.owner)
        while True:
            found = self._wire.one("HGETALL", listed)
            if subscription.id.encode() in found[::2]:
                return True
            if most and found[1::2].count(subscription.kind.encode()) >= most:
                self._wire.one("DEL", record)
                return False
            if execute_if(
                self._wire, {("HGETALL", listed): found}, [("HSET", listed, subscription.id, subscription.kind)]
            ):
                return True

    def get(self, id_: str) -> Subscription | None:
        return _unpack(self._wire.one("GET", keys.subscription(id_)))

    def of(self, players: Iterable[PlayerId]) -> Sequence[Subscription]:
        """The subscriptions of these players, oldest first."""
        replies = self._wire.all([("HKEYS", keys.player_subscriptions(player)) for player in players])
        names = [keys.subscription(id_.decode()) for reply in replies for id_ in reply]
        found = [_unpack(packed) for packed in self._wire.all([("GET", name) for name in names])]
        return sorted((each for each in found if each is not None), key=lambda each: (each.made_at, each.id))

    def change(self, subscription: Subscription, was: Subscription | None = None) -> bool:
        """Replace a stored subscription; False if it no longer exists, or (with ``was``) has changed."""
        where = keys.subscription(subscription.id)
        if was is None:
            return self._wire.one("SET", where, _pack(subscription), "XX") is not None
        packed = self._wire.one("GET", where)
        known = _unpack(packed)
        if known is None or _pack(known) != _pack(was):
            return False
        return execute_if(self._wire, {("GET", where): packed}, [("SET", where, _pack(subscription))])

    def remove(self, subscription: Subscription) -> None:
        id_ = subscription.id
        self._wire.all(
            [
                ("DEL", keys.subscription(id_)),
                ("HDEL", keys.player_subscriptions(subscription.owner), id_),
                ("DEL", keys.noted(id_)),
                ("DEL", keys.dead(id_)),
            ]
        )

    def note(self, id_: str, delivery: Mapping[str, Any], *, dead: bool = False) -> None:
        """Record the result of a try, the newest first; the oldest are deleted. ``dead`` ones are also listed separately."""
        packed = orjson.dumps(delivery)
        lists = [keys.noted(id_), keys.dead(id_)] if dead else [keys.noted(id_)]
        commands: list[tuple[Any, ...]] = [("LPUSH", name, packed) for name in lists]
        lengths = self._wire.all([*commands, ("INCR", keys.DEAD)] if dead else commands)
        full = [
            name for name, length in zip(lists, lengths, strict=False) if length >= MAX_RECORDED_ATTEMPTS + TRIM_EVERY
        ]
        self._wire.all([("LTRIM", name, 0, MAX_RECORDED_ATTEMPTS - 1) for name in full])

    def noted(self, id_: str, *, dead: bool = False) -> Sequence[Mapping[str, Any]]:
        """The recorded results, or only the ``dead`` ones; the newest first."""
        reply = self._wire.one("LRANGE", keys.dead(id_) if dead else keys.noted(id_), 0, MAX_RECORDED_ATTEMPTS - 1)
        return [orjson.loads(each) for each in reply]

    def every(self) -> Iterator[Subscription]:
        """All subscriptions, in no order."""
        names = self._wire.scan(keys.EVERY_SUBSCRIPTION)
        while some := list(islice(names, 1000)):
            for packed in self._wire.all([("GET", name) for name in some]):
                found = _unpack(packed)
                if found is not None:
                    yield found


def _pack(subscription: Subscription) -> bytes:
    return msgspec.json.encode(subscription)


def _unpack(packed: bytes | None) -> Subscription | None:
    return None if packed is None else _SUBSCRIPTION.decode(packed)
