"""The ends of days of many games, simulated: sweeper, pumps and servers as they are, with the costs that were measured.

A pump sweeps once a second if it has the lock, sixteen partitions in a trip and at most a thousand games of each; otherwise it
claims up to 32 games that are ready, works on them, and has the server write them. Cores and servers take one thing after the other.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from workers.advance import GAMES_A_CLAIM
from workers.schedule import SWEEP
from workers.sweeper import LOCK, TOGETHER

MOST_DUE = 1000
"""Of a partition in one sweep (lua/sweep.lua)."""

COMMITS = 2
"""At the end of a day: the turn of the last seat, whose time is up, and the day that turns."""


@dataclass(frozen=True, slots=True)
class House:
    """What the games run on."""

    hosts: int = 1
    cores: int = 2
    pumps: int = 2
    """Of each host."""
    primaries: int = 0
    """Servers of their own; 0: one, on the cores of the first host."""
    partitions: int = 64


@dataclass(slots=True)
class Found:
    """How it went."""

    late: list[tuple[float, int]] = field(default_factory=list)
    """Seconds from an instant until so many games were taken up by the pump that turned their day."""
    waiting: dict[int, int] = field(default_factory=dict)
    """Games whose day is over and not turned, at the end of each second in which anything was done."""
    longest_sweep: float = 0.0
    sweepers: int = 0
    """Pumps that swept at the same time at the most."""

    def percentile(self, share: float) -> float:
        """So many of all games had to wait no longer, in seconds."""
        left = share * sum(count for _, count in self.late)
        for seconds, count in sorted(self.late):
            left -= count
            if left <= 0:
                return seconds
        return max(seconds for seconds, _ in self.late)


Busy = Callable[[float], tuple[float, float]]
"""The shares of the cores, and of the servers, that players take at a moment."""


Done = Callable[[float], None]


class Simulation:
    """One run; the same for the same seed."""

    def __init__(self, house: House, costs: Mapping[str, float], busy: Busy, dice: Random) -> None:
        self.house, self.costs, self.busy, self.dice = house, costs, busy, dice
        self.found = Found()
        self._due: list[deque[list[float]]] = [deque() for _ in range(house.partitions)]
        self._ready: deque[list[float]] = deque()
        self._left = 0
        pumps = house.hosts * house.pumps
        self._swept = [0.0] * pumps
        self._sweeping: dict[int, tuple[int, float]] = {}
        self._then: dict[int, tuple[float, Done]] = {}
        """What a server has to do for a pump, and what is so when that is over."""
        self._idle: set[int] = set()
        self._lock = (-1, 0.0)
        self._cores = [[0.0] * house.cores for _ in range(house.hosts)]
        self._servers = [0.0] * max(1, house.primaries)
        self._turns: list[tuple[float, int, int]] = []
        self._token = [0] * pumps

    def run(self, ends: Mapping[float, int]) -> Found:
        """The ends of days: how many games' at each instant."""
        for instant, games in sorted(ends.items()):
            self._share_out(instant, games)
            phase = self.dice.uniform(0, SWEEP)
            for pump in range(len(self._swept)):
                # Where it stands in its second when the instant comes is chance; the one that has the lock keeps it.
                self._swept[pump] = instant - SWEEP + (phase + pump / len(self._swept)) % SWEEP
                self._next(pump, self._swept[pump] + SWEEP)
            self._lock = (0, instant + LOCK / 1000)
            while self._left:
                at, pump, token = heapq.heappop(self._turns)
                if token == self._token[pump]:
                    self._turn(at, pump)
                    self.found.waiting[int(at)] = self._left
            self._turns, self._sweeping, self._then = [], {}, {}
            self._idle.clear()
        return self.found

    def _share_out(self, instant: float, games: int) -> None:
        """Among the partitions, by chance; all that is left over or missing goes to the last ones."""
        mean = games / self.house.partitions
        counts = [max(0, round(self.dice.gauss(mean, mean**0.5))) for _ in self._due]
        wrong, place = games - sum(counts), 0
        while wrong:
            step = 1 if wrong > 0 else -min(1, counts[place])
            counts[place] += step
            wrong, place = wrong - step, (place + 1) % len(counts)
        for due, count in zip(self._due, counts, strict=True):
            if count:
                due.append([instant, count])
        self._left += games

    def _next(self, pump: int, at: float) -> None:
        self._token[pump] += 1
        heapq.heappush(self._turns, (at, pump, self._token[pump]))

    def _turn(self, at: float, pump: int) -> None:
        self._idle.discard(pump)
        if pump in self._then:
            self._serve(at, pump)
        elif pump in self._sweeping:
            self._sweep(at, pump)
        elif at - self._swept[pump] >= SWEEP - 1e-9 and self._may_sweep(at, pump):
            self._sweeping[pump] = (0, at)
            self.found.sweepers = max(self.found.sweepers, len(self._sweeping))
            self._sweep(at, pump)
        elif self._ready:
            self._claim(at, pump)
        else:
            self._idle.add(pump)
            self._next(pump, self._swept[pump] + SWEEP)

    def _may_sweep(self, at: float, pump: int) -> bool:
        if self._lock[0] == pump or self._lock[1] <= at:
            self._lock = (pump, at + LOCK / 1000)
            return True
        self._swept[pump] = at
        return False

    def _sweep(self, at: float, pump: int) -> None:
        """One trip of a sweep, and the next one when it is over."""
        first, begun = self._sweeping[pump]
        found = [taken for due in self._due[first : first + TOGETHER] for taken in _taken(due, MOST_DUE)]
        games = sum(count for _, count in found)
        share = min(TOGETHER, self.house.partitions) / 64
        core = games * self.costs["due sweeper"] + share * self.costs["sweep 64"]
        server = games * self.costs["due sweeper server"] + share * self.costs["sweep 64 server"]

        def swept(end: float) -> None:
            self._ready.extend([instant, count] for instant, count in found)
            for other in sorted(self._idle) if found else ():
                self._next(other, end)
            if first + TOGETHER < self.house.partitions:
                self._sweeping[pump] = (first + TOGETHER, begun)
            else:
                del self._sweeping[pump]
                self._swept[pump] = end
                self.found.longest_sweep = max(self.found.longest_sweep, end - begun)

        self._work(at, pump, core, server / min(TOGETHER, len(self._servers)), swept)

    def _claim(self, at: float, pump: int) -> None:
        """Take up games that are ready."""
        games = 0
        while self._ready and games < GAMES_A_CLAIM:
            instant, count = self._ready[0]
            some = int(min(count, GAMES_A_CLAIM - games))
            self.found.late.append((at - instant, some))
            games += some
            if some == count:
                self._ready.popleft()
            else:
                self._ready[0][1] -= some
        self._left -= games
        commits = games * COMMITS
        self._work(at, pump, commits * self.costs["due pump"], commits * self.costs["due pump server"], lambda _: None)

    def _work(self, at: float, pump: int, core: float, server: float, done: Done) -> None:
        """First on a core of the pump's host, then by a server."""
        players, servers = self.busy(at)
        self._then[pump] = (server / (1 - (servers if self.house.primaries else players)), done)
        self._next(pump, _reserved(self._cores[pump // self.house.pumps], at, core / (1 - players)))

    def _serve(self, at: float, pump: int) -> None:
        server, done = self._then.pop(pump)
        free = min(self._servers)
        if server and free > at:
            self._then[pump] = (server, done)
            self._next(pump, free)
        elif server:
            end = _reserved(self._cores[0], at, server) if not self.house.primaries else at + server
            self._servers[self._servers.index(free)] = end
            self._then[pump] = (0.0, done)
            self._next(pump, end)
        else:
            done(at)
            self._next(pump, at)


def _reserved(free: list[float], at: float, seconds: float) -> float:
    """When it is done by whichever is free first."""
    place = min(range(len(free)), key=free.__getitem__)
    free[place] = max(at, free[place]) + seconds
    return free[place]


def _taken(due: deque[list[float]], most: int) -> list[tuple[float, int]]:
    found = []
    while due and most:
        some = int(min(due[0][1], most))
        found.append((due[0][0], some))
        most -= some
        due[0][1] -= some
        if not due[0][1]:
            due.popleft()
    return found
