"""Over HTTP a game is what the rules say that it goes on by: its options, its dry runs, its history, its bots."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.registry import GAMES
from service.process.frozen.loading import load
from tests.api.conftest import World
from tests.releases.before import older
from workers.advance import Advance

TOO_MUCH = {"type": "take", "heap": 1, "objects": 9}
LITTLE = {"type": "take", "heap": 2, "objects": 1}


@pytest.fixture
def upgraded(memory_store, monkeypatch, kept):
    """What makes the service of the present release once games were played under the old one, and those who played them."""
    del kept
    with monkeypatch.context() as patched:
        patched.setitem(GAMES, "nim", load(older())["nim"])
        old = World(memory_store)
        games = []
        for command in (TOO_MUCH, LITTLE):
            game, *players = old.table(kind="nim", options={"heaps": 3})
            on_turn(game, players).send(game, command, want=200)
            games.append((game, players))
    new = World(memory_store)
    for game, players in games:
        for player in players:
            player.site = new.site
        rows = memory_store.log.rows(game)
        memory_store.log.rewrite(game, replace(rows, release="0.0.0"))  # nothing that is ready helps the new one
    return new, *games


def on_turn(game, players):
    return players[players[0].view(game)["public"]["turn"]["seat"] - 1]


def tried(game, players, command):
    """Whether a dry run of whoever is on turn is accepted."""
    return "refusal" not in on_turn(game, players).send(game, command, dry_run="true", want=200).json


def test_a_game_that_stays_is_played_and_tried_out_by_the_old_rules(upgraded):
    world, (game, players), _ = upgraded
    again = {**TOO_MUCH, "heap": 2}
    assert tried(game, players, again)
    on_turn(game, players).send(game, again, want=200)
    assert [0, 0, 5] == players[0].view(game)["public"]["heaps"]
    assert tried(game, players, {**TOO_MUCH, "heap": 3})
    told = [entry["lines"][0]["text"] for entry in players[0].events(game)]
    assert ["takes the last object", "takes all that is left"] == [
        words for text in told for words in ("takes the last object", "takes all that is left") if words in text
    ]
    assert {} == world.store.log.marks()


def test_an_api_that_has_read_a_game_by_old_rules_follows_it_to_the_present_ones(upgraded):
    world, _, (game, players) = upgraded
    assert tried(game, players, TOO_MUCH), "as long as nobody has moved"
    on_turn(game, players).send(game, LITTLE, want=200)
    assert not tried(game, players, TOO_MUCH)
    on_turn(game, players).send(game, TOO_MUCH, want=409)
    assert {} == world.store.log.marks()


def test_a_bot_takes_a_seat_of_a_game_that_stays(upgraded):
    world, (game, players), _ = upgraded
    players[0].send(game, {"type": "resign"}, want=200)
    players[1].send(game, {"type": "resign"}, want=200)
    world.worker = Advance.in_process(world.store)
    world.work(game)
    assert "over" == world.public.summary(game)["status"]
    assert {"0.0.9"} == {commit.release for commit in world.store.log.commits(game)}
