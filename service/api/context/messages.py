"""Questions to a process apart and its answers: each message is its length in four bytes and then its bytes.

A process apart answers on the socket that is its standard input, one question after another, until the other side is gone.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from typing import Any

import orjson

from service.process.child_process import end_with_parent

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
    got = bytearray()
    while len(got) < size:
        some = connection.recv(size - len(got))
        if not some:
            raise EOFError
        got += some
    return bytes(got)


def answer_until_gone(answer: Callable[[Any], bytes]) -> None:
    """What a process apart does: answer questions, which are JSON objects with the ``seconds`` that each may take."""
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
            send(connection, answer(question))
            signal.alarm(0)
    except (EOFError, ConnectionError):
        return


def _limited() -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    least = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (least, hard))
