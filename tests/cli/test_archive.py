"""The archive from the command line: moving games, and the doctor's checks of store and archive."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from domain.registry import GAMES
from service.cli import main
from service.features.archive.mover import move, sweep
from service.store.redis.store import open_store
from service.store.shared import archive_object
from tests.pennies import PENNIES
from tests.soaking import soak
from tests.workers.test_archive import RECORDINGS, brought, exported


@pytest.fixture
def run(redis_url, workers_run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)
    monkeypatch.setenv("ORACLEWHEEL_ARCHIVE", f"file://{tmp_path}/archive")
    return lambda *arguments: CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.fixture
def store(redis_url, run, tmp_path):
    store = open_store(redis_url, archive=f"file://{tmp_path}/archive")
    yield store
    store.close()


@pytest.fixture
def games(store):
    return dict(brought(store, file) for file in RECORDINGS[:3])


def put_away(store, games):
    for game in games:
        assert "moved" == move(store, game).word
        store.archive.forget(game)


def place(name, tmp_path):
    return tmp_path / "archive" / name.hex()[:2] / f"{name.hex()}.zst"


def test_archive_command_moves_games_and_reports_those_not_moved(run, store, games):
    first = next(iter(games))
    told = run("archive", "--game", first)
    assert 0 == told.exit_code and "1 games were moved" in told.output
    told = run("archive", "--game", first, "--game", "nothing")
    assert 1 == told.exit_code
    assert (
        f"{first} was not moved: it is already in the archive." in told.output
        and "there is no such game" in told.output
    )
    assert "2 games were moved" in run("archive", "--after", "0").output
    assert set(games) == {game for game, _ in store.archive.index()}


def test_archive_command_fails_while_another_process_moves_games(run, store, games):
    assert store.schedule.lock("archive", 60_000)
    told = run("archive", "--after", "0")
    assert (1, True) == (told.exit_code, "No game was moved: another process moves games" in told.output), told.output


@pytest.mark.soak
def test_unreadable_games_are_reported_one_by_one(run, store, games):
    for game in games:
        store.wire.one("SET", store.keys.notes(game, "words"), "something else")
    told = run("archive", "--after", "0")
    assert 1 == told.exit_code, told.output
    assert all(f"{game} was not moved: it cannot be looked at: WRONGTYPE" in told.output for game in games)


def test_archive_command_without_an_archive_is_an_error(run, monkeypatch):
    monkeypatch.delenv("ORACLEWHEEL_ARCHIVE")
    told = run("archive")
    assert 1 == told.exit_code and "ORACLEWHEEL_ARCHIVE is empty" in told.output


@pytest.mark.soak
def test_doctor_finds_no_problems_in_an_intact_archive(run, store, games):
    put_away(store, games)
    for arguments in (["doctor"], ["doctor", "--quick"], ["doctor", "--repair"]):
        assert "No problems found." in run(*arguments).output
    assert games.keys() == {lobby.id for lobby in store.lobbies.page()[0]}, "and nothing was repaired away"


@pytest.mark.parametrize("harm", ["damaged", *soak("gone", "another's")])
def test_doctor_reports_a_damaged_archive_object_and_does_not_repair_it(run, store, games, harm, tmp_path):
    put_away(store, games)
    (game, name), (_, other), *_ = store.archive.index()
    match harm:
        case "gone":
            place(name, tmp_path).unlink()
        case "damaged":
            place(name, tmp_path).write_bytes(place(other, tmp_path).read_bytes())
        case _:
            store.wire.one("HSET", store.keys.partition(game).archive, game, other)
            place(name, tmp_path).unlink()
    for arguments in (["doctor"], ["doctor", "--repair"]):
        told = run(*arguments)
        assert 1 == told.exit_code and f"of {game}" in told.output and "backup of the archive" in told.output
    assert game in dict(store.archive.index())
    if harm == "gone":
        assert f"of {game} is missing" in run("doctor", "--quick").output


@pytest.mark.soak
def test_doctor_reports_an_archive_that_is_unset_or_unavailable(run, store, games, monkeypatch, tmp_path):
    put_away(store, games)
    monkeypatch.setenv("ORACLEWHEEL_ARCHIVE", f"file://{tmp_path}/archive/{'x' * 300}")
    told = run("doctor")
    assert 1 == told.exit_code and "does not answer" in told.output
    monkeypatch.delenv("ORACLEWHEEL_ARCHIVE")
    told = run("doctor")
    assert 1 == told.exit_code and "3 games are in an archive" in told.output


@pytest.mark.soak
def test_doctor_removes_unneeded_objects_and_indexes_missing_ones(run, store, games, tmp_path):
    first, second, third = games
    held = store.archive.look(first).held
    spare = archive_object.written(first, held, games[first])
    store.archive.put(archive_object.name_of(spare), archive_object.packed(spare))
    put_away(store, [second])
    again = archive_object.written(
        second,
        archive_object.held_in(
            archive_object.unpacked(
                second, dict(store.archive.index())[second], store.archive.get(dict(store.archive.index())[second])
            )
        ),
        games[second],
    )
    store.archive.put(archive_object.name_of(again), archive_object.packed(again))
    put_away(store, [third])
    store.wire.one("HDEL", store.keys.partition(third).archive, third)
    for name in store.wire.one("KEYS", "*}games:*"):
        store.wire.one("ZREM", name, third)

    told = run("doctor")
    assert 1 == told.exit_code
    assert (
        f"of {first} is not in the index and not needed" in told.output
        and f"of {second} is not in the index and not needed" in told.output
    )
    assert f"{third} is in the archive, but not in the index of the store" in told.output
    assert 4 == len(list(store.archive.names()))
    run("doctor", "--repair")
    run("doctor", "--repair")
    assert "No problems found." in run("doctor").output
    assert {second, third} == {game for game, _ in store.archive.index()} and 2 == len(list(store.archive.names()))
    assert set(games) == {lobby.id for lobby in store.lobbies.page()[0]}
    for game, export in games.items():
        assert export == exported(store, game)


@pytest.mark.soak
def test_game_in_both_store_and_archive_stays_in_the_store(run, store, games):
    game = next(iter(games))
    put_away(store, [game])
    assert store.lobbies.get(game) is not None
    names = store.keys.game(game)
    store.wire.one("HDEL", names.meta, "archived")
    for name in store.keys.whole(game):
        store.wire.one("PERSIST", name)
    assert f"{game} is in the store and in the archive" in run("doctor").output
    run("doctor", "--repair")
    assert {} == dict(store.archive.index()) and 1 == sweep(store)
    assert "No problems found." in run("doctor").output
    assert games[game] == exported(store, game)


@pytest.mark.soak
def test_doctor_repairs_lists_that_lack_archived_games(run, store, games):
    put_away(store, games)
    for name in store.wire.one("KEYS", "*}games:*"):
        store.wire.one("DEL", name)
    assert "lists" in run("doctor").output
    run("doctor", "--repair")
    assert "No problems found." in run("doctor").output
    assert set(games) == {lobby.id for lobby in store.lobbies.page()[0]}


@pytest.mark.soak
def test_archive_object_can_be_audited_without_the_service(store, games, run, tmp_path):
    put_away(store, games)
    for game, name in store.archive.index():
        content = archive_object.unpacked(game, name, place(name, tmp_path).read_bytes())
        Path("game.ndjson").write_bytes(b"".join(content.splitlines(keepends=True)[2:]))
        assert 0 == run("audit", "game.ndjson").exit_code
