"""What is simulated with the measured costs: a small case that was measured too, and the days of one, ten and a hundred hosts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from typing import Any

from bench.capacity import day
from bench.capacity.model import Found, House, Simulation

SEED = 18
FULL = 0.6
"""The share of cores and servers that players may take in the busiest hour; what is left is for chance, and for ends of days."""

HOSTS = (1, 10, 100, 1000)
CORES = 2
API, PUMPS = 2, 2
"""Processes of each host."""
MILLION = 1_000_000
POINTS = 400

Costs = Mapping[str, float]


def carried(costs: Costs, hosts: int) -> dict[str, Any]:
    """What so many hosts carry in the busiest hour, and what of it gives way first."""
    heard = hosts * API * costs["news heard"]
    server = costs["command server"] + (costs["commits of a command"] * heard if hosts > 1 else 0.0)
    core = costs["command api"] + costs["command pump"] + day.READS * costs["view api"]
    commands = FULL * hosts * CORES / (core + (server if hosts == 1 else 0.0))
    primaries = 0 if hosts == 1 else math.ceil(commands * server / FULL)
    signs = (hosts * PUMPS) ** 2 * costs["sign of a pump"]
    games = commands / (day.COMMANDS / 86_400 * day.peak())
    return {
        "hosts": hosts,
        "commands a second": round(commands),
        "games": round(games),
        "primaries": primaries,
        "news share": round(1 - costs["command server"] / server, 3),
        "queue": round(signs, 4),
        "bytes": round(games * costs["bytes of a running game"]),
    }


def validated(costs: Costs, measured: Mapping[str, Any]) -> dict[str, Any]:
    """The small case: nobody plays, and so many days end at one instant; what else the machine did takes its share of the cores."""
    others = 1 - measured.get("ran", 1.0)
    house = House(1, int(measured["cores"]), int(measured["pumps"]))
    runs = []
    for number in range(20):
        simulation = Simulation(house, costs, lambda _: (others, others), Random(SEED + number))
        runs.append(simulation.run({0.0: int(measured["games"])}))
    return {
        "half": _rounded([found.percentile(0.5) for found in runs]),
        "nine in ten": _rounded([found.percentile(0.9) for found in runs]),
        "all": _rounded([found.percentile(1.0) for found in runs]),
    }


def evening(costs: Costs, house: House, games: int) -> dict[str, Any]:
    """A whole day of so many games on a house: how late check-points were, and how many games waited."""
    dice = Random(SEED)
    said = day.said(games, dice)
    core = costs["command api"] + costs["command pump"] + day.READS * costs["view api"]
    server = costs["command server"] + costs["commits of a command"] * house.hosts * API * costs["news heard"]

    def busy(at: float) -> tuple[float, float]:
        commands = said[int(at / 60) % day.MINUTES]
        if not house.primaries:
            return min(0.95, commands * (core + server) / house.cores), 0.0
        cores = commands * core / (house.hosts * house.cores)
        return min(0.95, cores), min(0.95, commands * server / house.primaries)

    found = Simulation(house, costs, busy, dice).run(day.ends(games))
    shares = [busy(60.0 * minute) for minute in range(day.MINUTES)]
    return {
        "hosts": house.hosts,
        "primaries": house.primaries,
        "partitions": house.partitions,
        "games": games,
        "busiest": round(max(max(each) for each in shares), 3),
        "half": round(found.percentile(0.5), 1),
        "nine in ten": round(found.percentile(0.9), 1),
        "ninety-nine": round(found.percentile(0.99), 1),
        "last": round(found.percentile(1.0), 1),
        "waiting": max(found.waiting.values()),
        "longest sweep": round(found.longest_sweep, 1),
        "sweepers": found.sweepers,
        "course": _course(found, max(day.ends(games), key=lambda instant: day.ends(games)[instant])),
    }


def evenings(costs: Costs) -> list[dict[str, Any]]:
    """A million games on one host, ten and a hundred; and as many as ten hosts carry."""
    primaries = {hosts: carried(costs, hosts)["primaries"] for hosts in HOSTS}
    told = [(1, MILLION, 64), (10, MILLION, 64), (100, MILLION, 1024), (10, carried(costs, 10)["games"], 64)]
    return [
        evening(costs, House(hosts, CORES, PUMPS, primaries[hosts], partitions), games)
        for hosts, games, partitions in told
    ]


def _course(found: Found, instant: float) -> list[list[int]]:
    """Seconds after the instant, and how many games waited: as many points as can be seen."""
    later = [
        [second - int(instant), count]
        for second, count in sorted(found.waiting.items())
        if 0 <= second - instant < 3600
    ]
    return later[:: max(1, len(later) // POINTS)]


def _rounded(values: list[float]) -> list[float]:
    return [round(min(values), 2), round(sorted(values)[len(values) // 2], 2), round(max(values), 2)]
