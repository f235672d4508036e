"""A repair of the rules moves no game that would have gone otherwise: it stays under the frozen rules by which it was played."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain import RELEASE as PRESENT
from service.audit.auditor import audit
from service.process.frozen import shelf
from service.process.frozen.bundle import Bundle
from service.projections.positions.cache import SNAPSHOT_EVERY, Positions
from service.projections.positions.comparing import LEAST
from service.projections.positions.rows import current_rows
from tests.releases.before import RELEASE, TREE, older
from workers import frozen
from workers.advance import Advance

TOO_MUCH = (1, 9)


@pytest.mark.usefixtures("kept")
def test_a_game_that_would_have_gone_otherwise_stays_under_the_old_rules_to_its_end(nim):
    game = nim.begun()
    assert (RELEASE, False) == nim.turn(game, *TOO_MUCH, old=True)
    assert (RELEASE, True) == nim.turn(game, 2, 0), "nor did the old rules give nothing"
    assert (RELEASE, True) == nim.turn(game, 7, 1)
    assert (RELEASE, False) == nim.turn(game, 2, 9), "and each worker had just started"
    assert "over" == nim.store.lobbies.get(game).status
    assert () == audit(nim.exported(game)).divergences


@pytest.mark.usefixtures("kept")
def test_a_game_that_would_have_gone_likewise_goes_on_by_the_present_rules_and_stays_there(nim):
    game = nim.begun()
    assert (RELEASE, False) == nim.turn(game, 2, 1, old=True)
    assert (PRESENT, True) == nim.turn(game, *TOO_MUCH)
    assert (PRESENT, False) == nim.turn(game, 2, 2)
    assert (PRESENT, False) == nim.turn(game, 1, 1)
    assert () == audit(nim.exported(game)).divergences


def test_a_game_whose_rules_are_not_here_waits_until_they_are(nim, tmp_path):
    game = nim.begun()
    nim.turn(game, *TOO_MUCH, old=True)
    assert (RELEASE, False) == nim.turn(game, 2, 1), "nothing was appended"
    mark = nim.store.log.marked(game)
    assert ("needs-release", True) == (mark.code, f"release {PRESENT} would decide it otherwise" in mark.why)

    older().write(tmp_path)
    shelf.use(tmp_path)
    nim.store.log.release(game)
    nim.settle()
    assert (3, None) == (nim.store.log.head(game)[0], nim.store.log.marked(game))
    assert (RELEASE, False) == nim.turn(game, 2, 9)


def test_rules_that_cannot_be_loaded_set_a_game_aside_and_no_other(nim, tmp_path):
    files = {**older().files, "domain/nim/game.py": b"1 / 0\n"}
    game, other = nim.begun(), nim.start()
    Bundle(RELEASE, files, TREE).write(tmp_path)
    shelf.use(tmp_path)
    nim.take(game, 2, 1)
    nim.settle()
    assert {game: "needs-release"} == {each: mark.code for each, mark in nim.store.log.marks().items()}
    assert "division by zero" in nim.store.log.marked(game).why
    assert (PRESENT, False) == nim.newest(other)


@pytest.mark.usefixtures("kept")
def test_a_long_game_goes_on_by_its_old_rules_until_all_of_it_was_looked_at(nim, monkeypatch):
    monkeypatch.setattr(frozen, "SECONDS", 0.0)  # a few commits at a time
    game = nim.begun()
    for _ in range(3 * LEAST):
        nim.take(game, 2, 0)
    nim.settle(old=True)
    worker, found = Advance.in_process(nim.store), []
    for _ in range(6):
        nim.take(game, 2, 0)
        nim.settle(worker)
        found.append(nim.newest(game)[0])
    assert RELEASE == found[0]
    assert sorted(found) == found, "and never back"
    assert PRESENT == found[-1]


@pytest.mark.usefixtures("kept")
def test_workers_of_two_releases_on_one_store_come_to_the_same_log_whoever_is_first(nim):
    alike, otherwise = nim.begun(), nim.begun()
    found = []
    for number in range(4):
        found += [nim.turn(alike, 2, 0, old=number % 2 == 0)[0]]
        nim.turn(otherwise, 1, 9 if number == 0 else 0, old=number % 2 == 0)
    assert [RELEASE, PRESENT] * 2 == found
    assert {RELEASE} == {commit.release for commit in nim.store.log.commits(otherwise)}
    assert {} == nim.store.log.marks()


@pytest.mark.usefixtures("kept")
def test_a_worker_that_knows_a_game_by_its_old_rules_finds_that_another_has_gone_on(nim, monkeypatch):
    game = nim.begun()
    nim.turn(game, 2, 0, old=True)
    slow = Advance.in_process(nim.store)
    with monkeypatch.context() as patched:
        patched.setattr(frozen.Frozen, "left_by", lambda *_: None)  # it has not looked at all commits yet
        nim.take(game, 2, 0)
        nim.settle(slow)
    assert (RELEASE, True) == nim.newest(game)
    assert (PRESENT, False) == nim.turn(game, 2, 1)
    nim.take(game, *TOO_MUCH)
    nim.settle(slow)
    assert (PRESENT, True) == nim.newest(game)
    assert {} == nim.store.log.marks()


@pytest.mark.usefixtures("kept")
def test_readers_see_the_rules_that_a_game_goes_on_by(nim):
    otherwise, alike = nim.begun(), nim.begun()
    nim.turn(otherwise, *TOO_MUCH, old=True)
    nim.turn(alike, 2, 1, old=True)
    readers = Positions(nim.store)
    assert [RELEASE, RELEASE] == [readers.started(game)[0].rules.release for game in (otherwise, alike)]
    nim.turn(otherwise, 2, 1)
    nim.turn(alike, 2, 1)
    assert [RELEASE, PRESENT] == [readers.started(game)[0].rules.release for game in (otherwise, alike)]
    for game in (otherwise, alike):
        rows = nim.store.log.rows(game)
        nim.store.log.rewrite(game, replace(rows, release="0.0.0", public=b"{}"))
        assert rows.asked == current_rows(nim.store, Positions(nim.store), game).asked


@pytest.mark.usefixtures("kept")
def test_snapshots_are_of_the_present_rules_and_frozen_ones_neither_write_nor_read_them(nim, monkeypatch):
    game, appended, append = nim.begun(), [], nim.store.log.append
    nim.turn(game, *TOO_MUCH, old=True)
    monkeypatch.setattr(nim.store.log, "append", lambda each: appended.extend(each) or append(each))
    for _ in range(SNAPSHOT_EVERY + 4):
        nim.take(game, 2, 0)
    nim.settle()
    assert (SNAPSHOT_EVERY + 4, {None}) == (len(appended), {each.snapshot for each in appended})

    moved = nim.begun()
    for _ in range(SNAPSHOT_EVERY + 4):
        nim.take(moved, 2, 0)
    nim.settle()
    assert nim.store.log.snapshot(moved) is not None
    assert (RELEASE, False) == nim.turn(moved, *TOO_MUCH, old=True), "another worker knew nothing of the move"
    monkeypatch.setattr(nim.store.log, "snapshot", None)
    facts, cached = Positions(nim.store).started(moved)
    assert (RELEASE, (0, 3)) == (facts.rules.release, cached.position.state.heaps)
    assert type(cached.position.state) is facts.rules.state
