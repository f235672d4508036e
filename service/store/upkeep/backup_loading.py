"""Fills an empty store with the commands of a backup, key by key. No service starts on it until it is complete.

The key with the number of partitions has a special value until then, which earlier releases refuse as well. To resume
an interrupted restore, run it again: every key is removed before it is written.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby

from redis.exceptions import ResponseError

from service.store.ports.errors import StoreDown, StoreUnusable
from service.store.redis import keys
from service.store.redis.client import RedisClient
from service.store.redis.conditional import acquire, execute_if

TOGETHER = 200
"""Keys written in one batch."""
LARGEST_BATCH = 8 << 20
"""Bytes of values in a batch, unless one key alone has more."""
LEASE = 20_000
"""Milliseconds without progress after which another process may continue."""
LONGEST = 60.0
"""Seconds to wait for another process that fills the same store."""

Command = list[bytes]
KeyCommands = tuple[bytes, list[Command]]

_KEYLESS = (b"SELECT", b"FUNCTION", b"MULTI", b"EXEC")
_POLL = 0.2
_OVERTAKEN = "Another client changed the store during the restore. Empty the store and run the command again."


@dataclass(slots=True)
class Filling:
    """One attempt to fill the store ``target`` with the backup ``name``, whose commands ``commands`` returns."""

    commands: Callable[[], Iterable[Command]]
    target: RedisClient
    name: str
    _partitions: bytes = b""
    _owner: str = field(default_factory=lambda: f"{os.getpid()}-{secrets.token_hex(8)}")

    def begin(self) -> None:
        """Block the store. Raises `StoreUnusable` if it has any data except from the same backup."""
        held = _held(self.target)
        if held and not self._is_shut():
            raise StoreUnusable(
                f"The store has {held} keys, but a backup can only be restored into an empty store. Nothing was changed."
            )
        if not held and not self.target.one("SET", keys.PARTITIONS, self._shut, "NX"):
            raise StoreUnusable("Another client started to use the store. Nothing was changed.")
        until = time.monotonic() + LONGEST
        while not self._locked():
            if time.monotonic() > until:
                raise StoreUnusable(
                    "Another process is restoring this backup into the store. Wait until it has finished."
                )
            time.sleep(_POLL)

    def carry(self) -> Iterator[int]:
        """Write everything; yields the number of keys of each batch. Raises `StoreUnusable`, `StoreDown`."""
        # The store's identity comes first: otherwise a process that inspects the store gives it a new one.
        for name, written in _by_key(self.commands()):
            if name == keys.STORE.encode():
                self._go_on()
                _write(self.target, [(name, written)])
            elif name == keys.PARTITIONS.encode():
                self._partitions = written[0][2]
        for batch in _batches(_by_key(self.commands())):
            self._go_on()
            _write(
                self.target, [each for each in batch if each[0] not in (keys.PARTITIONS.encode(), keys.STORE.encode())]
            )
            yield len(batch)

    def open(self) -> None:
        """Open the store for services, because everything is written. Raises `StoreUnusable`."""
        self._go_on()
        if not execute_if(
            self.target, {("GET", keys.PARTITIONS): self._shut}, [("SET", keys.PARTITIONS, self._partitions)]
        ):
            raise StoreUnusable(_OVERTAKEN)

    def leave(self) -> None:
        """Release the lock, so that another process need not wait for its expiry."""
        with suppress(StoreDown):  # then it expires with the lease
            if self._locked():
                self.target.one("DEL", keys.lock("restore"))

    @property
    def _shut(self) -> str:
        return f"{keys.RESTORING}{self.name}"

    def _is_shut(self) -> bool:
        return bool(self.target.one("GET", keys.PARTITIONS) == self._shut.encode())

    def _go_on(self) -> None:
        """Extend the lock. If another process took over and opened the store, it must not be written to."""
        if not self._locked() or not self._is_shut():
            raise StoreUnusable(_OVERTAKEN)

    def _locked(self) -> bool:
        return acquire(self.target, keys.lock("restore"), self._owner, LEASE)


def _held(store: RedisClient) -> int:
    return sum(line.one("DBSIZE") for line in store.servers().values())


def _by_key(commands: Iterable[Command]) -> Iterator[KeyCommands]:
    for name, written in groupby(commands, _key):
        if name is not None:
            yield name, list(written)


def _key(command: Command) -> bytes | None:
    word = command[0].upper()
    return None if word in _KEYLESS else command[2 if word == b"XGROUP" else 1]


def _batches(each: Iterable[KeyCommands]) -> Iterator[list[KeyCommands]]:
    batch: list[KeyCommands] = []
    size = 0
    for name, written in each:
        length = sum(len(part) for command in written for part in command)
        if batch and (len(batch) >= TOGETHER or size + length > LARGEST_BATCH):
            yield batch
            batch, size = [], 0
        batch.append((name, written))
        size += length
    if batch:
        yield batch


def _write(target: RedisClient, each: Iterable[KeyCommands]) -> None:
    commands = [command for name, written in each for command in ([b"UNLINK", name], *written)]
    for command, reply in zip(commands, target.many(commands), strict=True):
        if isinstance(reply, ResponseError):
            raise StoreUnusable(
                f"{command[1].decode(errors='replace')} cannot be written: {reply}. The store is incomplete. Fix the cause and run the restore"
                " again, or empty the store."
            ) from reply
