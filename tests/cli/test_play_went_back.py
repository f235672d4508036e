"""The terminal client reports when the service continues from an older copy of the game, and plays on."""

from __future__ import annotations

import threading

import pytest
from werkzeug.serving import make_server

from service.cli.terminal.bots import RandomBot
from service.cli.terminal.client import TerminalClient
from service.cli.terminal.seated import Seated
from tests.core.http.conftest import World
from tests.hostile.test_log_went_back import dump, fail_over, rounds

WORDS = "The game was restored from an older copy"


@pytest.fixture
def world(redis_store):
    world = World(redis_store)
    server = make_server("127.0.0.1", 0, world.app, threaded=True)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    world.url = f"http://127.0.0.1:{server.port}"
    yield world
    server.shutdown()
    thread.join()


def look(seated, capsys):
    """The text that the terminal client shows now."""
    seated._show(seated.client.game(seated.game_id))
    return capsys.readouterr().out


@pytest.fixture
def seated(world, capsys):
    """A client of a game that has lost two rounds after the client showed them."""
    game, ash, birk = world.table("Ash", "Birk", options={"points": 100})
    rounds(game, (ash, birk))
    old = dump(world.store)
    rounds(game, (ash, birk), 2)
    seated = Seated(TerminalClient(world.url, ash.token), game, None)
    seated.kind = "pennies"
    assert WORDS not in look(seated, capsys)
    seen = seated.told_up_to
    fail_over(world.store, old)
    seated.lost = lambda: f"You had seen commit {seen}; it is now at commit {world.store.log.head(game)[0]}."
    seated.both = (ash, birk)
    return seated


def test_shorter_log_is_reported_once_and_play_continues(seated, capsys):
    told = look(seated, capsys)
    assert WORDS in told
    assert seated.lost() in told
    assert WORDS not in look(seated, capsys)
    rounds(seated.game_id, seated.both)
    told = look(seated, capsys)
    assert WORDS not in told
    assert f"  {seated.told_up_to:4}  " in told


def test_diverged_log_is_detected_by_the_remembered_head(seated, capsys):
    rounds(seated.game_id, seated.both, 4, pennies=1)
    told = look(seated, capsys)
    assert WORDS in told
    assert seated.lost() in told
    assert WORDS not in look(seated, capsys)


def test_command_based_on_a_lost_commit_is_not_sent_and_a_bot_continues(seated, capsys):
    seated.bot = RandomBot()
    assert {} == seated._say({"type": "hide", "pennies": 0}, seated.told_up_to)
    assert "Read the game again" in capsys.readouterr().out
    assert WORDS in look(seated, capsys)


def test_client_that_joins_after_its_move_reports_a_later_loss_of_commits(world, capsys):
    game, ash, birk = world.table("Ash", "Birk", options={"points": 100})
    rounds(game, (ash, birk))
    old = dump(world.store)
    rounds(game, (ash, birk))
    rounds(game, (ash,))
    seated = Seated(TerminalClient(world.url, ash.token), game, None)
    seated.kind = "pennies"
    assert "     1  " not in look(seated, capsys)
    stood = world.store.log.head(game)[0]
    assert stood == seated.told_up_to
    fail_over(world.store, old)
    told = look(seated, capsys)
    assert WORDS in told
    assert f"You had seen commit {stood};" in told
    rounds(game, (ash, birk))
    told = look(seated, capsys)
    assert WORDS not in told
    assert "     1  " not in told
