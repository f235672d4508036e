"""Python's original versions of functions that gevent replaces."""

from __future__ import annotations

import _thread
import sys
from typing import Any


def unpatched(name: str) -> Any:
    """A function of `_thread` that works between real threads, whether or not gevent has patched the module."""
    monkey = sys.modules.get("gevent.monkey")
    return getattr(_thread, name) if monkey is None else monkey.get_original("_thread", name)


def system_lock() -> Any:
    """A lock between real threads, for short sections without waiting: a greenlet that waits inside blocks its process."""
    return unpatched("allocate_lock")()
