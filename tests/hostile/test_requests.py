"""Malformed, oversized and slow requests: each gets its problem, and none keeps a connection open."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import logging
import socket
import threading
import time
from types import SimpleNamespace

import gevent.socket
import pytest

from service.core.http.reference.parameters import PARAMETERS
from service.core.http.reference.routes import ROUTES
from service.core.http.schemas.requests import LARGEST_BODY
from service.ops.server import config
from service.ops.server.app import SlowClients
from tests.core.http.problem import is_a_problem
from tests.core.http.test_served import serving
from tests.driver import Answer
from tests.soaking import sample

POST = b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
SECONDS = 2


@pytest.fixture(scope="module")
def port(server, tmp_path_factory):
    """The port of the served API, with short timeouts."""
    with serving(server.url, tmp_path_factory.mktemp("data"), REQUEST_SECONDS=str(SECONDS)) as site:
        yield int(site._base.rpartition(":")[2])


def sent(port, *parts, seconds=60):
    """Send some bytes; return the response once the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as client:
        for part in parts:
            client.sendall(part)
        back = b""
        with contextlib.suppress(ConnectionResetError):  # the server closed before it had read everything
            while data := client.recv(65536):
                back += data
    return answer(back)


def answer(raw):
    head, _, body = raw.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return Answer(int(status.split()[1]), headers, body)


# -- requests that gunicorn refuses --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /v1/games?" + b"x" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        (b"GIBBERISH\r\n\r\n", 400),
        (b"GET /v1/games HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 19000 + b"\r\n\r\n", 431),
        (b"GET /v1/games HTTP/1.1\r\nHost: x\r\n" + b"X: x\r\n" * 500 + b"\r\n", 431),
        (b"GET /v1/games HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 400),
    ],
)
def test_gunicorn_refuses_malformed_and_oversized_heads(port, request_, status):
    assert status == sent(port, request_).status


# -- bodies -------------------------------------------------------------------------------------------------------------


def test_too_large_chunked_body_is_413(port):
    body = json.dumps({"name": "Ash"}).encode().ljust(100 * 1024)
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)

    is_a_problem(
        sent(port, POST + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks), 413, "too-large"
    )


def test_chunked_body_of_exactly_the_limit_is_accepted(port):
    body = json.dumps({"name": "Ash"}).encode().ljust(LARGEST_BODY)
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)

    told = sent(port, POST + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    assert 201 == told.status, told.text


def test_too_long_chunk_extension_is_400(port):
    chunk = b"5;a=" + b"x" * 20_000 + b"\r\n12345\r\n0\r\n\r\n"

    is_a_problem(sent(port, POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunk), 400, "bad-request")


@pytest.mark.parametrize(
    "chunk", [b"zz\r\n12345\r\n0\r\n\r\n", b"5\r\n1234567\r\n0\r\n\r\n", b"5;;\r\n12345\r\n0\r\n\r\n"]
)
def test_malformed_chunk_is_400(port, chunk):
    is_a_problem(sent(port, POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunk), 400, "bad-request")


def test_endless_trailers_are_400(port):
    trailers = b"0\r\n" + b"A: b\r\n" * 400_000

    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        with contextlib.suppress(OSError):
            client.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n" + trailers)
        assert b"400" in client.recv(65536)[:20]


@pytest.mark.parametrize(
    "half",
    sample(
        [
            POST + b'Content-Length: 100\r\n\r\n{"name": ',
            POST + b'Transfer-Encoding: chunked\r\n\r\n9\r\n{"name": \r\n',
            POST + b"Transfer-Encoding: chunked\r\n\r\n9",
        ],
        3,
    ),
)
def test_incomplete_body_times_out_with_408(port, half):
    is_a_problem(sent(port, half), 408, "too-slow")


def test_slowly_sent_body_times_out_with_408(port):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(POST + b"Content-Length: 1000\r\n\r\n")
        stop = threading.Event()

        def drip():
            while not stop.wait(0.2):
                try:
                    client.sendall(b" ")
                except OSError:
                    return

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            assert b"408" in client.recv(65536)[:20]
        finally:
            stop.set()
            dripping.join()


def test_connection_with_incomplete_headers_is_closed(port):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(b"GET /v1/games HTTP/1.1\r\nHost: ")
        assert b"" == client.recv(65536)


@pytest.mark.soak
@pytest.mark.parametrize("before", [b"", b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"])
def test_idle_connection_is_closed(port, before):
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(before)
        assert bool(before) == (b"200 OK" in b"".join(iter(lambda: client.recv(65536), b"")))
    assert SECONDS - 1 < time.monotonic() - began


def test_unread_body_is_not_read_forever(port):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n")
        assert b"200" in client.recv(65536)[:20]
        with pytest.raises(OSError):
            for _ in range(1000):
                client.sendall(b" " * 65536)
                time.sleep(0.001)


@pytest.mark.parametrize("method", [b"GET /healthz", b"POST /v1/nothing"])
def test_unread_chunked_body_is_not_read_forever(port, method):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(method + b" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        with pytest.raises(OSError):
            for _ in range(1000):
                client.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
                time.sleep(0.001)


def test_a_reader_must_take_the_next_piece_of_a_response_in_time():
    ours, theirs = gevent.socket.socketpair()

    def answer(_environ, start_response):
        start_response("200 OK", [])
        return [b"x"]

    SlowClients(answer, 45)({"gunicorn.socket": ours}, lambda *_: None)

    assert 90 == ours.gettimeout()
    theirs.close()


@pytest.mark.parametrize(("error", "logged"), [(TimeoutError("timed out"), False), (OSError("broken"), True)])
def test_a_slow_reader_is_not_logged_as_an_error(error, logged):
    record = logging.LogRecord("gunicorn.error", logging.ERROR, "", 0, "Socket error.", (), (type(error), error, None))
    log = logging.getLogger("test_a_slow_reader")
    config.post_worker_init(SimpleNamespace(log=SimpleNamespace(error_log=log)))

    assert logged == bool(log.filter(record))


@pytest.mark.soak
def test_service_answers_while_two_hundred_slow_requests_time_out(port):
    clients = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(200)]
    try:
        for client in clients:
            client.sendall(POST + b"Content-Length: 100\r\n\r\n{")
        assert 200 == sent(port, b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").status
        for client in clients:
            back = b"".join(iter(lambda client=client: client.recv(65536), b""))
            is_a_problem(answer(back), 408, "too-slow")
    finally:
        for client in clients:
            client.close()


def test_body_with_a_content_encoding_is_415(world):
    body = gzip.compress(b'{"name": "Ash"}')

    told = world.public.post("/v1/players", body, headers={"Content-Encoding": "gzip"})
    is_a_problem(told, 415, "unsupported-encoding")
    assert "identity" == told.headers["Accept-Encoding"]
    assert 201 == world.public.post("/v1/players", {"name": "Ash"}, headers={"Content-Encoding": "identity"}).status


# -- headers and parameters ---------------------------------------------------------------------------------------------


def test_basic_authentication_is_refused_with_a_hint_at_bearer_tokens(world):
    secret = base64.b64encode(b"ash:secret").decode()

    told = is_a_problem(world.public.get("/v1/me", headers={"Authorization": f"Basic {secret}"}), 401, "bad-token")
    assert "needs a bearer token" in told["detail"]
    assert secret not in json.dumps(told)


def test_every_response_forbids_content_type_sniffing(world):
    game, ash, _ = world.table()
    paths = (
        "",
        "/view",
        "/options",
        "/events",
        "/export",
        "/commands/none",
        "/board.svg",
        "/charts/points.svg",
        "/course",
    )
    answers = [ash.get(f"/v1/games/{game}{path}") for path in paths]
    answers += [world.public.get(path) for path in ("/docs", "/openapi.yaml", "/metrics", "/healthz", "/readyz", "/no")]
    answers += [ash.call(method, "/v1/games") for method in ("OPTIONS", "HEAD", "PUT", "ZZZ")]
    answers.append(ash.post("/v1/games", b"{"))

    for each in answers:
        assert "nosniff" == each.headers["X-Content-Type-Options"]


@pytest.mark.parametrize("path", ["", "/{game}", "/{game}/view", "/{game}/events", "/{game}/export", "/{game}/options"])
def test_unknown_query_parameter_is_422_and_named(world, path):
    game, ash, _ = world.table()

    told = is_a_problem(ash.get(f"/v1/games{path.format(game=game)}?colour=red"), 422, "invalid")
    assert "colour" == told["parameter"]
    assert 200 == ash.call("OPTIONS", f"/v1/games{path.format(game=game)}?colour=red").status
    assert 422 == ash.call("HEAD", f"/v1/games{path.format(game=game)}?colour=red").status


def test_pictures_ignore_unknown_query_parameters_but_check_known_ones(world):
    game, ash, _ = world.table(kind="battalia")
    for path in (f"/v1/games/{game}/board.svg", f"/v1/games/{game}/board.png", f"/v1/games/{game}/charts/points.svg"):
        ash.get(f"{path}?t=1&t=2", want=200)
        told = is_a_problem(ash.get(f"{path}?scheme=red"), 422, "invalid")
        assert "scheme" == told["parameter"]


@pytest.mark.parametrize("query", ["status=running&status=finished", "limit=5&limit=5"])
def test_repeated_query_parameter_is_422_and_named(world, query):
    told = is_a_problem(world.public.call("GET", f"/v1/games?{query}"), 422, "invalid")
    assert query.partition("=")[0] == told["parameter"]
    assert "The parameter is given more than once." == told["detail"]


def test_header_name_is_not_accepted_as_a_query_parameter(world):
    told = is_a_problem(world.player().get("/v1/me/turns?Prefer=wait"), 422, "invalid")

    assert "Prefer" == told["parameter"]


def test_every_parameter_of_a_route_is_described():
    assert {name for told in ROUTES.values() for name in told.parameters} <= set(PARAMETERS)


def test_pages_and_probes_ignore_unknown_query_parameters(world):
    for path in ("/docs", "/openapi.yaml", "/healthz", "/readyz", "/metrics"):
        world.public.get(f"{path}?t=1700000000", want=200)
