"""The service as clients meet it: commands a second, the wait for one, reading views, a second worker."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from bench.instance import Instance, free_port
from bench.measure import Result
from bench.raw import Connection, call, crowd, rate, request
from bench.stock import Hello, noop_jobs_per_second, noop_latency

CLIENTS = 24


class Sparring:
    """Two players who end their turns in a game of Battalia, one after the other."""

    def __init__(self, address: tuple[str, int], number: int) -> None:
        self.connection = Connection(*address)
        self.tokens = [
            call(self.connection, "POST", "/v1/players", body={"name": f"Client {number}.{seat}"})["token"]
            for seat in (1, 2)
        ]
        made = call(self.connection, "POST", "/v1/games", self.tokens[0], {"kind": "battalia", "seats": 2})
        self.game = made["id"]
        call(self.connection, "POST", f"/v1/games/{self.game}/seats", self.tokens[1], {})
        call(self.connection, "POST", f"/v1/games/{self.game}/start", self.tokens[0])
        path = f"/v1/games/{self.game}/commands"
        self.requests = [request("POST", path, token, {"type": "end_turn"}, Prefer="wait=10") for token in self.tokens]
        self.seat = self._to_move()

    def _to_move(self) -> int:
        for _ in range(500):
            asked = call(self.connection, "GET", f"/v1/games/{self.game}", self.tokens[0])["asked"]
            if asked and asked[0]["seat"]:
                return asked[0]["seat"] - 1
            time.sleep(0.01)
        raise RuntimeError("nobody is asked")

    def act(self) -> None:
        """End one turn and wait for the outcome; where the day has not turned yet, look who is asked."""
        status, _, body = self.connection.send(self.requests[self.seat])
        if status == 200:
            self.seat = 1 - self.seat
        elif status == 409 and b"not-your-turn" in body:
            self.seat = self._to_move()
        else:
            raise RuntimeError(f"{status} {body[:300]!r}")


def results() -> Iterator[Result]:
    """Every budget over HTTP."""
    with Instance() as instance:
        yield from _commands(instance)
        yield from _views(instance)
    yield _second_worker()


def _commands(instance: Instance) -> Iterator[Result]:
    ratios, details = [], []
    sparring = [Sparring(instance.address, number) for number in range(CLIENTS)]
    for _ in range(3):
        before = _commits(sparring)
        begun = time.perf_counter()
        crowd([pair.act for pair in sparring], 4)
        settled = (_commits(sparring) - before) / (time.perf_counter() - begun)
        jobs = noop_jobs_per_second(instance.url)
        ratios.append(settled / jobs)
        details.append(f"{settled:.0f}/s against {jobs:.0f}/s")
    middle = statistics.median(ratios)
    yield Result(
        "commands settled over HTTP, against stock RQ jobs", middle, 4, "times", True, details[ratios.index(middle)]
    )
    ratios = []
    for _ in range(3):
        job = noop_latency(instance.url)
        times = [_timed(sparring[0].act) for _ in range(80)]
        ratios.append(statistics.median(times) / job)
        details = [f"{1000 * statistics.median(times):.1f} ms against {1000 * job:.1f} ms"]
    yield Result(
        "POST with Prefer: wait, idle, against an RQ job", statistics.median(ratios), 3, "times", False, details[0]
    )
    for pair in sparring:
        pair.connection.close()


def _commits(sparring: list[Sparring]) -> int:
    """Settled commits of all the games: the day that SYSTEM turns is a command like any other."""
    connection = sparring[0].connection
    return sum(call(connection, "GET", f"/v1/games/{pair.game}", pair.tokens[0])["seq"] for pair in sparring)


def _timed(act) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def _views(instance: Instance) -> Iterator[Result]:
    pair = Sparring(instance.address, 99)
    path = f"/v1/games/{pair.game}/view"
    _, head, _ = pair.connection.send(request("GET", path, pair.tokens[0]))
    etag = next(
        line.split(b":", 1)[1].strip().decode() for line in head.split(b"\r\n") if line.lower().startswith(b"etag")
    )
    wanted = {
        ("GET view with a token", 0.35): (request("GET", path, pair.tokens[0]), 200),
        ("GET view with a token, 304", 0.35): (request("GET", path, pair.tokens[0], If_None_Match=etag), 304),
        ("GET view without a token", 0.5): (request("GET", path), 200),
    }
    hello = Hello(str(instance.folder), free_port(), workers=2)
    try:
        for (name, limit), (bytes_, status) in wanted.items():
            pairs = []
            for _ in range(3):
                bare = rate(hello.address, request("GET", "/hello"), 200)
                ours = rate(instance.address, bytes_, status)
                pairs.append((ours / bare, f"{ours:.0f}/s against {bare:.0f}/s"))
            ratio, detail = sorted(pairs)[1]
            yield Result(f"{name}, against a bare Flask hello", ratio, limit, "times", True, detail)
    finally:
        hello.close()


def _second_worker() -> Result:
    """Games of bots alone: what one pump and two pumps settle, with nothing else to do."""
    pairs = []
    for _ in range(3):
        rates = []
        for pumps in (1, 2):
            with Instance(ORACLEWHEEL_PUMPS=str(pumps), ORACLEWHEEL_API_WORKERS="1") as instance:
                rates.append(_bots(instance))
        pairs.append((rates[1] / rates[0], f"{rates[1]:.0f}/s against {rates[0]:.0f}/s"))
    ratio, detail = sorted(pairs)[1]
    return Result("two workers instead of one", ratio, 1.6, "times", True, detail)


def _bots(instance: Instance, games: int = 24, seconds: float = 8) -> float:
    connection = Connection(*instance.address)
    token = call(connection, "POST", "/v1/players", body={"name": "Watcher"})["token"]
    ids = []
    for _ in range(games):
        body = {"kind": "battalia", "seats": 4}
        game = call(connection, "POST", "/v1/games", token, body)["id"]
        call(connection, "DELETE", f"/v1/games/{game}/seats/1", token)
        for _ in range(4):
            call(connection, "POST", f"/v1/games/{game}/seats", token, {"bot": "random"})
        ids.append(game)
    for game in ids:
        call(connection, "POST", f"/v1/games/{game}/start", token)

    def settled() -> int:
        return sum(call(connection, "GET", f"/v1/games/{game}", token)["seq"] for game in ids)

    before, begun = settled(), time.perf_counter()
    time.sleep(seconds)
    return (settled() - before) / (time.perf_counter() - begun)
