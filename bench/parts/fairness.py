"""Effects of one account on others: commands and search bots' moves while another account runs bot games."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from typing import Self

from bench.load.instance import Instance
from bench.load.raw import Connection, call, request
from bench.load.sparring import Sparring, register
from bench.measure import Row, Sample

QUIET, BUSY = 5.0, 10.0
"""Seconds without and with the other account's games."""
PAUSE = 0.02
"""Seconds between two commands of the players."""
GREEDY, SEARCHING = 20, 6
"""Games that the other account runs at a time: of fallback bots, and of search bots."""
THOUGHT = 1.0
"""Seconds that the player thinks before a move."""
MOVES = 10
"""Moves of a search bot that are timed in each half."""
COMMANDS = Row("a player's command while another account runs bot games, against quiet", 2.0, "times", at_least=False)
SEARCH = Row(
    "a move of a search bot while another account runs search bots, against quiet", 2.0, "times", at_least=False
)


def measure() -> Iterator[Sample]:
    """Both rows once, each half quiet and half busy in one instance."""
    with Instance(ORACLEWHEEL_API_WORKERS="1", ORACLEWHEEL_RUNNING_BOT_GAMES="0") as instance:
        yield commands(instance)
    with Instance(ORACLEWHEEL_API_WORKERS="1", ORACLEWHEEL_RUNNING_BOT_GAMES="0") as instance:
        yield _searches(instance)


def commands(instance: Instance) -> Sample:
    """A player's commands without and with the games of another account."""
    sparring = Sparring(instance.address, 1)
    _timed(sparring.act, 2.0)
    quiet = _timed(sparring.act, QUIET)
    with BotGames(instance, "greedy", GREEDY) as bot_games:
        time.sleep(1)
        busy = _timed(sparring.act, BUSY)
    detail = f"{_told(busy)} against {_told(quiet)}; {bot_games.begun} games of bots were started"
    return COMMANDS.got(statistics.median(busy) / statistics.median(quiet), detail)


def _searches(instance: Instance) -> Sample:
    table = Solo(instance)
    table.act()
    quiet = _moves(table)
    with BotGames(instance, "search:3", SEARCHING) as bot_games:
        time.sleep(5)
        busy = _moves(table)
    detail = f"{_told(busy)} against {_told(quiet)}; {bot_games.begun} games of bots were started"
    return SEARCH.got(statistics.median(busy) / statistics.median(quiet), detail)


class BotGames:
    """An account that keeps so many games of bots running for the duration of the ``with`` block."""

    def __init__(self, instance: Instance, bot: str, games: int) -> None:
        self._connection, self._bot, self._most = Connection(*instance.address), bot, games
        self._token = register(self._connection, "Crowd")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.begun = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        running: list[str] = []
        while not self._ended.is_set():
            running = [game for game in running if self._call("GET", f"/v1/games/{game}")["status"] != "over"]
            while len(running) < self._most and not self._ended.is_set():
                game = self._call("POST", "/v1/games", {"kind": "battalia", "seats": 2})["id"]
                self._call("DELETE", f"/v1/games/{game}/seats/1")
                for _ in range(2):
                    self._call("POST", f"/v1/games/{game}/seats", {"bot": self._bot})
                self._call("POST", f"/v1/games/{game}/start")
                running.append(game)
                self.begun += 1
            self._ended.wait(0.5)

    def _call(self, method: str, path: str, body: object = None) -> dict:
        while True:
            try:
                return call(self._connection, method, path, self._token, body)
            except RuntimeError as error:
                if "too-many" not in str(error) or self._ended.wait(0.2):
                    raise


class Solo:
    """A player against a search bot."""

    def __init__(self, instance: Instance) -> None:
        self._connection = Connection(*instance.address)
        self._token = register(self._connection, "Solo")
        self._begin()

    def _begin(self) -> None:
        self._game = self._call("POST", "/v1/games", {"kind": "battalia", "seats": 2})["id"]
        self._call("POST", f"/v1/games/{self._game}/seats", {"bot": "search:1"})
        self._call("POST", f"/v1/games/{self._game}/start")
        self._end_turn = request(
            "POST", f"/v1/games/{self._game}/commands", self._token, {"type": "end_turn"}, Prefer="wait=10"
        )
        self._await()

    def act(self) -> None:
        """End the turn, and wait until the bot has ended its own."""
        status, _, body = self._connection.send(self._end_turn)
        if status != 200:
            raise RuntimeError(f"{status} {body[:300]!r}")
        self._await()

    def _await(self) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            game = self._call("GET", f"/v1/games/{self._game}")
            if game["status"] == "over":
                return self._begin()
            if any(asked["seat"] == 1 for asked in game["pending_questions"]):
                return None
            time.sleep(0.01)
        raise RuntimeError("the bot did not move")

    def _call(self, method: str, path: str, body: object = None) -> dict:
        return call(self._connection, method, path, self._token, body)


def _moves(table: Solo) -> list[float]:
    found = []
    for _ in range(MOVES):
        time.sleep(THOUGHT)
        found.append(_seconds(table.act))
    return found


def _timed(act: Callable[[], object], seconds: float) -> list[float]:
    found, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        found.append(_seconds(act))
        time.sleep(PAUSE)
    return found


def _seconds(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def _told(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    late = ordered[int(0.95 * (len(ordered) - 1))]
    return f"{1000 * statistics.median(ordered):.1f} ms (95 %: {1000 * late:.1f} ms)"
