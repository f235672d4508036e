"""Child processes that do not outlive the one that started them."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PROCESS = "ORACLEWHEEL_PROCESS"
"""In the environment: the name that `serve` gave this process, so that what it held can be freed when it has died."""
PARENT = "ORACLEWHEEL_PARENT"
"""In the environment: the process id of the `serve` that started this process."""
START = "ORACLEWHEEL_START"
"""In the environment: the file descriptor on which this process reports that it is ready and reads that it may begin."""
LISTENER = "ORACLEWHEEL_LISTENER"
"""In the environment: the file descriptor of the socket that the API accepts connections on."""

UNUSABLE = 78
"""The exit status of a process that another start would not help (EX_CONFIG of sysexits.h)."""

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform.startswith("linux") else None
"""Loaded before any fork: between fork and exec a library may not be."""


def end_with_parent(parent: str | None = None, number: signal.Signals = signal.SIGTERM) -> None:
    """Ask the kernel for a signal when the parent is gone, however it went (Linux; elsewhere nothing happens).

    Without it a killed `serve` would leave processes behind that hold its port. ``parent`` is the process id of who started us
    (`PARENT`): of one that was gone before we asked, the kernel says nothing any more, and the process ends here.
    """
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, number)
        if parent is not None and parent != str(os.getppid()):
            sys.exit(0)


def is_alive(pid: int) -> bool:
    """Whether there is a process of this id, whosever it is."""
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
