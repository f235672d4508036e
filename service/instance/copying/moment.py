"""The data of all primaries of a cluster as they are at one moment: nobody writes anywhere while each of them begins its copy.

A server that is asked for a copy forks, and the fork writes what was there when it began. So the moment is short, however
much there is: from when the last primary takes no writes any more until the last one has forked. What was acknowledged before
is in the copies of all; what waits meanwhile is in none, and neither is anything that came of it elsewhere.
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

from service.instance.copying.rdb import offset_in
from service.instance.copying.snapshot import NoSnapshot, asked, connect, received
from service.store.ports.errors import StoreDown
from service.store.redis.cluster.owners import Unsettled, owners
from service.store.redis.cluster.wire import ClusterWire
from service.store.redis.connect import Wire
from service.store.redis.probe import Info, info

PAUSE = 2.0
"""Seconds after which a server takes writes again by itself, whatever has become of who asked it to wait."""
IN_TIME = 1.5
"""Seconds within which every copy must have begun: well before the first server takes writes again."""
BUSY = 600.0
"""Seconds that are waited for a file which a server writes on its own: while it does, it begins no copy."""
ATTEMPTS, REST = 3, 2.0
"""How often it is tried, and for how many seconds everybody writes in between."""

_NEEDED = (
    "Allow its user the commands SYNC, INFO, CLUSTER NODES, CLUSTER INFO, CLIENT PAUSE and CLIENT UNPAUSE, or back up the cluster"
    " with its own tools."
)
_POLL = 0.005
_CHILDREN = ("rdb_bgsave_in_progress", "aof_rewrite_in_progress", "module_fork_in_progress")


@dataclass(frozen=True, slots=True)
class Copies:
    """What the primaries gave."""

    files: list[Path]
    servers: list[Info]
    """What each of them told of itself at the moment."""
    paused: float
    """Seconds for which nothing was written."""

    @property
    def lasting(self) -> int:
        """Keys that they held together, but for those that go by themselves."""
        return sum(_lasting(told, 0) for told in self.servers)


def copies(wire: ClusterWire, to: Path) -> Copies:
    """Put a copy of each primary's data into the folder. Raises `NoSnapshot`; then nothing is left paused."""
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


def keys_that_stay(wire: Wire) -> int:
    """How many keys a server holds, but for those that go by themselves."""
    return _lasting(info(wire), wire.database)


def _await_idle(lines: Mapping[str, Wire]) -> None:
    until = time.monotonic() + BUSY
    while busy := [name for name, line in lines.items() if _is_busy(info(line))]:
        if time.monotonic() > until:
            raise NoSnapshot(
                f"The server {busy[0]} has been writing its own file for {BUSY:.0f} seconds. Run the command again later."
            )
        time.sleep(0.1)


@contextmanager
def _connected(lines: Mapping[str, Wire]) -> Iterator[Mapping[str, Any]]:
    """A connection to each, made before anybody has to wait for it."""
    made: dict[str, Any] = {}
    try:
        for name, line in lines.items():
            made[name] = connect(line.url)
        yield made
    finally:
        for connection in made.values():
            with suppress(OSError):
                connection.close()


def _begun(lines: Mapping[str, Wire], connections: Mapping[str, Any]) -> tuple[dict[str, Info], float] | None:
    """Have no one write, and every server begin its copy; what each told of itself then, and for how long that took.

    None where one has not begun in time.
    """
    began = time.monotonic()
    try:
        for line in lines.values():
            line.one("CLIENT", "PAUSE", round(1000 * PAUSE), "WRITE")
        before = {name: info(line) for name, line in lines.items()}
        # A server would hand out a copy that it had begun earlier, or begin this one when another file is written.
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
    """What each sends, all at once: a server gives up who does not read for long."""
    files = {name: to / f"{place}.rdb" for place, name in enumerate(sorted(connections), 1)}
    with ThreadPoolExecutor(len(files)) as pool:
        for done in [pool.submit(received, connections[name], path) for name, path in files.items()]:
            done.result()
    return files


def _is_of_then(file: Path, told: Info) -> bool:
    """Whether the copy shows the server as it was while nobody wrote: if it was begun later, more had been written by then."""
    offset = offset_in(file)
    if offset is None:
        raise NoSnapshot(
            "The snapshot does not contain its replication offset: this release does not know the format of this server."
        )
    return offset <= int(told["master_repl_offset"])


def _is_busy(told: Info) -> bool:
    return any(told.get(name, "0") != "0" for name in _CHILDREN)


def _lasting(told: Info, database: int) -> int:
    """db0:keys=3,expires=1,… is two."""
    counts = dict(each.split("=", 1) for each in told.get(f"db{database}", "keys=0,expires=0").split(","))
    return int(counts["keys"]) - int(counts["expires"])
