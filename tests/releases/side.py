"""The processes of one release on a store that another one uses too, and tables whose players speak to both."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from domain.dice import Dice
from tests.driver import Answer, Player, Remote
from tests.releases.earlier import release_of
from tests.workers.crew import _hears, eventually
from tests.workers.test_serve import CLEAN, Instance


class Heard:
    """An API, and whether it has ever said that something is wrong with itself."""

    def __init__(self, url: str) -> None:
        self._remote = Remote(url)
        self.failures: list[str] = []

    def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        answer = self._remote.call(method, url, headers, body)
        if answer.status >= 500:
            self.failures.append(f"{method} {url}: {answer.status} {answer.text[:300]}")
        return answer


class Side:
    """A release: its tree, one process of its API and its pumps, each as on a host of its own."""

    def __init__(self, tree: Path, folder: Path, url: str, pumps: int = 2) -> None:
        self.tree, self.release, self.folder = tree, release_of(tree), folder
        folder.mkdir()
        self.environ = {
            "PYTHONPATH": str(tree),
            "ORACLEWHEEL_REDIS_URL": url,
            "ORACLEWHEEL_QUEUE_URL": f"{url}?db=1",
            "ORACLEWHEEL_SIGNING_KEY": str(folder.parent / "signing.key"),
            "ORACLEWHEEL_PUMPS": str(pumps),
            "ORACLEWHEEL_LOG_LEVEL": "warning",
            "ORACLEWHEEL_RATE_REGISTRATIONS": "0",
            "ORACLEWHEEL_RATE_REQUESTS": "0",
        }
        self.instance = Instance(folder / "api", **self.environ)
        self.site = Heard(self.instance.url)
        self.pumps: list[subprocess.Popen[bytes]] = []

    def serve(self) -> None:
        """Start its API; when this returns it is ready."""
        self.instance.start("--only", "api")

    def work(self) -> None:
        """Start a worker of its."""
        data = {"ORACLEWHEEL_DATA": str(self.folder / "data")}
        with (self.folder / "pump.log").open("ab") as log:
            self.pumps.append(
                subprocess.Popen(
                    [sys.executable, "-m", "workers", "pump"],
                    cwd=self.folder,
                    env={**CLEAN, **self.environ, **data},
                    stdout=log,
                    stderr=log,
                    stdin=subprocess.DEVNULL,
                )
            )

    def rest(self, number: int = signal.SIGTERM) -> None:
        """Stop its workers; when this returns they are gone."""
        for process in self.pumps:
            eventually(lambda process=process: process.poll() is not None or _hears(process, signal.SIGTERM))
            process.send_signal(number)
        ended = [process.wait(120) for process in self.pumps]
        self.pumps.clear()
        assert number != signal.SIGTERM or set(ended) <= {0}, ended

    def leave(self) -> None:
        """Stop its API."""
        if self.instance.process is not None and self.instance.process.poll() is None:
            self.instance.stop()

    def end(self) -> None:
        for process in self.pumps:
            process.kill()
            process.wait()
        self.pumps.clear()
        self.leave()

    def command(self, *arguments: Any) -> subprocess.CompletedProcess[str]:
        """Call its command line."""
        call = [sys.executable, "-c", "from service.cli import main; main()", *map(str, arguments)]
        environ = {**CLEAN, **self.environ, "ORACLEWHEEL_DATA": str(self.folder / "data")}
        return subprocess.run(
            call, cwd=self.folder, env=environ, capture_output=True, text=True, check=False, timeout=280
        )

    def logs(self) -> str:
        told = (self.folder / name for name in ("api/out", "pump.log"))
        return "\n".join(path.read_text() for path in told if path.exists())


@dataclass
class Table:
    """A game whose players speak to one API after the other, and everything that they were told is settled."""

    players: Sequence[Player]
    game: str
    acknowledged: dict[str, int] = field(default_factory=dict)
    """The seq of each command, by its id."""
    turns: Iterator[int] = field(default_factory=count)

    @classmethod
    def set_up(cls, sites: Sequence[Heard], kind: str, seats: int, bots: Sequence[str] = (), **told: Any) -> Table:
        players = [Player.register(sites[number % len(sites)]) for number in range(seats)]
        made = players[0].make_game(kind, seats + len(bots), **told)
        for player in players[1:]:
            player.join(made["id"], made["invitation"])
        for bot in bots:
            players[0].seat_bot(made["id"], bot)
        players[0].start(made["id"])
        return cls(players, made["id"])

    def step(self, sites: Sequence[Heard], dice: Dice) -> bool:
        """Whoever is asked says something, to the API whose turn it is; whether the game still goes on."""
        site = sites[next(self.turns) % len(sites)]
        summary = self._by(0, site).summary(self.game)
        if summary["status"] == "over":
            return False
        asked = {question["seat"] for question in summary["asked"]}
        for number in range(len(self.players)):
            if number + 1 in asked:
                answer = self._by(number, site).move(self.game, dice, want=None)
                if answer is not None and answer.status in (200, 409):
                    told = answer.json
                    if answer.status == 200:
                        assert told["status"] == "settled", told
                        self.acknowledged[told["id"]] = told["seq"]
                else:
                    assert answer is None or answer.status == 202, answer.text
        return True

    def seen(self, site: Heard) -> list[Any]:
        """The view of each seat, and the head that it came with."""
        found = []
        for number in range(len(self.players)):
            answer = self._by(number, site).get(f"/v1/games/{self.game}/view", want=200)
            found.append((answer.headers["Game-Head"], answer.json))
        return found

    def _by(self, number: int, site: Heard) -> Player:
        player = self.players[number]
        return Player(site, player.token, player.id, player.name)


def agree(one: Any, other: Any) -> bool:
    """Whether whatever the one says, the other says too: what it says besides is no contradiction."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(name in other and agree(value, other[name]) for name, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(agree, one, other))
    return bool(one == other)
