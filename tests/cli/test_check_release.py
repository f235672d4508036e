"""`check-release` gives the same result in the same order with one process and with several."""

import os

import pytest
from click.testing import CliRunner

from domain.kernel.game.rules import Setup
from service.audit.auditor import audit
from service.cli.checking.tally import shared_out
from service.cli.commands import check_release
from service.cli.commands.check_release import CheckedGame, checked
from service.cli.commands.imports import imported
from service.store.redis.keys import Keys
from tests.audit.games import CONTROLLERS
from tests.pennies import PENNIES
from tools.simulation.selfplay import SelfPlay

GAMES = [f"g{number}" for number in range(6)]


@pytest.fixture
def games(redis_store, redis_url, monkeypatch, tmp_path):
    """A server with six games, one of which lacks a commit."""
    for number, game_id in enumerate(GAMES):
        game = SelfPlay(PENNIES, Setup(len(CONTROLLERS), "", {"points": 2}), CONTROLLERS, bytes([number]) * 32, game_id)
        game.run()
        data = game.export()
        list(imported(redis_store, data, audit(data)))
    gone = Keys().game("g3").commits
    redis_store.log._wire.all([("XDEL", gone, "2-1"), ("XDEL", gone, "2-0")])
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path))
    return redis_store


def in_processes(store, games, kind, jobs):
    return shared_out(games, lambda game_id: tuple(checked(store, [game_id], kind)), jobs)


def test_several_processes_find_the_same_as_one_in_the_same_order(games):
    ids = [*GAMES, "nobody"]
    alone = [tuple(checked(games, [game_id])) for game_id in ids]

    assert [True, True, True, False, True, True] == [each.divergence is None for (each,) in alone[:-1]]
    assert () == alone[-1]
    assert alone == list(in_processes(games, ids, None, 1))
    assert alone == list(in_processes(games, ids, None, 3))
    assert [()] * 7 == list(in_processes(games, ids, "battalia", 3))


def test_output_does_not_depend_on_the_number_of_processes(games, oraclewheel, monkeypatch):
    monkeypatch.setattr(check_release, "AuditProgress", lambda *_, **__: lambda *_: None)  # it depends on time
    one, several = (oraclewheel("check-release", "--jobs", jobs) for jobs in (1, 3))

    assert one == several
    assert 1 == one[0]
    assert "g3 (pennies)" in one[1]
    assert "6 games" in one[1]
    assert "none diverges, 1 cannot be read" in one[1]


def test_games_are_checked_in_child_processes(games, monkeypatch):
    monkeypatch.setattr(check_release, "check", lambda _store, game_id, _kind: CheckedGame(game_id, "", os.getpid()))
    found = [each for (each,) in in_processes(games, GAMES, None, 3)]

    assert GAMES == [each.game_id for each in found]
    assert os.getpid() not in {each.commits for each in found}


def test_killed_process_interrupts_the_check(games, monkeypatch):
    check = check_release.check
    monkeypatch.setattr(
        check_release,
        "check",
        lambda store, game_id, kind: os._exit(7) if game_id == "g4" else check(store, game_id, kind),
    )
    result = CliRunner().invoke(check_release.command, ["--jobs", "2"])

    assert 1 == result.exit_code
    assert "The check was interrupted" in result.output
    assert "commits replayed" not in result.output
