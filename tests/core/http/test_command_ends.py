"""Commands without the usual result: quarantined, too late, lost, invisible, over a limit, or a dry run."""

from __future__ import annotations

import pytest

from domain import RELEASE
from domain.registry import GAMES
from service.store.ports.waiting import Mark
from tests.core.http.conftest import World

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def table(world):
    return world, *world.table()


def test_a_seat_without_refusals_left_gets_retry_after():
    small = World(refusal_burst=2)
    game, ash, _ = small.table()
    for _ in range(2):
        ash.send(game, {"type": "hide", "pennies": 100}, want=409)

    told = ash.send(game, HIDE, want=429)
    assert "too-many-refusals" == told.code
    assert 1 < int(told.headers["Retry-After"]) <= 60, "one comes back each minute"


@pytest.mark.parametrize("code", ["quarantined", "needs-release"])
def test_a_quarantined_game_refuses_commands_with_the_reason(table, code):
    world, game, ash, _ = table
    world.store.schedule.mark(game, Mark(code, RELEASE, "for the test"))
    world.store.claims.release(game, 60_000)

    told = ash.send(game, HIDE, wait=None, want=503)
    assert code == told.code
    assert int(told.headers["Retry-After"]) > 0


def test_a_command_pending_at_the_end_of_the_game_is_answered_with_its_id(world, monkeypatch):
    ash = world.player()
    game = ash.make_game(sandbox={"dice": [1]}, options={"points": 1})["id"]
    ash.join(game)
    ash.start(game)
    ash.send(game, HIDE, want=200)
    world.asleep, late, append = True, [], world.store.log.append_and_read
    ash.send(game, HIDE, seat=2, wait=None, want=202)

    def overtaken(batch, fields):
        # Accepted after the worker has read the queue and before it writes the end of the game.
        if any(each.over for each in batch):
            late.append(ash.send(game, HIDE, seat=1, wait=None, key="late", want=202).json["id"])
        return append(batch, fields)

    with monkeypatch.context() as patch:
        # The command that ends the game must wait in the queue; in one pass with its cause, nothing could arrive before it.
        patch.setattr("workers.advance.PASS", 0)
        patch.setattr(world.store.log, "append_and_read", overtaken)
        world.work(game)
    assert "over" == ash.summary(game)["status"]

    for wait in (None, 1):
        told = ash.send(game, HIDE, seat=1, wait=wait, key="late", want=409).json
        assert ("game-over", late[0]) == (told["code"], told["id"])


def test_a_command_lost_by_the_store_is_409_with_client_and_server_heads(table, monkeypatch):
    world, game, ash, _ = table
    world.asleep = True
    seen, (seq, head) = ash.view(game)["seq"], world.store.log.head(game)
    monkeypatch.setattr(world.store.log, "outcome", lambda *_: None)

    for tag in (seen, None):
        told = ash.send(game, HIDE, seen=tag, wait=None, want=409)
        assert ("log-diverged", f"{seq} {head}") == (told.code, told.headers["Game-Head"])
        assert ({"seq": tag, "head": None}, {"seq": seq, "head": head}) == (told.json["client"], told.json["server"])


def test_a_command_lost_in_a_server_crash_while_waiting_is_submitted_again(table, monkeypatch):
    world, game, ash, _ = table
    world.asleep, before = True, world.store.log.head(game)[0]
    names, outcome = world.store.keys.game(game), world.store.log.outcome

    def killed(*asked):
        # Like a server that was killed before the commit and restarted without the command.
        monkeypatch.setattr(world.store.log, "outcome", outcome)
        world.asleep = False
        world.store.wire.one("DEL", names.ids, names.commands, world.store.keys.partition(game).ready)
        return outcome(*asked)

    monkeypatch.setattr(world.store.log, "outcome", killed)
    told = ash.send(game, HIDE, wait=5, want=200).json
    assert (before + 1, before + 1) == (told["seq"], world.store.log.head(game)[0])


def test_a_command_without_visible_events_is_settled_without_lines(table, monkeypatch):
    world, game, ash, _ = table
    monkeypatch.setattr(type(GAMES["pennies"].knowledge), "reveal", lambda *_: None)

    told = ash.send(game, HIDE, want=200).json
    nothing = {"id": told["id"], "status": "settled", "seq": world.store.log.head(game)[0], "lines": []}
    assert nothing == told == ash.get(f"/v1/games/{game}/commands/{told['id']}", want=200).json


def test_a_dry_run_in_a_sandbox_uses_scripted_rolls_without_consuming_them(world, monkeypatch):
    ash, pennies = world.player(), type(GAMES["pennies"].rules)
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
