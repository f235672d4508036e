"""Looking names up within bounds: the system's resolver may take a minute, and nobody can interrupt it."""

from __future__ import annotations

import ipaddress
import queue
import socket
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

AT_A_TIME = 256
"""Lookups that may be under way: each of those that nobody waits for any more lasts until the system gives it up."""

_places = threading.BoundedSemaphore(AT_A_TIME)

T = TypeVar("T")


def looked_up(host: str, port: int, seconds: float) -> Sequence[str]:
    """The addresses of a host, each once and in the resolver's order; no address is looked up.

    Raises `OSError` or `UnicodeError` where there are none, and `TimeoutError` as `within` does.
    """
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass  # a name
    told = {"type": socket.SOCK_STREAM, "proto": socket.IPPROTO_TCP}
    found = within(seconds, lambda: socket.getaddrinfo(host, port, **told))
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def within(seconds: float, ask: Callable[[], T]) -> T:
    """What the resolver answers; raises what it raises, and `TimeoutError` if it takes longer or too many questions hang already."""
    places = _places
    if not places.acquire(blocking=False):
        raise TimeoutError
    answers: queue.SimpleQueue[tuple[T | None, OSError | UnicodeError | None]] = queue.SimpleQueue()

    def answer() -> None:
        try:
            answers.put((ask(), None))
        except (OSError, UnicodeError) as error:
            answers.put((None, error))
        finally:
            places.release()

    # A thread of its own, and no pool's: who waits for a pool, at its end too, would wait for the resolver.
    threading.Thread(target=answer, name="resolver", daemon=True).start()
    try:
        found, error = answers.get(timeout=max(0.0, seconds))
    except queue.Empty:
        raise TimeoutError from None
    if error is not None:
        raise error
    return found  # type: ignore[return-value]
