"""Changes that are made only if the store still has what the caller has read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from service.store.redis.client import RedisClient, Script

CONDITIONAL = Script("conditional")

Command = tuple[Any, ...]
"""Its name, its key (for `PUBLISH` its channel), and its other arguments."""


def execute_if(wire: RedisClient, reads: Mapping[Command, Any], writes: Iterable[Command]) -> bool:
    """Execute commands if these reads still have these replies; all keys are of one partition.

    False, and nothing is written, if one has another reply. A missing value is the same as an empty one.
    """
    written = list(writes)
    arguments: list[Any] = [len(reads)]
    for command, reply in reads.items():
        arguments += (_joined(reply), len(command), *command)
    for command in written:
        arguments += (len(command), *command)
    keys = dict.fromkeys(command[1] for command in (*reads, *written) if command[0] != "PUBLISH")
    return bool(wire.call(CONDITIONAL, list(keys), arguments))


def set_fields(
    wire: RedisClient,
    key: str,
    before: Mapping[Any, bytes | None],
    after: Mapping[Any, Any],
    messages: Sequence[tuple[str, str]] = (),
) -> bool:
    """Set ``after`` if the hash still has ``before`` (None: no such field), and then publish messages on channels.

    An empty value deletes its field. False, and nothing is written, if one of ``before`` has changed.
    """
    reads = {("HGET", key, name): value for name, value in before.items()}
    pairs = [part for name, value in after.items() if value not in ("", b"") for part in (name, value)]
    gone = [name for name, value in after.items() if value in ("", b"")]
    writes: list[Command] = [("HSET", key, *pairs)] if pairs else []
    writes += [("HDEL", key, *gone)] if gone else []
    return execute_if(wire, reads, [*writes, *(("PUBLISH", *message) for message in messages)])


def acquire(wire: RedisClient, lock: str, owner: str, milliseconds: int) -> bool:
    """Acquire a lock that expires, or extend one's own; False if another owner has it.

    A lock that ends later than its length allows is left over from before the clock was set back, and counts as free.
    """
    while True:
        value, left = wire.all([("GET", lock), ("PTTL", lock)])
        length, _, holder = (value or b"").decode().partition(" ")
        if holder and holder != owner and length.isdecimal() and left <= int(length):
            return False
        if execute_if(wire, {("GET", lock): value}, [("SET", lock, f"{milliseconds} {owner}", "PX", milliseconds)]):
            return True


def _joined(reply: Any) -> bytes | str:
    """As in the script."""
    if isinstance(reply, list):
        return b"\n".join(part if isinstance(part, bytes) else part.encode() for part in map(_joined, reply))
    return b"" if reply is None else reply if isinstance(reply, bytes) else str(reply)
