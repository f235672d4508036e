"""What subscriptions cost whoever plays: turns of a game with four webhooks, by turns with those of one that nobody is told of."""

from __future__ import annotations

import contextlib
import multiprocessing
import re
import socket
import statistics
import time
from collections.abc import Iterator

from bench.load.instance import Instance, free_port
from bench.load.processes import core_seconds, spent
from bench.load.raw import call
from bench.load.sparring import Sparring
from bench.measure import Row, Sample

TURNS = 400
WEBHOOKS = 4
PAUSE = 0.01
"""Seconds between two turns: people think, and words go out meanwhile."""
TOLD = Row(
    "a turn of a game with four webhooks, against one of a game that nobody is told of", 1.1, "times", at_least=False
)


def measure() -> Iterator[Sample]:
    """The row once: both games in one service, one turn in flight."""
    port = free_port()
    receiver = multiprocessing.Process(target=_receive, args=(port,), daemon=True)
    receiver.start()
    settings = {"ORACLEWHEEL_WEBHOOK_NETWORKS": "127.0.0.0/8", "ORACLEWHEEL_WEBHOOK_PORTS": str(port)}
    with Instance(**settings, ORACLEWHEEL_API_WORKERS="1") as instance:
        quiet, told = Sparring(instance.address, 1), Sparring(instance.address, 2)
        try:
            call(told.connection, "GET", "/v1/webhooks", told.tokens[0])
        except RuntimeError:
            yield TOLD.absent("this release has no webhooks")
            return
        for number in range(WEBHOOKS):
            hook = {"url": f"http://127.0.0.1:{port}/{number}", "game": told.game}
            call(told.connection, "POST", "/v1/webhooks", told.tokens[number % 2], hook)
        for game in (quiet, told) * 20:
            game.act()
        before = core_seconds(instance.process)
        pairs = [(_timed(quiet), _timed(told)) for _ in range(TURNS)]
        cost = spent(before, core_seconds(instance.process))
        figures = call(quiet.connection, "GET", "/v1/webhooks", told.tokens[0])["webhooks"]
        noted = call(told.connection, "GET", f"/v1/webhooks/{figures[0]['id']}/deliveries", told.tokens[0])[
            "deliveries"
        ]
    receiver.terminate()
    if not noted or any(each["state"] != "delivered" for each in noted):
        raise RuntimeError("words did not reach the receiver")
    first, second = (statistics.median(each) for each in zip(*pairs, strict=True))
    parts = ", ".join(
        f"{name} {1000 * cost.get(name, 0) / (2 * TURNS):.2f}" for name in ("api", "pump", "server", "rest")
    )
    detail = (
        f"{1000 * second:.2f} ms against {1000 * first:.2f} ms; processor time for a turn of either, in ms: {parts}"
    )
    yield TOLD.got(second / first, detail)


def _timed(game: Sparring) -> float:
    time.sleep(PAUSE)
    begun = time.perf_counter()
    game.act()
    return time.perf_counter() - begun


def _receive(port: int) -> None:
    """Take whatever comes, at once, and say so."""
    with socket.create_server(("127.0.0.1", port), backlog=256) as listening:
        while True:
            line, _ = listening.accept()
            with line, contextlib.suppress(OSError):
                got = b""
                while len(got.partition(b"\r\n\r\n")[2]) < _length(got) or b"\r\n\r\n" not in got:
                    got += line.recv(65536)
                line.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")


def _length(got: bytes) -> int:
    found = re.search(rb"(?i)content-length: (\d+)", got)
    return int(found[1]) if found else 0
