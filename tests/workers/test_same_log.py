"""The same games, each commit in a call of its own and all that follows at once in one: their logs are the same to the byte."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from domain.game import Setup
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
    """A game with the same name, seed and instant in whichever store it is."""
    told = ("ada", tuple(Chair(holder) for holder in holders), ruleset, options, (), pace, "public", commitment(SEED))
    lobby = Lobby(f"same{number}", kind, *told, 1_700_000_000_000, None)
    store.lobbies.create(lobby, SEED)
    store.lobbies.start(lobby.id, "ada", "begin")
    return lobby.id


def played(store, advance, number, holders, turns):
    """A game of pennies that these seats play by chance, with commands, lists and refusals; what stands in its log."""
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
def test_the_same_games_come_to_the_same_log_byte_for_byte(number, monkeypatch):
    """With a clock that stands still, one command after the other and all at once."""
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
def test_the_same_battalia_comes_to_the_same_log(monkeypatch):
    StoreClock(monkeypatch, 1_700_000_123_456)
    setup, logs = GAMES["battalia"].check(Setup(3, "", {})), []
    for ahead in (False, True):
        store = new_store()
        advance = Advance.in_process(store, ahead=ahead)
        game = opened(store, "battalia", setup.ruleset, setup.options, ["bot:greedy"] * 3, 1, {"mode": "free"})
        while store.log.head(game)[0] < 300 and advance.round(ALL):
            pass
        logs.append(list(store.log.commits(game, headers=True)))

    assert len(logs[0]) > 200
    assert logs[0] == logs[1]
