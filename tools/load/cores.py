"""CPU seconds of the processes of a service on this machine, by role."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

PROC = Path("/proc")
HERE = {"127.0.0.1", "localhost", "::1"}


def roots(url: str, named: Iterable[int] = ()) -> list[int]:
    """The root processes of the service: the given ones, and the listener at the URL if that is on this machine."""
    found = [pid for pid in named if _stat(pid) is not None]
    parts = urlsplit(url)
    if parts.hostname in HERE and (listener := _listener(parts.port or 80)) is not None:
        top = _topmost(listener)
        found += [top] if top not in found else []
    return found


def core_seconds(processes: Iterable[int]) -> Counter[str]:
    """CPU seconds of whole process trees, including ended children, by role."""
    tick = 1 / os.sysconf("SC_CLK_TCK")
    total: Counter[str] = Counter()
    for process in _trees(processes):
        if (fields := _stat(process)) is not None:
            total[_role(process)] += tick * sum(int(field) for field in fields[11:15])  # type: ignore[assignment]
    return total


def spent(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """Seconds between two readings of `core_seconds`, by role."""
    return {name: seconds - before.get(name, 0) for name, seconds in after.items()}


def with_role(root: int, role: str) -> list[int]:
    """The processes of a role in the tree of this process."""
    return [process for process in _trees([root]) if _role(process) == role]


def _trees(processes: Iterable[int]) -> list[int]:
    below: dict[int, list[int]] = {}
    for each in PROC.iterdir() if PROC.is_dir() else ():
        if each.name.isdigit() and (fields := _stat(int(each.name))) is not None:
            below.setdefault(int(fields[1]), []).append(int(each.name))
    found = list(dict.fromkeys(processes))
    for process in found:
        found += [child for child in below.get(process, ()) if child not in found]
    return found


def _topmost(process: int) -> int:
    while (fields := _stat(process)) is not None:
        parent = int(fields[1])
        line = _line(parent)
        if not (b"oraclewheel" in line or b"service.cli" in line):
            break
        process = parent
    return process


def _listener(port: int) -> int | None:
    """The process that listens on a port of this machine, if this process may see it."""
    sockets = {f"socket:[{inode}]" for name in ("tcp", "tcp6") for inode in _inodes(PROC / "net" / name, port)}
    for each in PROC.iterdir() if sockets else ():
        if each.name.isdigit():
            with suppress(OSError):
                if any(os.readlink(file) in sockets for file in (each / "fd").iterdir()):  # noqa: PTH115 - no path
                    return int(each.name)
    return None


def _inodes(table: Path, port: int) -> list[str]:
    with suppress(OSError):
        rows = [line.split() for line in table.read_text().splitlines()[1:]]
        return [row[9] for row in rows if row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == port]
    return []


def _role(process: int) -> str:
    line = _line(process)
    if b"redis" in line.split(b" ")[0] or b"valkey" in line.split(b" ")[0]:
        return "store"
    if b"gunicorn" in line:
        return "api"
    if b"rq:worker:compute" in line:
        return "compute workers"
    return "settle workers" if b"rq:worker:settle" in line else "rest"


def _line(process: int) -> bytes:
    try:
        return (PROC / str(process) / "cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return b""


def _stat(process: int) -> list[str] | None:
    """The fields of ``/proc/PID/stat`` after the name: the parent is the second, processor times are 12th to 15th."""
    try:
        return (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
