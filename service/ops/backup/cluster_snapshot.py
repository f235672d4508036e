"""Snapshots of all primaries of a cluster at one moment: all writes pause until each server has begun its snapshot.

A server forks for a snapshot, and the fork writes the data of that moment. So the pause is short, whatever the amount
of data: from the last primary that pauses writes until the last one has forked. Writes acknowledged before it are in
the snapshots. Waiting writes are in no snapshot, and neither are their effects on other servers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis.exceptions import RedisError, ResponseError

from service.ops.backup.rdb import offset_in
from service.ops.backup.snapshot import NoSnapshot, asked, connect, received
from service.store.ports.errors import StoreDown
from service.store.redis.client import RedisClient
from service.store.redis.cluster.client import ClusterClient
from service.store.redis.cluster.owners import Unsettled, owners
from service.store.redis.probe import Info, info

PAUSE = 2.0
"""Seconds after which a server accepts writes again on its own, whatever happens to this process."""
IN_TIME = 1.5
"""Seconds within which all snapshots must have begun: well before the first server accepts writes again."""
BUSY = 600.0
"""Seconds to wait while a server writes a file of its own, because it begins no snapshot during that time."""
ATTEMPTS, REST = 3, 2.0
"""Number of attempts, and the seconds of normal writes between them."""

_NEEDED = (
    "Allow its user the commands SYNC, INFO, CLUSTER NODES, CLUSTER INFO, CLIENT PAUSE and CLIENT UNPAUSE, or back up the cluster"
    " with its own tools."
)
_POLL = 0.005
_CHILDREN = ("rdb_bgsave_in_progress", "aof_rewrite_in_progress", "module_fork_in_progress")


@dataclass(frozen=True, slots=True)
class Copies:
    """The snapshots of the primaries."""

    files: list[Path]
    servers: list[Info]
    """INFO of each server at that moment."""
    paused: float
    """Seconds for which writes were paused."""

    @property
    def lasting(self) -> int:
        """Total number of keys without an expiry."""
        return sum(_lasting(told, 0) for told in self.servers)


def copies(wire: ClusterClient, to: Path) -> Copies:
    """Store a snapshot of each primary in the folder. Raises `NoSnapshot` after resuming writes."""
    try:
        for attempt in range(ATTEMPTS):
            time.sleep(REST if attempt else 0)
            before = owners(wire)
            _await_idle(before.lines)
            with _connected(before.lines) as connections:
                begun = _begun(before.lines, connections)
                if begun is None:
                    continue
                if owners(wire) != before:
                    raise NoSnapshot(
                        "A primary of the cluster was replaced, or slots were moved, during the backup. Run the command again."
                    )
                servers, paused = begun
                files = _received(connections, to)
            if all(_is_of_then(files[name], told) for name, told in servers.items()):
                return Copies([files[name] for name in servers], list(servers.values()), paused)
            for path in files.values():
                path.unlink()
    except Unsettled as error:
        raise NoSnapshot(f"{error} Run the command again when the cluster is stable.") from error
    except ResponseError as error:
        raise NoSnapshot(f"A server of the cluster sends no snapshot: {error}. {_NEEDED}") from error
    except (OSError, RedisError, StoreDown) as error:
        raise NoSnapshot(f"The connection to a server of the cluster was lost during the snapshot: {error}.") from error
    raise NoSnapshot(
        f"The servers of the cluster did not start their snapshots within {IN_TIME} seconds of each other in {ATTEMPTS} attempts:"
        " they are too busy. Writes are not paused for longer. Run the command again at a quieter time."
    )


def keys_that_stay(wire: RedisClient) -> int:
    """The number of a server's keys without an expiry."""
    return _lasting(info(wire), wire.database)


def _await_idle(lines: Mapping[str, RedisClient]) -> None:
    until = time.monotonic() + BUSY
    while busy := [name for name, line in lines.items() if _is_busy(info(line))]:
        if time.monotonic() > until:
            raise NoSnapshot(
                f"The server {busy[0]} has been writing its own file for {BUSY:.0f} seconds. Run the command again later."
            )
        time.sleep(0.1)


@contextmanager
def _connected(lines: Mapping[str, RedisClient]) -> Iterator[Mapping[str, Any]]:
    """A connection to each server, made before writes are paused."""
    made: dict[str, Any] = {}
    try:
        for name, line in lines.items():
            made[name] = connect(line.url)
        yield made
    finally:
        for connection in made.values():
            with suppress(OSError):
                connection.close()


def _begun(lines: Mapping[str, RedisClient], connections: Mapping[str, Any]) -> tuple[dict[str, Info], float] | None:
    """Pause all writes and begin a snapshot on every server.

    Returns the INFO of each server at that time, and the seconds it took. None if a server did not begin in time.
    """
    began = time.monotonic()
    try:
        for line in lines.values():
            line.one("CLIENT", "PAUSE", round(1000 * PAUSE), "WRITE")
        before = {name: info(line) for name, line in lines.items()}
        # A busy server would send an earlier snapshot, or begin this one later.
        if any(map(_is_busy, before.values())):
            return None
        for connection in connections.values():
            asked(connection)
        begun: dict[str, Info] = {}
        while time.monotonic() < began + IN_TIME:
            for name in lines.keys() - begun.keys():
                told = info(lines[name])
                if int(told.get("total_forks", 0)) > int(before[name].get("total_forks", 0)):
                    begun[name] = told
            if len(begun) == len(lines):
                took = time.monotonic() - began
                return (begun, took) if took < IN_TIME else None
            time.sleep(_POLL)
        return None
    finally:
        for line in lines.values():
            with suppress(StoreDown, RedisError):
                line.one("CLIENT", "UNPAUSE")


def _received(connections: Mapping[str, Any], to: Path) -> dict[str, Path]:
    """Receive all snapshots concurrently, because a server drops slow readers."""
    files = {name: to / f"{place}.rdb" for place, name in enumerate(sorted(connections), 1)}
    with ThreadPoolExecutor(len(files)) as pool:
        for done in [pool.submit(received, connections[name], path) for name, path in files.items()]:
            done.result()
    return files


def _is_of_then(file: Path, told: Info) -> bool:
    """Whether the snapshot is from the pause. A later one would contain more writes."""
    offset = offset_in(file)
    if offset is None:
        raise NoSnapshot(
            "The snapshot does not contain its replication offset: this release does not know the format of this server."
        )
    return offset <= int(told["master_repl_offset"])


def _is_busy(told: Info) -> bool:
    return any(told.get(name, "0") != "0" for name in _CHILDREN)


def _lasting(told: Info, database: int) -> int:
    """The number of keys without an expiry: two for ``db0:keys=3,expires=1,…``."""
    counts = dict(each.split("=", 1) for each in told.get(f"db{database}", "keys=0,expires=0").split(","))
    return int(counts["keys"]) - int(counts["expires"])
