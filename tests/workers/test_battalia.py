"""A game in which one question takes many commands: bots and deadlines continue until it is answered."""

from __future__ import annotations

from functools import partial

import pytest

from tests.workers.test_advance import bodies
from tests.workers.test_choosing import starting
from workers.sweeper import Sweeper

BATTALIA = "battalia"


@pytest.fixture
def start(store):
    return partial(starting(store), BATTALIA)


def test_bots_play_complete_turns_to_the_end_of_the_game(store, start, advance):
    game = start("bot:random", "bot:random", max_weeks=1)
    rounds = 0
    while store.lobbies.get(game).status != "over" and rounds < 300:
        rounds += 1
        advance.round(range(store.partitions))

    told = bodies(store, game)
    assert "game_ended" == told[-1]["events"][-1]["type"]
    ids = [body["submission"]["id"] for body in told]
    assert len(ids) == len(set(ids))
    assert not [body for body in told if "refusal" in body]


def test_deadlines_play_the_default_moves_to_the_end_of_the_game(store, start, advance):
    game = start("ada", "bob", max_weeks=1, pace={"mode": "per_question", "hours": 0})
    rounds = 0
    while store.lobbies.get(game).status != "over" and rounds < 100:
        rounds += 1
        advance.round(range(store.partitions))
        for partition in range(store.partitions):
            store.schedule.sweep(partition)

    told = bodies(store, game)
    assert "over" == store.lobbies.get(game).status
    assert {"policy", "system"} == {body["actor"]["by"] for body in told}
    assert not [body for body in told if "refusal" in body]


def test_sweeper_makes_games_of_bots_continue_without_wakes(store, start, advance):
    class Nobody:
        def wake(self, partition):
            pass

    game = start("bot:greedy", "bot:greedy")
    sweeper = Sweeper(store, Nobody())
    advance.round([store.schedule.partition(game)])
    sweeper.sweep()
    before = store.log.head(game)[0]
    advance.round([store.schedule.partition(game)])
    assert store.log.head(game)[0] > before
