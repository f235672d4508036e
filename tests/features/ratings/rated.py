"""Rated games for tests, and their results."""

from __future__ import annotations

from domain.kernel.dice import Dice
from service.audit.parser import parse_outline
from service.features.ratings import storage
from service.features.ratings.jobs import add_pending
from service.features.ratings.results import read_result
from tests.driver import play_out

RATED = {"rated": True}


def start(*players, kind="pennies", bots=(), **told):
    """Start a rated game of these players and bots; returns its id."""
    table = {**RATED, **told.pop("table", {})}
    game = players[0].make_game(kind, len(players) + len(bots), table=table, **told)["id"]
    for player in players[1:]:
        player.join(game)
    for bot in bots:
        players[0].seat_bot(game, bot)
    players[0].start(game)
    return game


def finish(game, *players, luck=b"rated"):
    assert "over" == play_out(list(players), game, Dice(luck))["status"]
    return game


def export(player, game):
    return player.get(f"/v1/games/{game}/export", want=200).body


def result(player, game):
    return read_result(parse_outline(export(player, game)))


def places(player, game):
    """The place of each seat."""
    found = result(player, game)
    return {seat: place for team, place in zip(found.teams, found.places, strict=True) for seat in team}


def lists(world):
    """Every rating by list and name, after the job."""
    add_pending(world.store)
    return {name: storage.all_ratings(world.store, name) for name in storage.list_names(world.store)}
