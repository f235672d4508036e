"""The cost of subscriptions for players: turns of a game with four webhooks and email, against a game without."""

from __future__ import annotations

import contextlib
import multiprocessing
import re
import socket
import statistics
import time
from collections.abc import Iterator

from bench.load.instance import Instance, free_port
from bench.load.postbox import Postbox
from bench.load.raw import call
from bench.load.sparring import Sparring
from bench.measure import Row, Sample
from tools.load.cores import core_seconds, spent

TURNS = 400
WEBHOOKS = 4
PAUSE = 0.01
"""Seconds between two turns: players think, and deliveries are made in the meantime."""
BESIDE = 20
"""Number of turns after which the subscribed players begin another game, to cause an email at once.

In a game in which they have just moved no email is due.
"""
TOLD = Row(
    "a turn of a game with four webhooks and letters, against one of a game that nobody is told of",
    1.1,
    "times",
    at_least=False,
)


def measure() -> Iterator[Sample]:
    """The row once: both games in one service, one turn in flight."""
    try:
        postbox = Postbox()
    except ImportError:
        yield TOLD.absent("aiosmtpd is not installed")
        return
    port = free_port()
    receiver = multiprocessing.Process(target=_receive, args=(port,), daemon=True)
    receiver.start()
    settings = {
        "ORACLEWHEEL_WEBHOOK_NETWORKS": "127.0.0.0/8",
        "ORACLEWHEEL_WEBHOOK_PORTS": str(port),
        "ORACLEWHEEL_RATE_WEBHOOKS": "0",
        "ORACLEWHEEL_API_WORKERS": "1",
    }
    with postbox, Instance(**settings, **postbox.settings) as instance:
        quiet, told = Sparring(instance.address, 1), Sparring(instance.address, 2)
        try:
            _subscribe(told, port, postbox)
        except RuntimeError as error:
            yield TOLD.absent(f"this release cannot be told so: {error}")
            return
        for game in (quiet, told) * 20:
            game.act()
        before = core_seconds([instance.process])
        pairs = [_pair(quiet, told, number) for number in range(TURNS)]
        cost = spent(before, core_seconds([instance.process]))
        words, letters = _delivered(told), _letters(postbox, TURNS // BESIDE)
    receiver.terminate()
    first, second = (statistics.median(each) for each in zip(*pairs, strict=True))
    parts = ", ".join(
        f"{name} {1000 * cost.get(name, 0) / (2 * TURNS):.2f}" for name in ("api", "settle workers", "store", "rest")
    )
    detail = (
        f"{1000 * second:.2f} ms against {1000 * first:.2f} ms; processor time for a turn of either, in ms: {parts}; "
        f"{words} words looked at, {letters} letters came"
    )
    yield TOLD.got(second / first, detail)


def _subscribe(told: Sparring, port: int, postbox: Postbox) -> None:
    """Subscribe four webhooks and the email of both players to the game; raises `RuntimeError` for a release without them."""
    for number in range(WEBHOOKS):
        hook = {"url": f"http://127.0.0.1:{port}/{number}", "game": told.game}
        call(told.connection, "POST", "/v1/webhooks", told.tokens[number % 2], hook)
    for seat, token in enumerate(told.tokens):
        call(told.connection, "PUT", "/v1/me/email", token, {"address": f"player{seat}@example.org"})
        postbox.confirm(told.connection)


def _pair(quiet: Sparring, told: Sparring, number: int) -> tuple[float, float]:
    if number % BESIDE == 0:
        told.begin_another()
    if number % 2:
        second = _timed(told)
        return _timed(quiet), second
    return _timed(quiet), _timed(told)


def _delivered(told: Sparring) -> int:
    """Number of recorded deliveries; raises `RuntimeError` if one of them failed."""
    count = 0
    for token in told.tokens:
        for hook in call(told.connection, "GET", "/v1/webhooks", token)["webhooks"]:
            noted = call(told.connection, "GET", f"/v1/webhooks/{hook['id']}/deliveries", token)["deliveries"]
            if not noted or any(each["state"] != "delivered" for each in noted):
                raise RuntimeError("words did not reach the receiver")
            count += len(noted)
    return count


def _letters(postbox: Postbox, wanted: int) -> int:
    """Number of emails, waiting up to half a minute for late ones; raises `RuntimeError` if some are missing."""
    until = time.monotonic() + 30
    while postbox.waiting() < wanted and time.monotonic() < until:
        time.sleep(0.1)
    if postbox.waiting() < wanted:
        raise RuntimeError(f"of {wanted} letters {postbox.waiting()} came")
    return postbox.waiting()


def _timed(game: Sparring) -> float:
    time.sleep(PAUSE)
    begun = time.perf_counter()
    game.act()
    return time.perf_counter() - begun


def _receive(port: int) -> None:
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
