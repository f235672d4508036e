"""The same games with each commit in its own call and with joined commits: their logs are identical."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from domain.kernel.game.rules import Setup
from domain.registry import GAMES
from service.store.ports.lobbies import Chair, Lobby
from service.store.seal import commitment
from tests.clock import StoreClock
from tests.soaking import sample
from tests.stores import new_store
from tests.workers.conftest import Tables
from tests.workers.test_advance import ALL, settle
from tests.workers.test_ahead import spied
from tests.workers.test_lists import hide, send
from workers.advance import Advance

SEED = bytes(range(32))


def opened(store, kind, ruleset, options, holders, number, pace):
    """A game with the same name, seed and time in any store."""
    told = ("ada", tuple(Chair(holder) for holder in holders), ruleset, options, (), pace, "public", commitment(SEED))
    lobby = Lobby(f"same{number}", kind, *told, 1_700_000_000_000, None)
    store.lobbies.create(lobby, SEED)
    store.lobbies.start(lobby.id, "ada", "begin")
    return lobby.id


def played(store, advance, number, holders, turns):
    """A random game of pennies with commands, lists and refusals; returns its id."""
    chance, tables = random.Random(number), Tables(store)
    game = opened(store, "pennies", "pennies_v1", {"points": 12}, holders, number, {"mode": "free"})
    settle(store, advance)
    seats = [seat for seat, holder in enumerate(holders, 1) if not holder.startswith("bot:")]
    for turn in range(turns):
        for seat in chance.sample(seats, chance.randint(min(1, len(seats)), len(seats))):
            commands = [hide(chance.choice((0, 0, 1, 2, 9))) for _ in range(chance.choice((1, 1, 3, 8)))]
            if len(commands) == 1 and chance.random() < 0.5:
                tables.say(game, seat, id_=f"c{turn}-{seat}", **commands[0])
            else:
                send(store, game, seat, *commands, id_=f"l{turn}-{seat}")
        if chance.random() < 0.7:
            settle(store, advance)
    settle(store, advance)
    return game


SEATS = [
    ("ada", "bob"),
    ("ada", "bot:greedy"),
    ("ada", "bot:greedy", "bot:random", "bob"),
    ("bot:random", "bot:greedy"),
]


@pytest.mark.parametrize("number", sample(range(12), 6))
def test_same_games_have_identical_logs_with_joined_commits(number, monkeypatch):
    """The clock does not move, and commits are appended one by one or joined."""
    StoreClock(monkeypatch, 1_700_000_123_456)
    logs, calls = [], []
    for ahead in (False, True):
        store = new_store()
        with monkeypatch.context() as patch:
            calls.append(spied(store, patch))
            game = played(store, Advance.in_process(store, ahead=ahead), number, SEATS[number % 4], 25)
        logs.append((list(store.log.commits(game, headers=True)), store.lobbies.get(game), store.schedule.census()))
        rows = replace(store.views.rows(game, views=False), signature="", key_id="")
        logs[-1] += (rows, store.log.snapshot(game))

    assert logs[0] == logs[1]
    assert {1} == {len(call) for call in calls[0]}
    assert max(len(call) for call in calls[1]) > 2


@pytest.mark.soak
def test_same_game_of_battalia_has_an_identical_log_with_joined_commits(monkeypatch):
    StoreClock(monkeypatch, 1_700_000_123_456)
    setup, logs = GAMES["battalia"].rules.check(Setup(3, "", {})), []
    for ahead in (False, True):
        store = new_store()
        advance = Advance.in_process(store, ahead=ahead)
        game = opened(store, "battalia", setup.ruleset, setup.options, ["bot:greedy"] * 3, 1, {"mode": "free"})
        while store.log.head(game)[0] < 300 and advance.round(ALL):
            pass
        logs.append(list(store.log.commits(game, headers=True)))

    assert len(logs[0]) > 200
    assert logs[0] == logs[1]
