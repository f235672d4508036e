"""Whoever plays in the terminal is told when the service goes on from an older copy of the game, and plays on from there."""

from __future__ import annotations

import threading

import pytest
from werkzeug.serving import make_server

from service.cli.terminal.bots import RandomBot
from service.cli.terminal.client import Client
from service.cli.terminal.seated import Seated
from tests.api.conftest import World
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
    """What somebody reads who looks at the table now."""
    seated._show(seated.client.game(seated.game_id))
    return capsys.readouterr().out


@pytest.fixture
def seated(world, capsys):
    """At a table that has lost two rounds which were seen there."""
    game, ash, birk = world.table("Ash", "Birk", options={"points": 100})
    rounds(game, (ash, birk))
    old = dump(world.store)
    rounds(game, (ash, birk), 2)
    seated = Seated(Client(world.url, ash.token), game, None)
    seated.kind = "pennies"
    assert WORDS not in look(seated, capsys)
    seen = seated.told_up_to
    fail_over(world.store, old)
    seated.lost = lambda: f"You had seen commit {seen}; it is now at commit {world.store.log.head(game)[0]}."
    seated.both = (ash, birk)
    return seated


def test_a_log_that_is_shorter_is_told_once_and_played_on(seated, capsys):
    told = look(seated, capsys)
    assert WORDS in told
    assert seated.lost() in told
    assert WORDS not in look(seated, capsys)
    rounds(seated.game_id, seated.both)
    told = look(seated, capsys)
    assert WORDS not in told
    assert f"  {seated.told_up_to:4}  " in told


def test_a_log_that_has_grown_again_is_known_by_the_head_that_was_kept(seated, capsys):
    rounds(seated.game_id, seated.both, 4, pennies=1)
    told = look(seated, capsys)
    assert WORDS in told
    assert seated.lost() in told
    assert WORDS not in look(seated, capsys)


def test_a_command_that_stands_on_what_is_gone_is_not_sent_and_no_bot_gives_up(seated, capsys):
    seated.bot = RandomBot()
    assert {} == seated._say({"type": "hide", "pennies": 0}, seated.told_up_to)
    assert "Read the game again" in capsys.readouterr().out
    assert WORDS in look(seated, capsys)


def test_who_moved_last_begins_with_what_comes_next_and_knows_what_stood_there(world, capsys):
    game, ash, birk = world.table("Ash", "Birk", options={"points": 100})
    rounds(game, (ash, birk))
    old = dump(world.store)
    rounds(game, (ash, birk))
    rounds(game, (ash,))
    seated = Seated(Client(world.url, ash.token), game, None)
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
