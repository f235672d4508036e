"""The data for planning a turn is part of a seat's view, only on request."""

from __future__ import annotations

import pytest


@pytest.fixture
def table(world):
    players = [world.player() for _ in range(2)]
    game = players[0].make_game("battalia", 2, modules=["armamentum"])["id"]
    players[1].join(game)
    players[0].start(game)
    return world, game, *players


def test_the_view_includes_the_plan_only_on_request(table):
    _, game, ash, birk = table

    for player in (ash, birk):
        told = player.view(game, **{"with": "plan"})
        plan = told.pop("plan")
        assert told == player.view(game)
        assert {"prices", "reach", "steps", "counts"} == plan.keys()
        assert {"units": 0, "rank": 0, "supplies": 3, "tools": False, "clause": "PAY-03"}.items() <= (
            plan["prices"]["take_artefact"]["tool"].items()
        )
        assert "PAY-09" == plan["prices"]["build_armamentum"]["clause"]
        assert len(plan["reach"]) == 2


def test_the_plan_is_null_for_the_public_and_refused_for_a_rivals_seat(table):
    world, game, ash, _ = table

    assert world.public.view(game, **{"with": "plan"})["plan"] is None
    assert "not-your-seat" == ash.get(f"/v1/games/{game}/view", seat=2, **{"with": "plan"}, want=403).code


def test_the_plan_shares_the_etag_of_the_view_and_exists_for_past_views(table):
    _, game, ash, _ = table
    now = ash.get(f"/v1/games/{game}/view", **{"with": "plan"}, want=200)
    tag = now.headers["ETag"]

    assert tag == ash.get(f"/v1/games/{game}/view", want=200).headers["ETag"]
    ash.get(f"/v1/games/{game}/view", **{"with": "plan"}, headers={"If-None-Match": tag}, want=304)
    past = ash.get(f"/v1/games/{game}/view", **{"with": "plan"}, at=1, want=200)
    assert now.json["plan"] == past.json["plan"]
    instant = ash.get(f"/v1/games/{game}/view", **{"with": "plan"}, at="2999-01-01T00:00:00Z", want=200)
    assert instant.headers["Content-Location"].endswith("&with=plan")
    assert instant.json["plan"] == now.json["plan"]


def test_a_kind_without_planning_has_an_empty_plan_and_unknown_parts_are_422(world):
    game, ash, _ = world.table()

    assert {} == ash.view(game, **{"with": "plan"})["plan"]
    assert "with" == ash.get(f"/v1/games/{game}/view", **{"with": "reach"}, want=422).json["parameter"]


def test_a_player_who_resigned_has_no_plan(world):
    game, ash, _ = world.table()
    ash.send(game, {"type": "resign"}, want=200)

    assert ash.view(game, **{"with": "plan"})["plan"] is None
