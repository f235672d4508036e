"""Days off, on which no clock runs, compared with a count of single minutes."""

from __future__ import annotations

import importlib.resources
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from domain.kernel.terms import SYSTEM, Question, Seat
from service.core.pace.calendar import DAY, HOUR, MINUTE, Calendar, time_of_day
from service.core.pace.clock import clock_of, made_up
from service.core.pace.working import WEEK, working_time
from service.core.pace.zones import zone_of
from tests.workers.almanac import SOFIA, instant, local

ZONES = sorted(importlib.resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split())
WEEKEND = ["saturday", "sunday"]
DAILY = {"mode": "per_question", "hours": 24, "zone": "Europe/Sofia", "weekends": WEEKEND}


def asked(day=1, place=1, of=2, seat=1):
    return Question(1, 0, Seat(seat), "turn", "TURN-03", {"day": day, "place": place, "of": of})


def due(at, pace=DAILY):
    return local(clock_of(pace, 0)(asked(), instant(at, "Europe/Sofia")), "Europe/Sofia")


# -- per question ------------------------------------------------------------------------------------------------------


def test_hours_count_only_on_working_days():
    assert "2026-06-08 17:00+03:00" == due("2026-06-05 17:00"), "from Friday to Monday"
    assert "2026-06-09 00:00+03:00" == due("2026-06-06 11:00"), "asked on Saturday: Monday is there to answer"
    assert "2026-06-04 17:00+03:00" == due("2026-06-03 17:00")


def test_deadline_at_the_start_of_a_weekend_moves_behind_it():
    assert "2026-06-08 00:00+03:00" == due("2026-06-05 00:00")


def test_holidays_are_days_off():
    pace = {**DAILY, "holidays": ["2026-12-24", "2026-12-25", "2026-12-26"]}
    assert "2026-12-28 15:00+02:00" == due("2026-12-23 15:00", pace)
    assert "2026-12-24 15:00+02:00" == due("2026-12-23 15:00")


def test_clock_change_on_a_weekend_does_not_shorten_the_working_days():
    sunday = {**DAILY, "weekends": ["sunday"]}
    assert "2026-03-30 17:00+03:00" == due("2026-03-28 17:00", sunday), "clocks are put forward on that Sunday"
    assert "2026-10-26 17:00+02:00" == due("2026-10-24 17:00", sunday)
    saturday = {**DAILY, "weekends": ["saturday"]}
    assert "2026-03-29 18:00+03:00" == due("2026-03-27 17:00", saturday), "on this Sunday an hour is left out"


def test_question_of_the_system_is_due_at_once_on_any_day():
    at = instant("2026-06-06 11:00")
    assert at == clock_of(DAILY, 0)(asked(seat=SYSTEM), at)


def test_outage_over_a_weekend_postpones_deadlines_by_its_working_hours():
    friday, monday = instant("2026-06-05 12:00", "Europe/Sofia"), instant("2026-06-08 02:00", "Europe/Sofia")
    stood = instant("2026-06-05 17:00", "Europe/Sofia")
    by = made_up(DAILY, stood, friday, monday)
    assert "2026-06-08 07:00+03:00" == local(stood + by, "Europe/Sofia"), "five hours were left on Friday noon"
    assert monday - friday == made_up({"mode": "per_question", "hours": 24}, stood, friday, monday)


@pytest.mark.parametrize(
    "pace",
    [
        {**DAILY, "weekends": list(WEEK)},
        {**DAILY, "weekends": ["someday"]},
        {**DAILY, "holidays": ["24.12.2026"]},
        {**DAILY, "zone": "Mars/Olympus"},
        {**SOFIA, "weekends": list(WEEK)},
    ],
)
def test_invalid_days_off_raise_value_error(pace):
    with pytest.raises(ValueError, match=r"."):
        clock_of(pace, 0)


# -- a count of minutes ------------------------------------------------------------------------------------------------


class Naive:
    """Counts working minutes one by one. A date begins when clocks first show it."""

    def __init__(self, zone, weekends, holidays, at):
        self.zone, self.weekends, self.holidays = zone_of(zone), weekends, holidays
        self.at = at
        self.date = max(self._shown(at - half * 30 * MINUTE) for half in range(6))

    def _shown(self, at):
        return datetime.fromtimestamp(at // 1000, self.zone).date()

    @property
    def counts(self):
        return WEEK[self.date.weekday()] not in self.weekends and self.date.isoformat() not in self.holidays

    def step(self):
        self.at += MINUTE
        self.date = max(self.date, self._shown(self.at))

    def later(self, minutes):
        while minutes or not self.counts:
            minutes -= self.counts
            self.step()
        return self.at

    def until(self, last):
        counted = 0
        while self.at < last:
            counted += self.counts
            self.step()
        return counted


INSTANTS = st.integers(instant("1995-01-01") // MINUTE, instant("2037-01-01") // MINUTE).map(lambda each: each * MINUTE)
OFF = st.lists(st.sampled_from(WEEK), max_size=4, unique=True)
NEXT = st.sets(st.integers(0, 9), max_size=4)


def dates_after(at, days):
    first = datetime.fromtimestamp(at // 1000, UTC).date()
    return [(first + timedelta(days=each)).isoformat() for each in sorted(days)]


@pytest.mark.soak
@settings(deadline=None, max_examples=150)
@given(zone=st.sampled_from(ZONES), at=INSTANTS, weekends=OFF, days=NEXT, minutes=st.integers(0, 70 * 60))
@example(zone="Pacific/Apia", at=instant("2011-12-29 05:00"), weekends=["friday"], days=set(), minutes=40 * 60)
@example(zone="America/St_Johns", at=instant("2006-10-28 20:00"), weekends=["sunday"], days=set(), minutes=2000)
@example(zone="Asia/Beirut", at=instant("2025-03-29 10:00"), weekends=["sunday"], days=set(), minutes=1000)
@example(zone="America/Nuuk", at=instant("2026-03-28 10:00"), weekends=["sunday"], days=set(), minutes=1000)
def test_working_time_equals_a_count_of_single_minutes(zone, at, weekends, days, minutes):
    holidays = dates_after(at, days)
    working = working_time({"zone": zone, "weekends": weekends, "holidays": holidays})
    last = working.later(at, minutes * MINUTE)

    assert Naive(zone, weekends, holidays, at).later(minutes) == last
    assert Naive(zone, weekends, holidays, at).until(last) * MINUTE == working.between(at, last) == minutes * MINUTE
    assert -minutes * MINUTE == working.between(last, at)


@pytest.mark.soak
@settings(deadline=None, max_examples=60)
@given(at=INSTANTS, weekends=OFF, days=NEXT, stops=st.lists(st.integers(0, 4000), min_size=2, max_size=6, unique=True))
def test_stopped_time_is_not_counted(at, weekends, days, stops):
    zone, holidays = "Europe/Sofia", dates_after(at, days)
    instants = sorted(at + minutes * MINUTE for minutes in stops[: len(stops) // 2 * 2])
    pairs = list(zip(instants[::2], instants[1::2], strict=True))
    pace = {"zone": zone, "weekends": weekends, "holidays": holidays}
    naive, counted = Naive(zone, weekends, holidays, at), 0
    while naive.at < at + 4 * DAY:
        counted += naive.counts and not any(first <= naive.at < last for first, last in pairs)
        naive.step()

    assert counted * MINUTE == working_time(pace, pairs).between(at, at + 4 * DAY)


# -- by the calendar ---------------------------------------------------------------------------------------------------


def test_no_game_day_ends_on_a_day_off():
    plan = Calendar.of({**SOFIA, "weekends": WEEKEND, "holidays": ["2026-06-09"]}, instant("2026-06-04 03:00"))
    told = ["2026-06-04 18:00", "2026-06-05 18:00", "2026-06-08 18:00", "2026-06-10 18:00", "2026-06-11 18:00"]
    assert told == [local(plan.end(day), "Europe/Sofia")[:16] for day in range(1, 6)]


def test_shares_of_a_day_are_counted_without_days_off():
    plan = Calendar.of({**SOFIA, "weekends": WEEKEND}, instant("2026-06-04 03:00"))
    assert "2026-06-08 06:00" == local(plan.due(asked(3, 1, 2)), "Europe/Sofia")[:16]
    assert "2026-06-08 00:00" == local(plan.due(asked(3, 1, 4)), "Europe/Sofia")[:16], "not at the end of Friday"
    assert plan.end(3) == plan.due(asked(3, 2, 2)) == plan.due(asked(3, seat=SYSTEM))


def test_game_started_on_a_day_off_has_its_first_day_after_it():
    plan = Calendar.of({**SOFIA, "weekends": WEEKEND}, instant("2026-06-06 09:00"))
    assert "2026-06-08 18:00+03:00" == local(plan.end(1), "Europe/Sofia")


def test_skipped_local_time_that_falls_on_a_day_off_moves_behind_it():
    pace = {"mode": "calendar", "day": "P1D", "at": "23:30", "zone": "America/Nuuk", "weekends": ["sunday"]}
    plan = Calendar.of(pace, instant("2026-03-27 10:00", "America/Nuuk"))
    told = ["2026-03-27 23:30", "2026-03-30 00:00", "2026-03-30 23:30"]
    assert told == [local(plan.end(day), "America/Nuuk")[:16] for day in range(1, 4)]


@pytest.mark.soak
@settings(deadline=None, max_examples=100)
@given(
    zone=st.sampled_from(ZONES),
    start=INSTANTS,
    at=st.times().map(lambda each: each.strftime("%H:%M")),
    weekends=OFF,
    days=NEXT,
    length=st.integers(1, 4),
    first=st.integers(1, 300),
)
@example("Pacific/Apia", instant("2011-12-20"), "18:00", ["saturday"], set(), 1, 1)
@example("Pacific/Apia", instant("2011-12-20"), "18:00", ["friday"], set(), 1, 1)
def test_whole_days_end_on_every_working_date_in_turn(zone, start, at, weekends, days, length, first):
    assume(weekends or days)
    pace = {"day": f"P{length}D", "at": at, "zone": zone, "weekends": weekends, "holidays": dates_after(start, days)}
    plan = Calendar.of(pace, start)
    ends = [plan.end(day) for day in range(first, first + 9)]
    working, clocks = working_time(pace), zone_of(zone)
    shown = [datetime.fromtimestamp(each // 1000, clocks) for each in ends]

    assert all(each == working.later(each) for each in ends), "never while the clock stands"
    for one, end in zip(shown, ends, strict=True):
        there = datetime.combine(one.date(), time_of_day(at), clocks)
        assert int(there.timestamp()) * 1000 == end or _left_out(one, at, clocks)
    for earlier, later in pairwise(shown):
        between = [earlier.date() + timedelta(days=n) for n in range(1, (later.date() - earlier.date()).days + 1)]
        worked = sum(
            WEEK[each.weekday()] not in weekends and each.isoformat() not in pace["holidays"] for each in between
        )
        lost = zone in ("Pacific/Apia", "Pacific/Fakaofo", "Pacific/Enderbury", "Pacific/Kanton", "Pacific/Kiritimati")
        assert worked == length or lost or _left_out(earlier, at, clocks) or _left_out(later, at, clocks)


def _left_out(shown, at, clocks):
    """Whether the clocks skipped that time on this date or one of the two before."""
    for day in (shown.date(), shown.date() - timedelta(days=1), shown.date() - timedelta(days=2)):
        there = datetime.combine(day, time_of_day(at), clocks)
        if datetime.fromtimestamp(there.timestamp(), clocks).time() != there.time():
            return True
    return False


def test_friday_that_samoa_skipped_is_neither_a_working_day_nor_a_day_off():
    pace = {"mode": "calendar", "day": "P1D", "at": "18:00", "zone": "Pacific/Apia", "weekends": ["saturday"]}
    plan = Calendar.of(pace, instant("2011-12-28 05:00", "Pacific/Apia"))
    told = ["2011-12-28 18:00", "2011-12-29 18:00", "2012-01-01 18:00", "2012-01-02 18:00"]
    assert told == [local(plan.end(day), "Pacific/Apia")[:16] for day in range(1, 5)]


@settings(deadline=None, max_examples=60)
@given(
    zone=st.sampled_from(ZONES),
    start=INSTANTS,
    weekends=OFF,
    days=NEXT,
    text=st.sampled_from(["PT7M", "PT1H", "PT11H", "PT25H"]),
    first=st.integers(1, 30),
    of=st.integers(1, 6),
)
def test_days_of_other_lengths_and_shares_are_counted_in_working_minutes(zone, start, weekends, days, text, first, of):
    assume(weekends or days)
    pace = {"day": text, "at": "18:00", "zone": zone, "weekends": weekends, "holidays": dates_after(start, days)}
    plan = Calendar.of(pace, start)
    begun, ended = plan.end(first), plan.end(first + 1)
    counted = Naive(zone, weekends, pace["holidays"], begun).until(ended)

    assert plan.day == counted * MINUTE
    for place in range(1, of + 1):
        share = plan.due(asked(first + 1, place, of))
        assert plan.day * 4 * place // (4 * of) == plan.working.between(begun, share)


def test_end_of_a_day_far_in_the_future_is_computed():
    plan = Calendar.of({**SOFIA, "weekends": list(WEEK[1:])}, instant("2026-06-04 03:00"))
    mondays = (plan.end(1000) - plan.end(1) + 12 * HOUR) // DAY
    assert 999 * 7 == mondays


# -- stops of a calendar -----------------------------------------------------------------------------------------------


def test_day_that_was_stopped_keeps_at_least_the_time_it_had_left():
    stop = (instant("2026-06-02 12:00", "Europe/Sofia"), instant("2026-06-04 15:00", "Europe/Sofia"))
    plan = Calendar.of(SOFIA, instant("2026-06-01 03:00"), [stop])
    told = ["2026-06-01 18:00", "2026-06-05 18:00", "2026-06-06 18:00"]
    assert told == [local(plan.end(day), "Europe/Sofia")[:16] for day in range(1, 4)]
    assert plan.end(1) == Calendar.of(SOFIA, instant("2026-06-01 03:00")).end(1)


def test_stop_over_a_weekend_costs_its_working_days():
    stop = (instant("2026-06-05 12:00", "Europe/Sofia"), instant("2026-06-08 12:00", "Europe/Sofia"))
    plan = Calendar.of({**SOFIA, "weekends": WEEKEND}, instant("2026-06-04 03:00"), [stop])
    told = ["2026-06-04 18:00", "2026-06-08 18:00", "2026-06-09 18:00"]
    assert told == [local(plan.end(day), "Europe/Sofia")[:16] for day in range(1, 4)]


@settings(deadline=None, max_examples=60)
@given(
    text=st.sampled_from(["PT24H", "PT12H", "P2D"]),
    weekends=OFF,
    hours=st.lists(st.integers(1, 500), min_size=2, max_size=6, unique=True),
)
def test_no_day_is_shortened_by_a_stop_or_ends_during_one(text, weekends, hours):
    start = instant("2026-06-01 03:00")
    instants = sorted(start + each * HOUR for each in hours[: len(hours) // 2 * 2])
    stops = list(zip(instants[::2], instants[1::2], strict=True))
    pace = {**SOFIA, "day": text, "weekends": weekends}
    plain, stopped = Calendar.of(pace, start), Calendar.of(pace, start, stops)
    working = working_time(pace, stops)
    ends = [stopped.end(day) for day in range(30)]

    assert sorted(set(ends)) == ends
    for day in range(2, 30):
        least = working_time(pace).between(plain.end(day - 1), plain.end(day))
        assert least - 2 * HOUR <= working.between(ends[day - 1], ends[day])
        assert not any(first < ends[day] < last for first, last in stops)
