"""What a seat needs to plan its turn comes with its view when it asks for it, and with nothing else."""

from __future__ import annotations

import pytest


@pytest.fixture
def table(world):
    players = [world.player() for _ in range(2)]
    game = players[0].make_game("battalia", 2, modules=["armamentum"])["id"]
    players[1].join(game)
    players[0].start(game)
    return world, game, *players


def test_the_plan_comes_with_the_view_and_only_if_asked_for(table):
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


def test_the_public_has_no_plan_and_neither_has_a_strangers_seat(table):
    world, game, ash, _ = table

    assert world.public.view(game, **{"with": "plan"})["plan"] is None
    assert "not-your-seat" == ash.get(f"/v1/games/{game}/view", seat=2, **{"with": "plan"}, want=403).code


def test_the_plan_has_the_etag_of_the_view_and_can_be_had_of_the_past(table):
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


def test_a_kind_that_plans_nothing_has_an_empty_plan_and_other_words_are_told(world):
    game, ash, _ = world.table()

    assert {} == ash.view(game, **{"with": "plan"})["plan"]
    assert "with" == ash.get(f"/v1/games/{game}/view", **{"with": "reach"}, want=422).json["parameter"]


def test_whoever_resigned_has_no_plan(world):
    game, ash, _ = world.table()
    ash.send(game, {"type": "resign"}, want=200)

    assert ash.view(game, **{"with": "plan"})["plan"] is None
