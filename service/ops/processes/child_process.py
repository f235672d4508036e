"""Child processes that end with their parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PROCESS = "ORACLEWHEEL_PROCESS"
"""Environment variable: the name that `serve` gave this process, so that its leases can be freed after its death."""
PARENT = "ORACLEWHEEL_PARENT"
"""Environment variable: the process id of the `serve` that started this process."""
START = "ORACLEWHEEL_START"
"""Environment variable: the file descriptor on which this process reports that it is ready, and reads when to begin."""
LISTENER = "ORACLEWHEEL_LISTENER"
"""Environment variable: the file descriptor of the socket that the API accepts connections on."""

UNUSABLE = 78
"""Exit status of a process for which a restart is useless (EX_CONFIG of sysexits.h)."""

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform.startswith("linux") else None
"""Loaded before any fork, because loading a library between fork and exec is unsafe."""


def end_with_parent(parent: str | None = None, number: signal.Signals = signal.SIGTERM) -> None:
    """Ask the kernel for a signal when the parent is gone for any reason (Linux; elsewhere nothing happens).

    Otherwise a killed `serve` would leave processes behind that keep its port. ``parent`` is the parent's process id
    (`PARENT`): if it was gone before the call, the kernel sends no signal, and this process exits here.
    """
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, number)
        if parent is not None and parent != str(os.getppid()):
            sys.exit(0)


def is_alive(pid: int) -> bool:
    """Whether a process with this id exists, of any user."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def await_start() -> None:
    """Report to `serve` that this process has imported everything, and wait until it may begin. Exits if `serve` is gone."""
    if (number := os.environ.pop(START, None)) is None:
        return
    channel = int(number)
    try:
        os.write(channel, b"1")
        begins = os.read(channel, 1)
    except OSError:
        begins = b""
    if not begins:
        sys.exit(0)
    os.close(channel)
