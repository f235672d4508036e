"""The process that looks at positions from outside: what costs too much dies with it, and holds up nobody else.

It answers on the socket that is its standard input, one question after another, until the other side is gone. Each message
is its length in four bytes and then JSON.
"""

from __future__ import annotations

import os
import signal
import socket
from typing import Any

import orjson

from domain.game import Setup
from domain.registry import GAMES
from service.child_process import end_with_parent
from service.projections.fitness import verdict

READY = b'"ready"'
KINDLY = 5
"""The process's niceness: others go first."""
MEMORY = 1 << 30
"""Bytes that it may have."""


def send(connection: socket.socket, message: bytes) -> None:
    """Send one message."""
    connection.sendall(len(message).to_bytes(4, "big") + message)


def receive(connection: socket.socket) -> bytes:
    """The next message; raises `EOFError` when the other side is gone."""
    return _exactly(connection, int.from_bytes(_exactly(connection, 4), "big"))


def _exactly(connection: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size:
        some = connection.recv(size - len(got))
        if not some:
            raise EOFError
        got += some
    return got


def verdict_on(question: Any) -> Any:
    """The verdict on a question; null for a kind of game that is not known here."""
    game = GAMES.get(question["kind"])
    if game is None:
        return None
    given = question["setup"]
    setup = Setup(given["seats"], given["ruleset"], given["options"], tuple(given["modules"]))
    found = verdict(game, setup, question["position"])
    return {"bound": found.bound, "wrong": found.wrong}


def _limited() -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    least = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (least, hard))


def main() -> None:
    """Answer until nobody asks."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for those who started it
    os.nice(KINDLY)
    _limited()
    connection = socket.socket(fileno=0)
    try:
        send(connection, READY)
        while True:
            question = orjson.loads(receive(connection))
            signal.alarm(question["seconds"] + 5)  # who asked kills it before; unless they are gone
            send(connection, orjson.dumps(verdict_on(question)))
            signal.alarm(0)
    except (EOFError, ConnectionError):
        return


if __name__ == "__main__":
    main()
