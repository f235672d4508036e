"""Two pumps against one, where each has a core: games of bots alone, which no client and no reader disturbs."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

from bench.load.instance import Instance
from bench.load.processes import core_seconds, processes, spent
from bench.load.raw import Connection, call, request
from bench.load.sparring import register
from bench.measure import Row, Sample

GAMES, SECONDS = 64, 4.0
"""Of Fronela, whose games are long: two pumps are far from their end when the time is up."""
TWO = Row("two pumps instead of one, each with a core", 1.7, "times", at_least=True)


def measure() -> Iterator[Sample]:
    """The row once."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        yield TWO.absent("there is one core alone")
        return
    (one, _), (two, busy) = _settled(1, cores), _settled(2, cores)
    yield TWO.got(two / one, f"{two:.0f}/s against {one:.0f}/s; {_how(cores)}; with two, {busy}")


def _how(cores: list[int]) -> str:
    if len(cores) > 2:
        return "each pump pinned to a core, all else to the others"
    return "each pump pinned to a core; the server, for which no third core is left, where there is room"


def _settled(pumps: int, cores: list[int]) -> tuple[float, str]:
    """Commits a second, and what of the cores the processes took for it."""
    with Instance(ORACLEWHEEL_PUMPS=str(pumps), ORACLEWHEEL_API_WORKERS="1") as instance:
        connection = Connection(*instance.address)
        token = register(connection, "Watcher")
        ids = [_of_bots(connection, token) for _ in range(GAMES)]
        _pin(instance, cores, pumps)
        # In one breath and without waiting, or the first ones would be over before the last ones have begun.
        for game in ids:
            connection.say(request("POST", f"/v1/games/{game}/start", token, Prefer="wait=0"))
        for _ in ids:
            while connection.heard() is None:
                pass

        def games() -> list[dict[str, Any]]:
            # All in one answer, so that asking takes nothing from the pumps.
            found = call(connection, "GET", f"/v1/games?mine=true&limit={GAMES}", token)["games"]
            if sum(game["status"] == "over" for game in found) > GAMES // 2:
                raise RuntimeError("most games were over before the time was up")
            return found

        while any(game["status"] == "lobby" for game in games()):
            time.sleep(0.05)

        def seqs() -> int:
            return sum(game["seq"] for game in games())

        before, begun, first = core_seconds(instance.process), time.perf_counter(), seqs()
        time.sleep(SECONDS)
        done, taken = seqs() - first, time.perf_counter() - begun
        cost = spent(before, core_seconds(instance.process))
        busy = ", ".join(f"{name} {cost.get(name, 0) / taken:.2f}" for name in ("pump", "server", "api", "rest"))
        return done / taken, f"cores taken: {busy}"


def _pin(instance: Instance, cores: list[int], pumps: int) -> None:
    """Give each pump that works a core of its own, and all else the cores that are left over, if there are any."""
    working = processes(instance.process, "pump")
    if len(working) != pumps:
        raise RuntimeError(f"{len(working)} pumps work instead of {pumps}")
    for pump, core in zip(working, cores, strict=False):
        os.sched_setaffinity(pump, {core})
    if rest := set(cores[pumps:]):
        for process in [*processes(instance.process, "server"), *processes(instance.process, "api")]:
            os.sched_setaffinity(process, rest)


def _of_bots(connection: Connection, token: str) -> str:
    game = call(connection, "POST", "/v1/games", token, {"kind": "fronela", "seats": 4})["id"]
    call(connection, "DELETE", f"/v1/games/{game}/seats/1", token)
    for _ in range(4):
        call(connection, "POST", f"/v1/games/{game}/seats", token, {"bot": "random"})
    return game
