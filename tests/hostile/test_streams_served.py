"""Many streams served by gunicorn over real connections, while store connections and API processes are killed."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import gevent
import gevent.socket
import orjson
import pytest
import redis

from domain.kernel.dice import Dice
from service.core.http.streaming.connections import QueuedOutput, SocketOutput, make_chunk, open_output
from tests.core.http.test_served import free_port, serving, working
from tests.driver import Player
from tests.workers.crew import eventually

MANY = 222


class Wire:
    """A raw connection that requests a stream and parses the response strictly by HTTP/1."""

    def __init__(self, base: str, game: str, token: str | None, last: int, version: str = "1.1") -> None:
        host, _, port = base.rpartition("/")[2].partition(":")
        self.socket = socket.create_connection((host, int(port)), 10)
        authorization = f"Authorization: Bearer {token}\r\n" if token else ""
        self.socket.sendall(
            f"GET /v1/games/{game}/events HTTP/{version}\r\nHost: x\r\nAccept: text/event-stream\r\n"
            f"Last-Event-ID: {last}\r\n{authorization}\r\n".encode()
        )
        self.socket.setblocking(False)
        self.came, self.head, self.ended, self.whole = b"", b"", False, False
        self.body = b""

    def read(self) -> None:
        """Read the bytes that have arrived."""
        with suppress(BlockingIOError):
            while data := self.socket.recv(1 << 16):
                self.came += data
            self.ended = True
        if not self.head and b"\r\n\r\n" in self.came:
            self.head, _, self.came = self.came.partition(b"\r\n\r\n")
        if not self.head:
            return
        if b"chunked" not in self.head.lower():
            self.body, self.came = self.body + self.came, b""
        while b"\r\n" in self.came and not self.whole:
            size, _, rest = self.came.partition(b"\r\n")
            length = int(size, 16)  # anything else is not a chunk
            if len(rest) < length + 2:
                return
            assert b"\r\n" == rest[length : length + 2]
            self.body, self.came = self.body + rest[:length], rest[length + 2 :]
            self.whole = length == 0

    @property
    def entries(self) -> list[dict]:
        blocks = self.body.split(b"\n\n")[:-1]
        return [orjson.loads(block.partition(b"data: ")[2]) for block in blocks if block.startswith(b"id: ")]


@contextmanager
def reading(wires: list[Wire]) -> Iterator[None]:
    """Read from all connections in a thread."""
    stop, chosen = threading.Event(), selectors.DefaultSelector()
    for wire in wires:
        chosen.register(wire.socket, selectors.EVENT_READ, wire)

    def take() -> None:
        while not stop.is_set():
            for key, _ in chosen.select(0.1):
                key.data.read()
                if key.data.ended:
                    chosen.unregister(key.fileobj)

    thread = threading.Thread(target=take)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        for wire in wires:
            wire.socket.close()


@pytest.fixture
def served(redis_url, redis_store, tmp_path):
    """An API process used only for streams, another one used for play, and a game with two players."""
    (tmp_path / "signing.key").write_text("5a" * 32 + "\n")
    free = {"STREAMS_ACCOUNT": "0", "STREAMS_ADDRESS": "0"}
    with working(redis_store), serving(redis_url, tmp_path) as played, serving(redis_url, tmp_path, **free) as watched:
        ash, birk = Player.register(played, "Ash"), Player.register(played, "Birk")
        game = ash.make_game("battalia", options={"max_weeks": 2})["id"]
        birk.join(game)
        ash.start(game)
        eventually(lambda: ash.options(game)["answers"] or birk.options(game)["answers"])
        yield watched, game, ash, birk


def moves(game, players, count):
    """Play random moves for the seats with a pending question."""
    for number in range(count):
        asked = {question["seat"] for question in players[0].summary(game)["pending_questions"]}
        for seat, player in enumerate(players, 1):
            if seat in asked:
                player.move(game, Dice(b"%32d" % number), want=None)


def newest(player, game):
    return player.summary(game)["seq"]


def all_heard(wires, readers, game, after):
    """Every stream has sent exactly what the pages of its reader contain."""
    pages = {reader.token: reader.events(game, after=after) for reader in readers}
    for wire, reader in zip(wires, readers, strict=True):
        eventually(lambda wire=wire, page=pages[reader.token]: wire.ended or len(wire.entries) >= len(page), 20)
        assert pages[reader.token] == wire.entries


@pytest.mark.soak
def test_many_streams_get_each_event_once_while_store_connections_are_killed(served, redis_url):
    watched, game, ash, birk = served
    after = newest(ash, game)
    readers = [(ash, birk, Player(ash.site))[number % 3] for number in range(MANY)]
    wires = [Wire(watched._base, game, reader.token, after) for reader in readers]
    with reading(wires), redis.Redis.from_url(redis_url) as client:
        eventually(lambda: all(b"retry" in wire.body for wire in wires))
        for kind in ("pubsub", "normal", "pubsub", "normal"):
            moves(game, (ash, birk), 2)
            client.execute_command("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes")
            time.sleep(0.3)
        eventually(lambda: _answers(ash, game))
        moves(game, (ash, birk), 3)
        assert newest(ash, game) > after + 5
        all_heard(wires, readers, game, after)

        assert not any(wire.ended for wire in wires), "nobody had to come again"
    for wire, reader in zip(wires, readers, strict=True):
        drawn = {
            line["seat"]
            for entry in wire.entries
            for line in entry["lines"]
            if line.get("cards") and line["type"] == "cards_drawn"
        }
        assert drawn <= ({1} if reader is ash else {2} if reader is birk else set())


def _answers(player, game):
    return player.get(f"/v1/games/{game}").status == 200


@pytest.mark.soak
def test_shared_parts_have_the_same_http_framing_as_gunicorns_own(served):
    watched, game, ash, birk = served
    after = newest(ash, game)
    readers = [ash, birk, Player(ash.site), ash, Player(ash.site)]
    wires = [
        Wire(watched._base, game, reader.token, 0 if place == 0 else after, version)
        for place, (reader, version) in enumerate(zip(readers, ("1.1", "1.1", "1.0", "1.0", "1.1"), strict=True))
    ]
    with reading(wires):
        eventually(lambda: all(b"retry" in wire.body for wire in wires))
        time.sleep(0.5)
        moves(game, (ash, birk), 5)
        ash.send(game, {"type": "resign"}, want=200)
        birk.send(game, {"type": "resign"}, want=200)
        eventually(lambda: ash.summary(game)["status"] == "over")
        eventually(lambda: all(wire.ended or wire.whole for wire in wires))
    # The pages contain more by now: everything is open when the game is over.
    for wire, reader in zip(wires[1:], readers[1:], strict=True):
        assert [entry["seq"] for entry in reader.events(game, after=after)] == [entry["seq"] for entry in wire.entries]
    assert [entry["seq"] for entry in ash.events(game)] == [entry["seq"] for entry in wires[0].entries]
    assert [True, True, False, False, True] == [wire.whole for wire in wires]
    assert [b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.0", b"HTTP/1.0", b"HTTP/1.1"] == [wire.head[:8] for wire in wires]


@pytest.mark.soak
def test_revoked_token_ends_its_streams_at_once_and_no_others(served):
    watched, game, ash, birk = served
    made = birk.post("/v1/me/tokens", {"label": "eyes", "scopes": ["read"]}, want=201).json
    after = newest(ash, game)
    wires = [Wire(watched._base, game, token, after) for token in (made["token"], birk.token, None, made["token"])]
    with reading(wires):
        eventually(lambda: all(b"retry" in wire.body for wire in wires))
        time.sleep(1)
        birk.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
        eventually(lambda: wires[0].whole and wires[3].whole, 10)
        moves(game, (ash, birk), 2)
        all_heard(wires[1:3], [birk, Player(ash.site)], game, after)

    assert [[], []] == [wires[0].entries, wires[3].entries]


@pytest.mark.soak
def test_half_closed_and_lost_connections_do_not_delay_other_streams(served):
    watched, game, ash, birk = served
    after = newest(ash, game)
    wires = [Wire(watched._base, game, None, after) for _ in range(60)]
    with reading(wires[:30]):
        eventually(lambda: all(b"retry" in wire.body for wire in wires[:30]))
        time.sleep(0.5)
        for place, wire in enumerate(wires):
            if place % 3 == 1:
                wire.socket.shutdown(socket.SHUT_WR)
            elif place >= 30 and place % 3 == 2:
                wire.socket.close()
        moves(game, (ash, birk), 3)
        all_heard(wires[:30], [Player(ash.site)] * 30, game, after)


class Resumed(threading.Thread):
    """A reader that reconnects whenever its stream ends, from the last message it received."""

    def __init__(self, base, game, token, after):
        super().__init__(daemon=True)
        self.told, self.comes, self.stop = [], 0, threading.Event()
        self._asked = base, game, token, after
        self.start()

    def run(self):
        base, game, token, after = self._asked
        while not self.stop.is_set():
            self.comes += 1
            try:
                wire = Wire(base, game, token, self.told[-1]["seq"] if self.told else after)
            except OSError:
                time.sleep(0.1)
                continue
            had = len(self.told)
            while not self.stop.is_set() and not wire.ended and not wire.whole:
                with suppress(OSError):
                    wire.read()
                    self.told[had:] = wire.entries
                    time.sleep(0.02)
                    continue
                break
            wire.socket.close()
            time.sleep(0.05)


@pytest.mark.soak
def test_resumed_streams_lose_and_repeat_nothing_when_the_api_is_killed(served, redis_url, tmp_path):
    _, game, ash, birk = served
    port = free_port()
    after = newest(ash, game)
    readers = [(ash, birk, Player(ash.site))[number % 3] for number in range(12)]
    resumed = [Resumed(f"http://127.0.0.1:{port}", game, reader.token, after) for reader in readers]
    for _ in range(3):
        with serving(redis_url, tmp_path, port):
            moves(game, (ash, birk), 2)
            time.sleep(0.5)
        moves(game, (ash, birk), 1)  # while no API runs
    with serving(redis_url, tmp_path, port):
        wanted = [reader.events(game, after=after) for reader in readers]
        eventually(lambda: all(len(each.told) >= len(want) for each, want in zip(resumed, wanted, strict=True)))
        for each in resumed:
            each.stop.set()
            each.join(10)

    assert wanted == [each.told for each in resumed]
    assert all(each.comes >= 3 for each in resumed)


# -- connections ------------------------------------------------------------------------------------------------------------


def pair(buffer=4096):
    ours, theirs = gevent.socket.socketpair()
    for each, option in ((ours, socket.SO_SNDBUF), (theirs, socket.SO_RCVBUF)):
        each.setsockopt(socket.SOL_SOCKET, option, buffer)
    return ours, theirs


@pytest.mark.parametrize("chunked", [True, False])
def test_unsent_parts_of_a_slow_connection_are_sent_later(chunked):
    ours, theirs = pair()
    out, parts, keeps_up = SocketOutput(ours, chunked=chunked), [], True
    while keeps_up:
        parts.append(make_chunk(b"%d " % len(parts) * 300))
        keeps_up = out.write(parts[-1])
    came = gevent.spawn(lambda: b"".join(iter(lambda: theirs.recv(1000), b"")))
    assert [] == [*out.drain()]
    assert [] == [*out.drain()]
    assert out.write(parts[0])
    ours.close()

    sent = [*parts, parts[0]]
    assert b"".join(each.framed if chunked else each.plain for each in sent) == came.get(timeout=10)
    assert len(parts) < 100


def test_closed_connection_raises_an_error_when_the_rest_is_sent():
    ours, theirs = pair()
    theirs.close()
    out = SocketOutput(ours, chunked=True)

    assert not out.write(make_chunk(b"news"))
    with pytest.raises(OSError, match=r"Broken pipe|reset"):
        [*out.drain()]


def test_only_plain_gevent_connections_bypass_the_wsgi_server():
    ours, _ = pair()
    plain = socket.socket()
    for environ, kind in (
        ({"gunicorn.socket": ours, "SERVER_PROTOCOL": "HTTP/1.1"}, SocketOutput),
        ({"gunicorn.socket": ours, "SERVER_PROTOCOL": "HTTP/1.0"}, SocketOutput),
        ({"gunicorn.socket": ours, "SERVER_PROTOCOL": "HTTP/2.0"}, QueuedOutput),
        ({"gunicorn.socket": plain, "SERVER_PROTOCOL": "HTTP/1.1"}, QueuedOutput),
        ({"SERVER_PROTOCOL": "HTTP/1.1"}, QueuedOutput),
    ):
        assert kind is type(open_output(environ))
    plain.close()
