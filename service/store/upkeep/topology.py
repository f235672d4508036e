"""The servers of the store, their replicas, and risks of losing play: for operators."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from redis.exceptions import RedisError

from service.ops.settings import redis_url
from service.store.ports.errors import StoreDown
from service.store.redis.client import RedisClient, facts
from service.store.redis.cluster.client import ClusterClient

SLOTS = 16384
SILENT = 10
"""Seconds without contact to a replica, which reports every second."""
_AWAY = (StoreDown, RedisError)


@dataclass(frozen=True, slots=True)
class Topology:
    told: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Node:
    id: str
    host: str
    port: int
    flags: frozenset[str]
    follows: str
    is_linked: bool
    slots: int
    moving: Sequence[tuple[str, str]]
    """Slots that it migrates away, each with the id of the target node."""

    @property
    def name(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def is_failing(self) -> bool:
        return bool({"fail", "fail?", "noaddr"} & self.flags)


def surveyed(wire: RedisClient) -> Topology:
    """The reachable servers behind a wire; raises `StoreDown` if there are none, and redis-py's errors."""
    found = Topology()
    if isinstance(wire, ClusterClient):
        _cluster(wire, found)
    else:
        _server(wire, redis_url.shown(wire.url), found, "The games are on")
    return found


def _server(line: RedisClient, name: str, found: Topology, opening: str) -> None:
    """Describe a primary and its replicas; raises `StoreDown`, or redis-py's errors."""
    known = facts(line.one("INFO"))
    replicas = list(_replicas_in(known))
    online = sum(each["state"] == "online" for each in replicas)
    wanted = line.wanted_replicas
    remark = f", {online} of them in sync; {wanted} must have each acknowledged command" if replicas or wanted else ""
    found.told.append(f"{opening} {name}, which has {_count(len(replicas), 'replica')}{remark}.")
    for each in replicas:
        _replica(line, name, known, each, found)


def _replica(
    line: RedisClient, primary: str, known: Mapping[str, str], each: Mapping[str, str], found: Topology
) -> None:
    name = f"{each['ip']}:{each['port']}"
    behind, silent = int(known["master_repl_offset"]) - int(each["offset"]), int(each["lag"])
    own = _own(line, each["ip"], int(each["port"]))
    said = "it could not be queried" if own is None else f"its link is {own.get('master_link_status', 'none')}"
    found.told.append(
        f"  {name} follows {primary}: {each['state']}, {behind} bytes behind, last contact {silent} s ago; {said}."
    )
    if each["state"] != "online":
        found.wrong.append(f"The replica {name} of {primary} is not in sync ({each['state']}).")
    elif silent > SILENT:
        found.wrong.append(f"The replica {name} of {primary} has not reported for {silent} seconds.")
    if line.wanted_replicas and known.get("aof_enabled") == "1" and own is not None and own.get("aof_enabled") == "0":
        found.wrong.append(
            f"The replica {name} has no append-only file, unlike {primary}: a restart loses acknowledged commands. Set appendonly yes."
        )


def _own(line: RedisClient, host: str, port: int) -> Mapping[str, str] | None:
    try:
        with closing(RedisClient(redis_url.elsewhere(line.url, host, port))) as other:
            return facts(other.one("INFO"))
    except (*_AWAY, ValueError):
        return None


def _replicas_in(known: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    for name, value in known.items():
        if re.fullmatch(r"slave\d+", name):
            yield dict(part.split("=", 1) for part in value.split(","))


def _cluster(wire: ClusterClient, found: Topology) -> None:
    nodes, moving = _nodes(wire)
    primaries = [node for node in nodes if node.slots]
    covered = sum(node.slots for node in primaries if not node.is_failing)
    found.told.append(
        f"The games are on a cluster of {_count(len(primaries), 'primary', 'primaries')}, which have {covered} of {SLOTS} slots."
    )
    if covered < SLOTS:
        found.wrong.append(f"{SLOTS - covered} slots of the cluster have no working primary: their games are stopped.")
    for node in nodes:
        if node.is_failing:
            found.wrong.append(f"The node {node.name} of the cluster is failing ({', '.join(sorted(node.flags))}).")
        elif not node.is_linked:
            found.wrong.append(f"The node {node.name} of the cluster is not connected to another node.")
    found.told.extend(f"  A slot is being moved: {each}." for each in moving)
    for node in primaries:
        _primary(wire, node, nodes, found)


def _primary(wire: ClusterClient, node: _Node, nodes: Sequence[_Node], found: Topology) -> None:
    if not node.is_failing:
        try:
            _server(wire.line(node.host, node.port), node.name, found, f"  {node.slots} slots are on")
        except _AWAY as error:
            found.wrong.append(f"The primary {node.name} does not answer: {error}.")
    followers = [each for each in nodes if each.follows == node.id and not each.is_failing]
    if not followers:
        found.wrong.append(f"The primary {node.name} has no replica: its games are lost if its disk is lost.")
    elif all(each.host == node.host for each in followers):
        found.wrong.append(
            f"The primary {node.name} and all of its replicas are on one host: its games are lost if that host is lost."
        )


def _nodes(wire: ClusterClient) -> tuple[list[_Node], list[str]]:
    """The nodes according to the one that sees most failures, and the slots that are being moved."""
    views: list[list[_Node]] = []
    for line in wire.servers().values():
        try:
            views.append([_node(each) for each in line.one("CLUSTER", "NODES").decode().splitlines()])
        except _AWAY:
            continue
    if not views:
        raise StoreDown("no node of the cluster can be asked")
    names = {node.id: node.name for node in views[0]}
    # A node lists migrating slots only for itself.
    moving = [
        f"{slot} from {node.name} to {names.get(to, to)}" for view in views for node in view for slot, to in node.moving
    ]
    return max(views, key=lambda view: sum(node.is_failing for node in view)), moving


def _node(line: str) -> _Node:
    id_, address, flags, follows, _, _, _, link, *slots = line.split()
    host, _, port = address.partition("@")[0].partition(",")[0].rpartition(":")
    ranges = [each.partition("-") for each in slots if not each.startswith("[")]
    count = sum(int(last or first) - int(first) + 1 for first, _, last in ranges)
    moving = [(found[1], found[2]) for each in slots if (found := re.fullmatch(r"\[(\d+)->-(\w+)\]", each))]
    return _Node(id_, host, int(port), frozenset(flags.split(",")), follows, link == "connected", count, moving)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
