"""Which node of a cluster has which slot, as far as is known; redis-py asks the nodes for it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from redis.cluster import ClusterNode, NodesManager
from redis.connection import parse_url
from redis.crc import key_slot
from redis.exceptions import ClusterDownError, RedisClusterException, RedisError

from service.settings.redis_url import RedisUrl
from service.store.redis.connect import Unreached

_FRESH = 0.1
"""Seconds in which nobody asks a second time who has what."""
_SECONDS = 2
"""That a node may take to say it: another one knows it as well."""


@dataclass(frozen=True, slots=True)
class Node:
    """Where a node listens."""

    host: str
    port: int


@lru_cache(maxsize=8192)
def slot_of(key: str | bytes) -> int:
    """The slot that a key, or a channel, is in."""
    return int(key_slot(key.encode() if isinstance(key, str) else key))


class Topology:
    """The slots and their primaries. What a node says by a redirection is believed at once."""

    def __init__(self, told: RedisUrl) -> None:
        self._told = told
        self._guard = threading.Lock()
        self._asked: Any = None
        self._slots: dict[int, Node] = {}
        self._read = float("-inf")

    def primary(self, slot: int) -> Node:
        """The node that has this slot; raises `Unreached` where nobody can be asked, or nobody has it."""
        found = self._slots.get(slot) or self.refreshed().get(slot)
        if found is None:
            raise Unreached(f"no node of the cluster has the slot {slot}") from ClusterDownError("it is not covered")
        return found

    def primaries(self) -> list[Node]:
        """Every node that has slots, in an order that is always the same."""
        found = set((self._slots or self.refreshed()).values())
        return sorted(found, key=lambda node: (node.host, node.port))

    def moved(self, slot: int, node: Node) -> None:
        """A node has said that another one has the slot."""
        self._slots[slot] = node

    def doubt(self) -> None:
        """A node does not answer: whoever asks next looks anew."""
        self._slots = {}

    def refreshed(self) -> dict[int, Node]:
        """Who has what, asked of the nodes unless that was done a moment ago."""
        with self._guard:
            if not self._slots or time.monotonic() - self._read > _FRESH:
                try:
                    self._ask()
                except (RedisClusterException, RedisError, OSError) as error:
                    raise Unreached(f"no node of the cluster can be asked: {error}") from (error.__cause__ or error)
                cache: dict[int, list[Any]] = self._asked.slots_cache
                self._slots = {slot: Node(nodes[0].host, int(nodes[0].port)) for slot, nodes in cache.items()}
                self._read = time.monotonic()
            return self._slots

    def close(self) -> None:
        """Let go of the connections over which the nodes were asked."""
        if self._asked is not None:
            self._asked.close()

    def _ask(self) -> None:
        if self._asked is not None:
            self._asked.initialize()
            return
        own: dict[str, Any] = parse_url(self._told.of_server(*self._told.hosts[0]))  # type: ignore[no-untyped-call]
        for word in ("host", "port", "db"):
            own.pop(word, None)
        if own.pop("connection_class", None) is not None:
            own["ssl"] = True
        patience = {"socket_timeout": _SECONDS, "socket_connect_timeout": _SECONDS}
        hosts = [ClusterNode(host, port) for host, port in self._told.hosts]  # type: ignore[no-untyped-call]
        self._asked = NodesManager(hosts, protocol=2, **{**own, **patience})
