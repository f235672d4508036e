"""Requests that are read at a glance are what gunicorn would have read, and whatever is odd is left to gunicorn."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest
from gunicorn.config import Config
from gunicorn.http import wsgi
from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.http.parser import RequestParser

from service.cli.serving.plain import Plain, Requests, in_common

ASKED = b"GET /v1/games HTTP/1.1\r\nHost: x\r\n\r\n"
SAID = b'POST /v1/games/g1/commands HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n{"a": 1}'
ADDRESS, SERVER = ("127.0.0.1", 4242), ("127.0.0.1", 8000)
MADE_ANEW = ("wsgi.input", "wsgi.errors", "wsgi.early_hints", "gunicorn.socket")


class Pieces:
    """A connection on which these bytes come, at most so many at a time."""

    def __init__(self, data, most=8192):
        self._data, self._most, self.timeout = data, most, None

    def recv(self, most):
        piece = self._data[: min(most, self._most)]
        self._data = self._data[len(piece) :]
        return piece


def config(**settings):
    made = Config()
    for name, value in settings.items():
        made.set(name, value)
    return made


def read(reader, response=lambda *_: None, most=8192, cfg=None):
    """All requests on a connection as `(environ, body, closes)`, in the end the error if there was one, and how many were plain."""
    cfg = cfg or config()
    found, plain = [], 0
    try:
        for request in reader:
            plain += isinstance(request, Plain)
            environ = (
                dict(request.environ)
                if isinstance(request, Plain)
                else wsgi.create(request, None, ADDRESS, SERVER, cfg, response_class=response)[1]
            )
            body = request.body.read()
            found.append(({k: v for k, v in environ.items() if k not in MADE_ANEW}, body, request.should_close()))
    except (ParseException, NoMoreData) as error:
        found.append(type(error))
    return found, plain


def both(data, most=8192, **settings):
    """What gunicorn reads there, what we read, and how many of ours were plain."""
    cfg = config(**settings)
    answer = lambda *_: SimpleNamespace(headers_sent=True)  # noqa: E731
    theirs, _ = read(RequestParser(cfg, Pieces(data, most), ADDRESS), answer, cfg=cfg)
    common = in_common({**wsgi.base_environ(cfg)}, None, ADDRESS, SERVER)
    common["wsgi.multithread"] = False  # gunicorn's worker says so afterwards
    ours, plain = read(Requests(cfg, Pieces(data, most), ADDRESS, common), answer, cfg=cfg)
    return theirs, ours, plain


def with_header(line):
    return SAID.replace(b"Host: x\r\n", b"Host: x\r\n" + line + b"\r\n")


@pytest.mark.parametrize(
    "data",
    [
        ASKED,
        SAID,
        SAID + ASKED + SAID,
        ASKED.replace(b"/v1/games", b"/v1/games?a=1&b=%20c/?d"),
        ASKED.replace(b"/v1/games", b"/v1/g%C3%A4mes%2F/x;y=z"),
        ASKED.replace(b"/v1/games", b"/"),
        ASKED.replace(b"/v1/games", b"/?"),
        ASKED.replace(b"GET", b"DELETE"),
        with_header(b"Connection: close"),
        with_header(b"Connection: keep-alive"),
        with_header(b"X-Empty:"),
        with_header(b"accept-encoding: \t gzip, br  \t"),
        with_header(b"CONTENT-TYPE: application/json"),
        with_header(b"X-Forwarded-For: 1.2.3.4"),
        with_header(b"X-Forwarded-Proto: https"),
        with_header(b"X-Forwarded-Proto: ftp"),
        with_header(b'If-None-Match: "a", W/"b"'),
    ],
)
def test_usual_requests_are_plain_and_read_as_gunicorn_reads_them(data):
    theirs, ours, plain = both(data)

    assert theirs == ours
    assert len(ours) == plain


@pytest.mark.parametrize(
    "data",
    [
        b"GIBBERISH\r\n\r\n",
        b"\r\n" + ASKED,
        ASKED.replace(b"\r\n", b"\n"),
        ASKED.replace(b"HTTP/1.1", b"HTTP/1.0"),
        ASKED.replace(b"HTTP/1.1", b"HTTP/2.0"),
        ASKED.replace(b"GET", b"get"),
        ASKED.replace(b"GET", b"CONNECT"),
        ASKED.replace(b"/v1/games", b"//v1/games"),
        ASKED.replace(b"/v1/games", b"/v1/games#there"),
        ASKED.replace(b"/v1/games", b"http://x/v1/games"),
        ASKED.replace(b"/v1/games", b"/v1/g\xc3\xa4mes"),
        ASKED.replace(b"/v1/games", b"/v1/games and more"),
        ASKED.replace(b"/v1/games", b"/v1/" + b"x" * 4100),
        b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        with_header(b"Host: y"),
        with_header(b"X-A: 1\r\nX-A: 2"),
        with_header(b"Content-Length: 8"),
        with_header(b"content-length: 9"),
        with_header(b"Transfer-Encoding: chunked"),
        with_header(b"Transfer-Encoding: identity"),
        with_header(b"Upgrade: h2c"),
        with_header(b"Expect: miracles"),
        with_header(b"X_A: 1"),
        with_header(b"X-A : 1"),
        with_header(b" folded"),
        with_header(b"X-A: 1\r\n folded"),
        with_header(b"X-A: a\x00b"),
        with_header(b"X-A: a\rb"),
        with_header(b"X-A: \xe4"),
        with_header(b"X-Forwarded-Ssl: on"),
        with_header(b"X-Forwarded-Proto: https\r\nX-Forwarded-Ssl: off"),
        with_header(b"no colon"),
        SAID.replace(b"Length: 8", b"Length: +8"),
        SAID.replace(b"Length: 8", b"Length: 8, 8"),
        SAID.replace(b"Length: 8", b"Length: -1"),
        SAID.replace(b"Length: 8", b"Length:"),
        SAID.replace(b"Length: 8", b"Length: " + b"9" * 5000),
        ASKED.replace(b"\r\n\r\n", b"\r\n" + b"X: x\r\n" * 120 + b"\r\n"),
        ASKED.replace(b"\r\n\r\n", b"\r\nX: " + b"x" * 9000 + b"\r\n\r\n"),
    ],
)
def test_odd_requests_are_gunicorns(data):
    theirs, ours, plain = both(data + ASKED)

    assert theirs == ours
    assert plain <= 1, "only the usual one behind it, if it comes to that"


@pytest.mark.parametrize("most", [1, 7, 60, 70])
def test_how_a_request_is_cut_into_pieces_makes_no_difference(most):
    theirs, ours, _ = both(SAID + ASKED + with_header(b"Connection: close") + ASKED, most)

    assert theirs == ours
    assert 3 == len(ours)


def test_a_head_whose_body_comes_later_is_plain():
    theirs, ours, plain = both(SAID + ASKED, most=len(SAID) - 8)

    assert theirs == ours
    assert plain


def test_a_body_that_nobody_reads_is_not_taken_for_a_request():
    requests = Requests(config(), Pieces(SAID + ASKED, len(SAID) - 4), ADDRESS, {})

    assert ["POST", "GET"] == [request.method for request in requests]


def test_who_is_not_trusted_cannot_say_by_which_scheme_they_came():
    theirs, ours, _ = both(with_header(b"X-Forwarded-Proto: https"), forwarded_allow_ips="10.0.0.1")

    assert theirs == ours
    assert "http" == ours[0][0]["wsgi.url_scheme"]


def test_connections_that_come_by_unusual_ways_have_nothing_plain(monkeypatch):
    assert in_common({}, None, "", "/run/socket") is None
    monkeypatch.setenv("SCRIPT_NAME", "/below")
    assert in_common({}, None, ADDRESS, SERVER) is None


def test_broken_bytes_are_read_as_gunicorn_reads_them():
    dice = random.Random(11)
    whole = with_header(b"Authorization: Bearer abc\r\nAccept: */*\r\nX-Forwarded-For: 1.2.3.4")
    for _ in range(3000):
        broken = bytearray(whole)
        for _ in range(dice.randint(1, 3)):
            place = dice.randrange(len(broken))
            match dice.randrange(3):
                case 0:
                    broken[place] = dice.choice(b" \t\r\n:/?#%_-0aZ\x00\x7f\xff")
                case 1:
                    del broken[place : place + dice.randint(1, 4)]
                case _:
                    broken[place:place] = dice.choice([b"\r\n", b" ", b":", b"\r\nHost: y", b"%", b"//"])
        theirs, ours, _ = both(bytes(broken))
        assert theirs == ours, bytes(broken)
