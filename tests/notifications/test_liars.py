"""Hostile receivers cannot make the sender exceed its time or memory limits, or return more than a status."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
import time
import tracemalloc
import zlib

import pytest

from service.core.outbound.addresses import AllowedAddresses
from service.core.outbound.sender import Sender
from service.core.outbound.targets import Target

LOOPBACK = AllowedAddresses((ipaddress.ip_network("127.0.0.0/8"),), frozenset())
SECONDS = 0.8
LONG = 60
"""A long timeout, for tests that the sender ends earlier."""
HEAD = b"HTTP/1.1 200 OK\r\n"
ALERT = b"\x15\x03\x03\x00\x02\x02\x28"
"""A TLS alert: handshake failure."""


class Liar:
    """A raw TCP server that runs a function on every connection."""

    def __init__(self, act):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.act, self.over = act, threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                line, _ = self.listening.accept()
                threading.Thread(target=self._one, args=(line,), daemon=True).start()

    def _one(self, line):
        with line, contextlib.suppress(OSError):
            self.act(line, self.over)

    def close(self):
        self.over.set()
        self.listening.close()


@pytest.fixture
def lie():
    made = []

    def liar(act):
        made.append(Liar(act))
        return made[-1]

    yield liar
    for each in made:
        each.close()


def post(liar, body=b"{}", seconds=SECONDS, **told):
    """Send a request; return the result and its duration in seconds."""
    target = Target(**{"secure": False, "host": "127.0.0.1", "port": liar.port, "path": "/", **told})
    begun = time.monotonic()
    answered = Sender(LOOPBACK, seconds).post(target, {}, body)
    return answered, time.monotonic() - begun


def says(*pieces, every=0.0):
    """Read the request and send these pieces, forever if there is a pause between them."""

    def act(line, over):
        line.recv(65536)
        while True:
            for piece in pieces:
                line.sendall(piece)
                if over.wait(every):
                    return
            if not every:
                break
        line.shutdown(socket.SHUT_WR)
        line.settimeout(5)
        while line.recv(65536):
            pass

    return act


def without_end(piece, head=HEAD):
    """Send the start of a response head, and then this piece without end."""

    def act(line, over):
        line.recv(65536)
        line.sendall(head)
        while not over.is_set():
            line.sendall(piece)

    return act


def deaf(line, over):
    """Read nothing."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    over.wait()


def dripping_handshake(line, over):
    """Start a TLS handshake and never finish it."""
    line.sendall(b"\x16\x03\x03\x40\x00")
    while not over.wait(0.1):
        line.sendall(b"\x02")


SLOW = {
    "a head line by line": says(HEAD, b"X-A: b\r\n", every=0.1),
    "a line drop by drop": says(b"H", every=0.1),
    "going on without end": says(b"HTTP/1.1 100 Continue\r\n\r\n", every=0.01),
}


@pytest.mark.parametrize("act", SLOW.values(), ids=SLOW)
def test_response_that_never_ends_times_out(lie, act):
    answered, seconds = post(lie(act))

    assert ("too-slow", None) == (answered.reason, answered.status)
    assert seconds < SECONDS + 10


def test_receiver_that_reads_nothing_times_out(lie):
    answered, seconds = post(lie(deaf), b"x" * 50_000_000)

    assert ("too-slow", None) == (answered.reason, answered.status)
    assert seconds < SECONDS + 10


def test_slow_tls_handshake_times_out(lie):
    answered, seconds = post(lie(dripping_handshake), secure=True)

    assert ("too-slow", None) == (answered.reason, answered.status)
    assert seconds < SECONDS + 10


def test_receiver_without_tls_gets_no_request(lie):
    for act in (says(HEAD + b"\r\n"), says(ALERT)):
        assert "no-security" == post(lie(act), secure=True)[0].reason


ENDLESS = {"one header": b"x" * 65536, "headers": b"X-A: b\r\n" * 1000, "a folded header": b" x\r\n" * 1000}


@pytest.mark.parametrize("piece", ENDLESS.values(), ids=ENDLESS)
def test_endless_response_head_fails_with_little_memory(lie, piece):
    tracemalloc.start()
    answered, seconds = post(lie(without_end(piece)), seconds=LONG)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert ("bad-answer", None) == (answered.reason, answered.status)
    assert seconds < LONG / 2
    assert most < 8_000_000


def test_endless_interim_responses_end_the_attempt(lie):
    answered, seconds = post(lie(without_end(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, b"")), seconds=5)

    assert ("bad-answer", None) == (answered.reason, answered.status)
    assert seconds < 5


def test_response_after_interim_responses_counts(lie):
    interim = b"HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n" * 10

    answered, _ = post(lie(says(interim + HEAD + b"\r\n")))

    assert ("ok", 200) == (answered.reason, answered.status)


def test_compressed_response_is_not_unpacked(lie):
    squeezed = zlib.compressobj(9, wbits=31)
    bomb = b"".join(squeezed.compress(b"\0" * 1_000_000) for _ in range(100)) + squeezed.flush()
    head = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    liar = lie(says(head + bomb))
    tracemalloc.start()
    answered, _ = post(liar)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert ("ok", 200) == (answered.reason, answered.status)
    assert most < 8_000_000


@pytest.mark.parametrize("length", ["5", "99999999999999999999", "-1", "many", "0", ""])
def test_content_length_of_the_response_is_ignored(lie, length):
    answered, seconds = post(lie(says(HEAD + f"Content-Length: {length}\r\n\r\nabc".encode())), seconds=LONG)

    assert ("ok", 200) == (answered.reason, answered.status)
    assert seconds < LONG / 2


def test_contradictory_content_length_is_a_bad_response(lie):
    answered, _ = post(lie(says(HEAD + b"Content-Length: 3, 4\r\n\r\nabc")))

    assert ("bad-answer", None) == (answered.reason, answered.status)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\r\n",
        b"hello\r\n\r\n",
        b"HTTP/1.1\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"HTTP/1.1 99999 OK\r\n\r\n",
        b"HTTP/1.1 -200 OK\r\n\r\n",
        b"SMTP 200 OK\r\n\r\n",
    ],
)
def test_malformed_response_head_is_a_bad_response(lie, head):
    answered, seconds = post(lie(says(head)), seconds=LONG)

    assert ("bad-answer", None) == (answered.reason, answered.status)
    assert seconds < LONG / 2
