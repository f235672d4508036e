"""Conditions for seat requests: reliability, and a limit of requests per seat."""

from __future__ import annotations

from service.features.substitutes.api import MOST_WISHES
from tests.core.http.problem import is_a_problem
from tests.core.http.test_reliability import HOURLY, expire
from tests.features.substitutes.test_substitutes import RESIGN, take
from tests.features.substitutes.test_votes import NO, VOTED, ballot, status, voted
from tests.hostile.table import HIDE


def test_a_seat_request_of_an_unreliable_player_is_refused_without_a_vote(world):
    late, ash, birk = world.table(options={"points": 1000}, visibility="public", pace=HOURLY, table={"missed_limit": 9})
    ash.send(late, HIDE, want=200)
    expire(world, late, 2)
    game, *_ = voted(world, "Dora", "Edda", "Finn", table={"min_reliability": 80})

    refused = is_a_problem(take(birk, game, want=None), 403, "too-unreliable")
    assert (80, {"turns": 1, "in_time": 0}) == (refused["min_reliability"], refused["reliability"])
    assert ("none", None) == (status(birk, game), ballot(world, game))
    assert "asked" == take(ash, game, want=202).json["status"]


def test_seat_requests_to_the_creator_are_limited_per_seat(world):
    game, ash, birk, cyd = world.table(
        *("Ash", "Birk", "Cyd"), options={"points": 1000}, visibility="public", table={"substitutes": "creator"}
    )
    for player in (birk, cyd):
        player.send(game, RESIGN, want=200)
    asked = [world.player(f"P{number}") for number in range(MOST_WISHES)]
    for player in asked:
        take(player, game, want=202)
    cleo = world.player("Cleo")

    is_a_problem(take(cleo, game, want=None), 409, "too-many-seat-requests")
    assert "asked" == take(asked[0], game, want=202).json["status"], "who has asked is told so again"
    assert "asked" == take(cleo, game, seat=3, want=202).json["status"], "the other seat is another matter"
    asked[1].call("DELETE", f"/v1/games/{game}/seats/2/take")
    assert "asked" == take(cleo, game, want=202).json["status"], "who thinks better of it makes room"
    assert MOST_WISHES == len(ash.summary(game)["seats"][1]["requests"])


def test_votes_on_seat_requests_are_limited_per_seat(world):
    game, ash, _ = voted(world, "Ash", "Birk")
    for number in range(MOST_WISHES):
        take(world.player(f"P{number}"), game, want=202)
        ash.send(game, NO, want=200)

    is_a_problem(take(world.player("Cleo"), game, want=None), 409, "too-many-seat-requests")
    assert VOTED["substitutes"] == world.public.summary(game)["table"]["substitutes"]
    assert ballot(world, game) is None
