"""A plan waits while others decide about one of its commands, and continues when its seat is asked again."""

from __future__ import annotations

import pytest

from domain.games.battalia.game import BATTALIA
from domain.kernel.terms import Outcome
from service.audit.auditor import audit
from service.features.plans.store import Plans
from service.store.codec import encode_state
from tests.battalia import table as laid
from tests.battalia.test_battles import before
from tests.pennies import PenniesRules
from tests.workers.test_advance import bodies

END = {"type": "end_turn"}
HIDE = {"type": "hide", "pennies": 1}


def attack(state):
    """The first step of seat 1 that attacks seat 2's city, as a command."""
    player = state.players[1]
    lord, horse = laid.cards(state, 1, "lord", "horse")
    assert {lord, horse} <= set(player.hand)
    return {"type": "step", "hero": "hero-1-1", "to": "G5", "cards": [horse], "against": 2, "units": [lord]}


@pytest.fixture
def siege(world):
    """A sandbox: seat 2 has the turn; seat 1 is next and can attack its city. The player, the game, the attack."""
    state = laid.turn(before(("lord", "horse", "supply"), ("frimen",)), 2)
    state = laid.changed(state, agenda=("turn:1", *state.agenda))
    assert not BATTALIA.rules.faults(state)
    ash = world.player("Ash")
    game = ash.make_game("battalia", 2, options={"quick_setup": False}, sandbox={"position": encode_state(state)})["id"]
    ash.join(game)
    ash.start(game)
    return ash, game, attack(state)


def put(player, game, *commands, when="legal", then="wait", seat=1, query="", want=200):
    body = {"commands": list(commands), "if": when, "then": then}
    return player.call("PUT", f"/v1/games/{game}/plan?seat={seat}{query}", body, want=want).json


def look(player, game, seat=1, want=200):
    return player.get(f"/v1/games/{game}/plan?seat={seat}", want=want).json


def asked(player, game):
    return [(turn["seat"], turn["kind"]) for turn in player.turns() if turn["game"] == game]


def outcomes(document):
    return [each["status"] for each in document["outcomes"]]


@pytest.mark.parametrize("when", ["legal", "unchanged"])
def test_plan_that_attacks_continues_when_the_defender_has_decided(siege, when):
    ash, game, step = siege
    put(ash, game, step, when=when, then="end_turn")

    ash.send(game, END, seat=2, want=200)
    assert [(2, "defend")] == asked(ash, game)
    waiting = look(ash, game)
    assert ("playing", ["settled", "pending"]) == (waiting["status"], outcomes(waiting))

    ash.send(game, {"type": "defend"}, seat=2, want=200)
    after = look(ash, game)
    assert ("played", ["settled", "settled"]) == (after["status"], outcomes(after)), after
    assert [(2, "turn")] == asked(ash, game)
    assert not [entry for entry in ash.events(game, seat=1) if entry.get("refusal")]
    assert audit(ash.get(f"/v1/games/{game}/export", want=200).body).is_ok


def test_plan_that_waits_for_the_defender_can_be_deleted(siege):
    ash, game, step = siege
    put(ash, game, step, then="end_turn")
    ash.send(game, END, seat=2, want=200)

    assert 204 == ash.call("DELETE", f"/v1/games/{game}/plan?seat=1").status
    ash.send(game, {"type": "defend"}, seat=2, want=200)

    look(ash, game, want=404)
    assert [(1, "turn")] == asked(ash, game)


def test_another_plan_replaces_the_rest_of_one_that_waits_for_the_defender(siege):
    ash, game, step = siege
    first = put(ash, game, step, END)["id"]
    ash.send(game, END, seat=2, want=200)

    second = put(ash, game, {"type": "mulligan"})["id"]
    ash.send(game, {"type": "defend"}, seat=2, want=200)

    assert (second, "stopped") == (look(ash, game)["id"], look(ash, game)["status"])
    rest = ash.get(f"/v1/games/{game}/commands/{first}", want=200).json
    assert ["settled", "left"] == [each["status"] for each in rest["commands"]]
    assert [(1, "turn")] == asked(ash, game)


def test_dry_run_of_a_plan_that_attacks_assumes_a_silent_defender(siege):
    ash, game, step = siege

    tried = put(ash, game, step, then="end_turn", query="&dry_run=true")

    assert tried["accepted"], tried
    assert 2 == len(tried["outcomes"])


def test_plan_stops_at_a_command_for_which_its_seat_is_not_asked(siege):
    ash, game, _ = siege
    put(ash, game, END, END)

    ash.send(game, END, seat=2, want=200)

    after = look(ash, game)
    assert ("stopped", ["settled", "refused"]) == (after["status"], outcomes(after))
    assert "not-your-turn" == after["outcomes"][1]["refusal"]["code"]


@pytest.fixture
def rounds(world, monkeypatch):
    """A game of Pennies in which seat 1 has the turn until round 3; its plan has begun and waits for seat 2."""
    monkeypatch.setattr(PenniesRules, "on_turn", lambda _, state: 1 if state.round < 3 else 2)
    game, ash, birk = world.table(options={"points": 1000}, table={"undo": "consent"})
    ash.send(game, HIDE, want=200)
    put(ash, game, HIDE, HIDE, HIDE)
    birk.send(game, HIDE, want=200)
    assert ("playing", ["settled", "pending", "pending"]) == (look(ash, game)["status"], outcomes(look(ash, game)))
    return world, game, ash, birk


def test_plan_whose_turn_is_over_stops(rounds):
    _, game, ash, birk = rounds

    birk.send(game, HIDE, want=200)

    after = look(ash, game)
    assert ("stopped", ["settled", "settled", "refused"]) == (after["status"], outcomes(after))


def test_plan_that_waits_is_deleted_when_its_seat_resigns(rounds):
    world, game, ash, birk = rounds

    ash.send(game, {"type": "resign"}, want=200)
    for _ in range(3):
        birk.send(game, HIDE, want=200)

    assert ["plan"] == [body["actor"]["by"] for body in bodies(world.store, game) if body["actor"]["by"] == "plan"]
    assert Plans(world.store).get(game, 1) is None


def test_plan_that_waits_when_the_game_ends_is_over(rounds, monkeypatch):
    _, game, ash, birk = rounds
    monkeypatch.setattr(
        PenniesRules,
        "outcome",
        lambda _, state: Outcome("done", "PEN-04", (), {}) if state.hidden.keys() >= {2} else None,
    )

    birk.send(game, HIDE, want=200)

    after = look(ash, game)
    assert ("over", ["settled", "over", "over"]) == (after["status"], outcomes(after))


def test_plan_that_waits_stops_when_commands_are_undone(rounds):
    _, game, ash, birk = rounds

    undone = ash.send(game, {"type": "request_undo", "seq": ash.events(game)[-1]["seq"]}, want=200)
    if "undo" in {turn["kind"] for turn in birk.turns()}:
        birk.send(game, {"type": "answer_undo", "agree": True}, want=200)

    after = look(ash, game)
    assert ("stopped", ["settled", "left", "left"]) == (after["status"], outcomes(after)), undone
    assert [1, 2] == sorted(turn["seat"] for turn in (*ash.turns(), *birk.turns()) if turn["game"] == game)
