"""Commands that come to nothing or to little: set aside, too late, lost, unseen, beyond a limit, or only tried."""

from __future__ import annotations

import pytest

from domain import RELEASE
from domain.registry import GAMES
from service.store.ports.waiting import Mark
from tests.api.conftest import World

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def table(world):
    return world, *world.table()


def test_a_seat_that_is_out_of_refusals_is_told_how_long_until_its_next():
    small = World(refusal_burst=2)
    game, ash, _ = small.table()
    for _ in range(2):
        ash.send(game, {"type": "hide", "pennies": 100}, want=409)

    told = ash.send(game, HIDE, want=429)
    assert "too-many-refusals" == told.code
    assert 1 < int(told.headers["Retry-After"]) <= 60, "one comes back each minute"


@pytest.mark.parametrize("code", ["quarantined", "needs-release"])
def test_a_game_that_is_set_aside_takes_no_command_and_says_why(table, code):
    world, game, ash, _ = table
    world.store.schedule.mark(game, Mark(code, RELEASE, "for the test"))
    world.store.claims.release(game, 60_000)

    told = ash.send(game, HIDE, wait=None, want=503)
    assert code == told.code
    assert int(told.headers["Retry-After"]) > 0


def test_a_command_that_waited_until_the_game_was_over_is_told_so_with_its_id(world, monkeypatch):
    ash = world.player()
    game = ash.make_game(sandbox={"dice": [1]}, options={"points": 1})["id"]
    ash.join(game)
    ash.start(game)
    ash.send(game, HIDE, want=200)
    world.asleep, late, append = True, [], world.store.log.append
    ash.send(game, HIDE, seat=2, wait=None, want=202)

    def overtaken(batch):
        # It is accepted when the worker has read the queue, and has not yet written that the game is over.
        if any(each.over for each in batch):
            late.append(ash.send(game, HIDE, seat=1, wait=None, key="late", want=202).json["id"])
        return append(batch)

    with monkeypatch.context() as patch:
        # What ends the game waits in the queue itself; with its cause in one call nothing could come in before it.
        patch.setattr("workers.advance.PASS", 0)
        patch.setattr(world.store.log, "append", overtaken)
        world.work(game)
    assert "over" == ash.summary(game)["status"]

    for wait in (None, 1):
        told = ash.send(game, HIDE, seat=1, wait=wait, key="late", want=409).json
        assert ("game-over", late[0]) == (told["code"], told["id"])


def test_a_command_that_the_store_lost_is_told_with_what_its_sender_held_and_what_stands(table, monkeypatch):
    world, game, ash, _ = table
    world.asleep = True
    seen, (seq, head) = ash.view(game)["seq"], world.store.log.head(game)
    monkeypatch.setattr(world.store.log, "outcome", lambda *_: None)

    for tag in (seen, None):
        told = ash.send(game, HIDE, seen=tag, wait=None, want=409)
        assert ("log-diverged", f"{seq} {head}") == (told.code, told.headers["Game-Head"])
        assert ({"seq": tag, "head": None}, {"seq": seq, "head": head}) == (told.json["client"], told.json["server"])


def test_a_command_that_went_with_the_server_while_its_sender_waited_is_handed_in_again(table, monkeypatch):
    world, game, ash, _ = table
    world.asleep, before = True, world.store.log.head(game)[0]
    names, outcome = world.store.keys.game(game), world.store.log.outcome

    def killed(*asked):
        # As a server that is killed before the commit, and is back: it has never heard of the command.
        monkeypatch.setattr(world.store.log, "outcome", outcome)
        world.asleep = False
        world.store.wire.one("DEL", names.ids, names.commands, world.store.keys.partition(game).ready)
        return outcome(*asked)

    monkeypatch.setattr(world.store.log, "outcome", killed)
    told = ash.send(game, HIDE, wait=5, want=200).json
    assert (before + 1, before + 1) == (told["seq"], world.store.log.head(game)[0])


def test_a_command_of_which_its_sender_may_read_nothing_has_settled_without_lines(table, monkeypatch):
    world, game, ash, _ = table
    monkeypatch.setattr(type(GAMES["pennies"]), "reveal", lambda *_: None)

    told = ash.send(game, HIDE, want=200).json
    nothing = {"id": told["id"], "status": "settled", "seq": world.store.log.head(game)[0], "lines": []}
    assert nothing == told == ash.get(f"/v1/games/{game}/commands/{told['id']}", want=200).json


def test_a_dry_run_in_a_sandbox_rolls_what_its_script_says_and_uses_nothing_up(world, monkeypatch):
    ash, pennies = world.player(), type(GAMES["pennies"])
    game = ash.make_game(sandbox={"dice": [6, 2]})["id"]
    ash.join(game)
    ash.start(game)
    rolls, decide = [], pennies.decide

    def rolling(self, state, seat, command, dice):
        rolls.append((dice.roll(6), dice.roll(6)))
        return decide(self, state, seat, command, dice)

    monkeypatch.setattr(pennies, "decide", rolling)
    for _ in range(5):
        ash.send(game, HIDE, dry_run="true", want=200)
    assert [(6, 2)] * 5 == rolls
