"""Waiting until replicas hold what a server has been told, before anybody is told that it was taken in.

What a request has asked of a server is noted with the *history* that the server was in: its replication id, which is another
one after every restart and every fail-over. Later something of our own is written there, and waited for until so many replicas
have it. They have all then that came before it, whoever wrote that; and if the history is still the same, that is all that
the request has written and read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from redis.exceptions import ResponseError

from service.store.ports.errors import NotReplicated, StoreDown
from service.store.redis.line.exchange import hear, pack, send

SECONDS = 5.0
"""How long replicas may take. It is less than a connection may be silent."""
LOOKS = 10
"""How often they are asked in that time whether it is on disk."""
_ON_DISK = (7, 2)
"""The release from which a server says what its replicas have on disk."""
HELD = "oraclewheel:held"
"""Behind a hash tag of the server's: what is written to be waited for."""
_KEPT = 3600
"""Seconds after which nothing is left of what was written to be waited for."""
_ASKED = [("INFO",), ("CONFIG", "GET", "appendfsync")]
_READS = frozenset(
    {
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
    }
    | {"HVALS", "INFO", "LRANGE", "PING", "PTTL", "PUBSUB", "SCAN", "SCRIPT", "SMEMBERS", "TIME", "TYPE", "XRANGE"}
    | {"XREVRANGE", "ZCARD", "ZRANGE", "ZSCAN", "ZSCORE"}
)
"""Commands by which nothing is acknowledged. What a script reads may be the ground of an answer: that it was known already."""
_SCRIPTS = ("EVALSHA", "EVAL")

Noted = dict["Replicas", set[str]]
"""The histories of servers that were spoken with."""
_noted: ContextVar[Noted | None] = ContextVar("noted", default=None)


class Line(Protocol):
    """The wire to one server, as far as it is needed here."""

    def said_apart(self, commands: Sequence[Sequence[Any]]) -> list[Any]: ...

    def part(self) -> None: ...


class _Round:
    """One wait, for all who had come before it began."""

    def __init__(self) -> None:
        self.is_over, self.history, self.why = False, "", ""


class Replicas:
    """Those of one server, so many of which must hold what is acknowledged."""

    def __init__(self, line: Line, name: str, wanted: int) -> None:
        self.name, self.wanted = name, wanted
        self._line = line
        self.is_on_disk = False
        """Whether they must have it on disk, and not in memory alone: where the server itself has an append-only file."""
        self._newest: Any = ""
        self._good = ""
        """Keys that are the server's: one that was spoken of last, and one that it has taken."""
        self._coming, self._one_at_a_time = _Round(), threading.Lock()

    def learn(self, connection: Any) -> None:
        """Ask over a new connection which history it leads to, and how this server's replicas are waited for."""
        send(connection, pack(_ASKED))
        told, fsync = hear(connection, len(_ASKED))
        known = {} if isinstance(told, ResponseError) else facts(told)
        connection.history = known.get("master_replid", "")
        writes = isinstance(fsync, ResponseError) or fsync[1:] != [b"no"]
        self.is_on_disk = release(known) >= _ON_DISK and known.get("aof_enabled") == "1" and writes

    def note(self, commands: Sequence[Sequence[Any]], history: str) -> None:
        """These went to the server; for a request that is to be acknowledged, if they may write."""
        noted = _noted.get()
        if noted is None:
            return
        for command in commands:
            if command[0] not in _READS:
                self._newest = command[3] if command[0] in _SCRIPTS else command[1]
                noted.setdefault(self, set()).add(history)
                return

    def hold(self, histories: Collection[str]) -> None:
        """Wait until so many replicas have everything that the server had in these histories; raises `NotReplicated`."""
        coming = self._coming  # it has not begun: whatever was there before now is covered by it
        with self._one_at_a_time:
            if not coming.is_over:
                self._coming = _Round()
                coming.history, coming.why = self._waited()
                coming.is_over = True
        if coming.why:
            raise NotReplicated(f"{self.name}: {coming.why}")
        if any(history != coming.history for history in histories):
            self._line.part()  # what is known of connections of before holds no more
            raise NotReplicated(f"{self.name} was restarted, or another server took its place, meanwhile", is_lost=True)

    def _waited(self) -> tuple[str, str]:
        """The history that the server is in, and why it cannot be said that enough replicas hold what it has, if so."""
        why = ""
        for key in dict.fromkeys(filter(None, (self._good, _beside(self._newest)))):
            mark = ("SET", key, "", "EX", _KEPT)
            try:
                replies = self._line.said_apart([("INFO", "replication"), mark, *self._waits()])
            except StoreDown as error:
                return "", str(error)
            why = next((str(reply) for reply in replies if isinstance(reply, ResponseError)), "")
            if not why:
                self._good = key
                return self._judged(facts(replies[0]), replies[2:])
            self._good = ""  # its slot is another node's by now, or on its way there
        return "", why

    def _waits(self) -> list[tuple[Any, ...]]:
        """The commands that wait, one after the other, on the connection that has just written."""
        if not self.is_on_disk:
            return [("WAIT", self.wanted, int(SECONDS * 1000))]
        # A replica that is asked says what it has on disk by then, and unasked once a second: so it is asked again and again,
        # for the first time when it has all of it in memory.
        patience = int(SECONDS * 1000 / LOOKS)
        return [("WAIT", self.wanted, patience), *[("WAITAOF", 0, self.wanted, patience)] * LOOKS]

    def _judged(self, known: Mapping[str, str], held: Sequence[Any]) -> tuple[str, str]:
        """The same, by what the server says of itself and how many replicas it has heard from."""
        count = held[-1][1] if self.is_on_disk else held[-1]
        if count >= self.wanted:
            return known.get("master_replid", ""), ""
        connected, where = known.get("connected_slaves", "0"), " on disk" if self.is_on_disk else ""
        return (
            "",
            f"{count} of {self.wanted} replicas have it{where} after {SECONDS:g} seconds; {connected} are connected",
        )


@contextmanager
def noting() -> Iterator[None]:
    """Within, what this thread or greenlet asks of servers is noted."""
    before = _noted.set({})
    try:
        yield
    finally:
        _noted.reset(before)


def spoken_with() -> list[tuple[str, str]]:
    """The servers that were noted so far, and the history that each was in."""
    return [(replicas.name, history) for replicas, histories in (_noted.get() or {}).items() for history in histories]


def hold(servers: Callable[[], Mapping[str, Any]], also: Collection[tuple[str, str]] = ()) -> None:
    """Wait for the replicas of all that was noted, and of ``also`` (`spoken_with`) besides.

    ``servers`` are the wires to all that there are now, by any name. Raises `NotReplicated`.
    """
    wanted = {replicas: set(histories) for replicas, histories in (_noted.get() or {}).items()}
    quiet = _noted.set(None)
    try:
        there = _named(servers) if also else {}
        for name, history in also:
            if name not in there:
                raise NotReplicated(f"{name} is there no more", is_lost=True)
            wanted.setdefault(there[name], set()).add(history)
        for replicas, histories in wanted.items():
            replicas.hold(histories)
    finally:
        _noted.reset(quiet)


def _named(servers: Callable[[], Mapping[str, Any]]) -> Mapping[str, Replicas]:
    try:
        return {line.replicas.name: line.replicas for line in servers().values()}
    except StoreDown as error:
        raise NotReplicated(str(error)) from error


def facts(told: bytes) -> Mapping[str, str]:
    """What a server tells of itself (INFO), by name."""
    lines = (line.partition(":") for line in told.decode(errors="replace").splitlines())
    return {name: value.strip() for name, _, value in lines if value}


def release(known: Mapping[str, str]) -> tuple[int, ...]:
    """The release of a server, as far as it is told: major and minor."""
    parts = known.get("redis_version", "").split(".")[:2]
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else ()


def _beside(key: Any) -> str:
    """A key of our own in the slot of another one."""
    name = key.decode() if isinstance(key, bytes) else str(key)
    _, opened, rest = name.partition("{")
    tag, closed, _ = rest.partition("}")
    return f"{{{tag if opened and closed and tag else name}}}{HELD}"
