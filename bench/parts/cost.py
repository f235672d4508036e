"""The cost of a commit: CPU time of all processes, bytes of the append-only file, commands of the servers."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import redis

from bench.load.closed_loop import Client, closed_loop
from bench.load.floor import Floor
from bench.load.instance import Instance
from bench.load.sparring import Sparring, commits
from bench.measure import Row, Sample
from tools.load.cores import core_seconds, spent

GAMES, WINDOWS, SECONDS = 24, 6, 1.0
"""The load is measured in windows, alternating with the floor, so that both run under the same conditions."""
WARM_UP, ALONE, IDLE = 3.0, 3.0, 3.0
"""Seconds before the first window, seconds in which one game is played alone, and seconds without players."""
CORE = Row("processor time for a player's commit, all processes", 2.2, "ms", at_least=False)
FLOOR = Row("the same, against a bare Flask application with a worker", 4.0, "times", at_least=False)
BYTES = Row("bytes of the append-only file for a commit", 1500, "bytes", at_least=False)
COMMANDS = Row("Redis commands for a commit, those of scripts included", 20, "commands", at_least=False)


@dataclass
class Load:
    """The resources that a service uses under load."""

    instance: Instance
    servers: tuple[redis.Redis, ...]
    """The server of the games and that of the queue."""
    cost: Counter[str] = field(default_factory=Counter)
    counted: int = 0
    """Players' commits."""
    seconds: float = 0.0
    commands: int = 0

    def play(self, clients: Sequence[Client], seconds: float) -> float:
        """Play for so long, and add the costs; returns the CPU seconds of a player's commit."""
        before = sum(self.cost.values())
        with self._adding():
            counted = closed_loop(clients, seconds).counted
        self.counted += counted
        return (sum(self.cost.values()) - before) / counted

    def wait(self, seconds: float) -> None:
        """Add the costs of the service without players."""
        with self._adding():
            time.sleep(seconds)

    @contextmanager
    def _adding(self) -> Iterator[None]:
        commands, before, begun = self._commands(), core_seconds([self.instance.process]), time.monotonic()
        yield
        self.cost.update(spent(before, core_seconds([self.instance.process])))
        self.seconds += time.monotonic() - begun
        self.commands += self._commands() - commands

    def told(self) -> str:
        """Milliseconds of a player's commit, by process."""
        shares = (
            f"{name} {1000 * self.cost[name] / self.counted:.2f}" for name in ("api", "settle workers", "store", "rest")
        )
        return f"{', '.join(shares)}; {self.counted / self.seconds:,.0f}/s"

    def milliseconds(self) -> float:
        """Milliseconds of a player's commit, all processes together."""
        return 1000 * sum(self.cost.values()) / self.counted

    def _commands(self) -> int:
        """Commands since the servers' start, including those of scripts; those of this benchmark are too few to matter."""
        return sum(told["calls"] for server in self.servers for told in server.info("commandstats").values())


def measure() -> Iterator[Sample]:
    """Every row once, all under the same load: turns of Battalia that end, one a request, one in flight in each game."""
    with Instance() as instance, Floor() as floor:
        sparring = [Sparring(instance.address, number) for number in range(GAMES)]
        bare = [floor.client() for _ in range(GAMES)]
        servers = redis.Redis.from_url(instance.url), redis.Redis.from_url(instance.queue_url)
        servers[0].config_set("auto-aof-rewrite-percentage", 0)
        closed_loop(sparring, WARM_UP)
        closed_loop(bare, SECONDS)
        idle, load, alone = (Load(instance, servers) for _ in range(3))
        idle.wait(IDLE)
        settled, bytes_ = commits(sparring), _bytes(servers[0])
        ratios = []
        for _ in range(WINDOWS):
            least = _least(floor, bare)
            ratios.append(2 * load.play(sparring, SECONDS) / (least + _least(floor, bare)))
        bytes_, settled = _bytes(servers[0]) - bytes_, commits(sparring) - settled
        alone.play(sparring[:1], ALONE)
    whole = f"{load.counted:,} players' commits, {settled - load.counted:,} of SYSTEM besides"
    yield CORE.got(
        load.milliseconds(),
        f"{load.told()}; {whole}: {1000 * sum(load.cost.values()) / settled:.2f} ms for each of all commits; "
        f"one player alone {alone.milliseconds():.1f} ms: {alone.told()}",
    )
    yield FLOOR.got(statistics.median(ratios), f"in {WINDOWS} windows from {min(ratios):.2f} to {max(ratios):.2f}")
    yield BYTES.got(bytes_ / settled, f"{whole}; {bytes_ / load.counted:,.0f} bytes for a player's")
    unasked = idle.commands / idle.seconds
    commands = max(0.0, load.commands - unasked * load.seconds)
    beside = f"without {unasked:,.0f} a second that an idle service executes"
    apart = (alone.commands - unasked * alone.seconds) / alone.counted
    yield COMMANDS.got(
        commands / settled, f"{commands / load.counted:.1f} for a player's, {apart:.1f} of one alone; {beside}"
    )


def _least(floor: Floor, clients: Sequence[Client]) -> float:
    before = floor.core_seconds()
    done = closed_loop(clients, SECONDS / 2)
    return (floor.core_seconds() - before) / done.counted


def _bytes(server: redis.Redis) -> int:
    return int(server.info("persistence")["aof_current_size"])
