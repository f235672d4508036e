"""The service from the client's side: commands per second, the wait for one, reading views."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator

from bench.load.closed_loop import closed_loop, rate
from bench.load.instance import Instance, free_port
from bench.load.raw import Connection, request
from bench.load.sparring import Sparring, commits
from bench.load.stock import Hello, noop_jobs_per_second, noop_latency
from bench.measure import Row, Sample

CLIENTS = 24
COMMANDS = Row("commits settled over HTTP, against stock RQ jobs", 6, "times", at_least=True)
IDLE = Row("POST with Prefer: wait, idle, against an RQ job", 1.5, "times", at_least=False)
HELLO = ", against a bare Flask hello"
VIEW = Row(f"GET view with a token{HELLO}", 0.6, "times", at_least=True)
SAME = Row(f"GET view with a token, 304{HELLO}", 0.6, "times", at_least=True)
PUBLIC = Row(f"GET view without a token{HELLO}", 0.6, "times", at_least=True)


def measure() -> Iterator[Sample]:
    with Instance() as instance:
        sparring = [Sparring(instance.address, number) for number in range(CLIENTS)]
        yield _commands(instance, sparring)
        yield _idle(instance, sparring[0])
        yield from _views(instance, sparring[0])


def _commands(instance: Instance, sparring: list[Sparring]) -> Sample:
    before = commits(sparring)
    done = closed_loop(sparring, 4)
    settled = (commits(sparring) - before) / done.seconds
    jobs = noop_jobs_per_second(instance.url)
    return COMMANDS.got(settled / jobs, f"{settled:.0f}/s against {jobs:.0f}/s")


def _idle(instance: Instance, pair: Sparring) -> Sample:
    job = noop_latency(instance.url)
    pair.connection = Connection(*instance.address)  # the other one has been idle for so long that it may be closed
    ours = statistics.median(_timed(pair.act) for _ in range(80))
    return IDLE.got(ours / job, f"{1000 * ours:.1f} ms against {1000 * job:.1f} ms")


def _timed(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def _views(instance: Instance, pair: Sparring) -> Iterator[Sample]:
    path = f"/v1/games/{pair.game}/view"
    _, head, _ = pair.connection.send(request("GET", path, pair.tokens[0]))
    etag = next(
        line.split(b":", 1)[1].strip().decode() for line in head.split(b"\r\n") if line.lower().startswith(b"etag")
    )
    wanted = {
        VIEW: (request("GET", path, pair.tokens[0]), 200),
        SAME: (request("GET", path, pair.tokens[0], If_None_Match=etag), 304),
        PUBLIC: (request("GET", path), 200),
    }
    hello = Hello(str(instance.folder), free_port(), workers=2)
    try:
        for row, (bytes_, status) in wanted.items():
            bare = rate(hello.address, request("GET", "/hello"), 200, duration=1.2)
            ours = rate(instance.address, bytes_, status, duration=1.2)
            yield row.got(ours / bare, f"{ours:.0f}/s against {bare:.0f}/s")
    finally:
        hello.close()
