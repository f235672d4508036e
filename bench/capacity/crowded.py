"""A day's end of many games at the same instant, on the real service: how late each one's check-point came."""

from __future__ import annotations

import os
import time
from contextlib import closing

import orjson

from bench.load.instance import Instance
from bench.load.processes import PROC, processes
from bench.load.raw import Connection, call
from bench.load.sparring import register
from service.store.redis.store import open_store

PACE = {"mode": "calendar", "day": "PT1M", "at": "00:00", "zone": "UTC"}
"""Every day of the game ends with a minute of the clock: all of them at the same instant."""
PUMPS = 2
DAYS = 2


def measured(games: int) -> dict[str, object]:
    """So many games of Battalia whose two players say nothing; seconds from the instant to the commit, of each check-point."""
    with Instance(ORACLEWHEEL_PUMPS=str(PUMPS), ORACLEWHEEL_API_WORKERS="1") as instance:
        connection = Connection(*instance.address)
        tokens = [register(connection, f"Player {seat}") for seat in (1, 2)]
        made = [_started(connection, tokens) for _ in range(games)]
        load, before = os.getloadavg()[0], _scheduled(instance)
        time.sleep(60 * DAYS + 5 - time.time() % 60)  # the first of these days has begun for all
        ran, stood = (after - then for after, then in zip(_scheduled(instance), before, strict=True))
        with closing(open_store(instance.url)) as store:
            late = [each for game in made for each in _late(store, game)]
    by_instant: dict[int, list[float]] = {}
    for instant, seconds in late:
        by_instant.setdefault(instant, []).append(seconds)
    whole = [sorted(found) for _, found in sorted(by_instant.items()) if len(found) == games]
    return {
        "games": games,
        "pumps": PUMPS,
        "cores": len(os.sched_getaffinity(0)),
        "load": round(load, 1),
        "ran": round(ran / (ran + stood), 3),
        "seconds late": [[round(each, 3) for each in found] for found in whole[-DAYS:]],
    }


def _scheduled(instance: Instance) -> tuple[int, int]:
    """For how long pumps and server ran, and for how long they could have run and had no core: nanoseconds."""
    there = [each for wanted in ("pump", "server") for each in processes(instance.process, wanted)]
    told = [(PROC / str(each) / "schedstat").read_text().split() for each in there]
    return sum(int(each[0]) for each in told), sum(int(each[1]) for each in told)


def _started(connection: Connection, tokens: list[str]) -> str:
    game = call(connection, "POST", "/v1/games", tokens[0], {"kind": "battalia", "seats": 2, "pace": PACE})["id"]
    call(connection, "POST", f"/v1/games/{game}/seats", tokens[1], {})
    call(connection, "POST", f"/v1/games/{game}/start", tokens[0])
    return game


def _late(store, game: str) -> list[tuple[int, float]]:
    """When each day was to end, and how much later the commit is that turned it."""
    found = []
    asked: dict[str, int] = {}
    for stored in store.log.commits(game):
        body = orjson.loads(stored.body)
        if any(event["type"] == "day_announced" for event in body["events"]) and asked:
            instant = max(asked.values())
            found.append((instant, (stored.at - instant) / 1000))
        asked = dict(body.get("due", ()))
    return found
