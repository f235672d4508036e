"""An empty store is filled with what another one holds, key by key, and shut until all of it is there.

It says so where the number of partitions stands, so that nobody starts on a part of the games: not a release before this one
either, which expects a number there. Whoever goes on after a stop writes every key once more.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from redis.exceptions import ResponseError

from service.store.ports.errors import StoreDown, StoreUnusable
from service.store.redis import keys
from service.store.redis.connect import Script, Wire
from service.store.upkeep.carrying import batches

LOCK, SWAP = Script("lock"), Script("swap")
TOGETHER = 200
"""Keys carried in one go."""
LEASE = 20_000
"""Milliseconds after which somebody else may go on where this process says nothing any more."""
LONGEST = 60.0
"""Seconds that are waited for whoever fills the same store."""

_POLL = 0.2
_OVERTAKEN = "Somebody else has changed the store while the back-up was brought into it: empty it, and call this again."


@dataclass(slots=True)
class Filling:
    """One attempt to fill the store ``target`` with what ``source`` holds, which is called ``name``."""

    source: Wire
    target: Wire
    name: str
    _owner: str = field(default_factory=lambda: f"{os.getpid()}-{secrets.token_hex(8)}")

    def begin(self) -> None:
        """Shut the store. Raises `StoreUnusable` where it holds anything but what was brought so far of the same."""
        held = _held(self.target)
        if held and not self._is_shut():
            raise StoreUnusable(
                f"The store holds {held} keys: a back-up is brought into an empty one. Nothing was changed."
            )
        if not held and not self.target.one("SET", keys.PARTITIONS, self._shut, "NX"):
            raise StoreUnusable("Somebody else has begun to use the store at this moment. Nothing was changed.")
        until = time.monotonic() + LONGEST
        while not self._locked():
            if time.monotonic() > until:
                raise StoreUnusable("Somebody else brings this back-up into the store at this moment.")
            time.sleep(_POLL)

    def carry(self) -> Iterator[int]:
        """Carry everything; how many keys have arrived each time that some have. Raises `StoreUnusable`, `StoreDown`."""
        # First who the store is: else whoever looks at it gives it a name of its own.
        self._go_on()
        _carried(self.source, self.target, [keys.STORE.encode()])
        for names in batches(self.source.scan("*"), TOGETHER):
            self._go_on()
            _carried(self.source, self.target, [each for each in names if each != keys.PARTITIONS.encode()])
            yield len(names)

    def open(self) -> None:
        """All is there: whoever starts on the store now may. Raises `StoreUnusable`."""
        self._go_on()
        partitions = self.source.one("GET", keys.PARTITIONS)
        if not self.target.call(SWAP, [keys.PARTITIONS], [self._shut, partitions]):
            raise StoreUnusable(_OVERTAKEN)

    def leave(self) -> None:
        """Whoever goes on need not wait until this process is believed to be gone."""
        with suppress(StoreDown):  # then it is free when the lease is over
            if self._locked():
                self.target.one("DEL", keys.lock("restore"))

    @property
    def _shut(self) -> str:
        return f"{keys.RESTORING}{self.name}"

    def _is_shut(self) -> bool:
        return bool(self.target.one("GET", keys.PARTITIONS) == self._shut.encode())

    def _go_on(self) -> None:
        """Say that we are still at it. What was opened meanwhile, by somebody who took us for dead, must not be written to."""
        if not self._locked() or not self._is_shut():
            raise StoreUnusable(_OVERTAKEN)

    def _locked(self) -> bool:
        return bool(self.target.call(LOCK, [keys.lock("restore")], [self._owner, LEASE]))


def _held(store: Wire) -> int:
    """How many keys there are."""
    return sum(line.one("DBSIZE") for line in store.servers().values())


def _carried(source: Wire, target: Wire, names: list[bytes]) -> None:
    told = source.apart([each for name in names for each in (("DUMP", name), ("PEXPIRETIME", name))])
    found = [each for each in zip(names, told[::2], told[1::2], strict=True) if each[1] is not None]
    for (name, *_), reply in zip(found, target.many([_written(*each) for each in found]), strict=True):
        if isinstance(reply, ResponseError):
            raise StoreUnusable(
                f"{name.decode(errors='replace')} cannot be written: {reply}. The store must be of the version that reads the"
                " back-up here, or of a later one. It is not whole: call this again when that is set right, or empty it."
            ) from reply


def _written(name: bytes, dump: bytes, goes: int) -> tuple[object, ...]:
    """Whatever stands there was brought by somebody who was stopped, or is what the store said of itself when it was looked at."""
    return ("RESTORE", name, max(0, goes), dump, "ABSTTL", "REPLACE")
