"""Facts in the view that a player would otherwise look up (FRO-20, FRO-D14, FRO-D33, FRO-17, FRO-D36)."""

from __future__ import annotations

import pytest

from domain.games.fronela.commands import Done, Go, Retreat
from domain.games.fronela.game import FRONELA
from domain.games.fronela.phases.scoring import area_entries
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.scenarios.tables import UNLIMITED
from tests.fronela.story import History, board
from tests.fronela.whole import Table


@pytest.mark.parametrize("key", SCENARIOS)
def test_fro_20_view_gives_the_maximum_of_every_unit_in_every_area(key):
    view, tables = FRONELA.knowledge.view(board({}, key, round=1)), SCENARIOS[key]
    read = 0
    for shown in view["nations"]:
        nation = tables.nations[shown["id"]]
        for unit, maximum in nation.maximum.items():
            table = view["kinds"][shown["kind"]][unit]["maximum"]
            for area in tables.areas.values():
                own = "own" in table and area.id in shown["lands"]
                most = table["own"] if own else table.get(area.terrain, 0)
                assert maximum[area.id] == (UNLIMITED if most is None else most), (nation.id, unit, area.id)
                read += 1
    assert read > 1000


def test_view_gives_dice_steps_and_hits_of_each_unit():
    kinds = FRONELA.knowledge.view(board({}, "fronela_v3", round=1))["kinds"]

    giant = kinds["gonn_orta"]["unit"]
    assert (2, 1, 2, 1) == (giant["dice"], giant["modifier"], giant["hits"], giant["steps"])
    assert (1, 1) == (kinds["mostali"]["unit"]["dice"], kinds["mostali"]["unit"]["defence"])
    assert (0, 1) == (kinds["malkioni"]["farmer"]["dice"], kinds["malkioni"]["farmer"]["steps"])


def test_fro_d33_view_lists_area_points_and_scoring_rounds():
    units = {
        "tarins": {"black_malkioni": {"farmer": 1}},
        "akem": {"black_malkioni": {"lord": 1}},
        "zoria": {"bear_people": 1, "mammoth_people": 1},
    }
    state = board(units, "fronela_v3", round=9)
    view = FRONELA.knowledge.view(state)

    assert {"rounds": [3, 5, 8, 11, 15, 17], "next": 11, "now": {"tarins": 2, "akem": 1}} == view["scoring"]
    assert view["scoring"]["now"] == {entry.area: entry.points for entry in area_entries(state)}
    bulls = next(nation for nation in view["nations"] if nation["id"] == "bull_people")
    assert {"tawars": 2, "akem": 1, "golaros": 1} == bulls["values"]


def test_fro_d14_view_lists_arrivals_until_they_have_arrived():
    table = Table(5, "fronela_v3")
    came = set()
    while table.position.state.round < 9:
        state = table.position.state
        listed = [(row["round"], row["nation"]) for row in FRONELA.knowledge.view(state)["arrivals"]]
        rows = [(number, row.nation) for number, rows in state.tables.arrivals.items() for row in rows]
        assert [row for row in rows if row[0] > state.round] == [row for row in listed if row[0] > state.round]
        assert all(number >= state.round for number, _ in listed)
        commit = table.turn("greedy")
        for event in commit.events:
            if getattr(event, "why", "") == "arrival":
                came.add((event.nation, table.position.state.round))
                now = FRONELA.knowledge.view(table.position.state)["arrivals"]
                assert (table.position.state.round, event.nation) not in {(row["round"], row["nation"]) for row in now}
                if table.position.state.round == state.round:
                    assert (state.round, event.nation) in listed
    assert len(came) > 8


def test_fro_17_view_gives_the_origin_of_attackers_and_who_has_retreated():
    units = {
        "tarins": {"black_malkioni": {"soldier": 3, "lord": 1}},
        "tawars": {"grey_malkioni": {"soldier": 3}},
    }
    story = History("black_malkioni", units, "fronela_v3").begin(1)
    assert [("tarins", "soldier", 3, 17, ""), ("tarins", "lord", 1, 17, "")] == groups_of(story)
    story.say(Go("tarins", "soldier", "tawars", 3))
    assert [("tarins", "lord", 1, 17, ""), ("tawars", "soldier", 3, 0, "akem")] == sorted(groups_of(story))
    story.say(Done(), 6, 1, 1, 1, 1, 1).say(Retreat("soldier", "perfe", 1))
    view = FRONELA.knowledge.view(story.state)
    assert [("perfe", "grey_malkioni", 1)] == [
        (group["area"], group["nation"], group["count"]) for group in view["groups"] if group["fled"]
    ]


def groups_of(story):
    return [
        (group["area"], group["unit"], group["count"], group["left"], group["came"])
        for group in FRONELA.knowledge.view(story.state)["groups"]
    ]
