"""What a commit costs: processor time of all processes, bytes of the append-only file, commands of the server."""

from __future__ import annotations

import time
from collections.abc import Iterator

import redis

from bench.load.crowd import crowd
from bench.load.instance import Instance
from bench.load.sparring import Sparring, commits
from bench.measure import Row, Sample
from tools.load.cores import core_seconds, spent

GAMES, SECONDS = 24, 6.0
IDLE = 3.0
"""Seconds in which nobody plays."""
CORE = Row("processor time for a player's commit, all processes", 2.2, "ms", at_least=False)
BYTES = Row("bytes of the append-only file for a commit", 1500, "bytes", at_least=False)
COMMANDS = Row("Redis commands for a commit, those of scripts included", 20, "commands", at_least=False)


def measure() -> Iterator[Sample]:
    """Every row once, all under the same load: turns of Battalia that end, one a request, one in flight in each game."""
    with Instance() as instance:
        sparring = [Sparring(instance.address, number) for number in range(GAMES)]
        server = redis.Redis.from_url(instance.url)
        server.config_set("auto-aof-rewrite-percentage", 0)
        crowd(sparring, 1)
        idle = _idle(server)
        settled, bytes_, commands = commits(sparring), _bytes(server), _commands(server)
        before = core_seconds([instance.process])
        begun = time.monotonic()
        done = crowd(sparring, SECONDS)
        idle *= time.monotonic() - begun
        cost = spent(before, core_seconds([instance.process]))
        bytes_, commands, settled = _bytes(server) - bytes_, _commands(server) - commands, commits(sparring) - settled
    parts = ", ".join(
        f"{name} {1000 * cost.get(name, 0) / done.counted:.2f}" for name in ("api", "settle workers", "store", "rest")
    )
    whole = f"{done.counted:,} players' commits, {settled - done.counted:,} of SYSTEM besides"
    total = 1000 * sum(cost.values())
    yield CORE.got(
        total / done.counted, f"{parts}; {whole}: {total / settled:.2f} ms for each of all commits; {done.rate:,.0f}/s"
    )
    yield BYTES.got(bytes_ / settled, f"{whole}; {bytes_ / done.counted:,.0f} bytes for a player's")
    commands = max(0, commands - int(idle))
    beside = f"without {idle:,.0f} that an idle service executes in the same time"
    yield COMMANDS.got(commands / settled, f"{whole}; {commands / done.counted:.1f} for a player's; {beside}")


def _idle(server: redis.Redis) -> float:
    """Commands a second while nobody plays."""
    before, begun = _commands(server), time.monotonic()
    time.sleep(IDLE)
    return (_commands(server) - before) / (time.monotonic() - begun)


def _bytes(server: redis.Redis) -> int:
    """How large the append-only file is; it is not rewritten meanwhile."""
    return int(server.info("persistence")["aof_current_size"])


def _commands(server: redis.Redis) -> int:
    """Commands since the server's start, each of a script's too; those of this benchmark are too few to matter."""
    return sum(told["calls"] for told in server.info("commandstats").values())
