"""A cluster as one wire: each command goes to the node that has its key, and again where that has just changed.

A call whose replies were lost with their connection is never repeated; what was refused by a node, or never sent, is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from redis.exceptions import (
    AskError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    NoScriptError,
    TryAgainError,
)

from service.settings import redis_url
from service.store.ports.errors import StoreDown
from service.store.redis import keys
from service.store.redis.cluster.topology import Node, Topology, slot_of
from service.store.redis.connect import Script, Unreached, Wire

PATIENCE = 2.0
"""Seconds for which something is asked again that nobody takes: a slot on its way, a primary that is being replaced."""
_PAUSE = 0.02
_LONGEST_PAUSE = 0.2
_TIMES = 3
"""How often a script is brought to a node that does not know it: its slots may move meanwhile."""
_REFUSALS = (Unreached, MovedError, AskError, TryAgainError, ClusterDownError, MasterDownError)
_SCRIPTS = ("EVALSHA", "EVAL")
_ANYWHERE = ("TIME", "PING", "INFO", "CONFIG", "ACL", "CLIENT")
"""What is asked of no key: of the node that has `keys.STORE`, so that there is one clock for what belongs to no game."""


_Groups = Sequence[tuple[Wire, Sequence[Sequence[Any]]]]
_Say = Callable[[_Groups], list[Any]]


class ClusterWire(Wire):
    """See `service.store.redis.connect.Wire`; ``redis+cluster://`` URLs lead here."""

    is_cluster = True

    def __init__(self, url: str, connections: int = 64, replicas: int = 0) -> None:
        # It has no connections but those of its lines, one for each node, and no replicas but theirs.
        self.url, self.replicas, self.wanted_replicas = url, None, replicas
        self._told = redis_url.read(url)
        self._connections = connections
        self.topology = Topology(self._told)
        self._lines: dict[Node, Wire] = {}

    def said(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        return self._asked(commands, _together)

    def said_apart(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        return self._asked(commands, _apart)

    def tried(self, script: Script, each: Any) -> list[Any]:
        replies = super().tried(script, each)
        for _ in range(_TIMES):
            unknown = [place for place, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
            if not unknown:
                break
            # Its slot moved since its node was taught: whoever has it now is told the whole text.
            calls = [(script.text, len(each[place][0]), *each[place][0], *each[place][1]) for place in unknown]
            for place, reply in zip(unknown, self.many([("EVAL", *call) for call in calls]), strict=True):
                replies[place] = reply
        return replies

    def teach(self, script: Script, commands: Sequence[Sequence[Any]]) -> None:
        for node in {self.topology.primary(_slot(command)) for command in commands}:
            self.line(node).one("SCRIPT", "LOAD", script.text)

    def line(self, node: Node) -> Wire:
        """The wire to one node."""
        found = self._lines.get(node)
        if found is None:
            found = self._lines.setdefault(
                node, Wire(self._told.of_server(node.host, node.port), self._connections, self.wanted_replicas)
            )
        return found

    def line_of(self, name: str) -> Wire:
        """The wire to the node that has this key, or this channel."""
        return self.line(self.topology.primary(slot_of(name)))

    def servers(self) -> Mapping[str, Wire]:
        return {f"{node.host}:{node.port}": self.line(node) for node in self.topology.primaries()}

    def scan(self, pattern: str) -> Iterator[bytes]:
        for line in self.servers().values():
            yield from line.scan(pattern)

    def channel(self, name: str, number: int) -> str:
        return f"{{p{number}}}{name}"

    def sharded(self, name: str, tag: str) -> str:
        return tag + name

    def telling(self, channel: str, word: str) -> tuple[str, ...]:
        return ("SPUBLISH", channel, word)

    def connection(self) -> Any:
        raise TypeError("a cluster is heard by `service.store.redis.cluster.hearing.Ears`")

    def close(self) -> None:
        for line in list(self._lines.values()):
            line.close()
        self.topology.close()

    def _asked(self, commands: Sequence[Sequence[Any]], say: _Say) -> list[Any]:
        """The replies to all of them; what nobody has taken within `PATIENCE` has the reply that says so."""
        replies: list[Any] = [None] * len(commands)
        left: dict[int, Node | None] = dict.fromkeys(range(len(commands)))
        until, pause = time.monotonic() + PATIENCE, 0.0
        while True:
            for place, reply in self._once(commands, left, say):
                replies[place] = reply
            refused = {place: replies[place] for place in left if isinstance(replies[place], _REFUSALS)}
            if not refused or time.monotonic() > until:
                break
            left = {place: self._elsewhere(reply) for place, reply in refused.items()}
            if pause or not all(isinstance(reply, MovedError | AskError) for reply in refused.values()):
                time.sleep(pause)
            pause = min(max(2 * pause, _PAUSE), _LONGEST_PAUSE)
        for reply in replies:
            if isinstance(reply, Unreached):
                raise reply
        return replies

    def _elsewhere(self, refusal: Any) -> Node | None:
        """The node that alone is to be asked once more; None for whichever has the slot."""
        if not isinstance(refusal, AskError) or not refusal.host:
            self.topology.doubt()
            return None
        node = Node(refusal.host, int(refusal.port))
        if not isinstance(refusal, MovedError):  # which is an AskError to redis-py
            return node
        self.topology.moved(int(refusal.slot_id), node)
        return None

    def _once(
        self, commands: Sequence[Sequence[Any]], left: Mapping[int, Node | None], say: _Say
    ) -> Iterator[tuple[int, Any]]:
        """Each of them said to one node, all nodes at a time, and what was heard. Raises `StoreDown` where replies were lost."""
        groups: dict[tuple[Node, bool], list[int]] = {}
        for place, alone in left.items():
            try:
                node = alone or self.topology.primary(_slot(commands[place]))
            except Unreached as error:
                yield place, error
                continue
            groups.setdefault((node, alone is not None), []).append(place)
        sent = [
            (self.line(node), [each for place in places for each in _as_sent(commands[place], asking=asking)])
            for (node, asking), places in groups.items()
        ]
        lost: StoreDown | None = None
        for ((_, asking), places), heard in zip(groups.items(), say(sent), strict=True):
            if isinstance(heard, Unreached):
                yield from ((place, heard) for place in places)
            elif isinstance(heard, StoreDown):
                lost = heard
            else:
                yield from zip(places, heard[1::2] if asking else heard, strict=True)
        if lost is not None:
            self.topology.doubt()
            raise lost


def open_wire(url: str, replicas: int = 0) -> Wire:
    """The wire to whatever the URL names, connected when it is first spoken over; raises `ValueError` for no such URL."""
    form = ClusterWire if redis_url.read(url).form == "cluster" else Wire
    return form(url, replicas=replicas)


def _slot(command: Sequence[Any]) -> int:
    """The slot of a command's first key: all of its keys are in one."""
    if command[0] in _SCRIPTS:
        return slot_of(command[3])
    return slot_of(keys.STORE if command[0] in _ANYWHERE else command[1])


def _as_sent(command: Sequence[Any], *, asking: bool) -> list[Sequence[Any]]:
    return [("ASKING",), command] if asking else [command]


def _together(groups: _Groups) -> list[Any]:
    """What the nodes answer, or the `StoreDown` in its place: of one node over the connection that all share."""
    return [_attempt(line.said, commands) for line, commands in groups] if len(groups) == 1 else _apart(groups)


def _apart(groups: _Groups) -> list[Any]:
    """The same over connections that nobody else uses: first everything is sent, then everything heard."""
    begun: list[tuple[Wire, Any]] = []
    try:
        for line, commands in groups:
            begun.append((line, _attempt(line.begin, commands)))
        heard = []
        for line, commands in groups:
            _, connection = begun[0]
            down = isinstance(connection, StoreDown)
            heard.append(connection if down else _attempt(line.finish, connection, len(commands)))
            begun.pop(0)
    except BaseException:
        for line, connection in begun:
            if not isinstance(connection, StoreDown):
                line.abandon(connection)
        raise
    return heard


def _attempt(do: Callable[..., Any], *told: Any) -> Any:
    try:
        return do(*told)
    except StoreDown as error:
        if isinstance(error.__cause__, BusyLoadingError):  # it has taken nothing
            refused = Unreached(str(error))
            refused.__cause__ = error.__cause__
            return refused
        return error
