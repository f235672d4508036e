"""Workers that are killed while a game goes over to other rules: it does so once, and the log is right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from domain import RELEASE as PRESENT
from service.audit.auditor import audit
from service.process.frozen import shelf
from tests.releases.before import RELEASE
from tests.releases.test_upgrading import TOO_MUCH, YES, ended, propose, said
from tests.workers.crew import ROOT

FEW = 5


@pytest.fixture
def store(redis_store):
    """The real one: what is killed here is killed in the middle of speaking to it."""
    return redis_store


@pytest.fixture
def waiting(nim, kept):
    """Makes a game in which the last voice waits, and a turn behind it that only the older rules would allow."""

    def made():
        game = nim.start(table={"votes": "on"})
        nim.settle(old=True)
        nim.turn(game, *TOO_MUCH, old=True)
        assert (RELEASE, False) == said(nim, game, 1, propose())
        nim.say(game, 2, YES)
        nim.take(game, 2, 9)
        return game

    return made


def settled(redis_url, folder, at):
    """A worker settles all that waits, and is killed at this line; how many lines there were if it was not."""
    command = [sys.executable, "-m", "tests.releases.mortal_upgrader", redis_url, str(folder), str(at)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, -9), done.stderr
    return int(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def goes_over_once(nim, game, folder):
    nim.store.log.release(game)  # nobody waits here until the lease of the dead has lapsed
    nim.settle()
    commits = list(nim.store.log.commits(game))
    assert [RELEASE] * 4 + [PRESENT] == [each.release for each in commits]
    assert [4] == [each.seq for each in commits if b'"rules_upgraded"' in each.body]
    assert (PRESENT, True) == nim.newest(game)
    assert {} == nim.store.log.marks()
    data = ended(nim, game)
    shelf.use(folder)
    assert () == audit(data).divergences
    shelf.use(Path("/nowhere"))
    assert [2] == [each.seq for each in audit(data).divergences]
    shelf.use(folder)


def killed_at(nim, waiting, redis_url, folder, lines):
    died = 0
    for line in lines:
        game = waiting()
        died += settled(redis_url, folder, line) is None
        goes_over_once(nim, game, folder)
    return died


def test_whoever_is_killed_at_a_line_of_the_takeover_leaves_a_game_that_goes_over_once(
    nim, waiting, redis_url, tmp_path
):
    folder, game = tmp_path / "kept", waiting()
    whole = settled(redis_url, folder, 0)
    goes_over_once(nim, game, folder)
    lines = [whole * number // (FEW + 1) for number in range(1, FEW + 1)]
    assert FEW == killed_at(nim, waiting, redis_url, folder, lines)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_at_whatever_line_it_is(nim, waiting, redis_url, tmp_path):
    folder, game = tmp_path / "kept", waiting()
    whole = settled(redis_url, folder, 0)
    goes_over_once(nim, game, folder)
    assert killed_at(nim, waiting, redis_url, folder, range(1, whole, 3)) > whole // 4
