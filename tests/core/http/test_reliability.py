"""A player's reliability, the share of turns in time: stored outside the log, public, and a condition to join games."""

from __future__ import annotations

import pytest

from service.store.ports.lobbies import Reliability, TurnsPlayed, reliability_of
from tests.features.substitutes.test_substitutes import take
from tests.hostile.table import HIDE

HOURLY = {"mode": "per_question", "hours": 1}


def told(world, player):
    found = world.public.get(f"/v1/players/{player.id}", want=200).json
    assert (player.id, player.name) == (found["id"], found["name"])
    return found["reliability"]["turns"], found["reliability"]["in_time"]


def expire(world, game, seat):
    """Expire the question of the seat: submit the command of SYSTEM that does so."""
    question = next(asked for asked in world.public.summary(game)["pending_questions"] if asked["seat"] == seat)
    late = {"type": "expire", "question": question["id"]}
    document = {"id": f"late:{question['id']}", "seat": 0, "command": late, "asked_at": 0, "expected": None}
    world.store.log.submit(game, {**document, "credential": None}, question["id"])
    world.work(game)


def test_a_turn_in_time_and_a_turn_missed_are_counted_once_each(world):
    game, ash, birk = world.table(options={"points": 1000}, visibility="public", pace=HOURLY, table={"missed_limit": 9})
    assert (0, 0) == told(world, ash)
    for _ in range(3):
        ash.send(game, HIDE, want=200)
        expire(world, game, 2)
    birk.send(game, HIDE, want=200)

    assert (3, 3) == told(world, ash)
    assert (4, 1) == told(world, birk)


def test_turns_without_a_clock_are_not_counted(world):
    game, ash, birk = world.table(options={"points": 1000})
    ash.send(game, HIDE, want=200)
    birk.send(game, HIDE, want=200)

    assert (0, 0) == told(world, ash) == told(world, birk)


def test_turns_after_a_lost_seat_do_not_count_for_its_former_player(world):
    game, ash, birk = world.table(options={"points": 1000}, visibility="public", pace=HOURLY, table={"missed_limit": 2})
    cleo = world.player("Cleo")
    for _ in range(2):
        ash.send(game, HIDE, want=200)
        expire(world, game, 2)
    for _ in range(3):
        ash.send(game, HIDE, want=200)
    assert (2, 0) == told(world, birk)
    take(cleo, game)
    ash.send(game, HIDE)
    cleo.send(game, HIDE, want=200)

    assert (2, 0) == told(world, birk)
    assert (1, 1) == told(world, cleo)


def test_a_game_can_refuse_unreliable_players_but_accepts_new_ones(world):
    game, ash, birk = world.table(options={"points": 1000}, visibility="public", pace=HOURLY, table={"missed_limit": 9})
    cleo = world.player("Cleo")
    ash.send(game, HIDE, want=200)
    expire(world, game, 2)
    made = ash.make_game(visibility="public", seats=3, table={"min_reliability": 80})["id"]
    refused = birk.post(f"/v1/games/{made}/seats", {}, want=403)
    assert ("too-unreliable", 80, {"turns": 1, "in_time": 0}) == (
        refused.code,
        refused.json["min_reliability"],
        refused.json["reliability"],
    )
    cleo.post(f"/v1/games/{made}/seats", {}, want=201)
    dora = world.player("Dora")
    dora.post(f"/v1/games/{made}/seats", {}, want=201)
    ash.start(made)
    cleo.send(made, {"type": "resign"}, want=200)

    assert "too-unreliable" == take(birk, made, want=403).code
    assert "taken" == take(cleo, made).json["status"]


def test_an_unknown_player_is_404(world):
    assert "unknown-player" == world.public.get("/v1/players/pnobody", want=404).code


@pytest.mark.parametrize("value", [101, -1, "80", None])
def test_an_invalid_min_reliability_is_refused(world, value):
    body = {"kind": "pennies", "seats": 2, "table": {"min_reliability": value}}
    refused = world.player().post("/v1/games", body, want=422)

    assert ["/table/min_reliability"] == [error["pointer"] for error in refused.json["errors"]]


def test_reliability_counts_the_last_hundred_turns_latest_games_first():
    old, new = TurnsPlayed(5, "0" * 90), TurnsPlayed(9, "0" + "1" * 69)

    assert Reliability(100, 69) == reliability_of([old, new])
    assert 69 == reliability_of([old, new]).percent
    assert 100 == reliability_of([]).percent
    assert 99 == Reliability(1000, 999).percent
