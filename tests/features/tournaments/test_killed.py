"""A tournament whose job, follower or requests are killed at any line has every round and every game exactly once."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import replace

import pytest

from domain.kernel.dice import Dice
from domain.kernel.terms import GameId
from service.core import game_start
from service.features.tournaments.follower import TournamentFollower
from service.features.tournaments.storage import GAME_FIELD, read_tournament
from service.ops.settings import Settings
from service.store.ports.errors import StoreDown
from service.store.ports.lobbies import Lobby
from tests.driver import play_out

WATCHED = ("tournaments/running.py", "tournaments/storage.py", "core/game_start.py")
STEP = 9
"""Lines between two kills. With 1 the test takes minutes."""


class Killed(BaseException):
    """The process is killed."""


@contextmanager
def killed_at(line):
    """Stop at this line of the watched files (0: never). Yields a list with the number of lines that were executed."""
    lines = [0]

    def each(frame, event, _):
        if not frame.f_code.co_filename.endswith(WATCHED):
            return None
        if event == "line":
            lines[0] += 1
            if lines[0] == line:
                raise Killed
        return each

    sys.settrace(each)
    try:
        yield lines
    finally:
        sys.settrace(None)


def advance(arena, line):
    """Run the job, killed at a line; returns whether it was."""
    with killed_at(line) as lines:
        try:
            arena.runner.advance_all()
        except Killed:
            return lines[0]
    return 0


def require_complete(arena, id_, rounds):
    """Every round is there once, and each of its games, started and with its players."""
    document = arena.read(id_)
    assert rounds == document["round"]
    games = [table["game"] for each in document["rounds"] for table in each["tables"]]
    assert len(set(games)) == len(games) == 2 * rounds
    assert set(games) == {GameId(game) for game in arena.store.lobbies.every()}
    for game in games:
        lobby = arena.store.lobbies.get(game)
        assert isinstance(lobby, Lobby)
        assert "lobby" != lobby.status
        assert id_.encode() == arena.store.wire.one("HGET", arena.store.keys.game(game).meta, GAME_FIELD)


def prepared(arena):
    id_ = arena.create()["id"]
    arena.enter(id_, "Ash", "Birk", "Cleo", "Dora")
    arena.organizer.post(f"/v1/tournaments/{id_}/start", {}, want=200)
    return id_


def test_a_job_killed_at_any_line_neither_loses_nor_repeats_a_round(arena):
    line, kills = 1, 0
    while True:
        id_ = prepared(arena)
        was_killed = advance(arena, line)
        kills += bool(was_killed)
        arena.runner.advance_all()

        require_complete(arena, id_, 1)
        if not was_killed:
            break
        arena.organizer.call("DELETE", f"/v1/tournaments/{id_}", want=200)
        for game in list(arena.store.lobbies.every()):
            arena.store.wire.one("DEL", arena.store.keys.game(game).meta)
        line += STEP
    assert kills > 10


def test_the_next_round_is_begun_once_after_kills(arena):
    id_ = prepared(arena)
    arena.runner.advance_all()
    arena.play(id_)
    line = 1
    while advance(arena, line):
        line += STEP
    arena.runner.advance_all()

    require_complete(arena, id_, 2)


def test_two_jobs_at_the_same_time_begin_a_round_once(arena, monkeypatch):
    id_ = prepared(arena)
    store_type = type(arena.store.lobbies)
    create, inner = store_type.create, []

    def create_while_another_runs(self, lobby, seed):
        if not inner:
            inner.append(1)
            arena.runner.advance_all()
        create(self, lobby, seed)

    monkeypatch.setattr(store_type, "create", create_while_another_runs)
    arena.runner.advance_all()

    require_complete(arena, id_, 1)


def test_results_are_found_without_the_follower(arena, monkeypatch):
    monkeypatch.setattr(TournamentFollower, "follow", lambda *_: None)
    id_ = prepared(arena)
    arena.runner.advance_all()
    arena.play(id_)
    assert [None, None] == [table["ranks"] for table in arena.read(id_)["rounds"][0]["tables"]]

    arena.runner.advance_all()

    assert all(table["ranks"] for table in arena.read(id_)["rounds"][0]["tables"])
    require_complete(arena, id_, 2)


def test_a_result_is_stored_once(arena):
    id_ = prepared(arena)
    arena.runner.advance_all()
    arena.play(id_)
    before = read_tournament(arena.store, id_).results

    assert 2 == len(before)
    arena.runner._read_results(read_tournament(arena.store, id_).now)
    for game in before:
        arena.world.worker.follow([arena.store.schedule.partition(game)])
    assert before == read_tournament(arena.store, id_).results


def test_a_game_that_its_organizer_deletes_before_the_start_is_created_again(arena, monkeypatch):
    id_ = prepared(arena)
    start = type(arena.store.lobbies).start
    deleted = []

    def start_after_deletion(self, game, creator, submission):
        if not deleted:
            deleted.append(game)
            self.delete(game, creator)
        return start(self, game, creator, submission)

    monkeypatch.setattr(type(arena.store.lobbies), "start", start_after_deletion)
    arena.runner.advance_all()
    arena.runner.advance_all()

    require_complete(arena, id_, 1)


def test_games_above_the_limit_of_the_organizer_are_started_later(arena, monkeypatch):
    monkeypatch.setattr(game_start, "NEW_GAME_SECONDS", 0)  # a place may be freed at once
    id_ = prepared(arena)
    limited = replace(arena.runner, settings=Settings(running_games=1))
    limited.advance_all()
    started = [arena.store.lobbies.get(table["game"]) for table in arena.read(id_)["rounds"][0]["tables"]]
    assert ["running", "lobby"] == [each.status for each in started]

    players = list(arena.players.values())
    play_out(players, started[0].id, Dice(b"x" * 32))
    limited.advance_all()

    assert "running" == arena.store.lobbies.get(started[1].id).status
    require_complete(arena, id_, 1)


def test_a_failure_of_one_tournament_does_not_stop_the_others(arena, monkeypatch):
    broken, sound = prepared(arena), prepared(arena)
    advance_one = type(arena.runner).advance

    def fails(self, id_):
        if id_ == broken:
            raise RuntimeError("broken")
        advance_one(self, id_)

    monkeypatch.setattr(type(arena.runner), "advance", fails)
    arena.runner.advance_all()

    assert (0, 1) == (arena.read(broken)["round"], arena.read(sound)["round"])


def test_a_store_that_does_not_answer_ends_the_job(arena, monkeypatch):
    prepared(arena)
    asked = []

    def fails(_self, id_):
        asked.append(id_)
        raise StoreDown("away")

    prepared(arena)
    monkeypatch.setattr(type(arena.runner), "advance", fails)
    with pytest.raises(StoreDown):
        arena.runner.advance_all()

    assert 1 == len(asked)


@pytest.mark.parametrize("state", ["registration", "running"])
def test_a_registration_during_a_change_is_not_lost(arena, monkeypatch, state):
    """Another process changes the tournament between reading and writing."""
    from service.features.tournaments import storage

    id_ = arena.create(late_rounds=2)["id"]
    arena.enter(id_, "Ash", "Birk")
    if state == "running":
        arena.organizer.post(f"/v1/tournaments/{id_}/start", {}, want=200)
    cleo, dora = arena.world.player("Cleo"), arena.world.player("Dora")
    change, inner = storage.change_tournament, []

    def change_while_another_registers(store, found, changed):
        if not inner:
            inner.append(1)
            dora.post(f"/v1/tournaments/{id_}/entries", {}, want=201)
        return change(store, found, changed)

    monkeypatch.setattr(storage, "change_tournament", change_while_another_registers)
    cleo.post(f"/v1/tournaments/{id_}/entries", {}, want=201)

    entered = [each["player"]["name"] for each in arena.read(id_)["entries"]]
    assert ["Ash", "Birk", "Dora", "Cleo"] == entered
