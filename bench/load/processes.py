"""What processes cost: seconds on a core, summed over a whole tree of them, by what they are."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

TICK = 1 / os.sysconf("SC_CLK_TCK")
PROC = Path("/proc")
SETTLE_WORKERS = (b"rq:worker:settle", b"-m workers settle")
"""How settle workers are named."""
THINKERS = (b"rq:worker:compute", b"-m workers compute")


def tree(root: int) -> list[int]:
    """A process and all that have come from it."""
    parents: dict[int, list[int]] = {}
    for each in PROC.iterdir():
        if each.name.isdigit() and (fields := _stat(int(each.name))) is not None:
            parents.setdefault(int(fields[1]), []).append(int(each.name))
    found = [root]
    for process in found:
        found += parents.get(process, [])
    return found


def core_seconds(root: int) -> Counter[str]:
    """Seconds on a core of a whole tree by role, children that have ended included; hundredths are the finest there are."""
    total: Counter[str] = Counter()
    for process in tree(root):
        if (fields := _stat(process)) is not None:
            total[role(process)] += TICK * sum(int(field) for field in fields[11:15])  # type: ignore[assignment]
    return total


def spent(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """What has been spent between two looks, by role."""
    return {name: seconds - before.get(name, 0) for name, seconds in after.items()}


def role(process: int) -> str:
    """What a process of the service is: ``api``, ``settle``, ``think``, ``server``, or ``rest`` for who keeps these alive."""
    try:
        line = (PROC / str(process) / "cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return "rest"
    if b"redis" in line.split(b" ")[0] or b"valkey" in line.split(b" ")[0]:
        return "server"
    if b"gunicorn" in line:
        return "api"
    if any(name in line for name in THINKERS):
        return "think"
    return "settle" if any(name in line for name in SETTLE_WORKERS) else "rest"


def processes(root: int, wanted: str) -> list[int]:
    """The processes of a role."""
    return [process for process in tree(root) if role(process) == wanted]


def _stat(process: int) -> list[str] | None:
    """The fields of ``/proc/PID/stat`` after the name: the parent is the second, processor times are 12th to 15th."""
    try:
        return (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
