"""Waiting for replicas: with ORACLEWHEEL_REPLICAS set, a request is acknowledged once they have its writes.

Every batch of commands that may write is followed, on the same connection, by a write of our own and `WAIT`. The server
answers `WAIT` when replicas have everything up to that write, including earlier writes of other clients. If another
server takes over in between, the connection breaks or the write is refused, so the request is never acknowledged by
replicas of the wrong server.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from redis.exceptions import ResponseError

from service.store.ports.errors import NotReplicated

SECONDS = 5.0
"""Timeout of `WAIT`. Shorter than the socket's, so that the server answers first."""
MARKER = "oraclewheel:held"
"""Suffix of the key that is written before `WAIT`, in the slot of the batch."""
_MARKER_TTL = 3600
_READS = frozenset(
    [
        "ACL",
        "ASKING",
        "CONFIG",
        "EXISTS",
        "GET",
        "GETRANGE",
        "HEXISTS",
        "HGET",
        "HGETALL",
        "HKEYS",
        "HLEN",
        "HMGET",
        "HSCAN",
        "HVALS",
        "INFO",
        "LRANGE",
        "PING",
        "PTTL",
        "PUBSUB",
        "SCAN",
        "SCRIPT",
        "SMEMBERS",
        "TIME",
        "TYPE",
        "XINFO",
        "XPENDING",
        "XRANGE",
        "XREVRANGE",
        "ZCARD",
        "ZRANGE",
        "ZSCAN",
        "ZSCORE",
    ]
)
"""Commands that acknowledge nothing. Scripts always count: a script that only reads may confirm an earlier write."""


_KEY_AT = {"EVALSHA": 3, "EVAL": 3, "XGROUP": 2, "XINFO": 2, "XREADGROUP": 7}
"""Where a command has its first key, if that is not its first argument."""


def key_of(command: Sequence[Any]) -> Any:
    """A command's first key."""
    name = command[0]
    return command[_KEY_AT.get(name.decode() if isinstance(name, bytes) else name, 1)]


@dataclass(slots=True)
class _Requirement:
    """A request that must wait for replicas. After the first failure it does not wait again."""

    failure: NotReplicated | None = None


_requirement: ContextVar[_Requirement | None] = ContextVar("replication_requirement", default=None)


@contextmanager
def required() -> Iterator[None]:
    """Inside the block, calls that may write return when enough replicas have the write; `check` reports failures."""
    token = _requirement.set(_Requirement())
    try:
        yield
    finally:
        _requirement.reset(token)


def check() -> None:
    """Raise `NotReplicated` if a write of this block is not on enough replicas."""
    requirement = _requirement.get()
    if requirement is not None and requirement.failure is not None:
        raise requirement.failure


def key_written(commands: Sequence[Sequence[Any]]) -> Any:
    """The key of the first command that may write, if this request must wait for replicas; otherwise None."""
    requirement = _requirement.get()
    if requirement is None or requirement.failure is not None:
        return None
    for command in commands:
        if command[0] not in _READS:
            return key_of(command)
    return None


def waits(commands: Sequence[Sequence[Any]], key: Any, replicas: int) -> list[tuple[Any, ...]]:
    """The commands to send after a batch: their last two replies are for `confirm`."""
    asking = [("ASKING",)] if commands[0][0] == "ASKING" else []
    return [*asking, ("SET", _beside(key), "", "EX", _MARKER_TTL), ("WAIT", replicas, round(SECONDS * 1000))]


def confirm(replies: Sequence[Any], marker: Any, count: Any, replicas: int, name: str) -> None:
    """Record a failure for `check` unless enough replicas have the batch, or the server refused all of it."""
    if not isinstance(marker, ResponseError) and not isinstance(count, ResponseError) and count >= replicas:
        return
    if all(isinstance(reply, ResponseError) for reply in replies):
        return
    error = next((each for each in (marker, count) if isinstance(each, ResponseError)), None)
    reason = error or f"{count} of {replicas} replicas have the write after {SECONDS:g} seconds"
    requirement = _requirement.get()
    if requirement is not None:
        requirement.failure = NotReplicated(f"{name}: {reason}")


def _beside(key: Any) -> str:
    name = key.decode() if isinstance(key, bytes) else str(key)
    _, opened, rest = name.partition("{")
    tag, closed, _ = rest.partition("}")
    return f"{{{tag if opened and closed and tag else name}}}{MARKER}"
