"""Whole moves and the names of units: FRO-D56."""

from __future__ import annotations

from typing import get_args

import pytest

from domain.games.fronela.commands import Done, Go, March
from domain.games.fronela.episode_api.queries import Query
from domain.games.fronela.episodes import EPISODES
from domain.games.fronela.events import UnitsMarched
from domain.games.fronela.game import FRONELA
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.state import Group, groups, label, others
from domain.kernel.dice import Dice
from tests.fronela.story import History
from tests.fronela.whole import Table

NEW = "fronela_v3"


def ways(story):
    """Each step so far, as a pair of areas."""
    return [(step.area, step.to) for step in story.so_far(UnitsMarched)]


def soldiers(number, **more):
    return {"black_malkioni": {"soldier": number, "lord": 1, **more}}


def test_fro_d56_whole_move_records_each_step():
    story = History("black_malkioni", {"tarins": soldiers(2)}, NEW).begin(1).say(Go("tarins", "soldier", "tawars", 2))

    assert [("tarins", "akem"), ("akem", "tawars")] == ways(story)
    assert [(17, 16), (16, 15)] == [(step.had, step.left) for step in story.so_far(UnitsMarched)]
    assert {"soldier": 2} == story.there("tawars", "black_malkioni")


def test_fro_d56_whole_move_may_end_among_others_but_not_pass_through_them():
    units = {"tarins": soldiers(3), "akem": {"skunk_people": 2}, "tawars": {"bull_people": 1}}
    story = History("black_malkioni", units, NEW).begin(1)

    assert story.offers(Go("tarins", "soldier", "akem", 3))
    story.say(Go("tarins", "soldier", "tawars", 2))
    assert [("tarins", "arnstor"), ("arnstor", "tawars")] == ways(story)


def test_fro_d56_surrounded_units_reach_only_adjacent_areas():
    around = SCENARIOS[NEW].areas["tarins"].adjacent
    units = {"tarins": soldiers(2)} | {area: {"grey_malkioni": {"soldier": 1}} for area in around}
    story = History("black_malkioni", units, NEW).begin(1)

    said = story.violation(Go("tarins", "soldier", "tawars", 1))
    assert ("out-of-reach", "FRO-D56", "to") == (said.code, said.rule, said.field)
    assert sorted(around) == sorted(said.facts["areas"])
    story.refuses(Go("tarins", "soldier", "tarins", 1), "out-of-reach", "FRO-D56")
    story.refuses(Go("tarins", "soldier", "atlantis", 1), "out-of-reach", "FRO-D56")
    story.refuses(Go("tarins", "lord", "akem", 1), "no-escort", "FRO-D38", needed=1, there=0)


def test_fro_d56_overrun_area_is_crossed_only_if_there_is_no_other_path():
    """Three stay in Akem so that more can pass; the path around it is longer but without risk."""
    units = {"tarins": soldiers(5), "akem": {"skunk_people": 2}, "arnstor": {"bull_people": 1}}
    story = History("black_malkioni", units, NEW).begin(1).say(March("tarins", "soldier", "akem", 3))
    story.say(Go("tarins", "soldier", "tawars", 1))
    assert [("tarins", "sog_city"), ("sog_city", "dilis_swamp"), ("dilis_swamp", "tawars")] == ways(story)[1:]

    units["sog_city"] = {"bull_people": 1}
    story = History("black_malkioni", units, NEW).begin(1).say(March("tarins", "soldier", "akem", 3))
    story.say(Go("tarins", "soldier", "tawars", 1))
    assert [("tarins", "akem"), ("akem", "tawars")] == ways(story)[1:]


def test_fro_d12_whole_move_passes_only_if_a_unit_that_stays_has_a_die():
    units = {"tarins": {"black_malkioni": {"soldier": 2, "lord": 3}}, "akem": {"grey_malkioni": {"farmer": 1}}}
    closed = {area: {"bull_people": 1} for area in ("arnstor", "sog_city")}
    story = History("black_malkioni", units | closed, NEW).begin(1).say(March("tarins", "lord", "akem", 3))
    story.refuses(Go("tarins", "soldier", "tawars", 1), "out-of-reach", "FRO-D56")

    story.say(Go("tarins", "soldier", "akem", 1)).say(Go("tarins", "soldier", "tawars", 1))
    assert {"soldier": 1} == story.there("tawars", "black_malkioni")


def test_fro_d56_equally_good_paths_are_chosen_by_the_list_of_areas():
    story = History("black_malkioni", {"arnstor": soldiers(1)}, NEW).begin(1)
    story.say(Go("arnstor", "soldier", "sog_city", 1)).say(Go("arnstor", "lord", "dilis_swamp", 1))

    assert ["tarins", "sog_city", "akem", "dilis_swamp"] == [to for _, to in ways(story)]


def test_fro_d56_leaving_rough_is_the_last_step_of_a_whole_move():
    story = History("black_malkioni", {"oranor": soldiers(1)}, NEW).begin(1)

    assert story.offers(Go("oranor", "soldier", "tawars", 1))
    story.refuses(Go("oranor", "soldier", "akem", 1), "out-of-reach", "FRO-D56")


def test_fro_d56_units_are_named_by_kind_throughout_a_turn():
    story = History("black_malkioni", {"tarins": soldiers(2), "akem": soldiers(1)}, NEW).begin(1, 1)
    story.say(March("tarins", "soldier", "akem", 2)).say(Go("akem", "soldier", "okarnia", 3))
    assert {"soldier": 3} == story.there("okarnia", "black_malkioni")

    story.refuses(March("okarnia", "soldier<junora>13", "perfe", 1), "no-such-units", "FRO-07", units=["soldier"])


def test_fro_d56_step_takes_units_with_most_steps_and_whole_move_with_fewest():
    units = {"upriver": {"mammoth_people": 1}, "zoria": {"mammoth_people": 1}}
    story = History("mammoth_people", units, NEW).begin(1, 1).say(March("upriver", "unit", "zoria", 1))
    stepped = story.say(March("zoria", "unit", "arrolia", 1))
    assert [2] == [group.left + 1 for group in groups(stepped.state, "arrolia", "mammoth_people")]

    story = History("mammoth_people", units, NEW).begin(1, 1).say(March("upriver", "unit", "zoria", 1))
    gone = story.say(Go("zoria", "unit", "arrolia", 1))
    assert [0] == [group.left for group in groups(gone.state, "arrolia", "mammoth_people")]
    assert [2] == [group.left for group in groups(gone.state, "zoria", "mammoth_people")]


def test_fro_d56_older_scenarios_name_units_by_their_track():
    story = History("black_malkioni", {"tarins": soldiers(2)}, "fronela_v2").begin(1)
    story.say(Go("tarins", "soldier", "tawars", 2))

    assert ["soldier<akem>15"] == story.labels("tawars", "black_malkioni")
    story.refuses(Go("tawars", "soldier", "akem", 1), "no-such-units", "FRO-07", units=["soldier<akem>15"])
    story.say(Go("tawars", "soldier<akem>15", "akem", 1)).say(Done())


# -- properties of every whole move -----------------------------------------------------------------------------------


def positions(seed, every):
    """Positions of a game with a pending move. Groups are named by their track, so their names are distinct."""
    table = Table(seed, "fronela_v2")
    while not table.position.over:
        asked = table.position.state.asking.kind
        if asked == "move" and table.position.seq % every == 0 and ready_groups(table.position.state):
            yield table.position.state
        table.turn("random" if table.position.seq % 3 else "greedy")


def steps(state, area, unit):
    """Every single step that is offered to one unit: the event, and the state after it."""
    seat, fixed = state.asking.seat, {"area": area, "unit": unit}
    for option in FRONELA.rules.legal(state, seat):
        if option.type == "march" and option.fixed == fixed:
            for to in option.open[0].choices:
                (event,) = FRONELA.rules.decide(state, seat, March(area, unit, to, 1), Dice(bytes(32)))
                yield event, FRONELA.rules.evolve(state, event)


def after_step(event):
    """The unit after its step."""
    return Group(event.kind, 1, event.left, event.area, event.ferried)


def all_ways(state, area, group, most):
    """Every path of at most `most` single steps that visits no area twice; only the last step may stop the unit."""
    edge = [(state, area, group, (area,))]
    while edge:
        now, here, unit, way = edge.pop()
        for event, after in steps(now, here, label(unit)):
            if event.to not in way:
                yield (*way, event.to)[1:]
                if not event.halted and len(way) < most:
                    edge.append((after, event.to, after_step(event), (*way, event.to)))


def reached(state, area, group):
    """The areas reached by single steps, of which only the last may stop the unit."""
    edge, found, seen = [(state, area, group)], set(), {(area, group.ferried)}
    while edge:
        now, here, unit = edge.pop(0)
        for event, after in steps(now, here, label(unit)):
            found.add(event.to)
            if not event.halted and (event.to, event.ferried) not in seen:
                seen.add((event.to, event.ferried))
                edge.append((after, event.to, after_step(event)))
    return found - {area}


def ready_groups(state):
    return [
        (area, group) for area, garrison in state.board.items() for group in garrison.get(state.turn, ()) if group.left
    ]


def offered(state, area, group):
    """The areas to which `go` is offered for all of the group."""
    fixed = {"area": area, "unit": label(group)}
    options = [o for o in FRONELA.rules.legal(state, state.asking.seat) if o.type == "go" and o.fixed == fixed]
    assert all(option.open[1].max == group.count for option in options)
    return {to for option in options for to in option.open[0].choices}


@pytest.mark.parametrize("seed", [1, 2])
def test_fro_d56_go_offers_exactly_the_areas_that_single_steps_reach(seed):
    luck, looked, far = Dice(bytes([seed]) * 32), 0, 0
    for state in positions(seed, 23):
        area, group = luck.choose(ready_groups(state))
        assert reached(state, area, group) == offered(state, area, group), (state.round, area, group)
        looked += 1
        far += len(offered(state, area, group)) > len(state.tables.areas[area].adjacent)
    assert looked > 15
    assert far > 3


@pytest.mark.parametrize("seed", [3, 4])
def test_fro_d56_a_whole_move_is_the_best_sequence_of_single_steps(seed):
    """The events of `go` are those of marching step by step, and no path of up to four steps is better."""
    luck, longer = Dice(bytes([seed]) * 32), 0
    for state in positions(seed, 17):
        area, group = luck.choose(ready_groups(state))
        order = list(state.tables.areas)
        seat = state.asking.seat

        def rank(way, state=state, order=order):
            risk = sum(bool(others(state, place, state.turn)) for place in way)
            return risk, len(way), [order.index(place) for place in way]

        best = {}
        for way in all_ways(state, area, group, 4 if group.left < 4 else 3):
            best[way[-1]] = min(best.get(way[-1], way), way, key=rank)
        for to in sorted(offered(state, area, group)):
            number = 1 + luck.below(group.count)
            events = FRONELA.rules.decide(state, seat, Go(area, label(group), to, number), Dice(bytes(32)))
            now, unit = state, group
            for event in events:
                (single,) = FRONELA.rules.decide(
                    now, seat, March(event.area, label(unit), event.to, number), Dice(bytes(32))
                )
                assert single == event
                now, unit = FRONELA.rules.evolve(now, event), after_step(event)
            assert all(not event.halted for event in events[:-1])
            way = [event.to for event in events]
            assert to not in best or rank(way) <= rank(best[to]), (way, best[to])
            longer += len(way) > 1
    assert longer > 20, "ways of one step alone would prove nothing"


def test_episode_declares_the_queries_it_adjusts():
    """It receives no other queries, which saves most of the work of a move phase."""
    kinds = {kind.__name__: kind for kind in get_args(Query)}
    for episode in EPISODES.values():
        adjusted = {kinds[name] for name in type(episode).adjust.__code__.co_names if name in kinds}
        assert adjusted == set(episode.queries), episode.key
    assert set(kinds.values()) == {kind for episode in EPISODES.values() for kind in episode.queries}
