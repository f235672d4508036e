"""The doctor says which frozen rules lie here, and which games stay under them."""

from __future__ import annotations

import pytest

from domain import RELEASE as PRESENT
from service.cli.stores.kept_rules import SHOWN, kept_rules
from service.process.frozen import shelf
from service.store.memory.store import MemoryStore
from tests.releases.before import RELEASE, older
from tests.releases.test_upgrading import TOO_MUCH, agreed


@pytest.fixture
def store():
    """What is said does not depend on where games lie."""
    return MemoryStore()


def told(nim, games, *, quick=False):
    said, wrong = kept_rules(nim.store, games, quick=quick)
    assert () == wrong
    return list(said)


def test_games_are_told_by_how_it_stands_with_them(nim, kept):
    stays, moves = nim.begun(), nim.begun()
    nim.turn(stays, *TOO_MUCH, old=True)
    votes = nim.start(table={"votes": "on"})
    nim.settle(old=True)
    nim.turn(votes, *TOO_MUCH, old=True)
    agreed(nim, votes)
    present = nim.start()
    nim.settle()
    first, *games = told(nim, [stays, moves, present, votes])
    assert f"The rules of {RELEASE} lie here frozen, SHA-256 {older().digest}." == first
    assert [
        f"1 game: go on by the present rules with their next commit, for their players have agreed to leave those of {RELEASE} ({votes})",
        f"1 game: were decided last by the frozen rules of {RELEASE}, and go on by the present ones with their next commit ({moves})",
        f"1 game: stay under the frozen rules of {RELEASE}, since those of {PRESENT} would have decided a commit otherwise ({stays})",
    ] == games
    assert [f"3 games: were decided last by the frozen rules of {RELEASE} ({stays}, {moves}, {votes})"] == told(
        nim, [stays, moves, present, votes], quick=True
    )[1:]


def test_of_many_the_first_are_named(nim, kept):
    games = [nim.begun() for _ in range(SHOWN + 2)]
    (line,) = told(nim, games, quick=True)[1:]
    assert line.startswith(f"{SHOWN + 2} games: ")
    assert line.endswith(f"{games[SHOWN - 1]}, …)")


def test_where_no_rules_lie_nothing_is_said(nim):
    assert [] == told(nim, [nim.begun()])


def test_what_are_no_rules_is_wrong(nim, tmp_path):
    (tmp_path / "rules-0.1.0.zip").write_bytes(b"nothing")
    shelf.use(tmp_path)
    said, (wrong,) = kept_rules(nim.store, [], quick=True)
    assert ((), False) == (said, wrong.settled)
    assert "cannot be read as a file of rules" in wrong.message


def test_the_doctor_says_it_and_all_is_well(nim, kept, oraclewheel, tmp_path, redis_url, redis_store, monkeypatch):
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)
    monkeypatch.setenv("ORACLEWHEEL_RULES", str(tmp_path / "kept"))
    nim.store = redis_store
    game = nim.begun()
    nim.turn(game, *TOO_MUCH, old=True)
    _, said = oraclewheel("doctor")
    assert f"The rules of {RELEASE} lie here frozen" in said
    assert f"would have decided a commit otherwise ({game})" in said
