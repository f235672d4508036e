"""The limit of open files: each connection, stream and log needs one."""

from __future__ import annotations

import resource
from contextlib import suppress


def raise_limit() -> None:
    """Raise the soft limit of this process, and of its children, to the hard one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # some systems refuse an infinite one
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def warnings(connections: int) -> list[str]:
    """A sentence if the limit is under twice the number of connections of a process."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= 2 * connections:
        return []
    sentence = (
        f"A process may open {soft} files, fewer than twice its {connections} connections. Raise the hard limit (`ulimit -Hn`, "
        f"`LimitNOFILE=` of systemd) to {2 * connections}, or lower ORACLEWHEEL_CONNECTIONS."
    )
    return [sentence]
