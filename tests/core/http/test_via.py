"""The app that sent a command: in the log, the history and the export."""

from __future__ import annotations

import itertools
import json

import pytest

from domain.kernel.dice import Dice
from service.audit.auditor import audit
from service.core.http.context.tokens import digest_of
from service.store.ports.accounts import APP, Credential
from tests.driver import Player, play_out

HIDE = {"type": "hide", "pennies": 1}
NAME = "Penny Helper"
NUMBERS = itertools.count()


@pytest.fixture
def table(world):
    return world, *world.table(options={"points": 1000})


def with_app(world, player):
    """The player with a token of an app."""
    token = f"app{next(NUMBERS)}"
    made = Credential(f"c{token}", player.id, ("play",), 1, minted_by="", kind=APP, label=NAME)
    world.store.accounts.add_token(made, digest_of(token))
    return Player(world.site, token, player.id)


def actors(player, game):
    """The actor of every commit in the export, in order."""
    lines = [json.loads(line) for line in player.get(f"/v1/games/{game}/export", want=200).body.splitlines()]
    return [each["body"]["actor"] for each in lines if each["line"] == "commit"]


def test_command_of_an_app_names_it_for_every_reader(table):
    world, game, ash, birk = table

    with_app(world, ash).send(game, HIDE, want=200)

    for reader in (ash, birk, world.public):
        assert NAME == reader.events(game)[-1]["via"]


def test_command_without_an_app_is_stored_without_a_name(table):
    world, game, ash, _ = table

    ash.send(game, HIDE, want=200)

    seq, _ = world.store.log.head(game)
    (stored,) = world.store.log.commits(game, seq, seq)
    assert b"via" not in stored.body
    assert "via" not in ash.events(game)[-1]


def test_each_command_of_a_list_names_the_app(table):
    world, game, ash, birk = table
    birk.send(game, HIDE, want=200)

    with_app(world, ash).send(game, {"commands": [HIDE, HIDE]}, want=200)

    assert [NAME, NAME] == [each["via"] for each in ash.events(game) if each["seat"] == 1][-2:]


def test_message_of_an_app_names_it(table):
    world, game, ash, birk = table

    with_app(world, ash).post(f"/v1/games/{game}/talk", {"text": "Hello"}, want=200)

    assert NAME == birk.events(game)[-1]["via"]


def test_plan_of_an_app_names_it_to_its_player_only(table):
    world, game, ash, birk = table
    app = with_app(world, ash)
    ash.send(game, HIDE, want=200)
    app.call("PUT", f"/v1/games/{game}/plan", {"commands": [HIDE], "if": "legal", "then": "wait"}, want=200)

    birk.send(game, HIDE, want=200)

    assert ("plan", NAME) == tuple(ash.events(game)[-1][name] for name in ("by", "via"))
    for reader in (birk, world.public):
        assert "player" == reader.events(game)[-1]["by"]
        assert "via" not in reader.events(game)[-1]


def test_game_with_commands_of_apps_is_audited(world):
    game, ash, birk = world.table(options={"points": 1})
    apps = [with_app(world, ash), with_app(world, birk)]
    summary = play_out(apps, game, Dice(b"v" * 32))

    report = audit(ash.get(f"/v1/games/{game}/export", want=200).body, heads=[summary["head"]])

    assert report.is_ok, report.verdict
    assert {NAME} == {actor.get("via") for actor in actors(ash, game) if actor["by"] == "player"}
    assert {None} == {actor.get("via") for actor in actors(ash, game) if actor["by"] == "system"}
