"""Rulesets as data: numbers with clause and mark, readings of clauses, tables, and older rulesets."""

import json
from pathlib import Path

import pytest

from domain.games.battalia.rulesets import RULESETS
from domain.games.fronela.scenarios import SCENARIOS
from domain.registry import GAMES
from tests.core.http.problem import is_a_problem

EACH = [(key, name) for key, game in GAMES.items() for name in game.rules.rulesets]
PAGES = Path(__file__).parents[3] / "docs" / "rules"


@pytest.mark.parametrize(("key", "name"), EACH)
def test_every_ruleset_is_linked_from_its_kind_and_cites_existing_clauses(world, key, name):
    links = world.public.get(f"/v1/kinds/{key}", want=200).json["rules"]
    told = world.public.get(links[name], want=200).json

    assert (key, name) == (told["kind"], told["name"])
    assert told["numbers"]
    page = (PAGES / f"{key}.md").read_text(encoding="utf-8")
    for rulings in (told["numbers"], told["readings"], told["tables"]):
        for ruling in rulings.values():
            assert ruling["mark"]
            assert [] == [clause for clause in ruling["clause"].split(", ") if clause not in page]


def test_the_first_ruleset_is_the_default_and_each_lists_the_older_ones(world):
    for key, game in GAMES.items():
        for place, name in enumerate(game.rules.rulesets):
            told = world.public.get(f"/v1/kinds/{key}/rulesets/{name}", want=200).json
            assert (place == 0, list(game.rules.rulesets[place + 1 :])) == (told["default"], told["older"])


def test_battalia_rulesets_have_the_numbers_and_readings_in_use(world):
    told = {name: world.public.get(f"/v1/kinds/battalia/rulesets/{name}", want=200).json for name in RULESETS}
    for name, rules in RULESETS.items():
        assert rules.rulings.keys() == told[name]["numbers"].keys()
        assert {key: rules.reads(key) for key in rules.readings} == {
            key: ruling["value"] for key, ruling in told[name]["readings"].items()
        }
    numbers = told["creation_v2"]["numbers"]
    assert {"value": 6, "clause": "TURN-01", "mark": "P"} == numbers["hand"]
    assert {"units": 2, "rank": 1, "supplies": 2, "building": True} == numbers["armamentum_price"]["value"]
    assert ["A1", "G5"] == numbers["maps"]["value"]["2"]["starts"]
    assert ("H", "S") == (numbers["keeper_strength"]["mark"], numbers["armamentum_stock"]["mark"])
    assert ("S", "H") == tuple(
        told["creation_v1"]["numbers"][key]["mark"] for key in ("keeper_strength", "armamentum_stock")
    )


def test_fronela_rulesets_have_the_map_nations_and_points_in_use(world):
    for name, scenario in SCENARIOS.items():
        tables = {
            key: table["value"]
            for key, table in world.public.get(f"/v1/kinds/fronela/rulesets/{name}", want=200).json["tables"].items()
        }
        assert list(scenario.areas) == list(tables["areas"])
        assert list(scenario.nations) == list(tables["nations"])
        for key, area in scenario.areas.items():
            assert (list(area.adjacent), area.terrain) == (
                tables["areas"][key]["borders"],
                tables["areas"][key]["terrain"],
            )
        for key, nation in scenario.nations.items():
            assert dict(nation.points) == tables["points"][key]
            assert dict(nation.counters) == tables["nations"][key]["counters"]
        assert sum(map(len, scenario.arrivals.values())) == sum(map(len, tables["arrivals"].values()))
        assert scenario.episodes["harrek"]["points"] == tables["history"]["harrek"]["points"]
    played = world.public.get("/v1/kinds/fronela/rulesets/fronela_v3", want=200).json["tables"]
    assert [1, 4, None] == [
        played["maxima"]["value"]["black_malkioni"][kind]["akem"] for kind in ("lord", "farmer", "soldier")
    ]
    assert 3 == played["maxima"]["value"]["bull_people"]["unit"]["tawars"], "a totem area"
    assert "sog_city" not in played["maxima"]["value"]["bull_people"]["unit"]


def test_the_nim_ruleset_has_the_sizes_of_its_heaps(world):
    told = world.public.get("/v1/kinds/nim/rulesets/nim_v1", want=200).json["numbers"]
    assert (4, [1, 3, 5, 7, 9, 11, 13, 15]) == (told["heaps"]["value"], told["layout"]["value"])


def test_a_game_without_ruleset_data_has_empty_rulesets(world):
    told = world.public.get("/v1/kinds/pennies/rulesets/pennies_v1", want=200).json
    assert [{}, {}, {}] == [told[name] for name in ("numbers", "readings", "tables")]


def test_a_ruleset_is_cacheable_and_revalidated_by_etag(world):
    first = world.public.get("/v1/kinds/battalia/rulesets/creation_v2", want=200)
    assert "public" in first.headers["Cache-Control"]
    again = world.public.get(
        "/v1/kinds/battalia/rulesets/creation_v2", headers={"If-None-Match": first.headers["ETag"]}, want=304
    )
    assert not again.text
    other = world.public.get(
        "/v1/kinds/battalia/rulesets/creation_v1", headers={"If-None-Match": first.headers["ETag"]}, want=200
    )
    assert "creation_v1" == json.loads(other.text)["name"]


def test_an_unknown_ruleset_and_one_of_an_unknown_kind_are_404(world):
    for name in ("creation_v9", "nim_v1"):
        is_a_problem(world.public.get(f"/v1/kinds/battalia/rulesets/{name}"), 404, "unknown-ruleset")
    is_a_problem(world.public.get("/v1/kinds/chess/rulesets/chess_v1"), 404, "unknown-kind")
