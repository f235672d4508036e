"""One-line descriptions of the machine and of the measured releases."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

LIBRARIES = ("Flask", "gunicorn", "gevent", "rq")
"""Libraries that rows compare with, or that the service runs on."""


def machine() -> str:
    """CPU, cores, system, Python, the Redis-compatible server, node, libraries; and the load average at the start."""
    cores = len(os.sched_getaffinity(0))
    parts = [
        f"{_processor()}, {cores} core{'s' if cores > 1 else ''}",
        f"{platform.system()} {platform.release()}",
        f"Python {platform.python_version()}",
        _server(),
        f"node {_said('node', '--version').lstrip('v')}" if shutil.which("node") else "no node",
        ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
        f"load {os.getloadavg()[0]:.1f} at the start",
    ]
    return "; ".join(parts)


def release(tree: Path) -> str:
    """A checkout's commit and its date; ``with changes`` if files differ from it."""
    head = _said("git", "-C", str(tree), "log", "-1", "--format=%h of %cs")
    if not head:
        return "a tree without a commit"
    return head + (" with changes" if _said("git", "-C", str(tree), "status", "--porcelain") else "")


def _processor() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.machine()


def _server() -> str:
    from service.ops.instance.server_binary import find_binary

    said = _said(str(find_binary()), "--version")
    found = re.search(r"^(\w+) server v=(\S+)", said)
    return f"{found[1]} {found[2]}" if found else said


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
