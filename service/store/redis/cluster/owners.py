"""The owner of every slot according to all primaries; it must not change during an operation on all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from redis.exceptions import ResponseError

from service.store.ports.errors import StoreUnusable
from service.store.redis.client import RedisClient, facts
from service.store.redis.cluster.client import ClusterClient

SLOTS = 16384
_ENDED = {b"success", b"failed", b"cancelled", b"canceled"}
"""Final states of a slot migration that Valkey runs itself."""


class Unsettled(StoreUnusable):
    """The primaries disagree about the owner of some slot, or it has none; the message says why."""


@dataclass(frozen=True, slots=True)
class Owners:
    """The primaries, each with its slots. Two readings are equal if nothing changed in between."""

    lines: Mapping[str, RedisClient] = field(compare=False)
    """The wire to each, by its address."""
    slots: frozenset[tuple[str, str, str]]
    """Id, configuration epoch and slot ranges of each."""
    epochs: Mapping[str, str]
    """The newest epoch that each knows of. Replacing a primary needs the votes of most, and a vote raises it."""


@dataclass(frozen=True, slots=True)
class _View:
    myself: str
    slots: frozenset[tuple[str, str, str]]
    epoch: str


def owners(wire: ClusterClient) -> Owners:
    """Read from every primary; raises `Unsettled`, `StoreDown`, or redis-py's errors."""
    wire.refresh()
    lines = wire.servers()
    views = {name: _view(name, line) for name, line in lines.items()}
    told = {view.slots for view in views.values()}
    if len(told) != 1 or {view.myself for view in views.values()} != {id_ for each in told for id_, *_ in each}:
        raise Unsettled("The primaries of the cluster disagree about the slots: one of them is being replaced.")
    (slots,) = told
    covered = sum(_count(ranges) for *_, ranges in slots)
    if covered != SLOTS:
        raise Unsettled(f"{SLOTS - covered} slots of the cluster have no working primary.")
    return Owners(lines, slots, {name: view.epoch for name, view in views.items()})


def _view(name: str, line: RedisClient) -> _View:
    nodes, state = line.all([("CLUSTER", "NODES"), ("CLUSTER", "INFO")])
    myself, slots = "", set()
    for each in nodes.decode().splitlines():
        id_, address, flags, _, _, _, epoch, _, *ranges = each.split()
        moving = [found[1] for word in ranges if (found := re.match(r"\[(\d+)-", word))]
        if moving:
            raise Unsettled(
                f"The slot {moving[0]} of the cluster is being moved from one primary to another, at {name}."
            )
        if ranges and {"fail", "fail?"} & {*flags.split(",")}:
            raise Unsettled(f"The primary {address.partition('@')[0]} of the cluster is failing, says {name}.")
        if ranges:
            slots.add((id_, epoch, " ".join(ranges)))
        if "myself" in flags.split(","):
            myself = id_
    for moved in _migrations(line):
        raise Unsettled(f"Slots of the cluster are being moved from one primary to another ({moved}), at {name}.")
    return _View(myself, frozenset(slots), facts(state)["cluster_current_epoch"])


def _migrations(line: RedisClient) -> Iterator[str]:
    """Slots in a migration that the server runs itself (Valkey 9); `CLUSTER NODES` does not show these."""
    told = line.many([("CLUSTER", "GETSLOTMIGRATIONS")])[0]
    for each in [] if isinstance(told, ResponseError) else told:
        known = dict(zip(each[::2], each[1::2], strict=True))
        if known[b"state"] not in _ENDED:
            yield known[b"slot_ranges"].decode()


def _count(ranges: str) -> int:
    pairs = (each.partition("-") for each in ranges.split())
    return sum(int(last or first) - int(first) + 1 for first, _, last in pairs)
