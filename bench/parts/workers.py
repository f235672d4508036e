"""Two settle workers compared to one, each with a core; and the latency of players' turns while search bots compute moves."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from typing import Any

from bench.load.instance import Instance
from bench.load.raw import Connection, call, request
from bench.load.sparring import Sparring, register
from bench.measure import Row, Sample
from tools.load.cores import core_seconds, spent, with_role

GAMES, SECONDS = 64, 4.0
"""Games of Fronela, which are long: two settle workers do not finish them in the time."""
TWO = Row("two settle workers instead of one, each with a core", 1.7, "times", at_least=True)


TURNING, IN_ONE_GAME, THINKING = 8.0, 60, 8
"""Seconds for which two players end their turns, turns per game, and search bots that play at the same time, two per game."""
BESIDE = Row("a turn's latency beside eight bots that think, against without", 1.2, "times", at_least=False)


def measure() -> Iterator[Sample]:
    yield _beside_thoughts()
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        yield TWO.absent("there is one core alone")
        return
    (one, _), (two, busy) = _settled(1, cores), _settled(2, cores)
    yield TWO.got(two / one, f"{two:.0f}/s against {one:.0f}/s; {_how(cores)}; with two, {busy}")


def _beside_thoughts() -> Sample:
    with Instance(
        ORACLEWHEEL_SETTLE_WORKERS="1", ORACLEWHEEL_API_WORKERS="1", ORACLEWHEEL_SEARCH_WORKERS="1"
    ) as instance:
        connection = Connection(*instance.address)
        token = register(connection, "Watcher")
        while not (told := call(connection, "GET", "/v1/kinds")).get("search_workers"):
            if "search_workers" not in told:
                return BESIDE.absent("no bot of this release thinks at a table")
            time.sleep(0.1)
        without = _latencies(instance.address)
        games = [_of_bots(connection, token, "battalia", "search:2", 2) for _ in range(THINKING // 2)]
        for game in games:
            call(connection, "POST", f"/v1/games/{game}/start", token)

        def seqs() -> list[int]:
            return [call(connection, "GET", f"/v1/games/{game}", token)["seq"] for game in games]

        while min(seqs()) < 5:
            time.sleep(0.1)
        first, before, begun = seqs(), core_seconds([instance.process]), time.perf_counter()
        beside = _latencies(instance.address)
        taken, cost = time.perf_counter() - begun, spent(before, core_seconds([instance.process]))
        done, core = sum(seqs()) - sum(first), cost.get("compute workers", 0) / taken
        ratio = statistics.median(beside) / statistics.median(without)
        halves = f"{_told(beside)} against {_told(without)}"
        return BESIDE.got(
            ratio, f"{halves}; their games came to {done} commits, and the thinker took {core:.2f} of a core"
        )


def _latencies(address: tuple[str, int]) -> list[float]:
    found: list[float] = []
    until = time.perf_counter() + TURNING
    while time.perf_counter() < until:
        pair = Sparring(address, len(found))
        for number in range(IN_ONE_GAME):
            begun = time.perf_counter()
            pair.act()
            if number:
                found.append(1000 * (time.perf_counter() - begun))
    return found


def _told(latencies: list[float]) -> str:
    return f"{statistics.median(latencies):.1f} ms (95 %: {sorted(latencies)[95 * len(latencies) // 100]:.1f})"


def _how(cores: list[int]) -> str:
    if len(cores) > 2:
        return "each settle worker pinned to a core, all else to the others"
    return "each settle worker pinned to a core; the server, for which no third core is left, where there is room"


def _settled(count: int, cores: list[int]) -> tuple[float, str]:
    with Instance(ORACLEWHEEL_SETTLE_WORKERS=str(count), ORACLEWHEEL_API_WORKERS="1") as instance:
        connection = Connection(*instance.address)
        token = register(connection, "Watcher")
        ids = [_of_bots(connection, token, "fronela", "random", 4) for _ in range(GAMES)]
        _pin(instance, cores, count)
        # All at once without waiting, or the first games would be over before the last ones have begun.
        for game in ids:
            connection.say(request("POST", f"/v1/games/{game}/start", token, Prefer="wait=0"))
        for _ in ids:
            while (answer := connection.heard()) is None:
                pass
            if answer[0] not in (200, 202):
                raise RuntimeError(f"a game was not started: {answer[2].decode()}")

        def games() -> list[dict[str, Any]]:
            # All in one response, so that polling takes nothing from the settle workers.
            found = call(connection, "GET", f"/v1/games?mine=true&limit={GAMES}", token)["games"]
            if sum(game["status"] == "over" for game in found) > GAMES // 2:
                raise RuntimeError("most games were over before the time was up")
            return found

        while any(game["status"] == "lobby" for game in games()):
            time.sleep(0.05)

        def seqs() -> int:
            return sum(game["seq"] for game in games())

        before, begun, first = core_seconds([instance.process]), time.perf_counter(), seqs()
        time.sleep(SECONDS)
        done, taken = seqs() - first, time.perf_counter() - begun
        cost = spent(before, core_seconds([instance.process]))
        busy = ", ".join(
            f"{name} {cost.get(name, 0) / taken:.2f}" for name in ("settle workers", "store", "api", "rest")
        )
        return done / taken, f"cores taken: {busy}"


def _pin(instance: Instance, cores: list[int], count: int) -> None:
    """Pin each busy settle worker to its own core, and everything else to the other cores, if there are any."""
    working = with_role(instance.process, "settle workers")
    if len(working) != count:
        raise RuntimeError(f"{len(working)} settle workers work instead of {count}")
    for worker, core in zip(working, cores, strict=False):
        os.sched_setaffinity(worker, {core})
    if rest := set(cores[count:]):
        for process in [*with_role(instance.process, "store"), *with_role(instance.process, "api")]:
            os.sched_setaffinity(process, rest)


def _of_bots(connection: Connection, token: str, kind: str, bot: str, seats: int) -> str:
    game = call(connection, "POST", "/v1/games", token, {"kind": kind, "seats": seats})["id"]
    call(connection, "DELETE", f"/v1/games/{game}/seats/1", token)
    for _ in range(seats):
        call(connection, "POST", f"/v1/games/{game}/seats", token, {"bot": bot})
    return game
