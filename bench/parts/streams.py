"""Event streams: the API's cost of a commit with many streams, and the cost of idle streams."""

from __future__ import annotations

import time
from collections.abc import Iterator

from bench.load.instance import Instance
from bench.load.raw import call
from bench.load.sparring import Sparring, register
from bench.load.streams import Streams
from bench.measure import Row, Sample
from tools.load.cores import core_seconds, spent

WATCHERS, TURNS = 200, 60
IDLE, GAMES, WINDOW = 2000, 50, 16.0
"""Number of idle streams, the games they are spread over, and the seconds of the measurement: a heartbeat of each."""
WATCHED = Row("a commit watched by 200 streams, API", 6, "ms of a core", at_least=False)
SILENT = Row("2,000 idle streams, all processes", 0.01, "cores", at_least=False)


def measure() -> Iterator[Sample]:
    with Instance() as instance:
        yield _watched(instance)
        yield _silent(instance)


def _watched(instance: Instance) -> Sample:
    """Turns of Battalia, one after the other; each is received by all streams before the next one is ended.

    Two streams are the players' own; of the others, half have no token and half the token of an account without a seat.
    """
    pair = Sparring(instance.address, 0)
    reader = register(pair.connection, "Reader")
    wanted = [(pair.game, token) for token in (*pair.tokens, *([None, reader] * ((WATCHERS - 2) // 2)))]
    with Streams(instance.address, wanted) as streams:
        streams.heard(_seq(pair))
        before, first = core_seconds([instance.process]), _seq(pair)
        for _ in range(TURNS):
            streams.heard(pair.act())
        cost = spent(before, core_seconds([instance.process]))
        last = _seq(pair)
        streams.heard(last)
    detail = f"{last - first} commits, {len(wanted)} streams, each commit heard by all"
    return WATCHED.got(1000 * cost["api"] / (last - first), detail)


def _seq(pair: Sparring) -> int:
    return call(pair.connection, "GET", f"/v1/games/{pair.game}", pair.tokens[0])["seq"]


def _silent(instance: Instance) -> Sample:
    pairs = [Sparring(instance.address, number) for number in range(1, GAMES + 1)]
    for pair in pairs:
        pair.connection.close()
    wanted = [(pairs[number % GAMES].game, None) for number in range(IDLE)]
    without = _idle(instance)
    with Streams(instance.address, wanted):
        time.sleep(3)
        taken = _idle(instance)
    return SILENT.got(max(0.0, taken - without), f"{taken:.4f} cores with them, {without:.4f} without")


def _idle(instance: Instance) -> float:
    before, begun = core_seconds([instance.process]), time.perf_counter()
    time.sleep(WINDOW)
    return sum(spent(before, core_seconds([instance.process])).values()) / (time.perf_counter() - begun)
