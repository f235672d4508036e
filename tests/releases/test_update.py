"""An update from the previous release: this release starts on a data folder recorded by it (`tests.releases.record`)."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile

import pytest

from domain import RELEASE
from domain.kernel.dice import Dice
from service.audit.auditor import audit
from tests.driver import Player, Remote, play_out
from tests.releases.record import RECORDED, archive, summary
from tests.workers.test_serve import Instance

BEFORE = "0.3.0"
"""The newest release that was tagged before this one."""


@pytest.fixture(scope="module")
def updated(tmp_path_factory):
    """This release on the data of the previous one, with what that release recorded about its games."""
    instance = Instance(tmp_path_factory.mktemp("updated"), ORACLEWHEEL_RATE_REQUESTS="0")
    data = instance.folder / "data"
    with tarfile.open(archive(BEFORE)) as packed:
        packed.extractall(data, filter="data")
    data.chmod(0o700)
    recorded = json.loads((data / RECORDED).read_text())
    (data / RECORDED).unlink()
    instance.recorded = recorded["games"]
    refused = called(instance, "doctor")
    assert refused[0] == 1 and "oraclewheel migrate" in refused[1], refused
    instance.migrated = called(instance, "migrate")
    assert 0 == instance.migrated[0], instance.migrated
    assert " 0 converted." in called(instance, "migrate")[1]
    instance.start()
    site = Remote(instance.url)
    instance.players = [Player(site, *each) for each in recorded["players"]]
    yield instance
    assert 0 == instance.stop()
    assert "Traceback" not in instance.told(), instance.told()


def called(instance, *arguments):
    call = [sys.executable, "-c", "from service.cli import main; main()", *arguments]
    done = subprocess.run(
        call, cwd=instance.folder, env=instance.environ, capture_output=True, text=True, check=False, timeout=280
    )
    return done.returncode, done.stdout + done.stderr


def test_recording_is_of_the_previous_release_with_running_and_finished_games(updated):
    assert BEFORE != RELEASE
    statuses = {(told["kind"], told["status"]) for told in updated.recorded.values()}
    running = {(kind, "running") for kind in ("nim", "battalia", "fronela")}
    assert running | {("nim", "over"), ("battalia", "over")} == statuses


def test_every_game_is_read_as_it_was_left(updated):
    ash = updated.players[0]
    for told in updated.recorded.values():
        now = summary(ash, told["id"])
        # A running game continues by itself if it is a bot's turn.
        assert told == now or (told["status"], now["status"]) == ("running", "running")
        assert told["seq"] < now["seq"] or told["head"] == now["head"]
        assert ash.events(told["id"])
        assert 200 == ash.get(f"/v1/games/{told['id']}/view", want=200).status


def test_stored_commands_would_be_decided_as_they_were(updated):
    status, told = called(updated, "check-release")
    assert 0 == status, told
    assert "none diverges" in told


@pytest.mark.soak
def test_doctor_finds_nothing_wrong(updated):
    status, told = called(updated, "doctor")
    assert 0 == status, told


def test_finished_games_pass_the_audit(updated):
    for name in ("nim-over", "battalia-over"):
        told = updated.recorded[name]
        report = audit(updated.players[0].get(f"/v1/games/{told['id']}/export", want=200).body, heads=[told["head"]])
        assert report.is_ok, report.verdict


@pytest.mark.soak
def test_running_games_continue_under_this_release(updated):
    dice = Dice(b"v" * 32)
    for name in ("battalia", "fronela"):
        game = updated.recorded[name]["id"]
        moved = [player.move(game, dice, want=None) for player in updated.players for _ in range(3)]
        assert any(answer is not None and answer.status == 200 for answer in moved), name
    game = updated.recorded["nim"]["id"]
    assert "over" == play_out(updated.players, game, dice)["status"]
    export = updated.players[0].get(f"/v1/games/{game}/export", want=200).body
    assert {BEFORE, RELEASE} == {
        line["header"]["release"] for line in map(json.loads, export.splitlines()) if line["line"] == "commit"
    }
    assert audit(export).is_ok
