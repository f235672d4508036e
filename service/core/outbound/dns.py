"""DNS lookups with a time limit: the system resolver may take a minute and cannot be interrupted."""

from __future__ import annotations

import ipaddress
import queue
import socket
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

MAX_CONCURRENT_LOOKUPS = 256
"""Maximum number of concurrent lookups. An abandoned lookup counts until the system gives up."""

_places = threading.BoundedSemaphore(MAX_CONCURRENT_LOOKUPS)

T = TypeVar("T")


def resolve(host: str, port: int, seconds: float) -> Sequence[str]:
    """The addresses of a host, without duplicates, in the resolver's order. A literal address is returned as it is.

    Raises `OSError` or `UnicodeError` if there are none, and `TimeoutError` as `run_with_timeout` does.
    """
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass  # a name
    options = {"type": socket.SOCK_STREAM, "proto": socket.IPPROTO_TCP}
    found = run_with_timeout(seconds, lambda: socket.getaddrinfo(host, port, **options))
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def run_with_timeout(seconds: float, ask: Callable[[], T]) -> T:
    """The resolver's result. Raises its errors, and `TimeoutError` if it is too slow or `MAX_CONCURRENT_LOOKUPS` lookups are running."""
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

    # A new thread and no pool: waiting for a pool, also when it shuts down, would mean waiting for the resolver.
    threading.Thread(target=answer, name="resolver", daemon=True).start()
    try:
        found, error = answers.get(timeout=max(0.0, seconds))
    except queue.Empty:
        raise TimeoutError from None
    if error is not None:
        raise error
    return found  # type: ignore[return-value]
