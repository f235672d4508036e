"""A closed loop: many clients, each with one request in flight, served by one epoll loop.

It sends prepared bytes, so that it takes little of the two cores (`Done.own`). `tools.load` plays real games instead,
with a thread and an urllib3 pool for each connection.
"""

from __future__ import annotations

import select
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bench.load.raw import Connection


class Client(Protocol):
    connection: Connection

    def request(self) -> bytes | None:
        """The next request; None at the end."""

    def answered(self, status: int, body: bytes) -> int:
        """Handle the response; returns how much it counts. Raises if it is not the expected one."""


@dataclass(frozen=True, slots=True)
class Done:
    counted: int
    seconds: float
    own: float
    """CPU seconds of the clients."""

    @property
    def rate(self) -> float:
        return self.counted / self.seconds


def closed_loop(clients: Sequence[Client], duration: float) -> Done:
    """Run the clients for so many seconds; waits for the requests in flight at the end and counts them."""
    poll = select.epoll()
    waiting: dict[int, Client] = {}
    begun, own, counted = time.perf_counter(), time.process_time(), 0
    end = begun + duration
    for client in clients:
        _speak(client, waiting, poll)
    while waiting:
        for number, _ in poll.poll(60):
            client = waiting[number]
            line = client.connection.line
            answer = client.connection.heard()
            if answer is None:
                continue
            status, _, body = answer
            counted += client.answered(status, body)
            going_on = time.perf_counter() < end
            if client.connection.line is line and going_on and _say(client):
                continue
            del waiting[number]
            if client.connection.line is line:
                poll.unregister(number)
            elif going_on:  # the server closed that connection, and there is a new one
                _speak(client, waiting, poll)
    done = Done(counted, time.perf_counter() - begun, time.process_time() - own)
    poll.close()
    return done


def _say(client: Client) -> bool:
    request = client.request()
    if request is not None:
        client.connection.say(request)
    return request is not None


def _speak(client: Client, waiting: dict[int, Client], poll: select.epoll) -> None:
    if _say(client):
        waiting[client.connection.fileno()] = client
        poll.register(client.connection.fileno(), select.EPOLLIN)


class Asking:
    """A client that repeats one request."""

    def __init__(self, connection: Connection, request: bytes, expect: int) -> None:
        self.connection = connection
        self._request, self._expect = request, expect

    def request(self) -> bytes:
        return self._request

    def answered(self, status: int, body: bytes) -> int:
        if status != self._expect:
            raise RuntimeError(f"{status} instead of {self._expect}: {body[:300]!r}")
        return 1


def rate(
    address: tuple[str, int], request_bytes: bytes, expect: int, clients: int = 16, duration: float = 2.0
) -> float:
    """Requests per second that the server answers to so many clients, all with the expected status."""
    asking = [Asking(Connection(*address), request_bytes, expect) for _ in range(clients)]
    try:
        return closed_loop(asking, duration).rate
    finally:
        for each in asking:
            each.connection.close()
