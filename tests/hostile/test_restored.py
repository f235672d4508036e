"""Play, back up, play, restore: every kind of client with newer data detects the rollback, and play continues."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from domain.kernel.dice import Dice
from domain.kernel.options import from_json, pick
from service.cli.commands.witness import Refused, Witness
from service.cli.published import BadLog, Source, Unreachable
from service.cli.terminal.client import TerminalClient
from service.cli.terminal.seated import Seated
from tests.driver import Player, Remote
from tests.notifications.receiver import Receiver
from tests.workers.test_serve import Instance

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

LONG = 240
TOLD = {
    "ORACLEWHEEL_SETTLE_WORKERS": "1",
    "ORACLEWHEEL_SIDE_WORKERS": "1",
    "ORACLEWHEEL_LOG_SECONDS": "1",
    "ORACLEWHEEL_WEBHOOK_NETWORKS": "127.0.0.0/8",
    "ORACLEWHEEL_WEBHOOK_RETRIES": "1,1,1,5,5",
    "ORACLEWHEEL_RATE_REQUESTS": "0",
}


def eventually(look):
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        if found := look():
            return found
        time.sleep(0.1)
    raise AssertionError("it has not come to pass")


def command(instance, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", "from service.cli import main; main()", *map(str, arguments)],
        check=False,
        env=instance.environ,
        cwd=instance.folder,
        capture_output=True,
        text=True,
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout


class Table:
    """A game of Nim on a running service, with all its clients."""

    def __init__(self, instance, receiver, folder):
        self.instance, self.receiver = instance, receiver
        self.players = [Player.register(Remote(instance.url), name) for name in ("Ash", "Birk")]
        made = self.players[0].make_game("nim", 2, options={"heaps": 5}, visibility="public")
        self.game = made["id"]
        self.players[1].join(self.game, made["invitation"])
        self.players[0].start(self.game)
        self.players[0].post(
            "/v1/webhooks", {"url": receiver.url("/hook"), "events": ["commit"], "game": self.game}, want=201
        )
        self.seated = Seated(TerminalClient(instance.url, self.players[0].token), self.game, None)
        self.seated.kind = "nim"
        self.witness = Witness(folder, "w.example.org")
        self.dice = Dice(b"r" * 32)

    def move(self):
        """The player to move takes one object, the smallest possible move."""
        (asked,) = self.players[0].get(f"/v1/games/{self.game}", want=200).json["pending_questions"]
        player = self.players[asked["seat"] - 1]
        offered = [from_json(each) for each in player.options(self.game)["options"]]
        told = {**pick(offered, self.dice), "objects": 1}
        return player.send(self.game, told, want=200)

    def head(self):
        return self.players[0].get(f"/v1/games/{self.game}/view", want=200).headers["Game-Head"]

    def looked(self):
        """Cosign and return the newest checkpoint, or None before the first one."""
        try:
            return self.witness.look(Source(self.instance.url), int(time.time()))
        except (BadLog, Unreachable):
            return None

    def received(self):
        with self.receiver.guard:
            return [(got.json["data"]["seq"], got.json["data"]["entry"]["head"]) for got in self.receiver.got["/hook"]]


@contextmanager
def running(folder, receiver, port=None):
    instance = Instance(folder, ORACLEWHEEL_WEBHOOK_PORTS=str(receiver.port), **TOLD)
    if port is not None:
        instance.port, instance.url = port, f"http://127.0.0.1:{port}"
        instance.environ["ORACLEWHEEL_PORT"] = str(port)
    instance.patience = LONG
    try:
        yield instance
    finally:
        if instance.process is not None and instance.process.poll() is None:
            instance.stop()


def test_every_client_newer_than_the_backup_detects_it_and_play_continues(tmp_path, capsys):
    receiver = Receiver()
    with running(tmp_path / "one", receiver) as one, running(tmp_path / "other", receiver, one.port) as other:
        one.start()
        table = Table(one, receiver, tmp_path / "witness")
        ash = table.players[0]
        for _ in range(3):
            table.move()
        first = eventually(table.looked)
        assert "1 games" in command(one, "backup", tmp_path / "b")
        assert "every chain verified" in command(one, "backup", "--verify", tmp_path / "b")

        for _ in range(4):
            table.move()
        known = table.head()
        seq = int(known.split()[0])
        view = ash.get(f"/v1/games/{table.game}/view", want=200)
        table.seated._show(table.seated.client.game(table.game))
        eventually(lambda: seq in dict(table.received()))
        before = dict(table.received())
        assert eventually(lambda: (seen := table.looked()) and seen.size > first.size and seen)
        capsys.readouterr()

        assert 0 == one.stop()
        command(other, "restore", tmp_path / "b")
        other.start()
        went_back = ash.get(f"/v1/games/{table.game}/view", headers={"If-None-Match": view.headers["ETag"]})
        assert (409, "log-diverged") == (went_back.status, went_back.code)
        assert seq > went_back.json["server"]["seq"]
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(seq), **ash._auth()}
        with ash.site.chunks(f"/v1/games/{table.game}/events", headers) as chunks:
            assert b"event: log-diverged\n" in b"".join(itertools.islice(chunks, 3))
        table.seated._show(table.seated.client.game(table.game))
        assert "The game was restored from an older copy" in capsys.readouterr().out

        while int(table.head().split()[0]) <= seq:
            table.move()
        assert "log-diverged" == ash.get(f"/v1/games/{table.game}/view", headers={"Game-Head": known}).code
        eventually(lambda: any(before.get(at, head) != head for at, head in table.received()))
        with pytest.raises(Refused):
            eventually(lambda: table.looked() and None)
        assert (tmp_path / "witness" / "rewritten").exists()
        assert 0 == other.stop()
    receiver.close()
