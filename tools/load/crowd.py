"""The clients of a load test: they create, play, end and check games, each with one request at a time."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from service.cli.terminal.bots import BOTS
from service.cli.terminal.client import ApiError
from tools.load.accounts import Account
from tools.load.checking import Checked, checked
from tools.load.line import NO_JSON, WRONG_SHAPE, Line
from tools.load.plan import LoadPlan
from tools.load.playing import LoadGame, Trouble, end, opened, step
from tools.load.tally import Tally
from tools.load.watching import Watcher

IDLE = 0.02
"""Seconds that a client waits if its game has no pending question."""


class Pace:
    """Random instants for sending commands, with the average distance of the rate."""

    def __init__(self, rate: float) -> None:
        self._rate, self._next = rate, time.perf_counter()
        self._lock = threading.Lock()
        self.behind = 0.0
        """Maximum delay of the clients, in seconds."""

    def wait(self, stopped: threading.Event) -> None:
        if not self._rate:
            return
        with self._lock:
            self._next += random.expovariate(self._rate)
            due = self._next
        left = due - time.perf_counter()
        if left > 0:
            stopped.wait(left)
        else:
            self.behind = max(self.behind, -left)


class Crowd:
    """All clients, and their games: each game is used by one client at a time."""

    def __init__(
        self, plan: LoadPlan, seats: Sequence[int], accounts: Sequence[Account], stopped: threading.Event | None = None
    ) -> None:
        """``seats``: number of seats for each kind of the plan; setting ``stopped`` ends the play."""
        self._plan, self._seats, self._accounts = plan, seats, accounts
        self.stopped = stopped or threading.Event()
        self.making, self.playing, self.ending = Tally(), Tally(), Tally()
        self.pace = Pace(0)
        self.made = self.sent = self.over = self.refused = 0
        self.found = Checked()
        self._lock = threading.Lock()
        self._games: deque[LoadGame] = deque()
        """The games that no client is using."""
        self._running: dict[str, LoadGame] = {}

    # -- the three stages ---------------------------------------------------------------------------------------------

    def make(self) -> None:
        self.making = Tally()
        self._each(self.making, self.stopped, self._made_one)
        self.making.end()

    def play(self) -> None:
        """Play for the planned time or number of commands, or until it is stopped."""
        self.playing, self.pace = Tally(), Pace(self._plan.rate)
        bell = threading.Timer(self._plan.seconds, self.stopped.set)
        bell.daemon = True
        watchers = [Watcher(self._plan.url, self._any, self.playing) for _ in range(self._plan.streams)]
        for watcher in watchers:
            watcher.thread.start()
        bell.start()
        try:
            self._each(self.playing, self.stopped, self._played_one)
        finally:
            bell.cancel()
            self.playing.end()
            for watcher in watchers:
                watcher.stop()

    def clear(self, *, keep: bool) -> None:
        """End the games that still run, unless they are kept, and check those that have not been checked."""
        self.ending, never = Tally(), threading.Event()
        self._each(self.ending, never, self._looked_through_one if keep else self._cleared_one)
        self.ending.end()

    def _each(self, tally: Tally, stopped: threading.Event, act: Callable[[Line], bool]) -> None:
        failures: list[BaseException] = []

        def client() -> None:
            line = Line(self._plan.url, tally, stopped)
            try:
                while not stopped.is_set() and not failures and act(line):
                    pass
            except BaseException as error:  # noqa: BLE001 - it is raised below, in the thread that can tell it
                failures.append(error)
            finally:
                line.close()

        threads = [threading.Thread(target=client, daemon=True) for _ in range(self._plan.clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():  # in steps, so that Ctrl-C works
                thread.join(0.2)
        if failures:
            raise failures[0]

    # -- what a client does at a time ---------------------------------------------------------------------------------

    def _made_one(self, line: Line) -> bool:
        with self._lock:
            number = self.made
            if number >= self._plan.games:
                return False
            self.made += 1
        self._open(line, number)
        return True

    def _open(self, line: Line, number: int) -> None:
        kind = number % len(self._plan.kinds)
        count = self._seats[kind]
        players = [self._accounts[(number + place) % len(self._accounts)] for place in range(count)]
        try:
            game = opened(line, self._plan.kinds[kind], players)
        except (Trouble, ApiError) as error:
            self._failed(line, error)
            _pause(self.stopped)
            return
        with self._lock:
            self._running[game.id] = game
            self._games.append(game)

    def _played_one(self, line: Line) -> bool:
        game = self._take()
        if game is None:
            _pause(self.stopped)
            return True
        self.pace.wait(self.stopped)
        if self.stopped.is_set():
            self._games.append(game)
            return False
        try:
            if step(line, game, BOTS[self._plan.bot](), wait=self._plan.wait):
                self._count()
            elif not game.over:
                self.stopped.wait(IDLE)
        except (Trouble, ApiError) as error:
            self._failed(line, error)
            _pause(self.stopped)
        if not game.over:
            self._games.append(game)
            return True
        self._look_through(line, game)
        with self._lock:
            self.over += 1
            number = self.made
            self.made += 1
        self._open(line, number)
        return True

    def _count(self) -> None:
        with self._lock:
            self.sent += 1
        if self._plan.commands and self.sent >= self._plan.commands:
            self.stopped.set()

    def _cleared_one(self, line: Line) -> bool:
        game = self._take()
        if game is None:
            return False
        try:
            end(line, game)
        except (Trouble, ApiError) as error:
            self._failed(line, error)
        self._look_through(line, game)
        return True

    def _looked_through_one(self, line: Line) -> bool:
        game = self._take()
        if game is not None:
            self._look_through(line, game)
        return game is not None

    def _look_through(self, line: Line, game: LoadGame) -> None:
        try:
            found = checked(line, game)
        except (Trouble, ApiError) as error:
            self._failed(line, error)
            found = Checked(unchecked=1)
        with self._lock:
            self.found += found
            self.refused += game.refused.total()
            self._running.pop(game.id, None)

    def _failed(self, line: Line, error: Trouble | ApiError) -> None:
        # `Line` has counted its own failures already.
        if isinstance(error, Trouble):
            line.tally.failed(str(error))
        elif error.code in (NO_JSON, WRONG_SHAPE):
            line.tally.failed(error.code)

    def _take(self) -> LoadGame | None:
        try:
            return self._games.popleft()
        except IndexError:
            return None

    def _any(self) -> LoadGame | None:
        with self._lock:
            running = list(self._running.values())
        return random.choice(running) if running else None


def _pause(stopped: threading.Event) -> None:
    """Wait after a failure, to avoid a busy loop."""
    stopped.wait(0.2)
