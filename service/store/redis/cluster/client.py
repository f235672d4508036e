"""A cluster behind the interface of one server: every command goes to the node that has its key.

redis-py's `RedisCluster` discovers the nodes and keeps the map of slots. Its pipeline is not used: it repeats commands
whose replies were lost, and cannot send `WAIT` on the connection that wrote. This module sends again only commands that
a node refused or that were never sent.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import parse_url
from redis.crc import key_slot
from redis.exceptions import (
    AskError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    NoScriptError,
    RedisClusterException,
    RedisError,
    SlotNotCoveredError,
    TryAgainError,
)
from redis.retry import Retry

from service.ops.settings import redis_url
from service.store.ports.errors import StoreDown
from service.store.redis import keys
from service.store.redis.client import AWAY, RedisClient, Script, Unreached
from service.store.redis.replication import key_of

PATIENCE = 2.0
"""Seconds for which refused commands are sent again, while a slot moves or a primary is replaced."""
_PAUSE = 0.02
_LONGEST_PAUSE = 0.2
_SCRIPT_ATTEMPTS = 3
"""Maximum attempts to send a script to a node that does not have it: slots may move in between."""
_REFRESH_INTERVAL = 0.1
_DISCOVERY_TIMEOUT = 2
"""Seconds that a node may take to describe the cluster before another node is asked."""
_REFUSALS = (Unreached, MovedError, AskError, TryAgainError, ClusterDownError, MasterDownError)
_KEYLESS = ("TIME", "PING", "INFO", "CONFIG", "ACL", "CLIENT")
"""Commands without a key go to the node of `keys.STORE`, so that there is one clock."""

_Address = tuple[str, int]


@lru_cache(maxsize=8192)
def slot_of(key: str | bytes) -> int:
    return int(key_slot(key.encode() if isinstance(key, str) else key))


class ClusterClient(RedisClient):
    """See `service.store.redis.client.RedisClient`; used for ``redis+cluster://`` URLs."""

    is_cluster = True

    def __init__(self, url: str, connections: int = 64, replicas: int = 0) -> None:
        self.url, self.wanted_replicas = url, replicas
        self._told = redis_url.read(url)
        self._connections = connections
        self._guard = threading.Lock()
        self._discovered: Any = None
        self._refreshed = 0.0
        self._lines: dict[_Address, RedisClient] = {}

    @property
    def database(self) -> int:
        return 0

    def said(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        replies: list[Any] = [None] * len(commands)
        left: dict[int, _Address | None] = dict.fromkeys(range(len(commands)))
        until, pause = time.monotonic() + PATIENCE, 0.0
        while True:
            for place, reply in self._once(commands, left):
                replies[place] = reply
            refused = {place: replies[place] for place in left if isinstance(replies[place], _REFUSALS)}
            if not refused or time.monotonic() > until:
                break
            left = {place: self._redirected(reply) for place, reply in refused.items()}
            if not all(isinstance(reply, AskError) for reply in refused.values()):  # MovedError is one as well
                with suppress(Unreached):
                    self.refresh()
                pause = max(pause, _PAUSE)
            if pause:
                time.sleep(pause)
            pause = min(max(2 * pause, _PAUSE), _LONGEST_PAUSE)
        for reply in replies:
            if isinstance(reply, Unreached):
                raise reply
        return replies

    def tried(self, script: Script, each: Any) -> list[Any]:
        replies = super().tried(script, each)
        for _ in range(_SCRIPT_ATTEMPTS):
            unknown = [place for place, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
            if not unknown:
                break
            # The slot moved after the script was loaded: send the text to its new node.
            calls = [(script.text, len(each[place][0]), *each[place][0], *each[place][1]) for place in unknown]
            for place, reply in zip(unknown, self.many([("EVAL", *call) for call in calls]), strict=True):
                replies[place] = reply
        return replies

    def teach(self, script: Script, commands: Sequence[Sequence[Any]]) -> None:
        for host, port in {self._primary(_slot(command)) for command in commands}:
            self.line(host, port).one("SCRIPT", "LOAD", script.text)

    def line(self, host: str, port: int) -> RedisClient:
        found = self._lines.get((host, port))
        if found is None:
            made = RedisClient(self._told.of_server(host, port), self._connections, self.wanted_replicas)
            found = self._lines.setdefault((host, port), made)
        return found

    def line_of(self, name: str) -> RedisClient:
        """The connections to the node that has this key."""
        return self.line(*self._primary(slot_of(name)))

    def servers(self) -> Mapping[str, RedisClient]:
        slots = self._cluster().nodes_manager.slots_cache
        found = {(str(nodes[0].host), int(nodes[0].port)) for nodes in list(slots.values()) if nodes}
        return {f"{host}:{port}": self.line(host, port) for host, port in sorted(found)}

    def scan(self, pattern: str) -> Iterator[bytes]:
        for line in self.servers().values():
            yield from line.scan(pattern)

    def connection(self) -> Any:
        """A connection to any primary: a message published at one node reaches the subscribers of all."""
        failure: BaseException | None = None
        try:
            self.refresh()
            lines = list(self.servers().values())
        except Unreached as error:
            raise redis.ConnectionError(str(error)) from error
        for line in random.sample(lines, len(lines)):
            try:
                return line.connection()
            except AWAY as error:
                failure = error
        raise redis.ConnectionError(f"no node of the cluster accepts a subscription: {failure}") from failure

    def close(self) -> None:
        for line in list(self._lines.values()):
            line.close()
        if self._discovered is not None:
            self._discovered.close()

    def refresh(self) -> None:
        """Read the map of slots again; raises `Unreached`."""
        cluster = self._cluster()
        with self._guard:
            if time.monotonic() - self._refreshed < _REFRESH_INTERVAL:
                return
            try:
                cluster.nodes_manager.initialize()
            except (RedisClusterException, RedisError, OSError) as error:
                raise _undiscovered(error) from (error.__cause__ or error)
            self._refreshed = time.monotonic()

    def _cluster(self) -> Any:
        if self._discovered is not None:  # without the lock: others may be refreshing
            return self._discovered
        with self._guard:
            if self._discovered is None:
                own: dict[str, Any] = parse_url(self._told.of_server(*self._told.hosts[0]))  # type: ignore[no-untyped-call]
                for word in ("host", "port", "db", "socket_timeout", "socket_connect_timeout"):
                    own.pop(word, None)
                if own.pop("connection_class", None) is not None:
                    own["ssl"] = True
                try:
                    self._discovered = RedisCluster(
                        startup_nodes=[ClusterNode(host, port) for host, port in self._told.hosts],  # type: ignore[no-untyped-call]
                        require_full_coverage=False,
                        protocol=2,
                        retry=Retry(NoBackoff(), 0),
                        socket_timeout=_DISCOVERY_TIMEOUT,
                        socket_connect_timeout=_DISCOVERY_TIMEOUT,
                        **own,
                    )
                except (RedisClusterException, RedisError, OSError) as error:
                    raise _undiscovered(error) from (error.__cause__ or error)
                self._refreshed = time.monotonic()
            return self._discovered

    def _primary(self, slot: int) -> _Address:
        try:
            node = self._cluster().nodes_manager.get_node_from_slot(slot)
        except SlotNotCoveredError as error:
            raise Unreached(f"no node of the cluster has the slot {slot}") from error
        return str(node.host), int(node.port)

    def _redirected(self, refusal: Any) -> _Address | None:
        """The node to ask once more with ASKING; None for the owner of the slot."""
        if not isinstance(refusal, AskError) or not refusal.host:
            return None
        if isinstance(refusal, MovedError):
            self._cluster().nodes_manager.move_slot(refusal)
            return None
        return str(refusal.host), int(refusal.port)

    def _once(
        self, commands: Sequence[Sequence[Any]], left: Mapping[int, _Address | None]
    ) -> Iterator[tuple[int, Any]]:
        groups: dict[tuple[_Address, bool], list[int]] = {}
        for place, other in left.items():
            try:
                address = other or self._primary(_slot(commands[place]))
            except Unreached as error:
                yield place, error
                continue
            groups.setdefault((address, other is not None), []).append(place)
        lost: StoreDown | None = None
        for (address, asking), places in groups.items():
            sent = [each for place in places for each in _with_asking(commands[place], asking=asking)]
            try:
                replies = self.line(*address).said(sent)
            except StoreDown as error:
                if not isinstance(error, Unreached) and not isinstance(error.__cause__, BusyLoadingError):
                    lost = error
                    continue
                refused = error if isinstance(error, Unreached) else _refused(error)
                yield from ((place, refused) for place in places)
            else:
                yield from zip(places, replies[1::2] if asking else replies, strict=True)
        if lost is not None:
            with suppress(Unreached):
                self.refresh()
            raise lost


def open_client(url: str, replicas: int = 0) -> RedisClient:
    """The wire for a URL, connected on first use; raises `ValueError` for an invalid URL."""
    form = ClusterClient if redis_url.read(url).form == "cluster" else RedisClient
    return form(url, replicas=replicas)


def _slot(command: Sequence[Any]) -> int:
    """The slot of a command's first key: all of its keys are in one."""
    return slot_of(keys.STORE if command[0] in _KEYLESS else key_of(command))


def _with_asking(command: Sequence[Any], *, asking: bool) -> list[Sequence[Any]]:
    return [("ASKING",), command] if asking else [command]


def _refused(error: StoreDown) -> Unreached:
    """A node that is loading its data has executed nothing."""
    refused = Unreached(str(error))
    refused.__cause__ = error.__cause__
    return refused


def _undiscovered(error: BaseException) -> Unreached:
    return Unreached(f"no node of the cluster can be asked: {error}")
