"""Answers leave in one send, and hold to the letter what gunicorn would have sent."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import InvalidResponseHeader, InvalidResponseHeaderName
from gunicorn.http.wsgi import Response

from service.cli.serving.one_send import OneSend

PLAIN = [("Content-Type", "text/plain"), ("Content-Length", "5")]


class Wire:
    """A socket that takes so many bytes at a time."""

    def __init__(self, most=1_000_000):
        self.most, self.sent = most, []

    def send(self, data):
        self.sent.append(bytes(data[: self.most]))
        return len(self.sent[-1])

    def sendall(self, data):
        self.sent.append(bytes(data))


def told(kind, status, headers, pieces, *, wire=None, method="GET", closes=False, version=(1, 1)):
    wire = wire or Wire()
    request = SimpleNamespace(method=method, version=version, should_close=lambda: closes)
    response = kind(request, wire, Config())
    response.start_response(status, headers)
    for piece in pieces:
        response.write(piece)
    response.close()
    return wire.sent


@pytest.mark.parametrize(
    ("status", "headers", "pieces", "more"),
    [
        ("200 OK", PLAIN, [b"hello"], {}),
        ("200 OK", PLAIN, [b"hel", b"lo"], {}),
        ("200 OK", PLAIN, [b"hello, and more than was said"], {}),
        ("200 OK", PLAIN, [b"hello", b"more"], {}),
        ("200 OK", PLAIN, [b"hello"], {"closes": True}),
        ("200 OK", PLAIN, [b"hello"], {"version": (1, 0)}),
        ("200 OK", PLAIN, [b"hello"], {"method": "HEAD"}),
        ("200 OK", PLAIN[:1], [b"hello", b"there"], {}),
        ("200 OK", PLAIN[:1], [b"hello"], {"version": (1, 0)}),
        ("304 NOT MODIFIED", [("ETag", '"1"')], [], {}),
        ("204 NO CONTENT", [], [], {}),
        ("200 OK", [("Content-Length", "0")], [], {}),
        ("200 OK", [("X-A", " \t in between "), ("content-length", " 5 ")], [b"hello"], {}),
        ("200 OK", [("Connection", "close"), ("Keep-Alive", "60"), *PLAIN], [b"hello"], {}),
        ("200 OK", [*PLAIN, ("Content-Length", "3")], [b"hello"], {}),
    ],
)
def test_the_bytes_are_gunicorns(monkeypatch, status, headers, pieces, more):
    monkeypatch.setattr("gunicorn.util.http_date", lambda *_: "a date")
    monkeypatch.setattr("service.cli.serving.one_send._date", lambda _: "a date")

    assert b"".join(told(Response, status, headers, pieces, **more)) == b"".join(
        told(OneSend, status, headers, pieces, **more)
    )


@pytest.mark.parametrize("header", [("X A", "1"), ("X-A:", "1"), ("", "1"), ("X-A", "1\r\nX-B: 2"), ("X-A", "\x00")])
def test_a_header_that_would_be_read_as_something_else_is_not_sent(header):
    with pytest.raises((InvalidResponseHeader, InvalidResponseHeaderName)):
        told(OneSend, "200 OK", [*PLAIN, header], [b"hello"])


def test_head_and_body_leave_together():
    assert 2 == len(told(Response, "200 OK", PLAIN, [b"hello"]))
    assert 1 == len(told(OneSend, "200 OK", PLAIN, [b"hello"]))


def test_what_the_socket_does_not_take_at_once_is_sent_after_it():
    whole = b"".join(told(OneSend, "200 OK", PLAIN, [b"hello"]))

    assert whole == b"".join(told(OneSend, "200 OK", PLAIN, [b"hello"], wire=Wire(7)))
