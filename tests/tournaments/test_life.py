"""The life of a tournament: registration, substitutes, what is due when, and the limits of its settings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.kernel.terms import DAY, PlayerId
from domain.tournaments.changes import cancel, next_state, start, without
from domain.tournaments.entering import MOST_RESERVES, EntriesClosed, enter
from domain.tournaments.life import Tournament, TournamentSettings, table_game_id, with_results
from domain.tournaments.limits import MOST_GAMES, count_games, find_faults
from tests.tournaments.playing import SEED, lowest_wins

NOW = 1_900_000_000_000
SETTINGS = TournamentSettings(
    "Autumn", "nim", 2, "nim_v1", {}, (), {"mode": "per_question", "hours": 24}, {}, "public", "swiss", 4, rounds=3
)


def tournament(state="registration", **changed):
    return Tournament("r1", PlayerId("pO"), NOW, replace(SETTINGS, **changed), state, SEED)


def entered(now, *names, at=NOW):
    for place, name in enumerate(names):
        now = replace(now, entries=enter(now, PlayerId(name), f"entropy of {name}", 0, at + place))
    return now


def running(*names, **changed):
    return start(entered(tournament(**changed), *names), NOW)


def begun(now, at=NOW):
    """The tournament after its next round has begun."""
    after = next_state(now, at)
    assert len(after.rounds) == len(now.rounds) + 1
    return after


def played(now):
    """The tournament after all its games are over."""
    return with_results(now, {table.game: lowest_wins(table.entries) for _, _, table in now.running_tables})


def states(now):
    return {
        each.player: "reserve" if each.is_reserve else "withdrawn" if each.is_withdrawn else each.number
        for each in now.entries
    }


# -- registration -------------------------------------------------------------------------------------------------------


def test_those_after_the_last_place_are_reserves():
    now = entered(tournament(), "a", "b", "c", "d", "e", "f")

    assert {"a": 0, "b": 0, "c": 0, "d": 0, "e": "reserve", "f": "reserve"} == states(now)
    assert 4 == now.taken


def test_the_first_reserve_gets_a_place_that_becomes_free():
    now = without(entered(tournament(), "a", "b", "c", "d", "e", "f"), PlayerId("b"))

    assert {"a": 0, "c": 0, "d": 0, "e": 0, "f": "reserve"} == states(now)


def test_a_reserve_can_withdraw():
    now = without(entered(tournament(), "a", "b", "c", "d", "e"), PlayerId("e"))

    assert {"a": 0, "b": 0, "c": 0, "d": 0} == states(now)
    assert now == without(now, PlayerId("e"))


def test_numbers_are_given_at_the_start():
    now = running("a", "b", "c", "d", "e")

    assert {"a": 1, "b": 2, "c": 3, "d": 4, "e": "reserve"} == states(now)
    assert [1, 2, 3, 4, 0] == [each.number for each in now.entries]
    assert ("running", NOW) == (now.state, now.started_at)


@pytest.mark.parametrize("state", ["announced", "finished", "cancelled"])
def test_no_one_can_register_outside_of_registration(state):
    with pytest.raises(EntriesClosed):
        entered(tournament(state), "a")


def test_the_number_of_reserves_is_limited():
    now = entered(tournament(), *(f"p{number}" for number in range(4 + MOST_RESERVES)))

    with pytest.raises(EntriesClosed):
        entered(now, "last")


def test_a_substitute_takes_over_the_place_from_the_next_round():
    now = begun(running("a", "b", "c", "d", "e"))
    now = without(now, PlayerId("b"))
    place = now.numbered[1]

    assert {"a": 1, "e": 2, "c": 3, "d": 4} == states(now)
    assert ("b", "e") == (place.holder_at(1), place.holder_at(2))
    assert ["entropy of a", "entropy of e"] == [each.entropy for each in now.numbered[:2]]
    assert not place.is_withdrawn


def test_a_late_reserve_takes_over_a_withdrawn_place_at_once():
    now = without(begun(running("a", "b", "c", "d")), PlayerId("b"))
    assert {"a": 1, "b": "withdrawn", "c": 3, "d": 4} == states(now)

    now = entered(now, "e")

    assert {"a": 1, "e": 2, "c": 3, "d": 4} == states(now)


def test_a_place_cannot_be_taken_over_after_it_has_missed_a_round():
    now = without(begun(running("a", "b", "c", "d")), PlayerId("b"))
    now = entered(begun(played(now)), "e")

    assert {"a": 1, "b": "withdrawn", "c": 3, "d": 4, "e": "reserve"} == states(now)


@pytest.mark.parametrize("rounds", [0, 1])
def test_registering_and_withdrawing_again_and_again_stores_no_more(rounds):
    now = running("a", "b", "c", late_rounds=3)
    now = begun(now) if rounds else now
    for _ in range(100):
        now = without(entered(now, "x"), PlayerId("x"))
    for _ in range(100):
        now = without(entered(now, "y"), PlayerId("y"))

    assert [1, 2, 3, 4] == [each.number for each in now.entries]
    assert 1 == len(now.entries[3].holders)
    assert "y" == now.entries[3].player


def test_an_elimination_takes_no_substitutes():
    now = begun(running("a", "b", "c", "d", "e", format="elimination"))
    now = without(now, PlayerId("b"))

    assert "withdrawn" == states(now)["b"]
    with pytest.raises(EntriesClosed):
        entered(now, "f")


def test_late_entries_are_paired_from_the_next_round_while_they_are_allowed():
    now = entered(begun(running("a", "b", late_rounds=1)), "c")
    assert 3 == now.numbered[2].number
    assert [1, 1, 2] == [each.first for each in now.numbered]
    assert ["a", "b", "c"] == [each.holder_at(each.first) for each in now.numbered]

    now = entered(begun(played(now)), "d")

    assert "reserve" == states(now)["d"]


def test_a_withdrawn_entry_is_not_paired_again():
    now = without(begun(running("a", "b", "c", "d")), PlayerId("d"))
    after = begun(played(now))

    assert 1 == now.numbered[3].last
    assert all(4 not in table.entries for table in after.rounds[1].tables)


# -- what is due --------------------------------------------------------------------------------------------------------


def test_registration_opens_at_its_time():
    now = tournament("announced", opens_at=NOW)

    assert "announced" == next_state(now, NOW - 1).state
    assert "registration" == next_state(now, NOW).state


def test_it_starts_at_its_time_or_when_it_is_full():
    at_time = entered(tournament(starts_at=NOW + DAY), "a", "b")
    assert at_time == next_state(at_time, NOW + DAY - 1)
    assert "running" == next_state(at_time, NOW + DAY).state

    full = tournament(start_when_full=True)
    assert "registration" == next_state(entered(full, "a", "b", "c"), NOW).state
    assert "running" == next_state(entered(full, "a", "b", "c", "d"), NOW).state


def test_too_few_entries_cancel_it():
    now = next_state(entered(tournament(starts_at=NOW, min_entries=3), "a", "b"), NOW)

    assert ("cancelled", NOW, None) == (now.state, now.ended_at, now.started_at)
    assert now == next_state(now, NOW + DAY)


def test_a_round_begins_when_all_games_are_over():
    now = begun(running("a", "b", "c", "d"))
    assert now == next_state(now, NOW + 100 * DAY)

    assert 2 == len(begun(played(now)).rounds)


def test_a_calendar_begins_rounds_at_their_times():
    now = running("a", "b", "c", "d", format="round_robin", rounds=0, round_start="calendar", round_days=7)
    now = begun(now)
    assert now == next_state(now, NOW + 7 * DAY - 1)

    now = begun(now, NOW + 7 * DAY)

    assert 4 == len(now.running_tables)


def test_a_calendar_of_a_swiss_tournament_still_waits_for_games():
    now = begun(running("a", "b", "c", "d", round_start="calendar", round_days=7))

    assert now == next_state(now, NOW + 8 * DAY)
    assert played(now) == next_state(played(now), NOW + DAY)
    assert 2 == len(begun(played(now), NOW + 8 * DAY).rounds)


def test_all_rounds_can_begin_at_once():
    now = running("a", "b", "c", "d", format="round_robin", rounds=0, round_start="calendar", round_days=0)
    for _ in range(3):
        now = begun(now)

    assert 6 == len({table.game for _, _, table in now.running_tables})
    assert now == next_state(now, NOW)


def test_it_ends_after_the_last_game():
    now = running("a", "b", "c", "d")
    for _ in range(3):
        now = begun(played(now))
    assert now == next_state(now, NOW + DAY)

    ended = next_state(played(now), NOW + DAY)

    assert ("finished", NOW + DAY) == (ended.state, ended.ended_at)
    assert ended == cancel(ended, NOW + 2 * DAY)
    assert "cancelled" == cancel(now, NOW).state


def test_games_have_the_same_ids_in_every_process():
    assert table_game_id(SEED, 1, 2) == table_game_id(SEED, 1, 2)
    assert 4 == len({table_game_id(seed, number, 1) for seed in ("a", "b") for number in (1, 2)})
    assert begun(running("a", "b")).rounds[0].tables[0].game == table_game_id(SEED, 1, 1)


# -- limits of settings -------------------------------------------------------------------------------------------------

BODY = {"format": "swiss", "rounds": 5, "places": 16, "min_entries": 2, "round_start": "when_over"}
LEAGUE = {"format": "league", "groups": 3, "advance": 1, "places": 16, "min_entries": 2, "round_start": "when_over"}


def faults(body, **changed):
    merged = {name: value for name, value in {**body, **changed}.items() if value is not None}
    return [pointer for pointer, _ in find_faults(merged, 2, NOW)]


def test_good_settings_have_no_faults():
    assert [] == faults(BODY)
    assert [] == faults(LEAGUE, seasons=3, late_rounds=2)
    assert [] == faults(BODY, opens_at=NOW + 1, starts_at=NOW + 2, min_rating=1, max_rating=1)
    assert [] == faults(BODY, round_start="calendar", round_days=7)


@pytest.mark.parametrize(
    ("expected", "body", "changed"),
    [
        (["/rounds"], BODY, {"rounds": None}),
        (["/groups"], LEAGUE, {"groups": None}),
        (["/advance"], LEAGUE, {"advance": None}),
        (["/rounds"], LEAGUE, {"rounds": 3}),
        (["/groups", "/advance", "/seasons"], BODY, {"groups": 2, "advance": 1, "seasons": 2}),
        (["/late_rounds"], BODY, {"format": "elimination", "rounds": None, "late_rounds": 1}),
        (["/round_days"], BODY, {"round_days": 7}),
        (["/round_days"], BODY, {"round_start": "calendar"}),
        (["/round_start"], BODY, {"format": "elimination", "rounds": None, "round_start": "calendar", "round_days": 7}),
        (["/places"], LEAGUE, {"places": 5}),
        (["/min_entries"], BODY, {"min_entries": 17}),
        (["/advance"], LEAGUE, {"format": "groups", "advance": 0}),
        (["/places"], BODY, {"format": "double_round_robin", "rounds": None, "places": 64}),
        (["/starts_at"], BODY, {"starts_at": NOW}),
        (["/opens_at"], BODY, {"opens_at": NOW + 2, "starts_at": NOW + 1}),
        (["/max_rating"], BODY, {"min_rating": 2, "max_rating": 1}),
    ],
)
def test_settings_that_contradict_each_other_are_named(expected, body, changed):
    assert expected == faults(body, **changed)


@pytest.mark.parametrize(
    ("expected", "body"),
    [
        (40, BODY),
        (15, {**BODY, "format": "elimination"}),
        (120, {**BODY, "format": "round_robin"}),
        (45, LEAGUE),
        (68, {**LEAGUE, "format": "groups", "groups": 4, "advance": 4, "places": 16}),
    ],
)
def test_number_of_games_is_estimated_from_above(expected, body):
    assert expected <= count_games(body, 2) <= MOST_GAMES
