"""Receivers that lie: none makes more of a request than a status, costs more than its time, or takes more than a little memory."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
import time
import tracemalloc
import zlib

import pytest

from service.post.webhooks.addresses import Reach
from service.post.webhooks.sender import Sender
from service.post.webhooks.targets import Target

LOOPBACK = Reach((ipaddress.ip_network("127.0.0.0/8"),), frozenset())
SECONDS = 0.8
LONG = 60
"""Seconds of patience where a test shows that the sender does not wait for as long."""
HEAD = b"HTTP/1.1 200 OK\r\n"
ALERT = b"\x15\x03\x03\x00\x02\x02\x28"
"""A record of TLS: the handshake has failed."""


class Liar:
    """Whatever is connected to it gets an act, and sees no protocol."""

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
    """What came of a request, and after how many seconds."""
    target = Target(**{"secure": False, "host": "127.0.0.1", "port": liar.port, "path": "/", **told})
    begun = time.monotonic()
    answered = Sender(LOOPBACK, seconds).post(target, {}, body)
    return answered, time.monotonic() - begun


def says(*pieces, every=0.0):
    """Hear the request, and say these, for ever if there is a pause between them."""

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


def without_end(piece):
    """As much of it as goes through."""

    def act(line, over):
        line.recv(65536)
        line.sendall(HEAD)
        while not over.is_set():
            line.sendall(piece)

    return act


def deaf(line, over):
    """It reads nothing."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    over.wait()


def dripping_handshake(line, over):
    """A handshake of TLS that begins as one does, and never ends."""
    line.sendall(b"\x16\x03\x03\x40\x00")
    while not over.wait(0.1):
        line.sendall(b"\x02")


SLOW = {
    "a head line by line": says(HEAD, b"X-A: b\r\n", every=0.1),
    "a line drop by drop": says(b"H", every=0.1),
    "going on without end": says(b"HTTP/1.1 100 Continue\r\n\r\n", every=0.01),
}


@pytest.mark.parametrize("act", SLOW.values(), ids=SLOW)
def test_an_answer_that_never_comes_to_its_end_is_left_when_the_time_is_up(lie, act):
    answered, seconds = post(lie(act))

    assert ("too-slow", None) == (answered.reason, answered.status)
    assert seconds < SECONDS + 10


def test_who_reads_nothing_is_left_when_the_time_is_up(lie):
    answered, seconds = post(lie(deaf), b"x" * 50_000_000)

    assert ("too-slow", None) == (answered.reason, answered.status)
    assert seconds < SECONDS + 10


def test_a_handshake_drop_by_drop_is_left_when_the_time_is_up(lie):
    answered, seconds = post(lie(dripping_handshake), secure=True)

    assert ("too-slow", None) == (answered.reason, answered.status)
    assert seconds < SECONDS + 10


def test_who_speaks_no_tls_where_it_should_is_not_told(lie):
    for act in (says(HEAD + b"\r\n"), says(ALERT)):
        assert "no-security" == post(lie(act), secure=True)[0].reason


ENDLESS = {"one header": b"x" * 65536, "headers": b"X-A: b\r\n" * 1000, "a folded header": b" x\r\n" * 1000}


@pytest.mark.parametrize("piece", ENDLESS.values(), ids=ENDLESS)
def test_a_head_without_end_is_no_answer_and_takes_little_memory(lie, piece):
    tracemalloc.start()
    answered, seconds = post(lie(without_end(piece)), seconds=LONG)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert ("bad-answer", None) == (answered.reason, answered.status)
    assert seconds < LONG / 2
    assert most < 8_000_000


def test_a_small_answer_that_would_be_great_when_unpacked_stays_small(lie):
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
def test_what_is_said_of_a_length_is_nothing_that_we_go_by(lie, length):
    answered, seconds = post(lie(says(HEAD + f"Content-Length: {length}\r\n\r\nabc".encode())), seconds=LONG)

    assert ("ok", 200) == (answered.reason, answered.status)
    assert seconds < LONG / 2


def test_an_answer_that_contradicts_itself_is_none(lie):
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
def test_what_is_no_head_has_taken_nothing(lie, head):
    answered, seconds = post(lie(says(head)), seconds=LONG)

    assert ("bad-answer", None) == (answered.reason, answered.status)
    assert seconds < LONG / 2
