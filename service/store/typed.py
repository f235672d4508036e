"""JSON values to typed values with msgspec, from any thread.

msgspec 0.22 caches the fields of a class on the class itself, and other threads can see the cache while it is
incomplete: two threads that convert to the same class for the first time crash the process. Here only one thread at a
time fills such caches.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from service.ops.processes.native_threads import system_lock

T = TypeVar("T")

_known: set[type[Any]] = set()
"""The classes whose caches are complete."""


_LOCK = system_lock()
"""A system lock, because heavy work of the API runs in real threads."""


def prepare(classes: Iterable[type[Any]]) -> None:
    """Have msgspec cache the fields of these classes, and of all that they contain."""
    for cls in classes:
        if cls not in _known:
            with _LOCK:
                msgspec.msgpack.Decoder(cls)
                _known.add(cls)


def convert(value: Any, cls: type[T], *, str_keys: bool = False) -> T:
    """The value as an instance of the class. ``str_keys``: keys of dictionaries may be numbers as text.

    Raises `msgspec.ValidationError`.
    """
    if cls not in _known:
        prepare([cls])
    return msgspec.convert(value, cls, str_keys=str_keys)


def decoder(cls: type[T]) -> msgspec.json.Decoder[T]:
    with _LOCK:
        made = msgspec.json.Decoder(cls)
        _known.add(cls)
    return made
