"""Calendar pace: real times of game days across clock changes of the time zone."""

from __future__ import annotations

import importlib.resources
import zoneinfo
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domain.kernel.terms import SYSTEM, Question, Seat
from service.core.pace.calendar import DAY, HOUR, MINUTE, Calendar, faults, milliseconds, time_of_day, zone_of
from service.core.pace.clock import clock_of
from tests.workers.almanac import SOFIA, instant, local


def calendar(start, zone="Europe/Sofia", at="18:00", day="PT24H"):
    return Calendar.of({"mode": "calendar", "day": day, "at": at, "zone": zone}, instant(start, zone))


def ends(plan, first, last):
    return [local(plan.end(day), plan.zone.key) for day in range(first, last + 1)]


def asked(day, place=None, of=None, seat=1):
    about = {"day": day} if place is None else {"day": day, "place": place, "of": of}
    return Question(1, 0, Seat(seat), "turn", "TURN-03", about)


# -- days -------------------------------------------------------------------------------------------------------------


def test_days_in_sofia_end_at_18_00_after_a_day_of_23_hours_in_spring():
    plan = calendar("2026-03-27 12:00")

    told = ["2026-03-28 18:00+02:00", "2026-03-29 18:00+03:00", "2026-03-30 18:00+03:00"]
    assert told == ends(plan, 1, 3)
    assert [23 * HOUR, 24 * HOUR] == [plan.end(2) - plan.end(1), plan.end(3) - plan.end(2)]


def test_days_in_sofia_end_at_18_00_after_a_day_of_25_hours_in_autumn():
    plan = calendar("2026-10-23 12:00")

    told = ["2026-10-24 18:00+03:00", "2026-10-25 18:00+02:00", "2026-10-26 18:00+02:00"]
    assert told == ends(plan, 1, 3)
    assert 25 * HOUR == plan.end(2) - plan.end(1)


def test_skipped_local_time_is_shifted_by_the_clock_change():
    assert ["2026-03-28 03:30+02:00", "2026-03-29 04:30+03:00", "2026-03-30 03:30+03:00"] == ends(
        calendar("2026-03-27 12:00", at="03:30"), 1, 3
    )


def test_repeated_local_time_means_its_first_occurrence():
    assert ["2026-10-24 03:30+03:00", "2026-10-25 03:30+03:00", "2026-10-26 03:30+02:00"] == ends(
        calendar("2026-10-23 12:00", at="03:30"), 1, 3
    )


def test_zone_may_have_an_offset_of_45_minutes_and_change_its_clocks():
    assert ["2026-04-04 20:15+13:45", "2026-04-05 20:15+12:45"] == ends(
        calendar("2026-04-04 05:00", "Pacific/Chatham", "20:15"), 1, 2
    )
    assert ["2026-03-28 09:00+05:45", "2026-03-29 09:00+05:45"] == ends(
        calendar("2026-03-27 12:00", "Asia/Kathmandu", "09:00"), 1, 2
    )


def test_southern_zones_change_in_october_and_lord_howe_by_half_an_hour():
    plan = calendar("2026-10-02 12:00", "Australia/Lord_Howe")

    assert ["2026-10-03 18:00+10:30", "2026-10-04 18:00+11:00"] == ends(plan, 1, 2)
    assert 23 * HOUR + 30 * MINUTE == plan.end(2) - plan.end(1)
    assert ["2026-04-04 18:00-03:00", "2026-04-05 18:00-04:00"] == ends(
        calendar("2026-04-04 05:00", "America/Santiago"), 1, 2
    )


def test_date_that_a_zone_skips_is_no_day_of_the_game():
    """Samoa skipped 30 December 2011 when it crossed the date line."""
    plan = calendar("2011-12-28 05:00", "Pacific/Apia")

    told = ["2011-12-28 18:00-10:00", "2011-12-29 18:00-10:00", "2011-12-31 18:00+14:00", "2012-01-01 18:00+14:00"]
    assert told == ends(plan, 1, 4)
    assert {24 * HOUR} == {later - earlier for earlier, later in pairwise(map(plan.end, range(1, 9)))}


def test_the_first_day_has_at_least_half_its_length():
    assert ["2026-06-01 18:00+03:00"] == ends(calendar("2026-06-01 06:00"), 1, 1)
    assert ["2026-06-02 18:00+03:00"] == ends(calendar("2026-06-01 06:01"), 1, 1)
    assert ["2026-06-03 18:00+03:00"] == ends(calendar("2026-06-01 06:01", day="P3D"), 1, 1)


def test_a_day_may_be_several_real_days_or_a_week():
    assert ["2026-03-27 18:00+02:00", "2026-03-29 18:00+03:00"] == ends(calendar("2026-03-26 12:00", day="PT48H"), 1, 2)
    assert ["2026-03-24 18:00+02:00", "2026-03-31 18:00+03:00"] == ends(calendar("2026-03-21 05:00", day="P1W"), 1, 2)


def test_day_of_other_lengths_is_counted_in_real_hours():
    plan = calendar("2026-03-28 10:00", day="PT12H")

    told = ["2026-03-28 18:00+02:00", "2026-03-29 07:00+03:00", "2026-03-29 19:00+03:00"]
    assert told == ends(plan, 1, 3)
    short = calendar("2026-03-28 10:00:11", day="PT10S")
    assert [instant("2026-03-28 10:00:20", "Europe/Sofia") + 10_000 * day for day in range(4)] == [
        short.end(day) for day in range(1, 5)
    ]


# -- shares of a day --------------------------------------------------------------------------------------------------


def test_seat_i_of_n_has_until_i_nths_of_the_day_and_the_day_turns_at_its_end():
    plan = calendar("2026-06-01 12:00")
    begins, ends_ = plan.end(4), plan.end(5)

    assert ["2026-06-06 00:00", "2026-06-06 06:00", "2026-06-06 12:00", "2026-06-06 18:00"] == [
        local(plan.due(asked(5, place, 4)), "Europe/Sofia")[:16] for place in (1, 2, 3, 4)
    ]
    assert ends_ == plan.due(asked(5, seat=SYSTEM))
    assert begins + (ends_ - begins) // 8 == plan.due(asked(5, 0, 4)), "before the first turn: half of its share"


def test_shares_are_smaller_on_the_day_of_23_hours():
    plan = calendar("2026-03-27 12:00")
    assert plan.end(1) + 23 * HOUR // 2 == plan.due(asked(2, 1, 2))


def test_first_day_is_shared_from_the_start_of_the_game():
    plan = calendar("2026-06-01 12:00")
    assert "2026-06-02 03:00+03:00" == local(plan.due(asked(1, 1, 2)), "Europe/Sofia")


def test_due_time_of_the_calendar_clock_does_not_depend_on_the_time_of_asking():
    start = instant("2026-06-01 12:00", "Europe/Sofia")
    clock = clock_of(SOFIA, start)

    question = asked(3, 1, 2)
    assert clock(question, start) == clock(question, start + 30 * DAY)
    assert Calendar.of(SOFIA, start).end(3) == clock(asked(3, seat=SYSTEM), start)


@pytest.mark.parametrize("pace", [{**SOFIA, "zone": "Mars/Olympus"}, {**SOFIA, "day": "PT0S"}, {**SOFIA, "at": "noon"}])
def test_invalid_calendar_raises_value_error(pace):
    with pytest.raises(ValueError, match=r"."):
        clock_of(pace, 0)


ZONES = sorted(importlib.resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split())
INSTANTS = st.integers(instant("1995-01-01"), instant("2060-01-01"))
TIMES = st.times().map(lambda time: time.strftime("%H:%M"))


@settings(deadline=None)  # the first use of a time zone reads its file
@given(zone=st.sampled_from(ZONES), start=INSTANTS, at=TIMES, length=st.integers(1, 9), first=st.integers(1, 700))
@example(zone="Pacific/Apia", start=instant("2011-12-20"), at="18:00", length=1, first=1)
@example(zone="Pacific/Kwajalein", start=instant("1993-08-15"), at="00:00", length=1, first=1)
@example(zone="Africa/Casablanca", start=instant("2026-01-20"), at="02:30", length=1, first=20)
def test_whole_days_end_in_order_at_the_same_time_of_day(zone, start, at, length, first):
    plan = Calendar.of({"day": f"P{length}D", "at": at, "zone": zone}, start)
    days = [plan.end(day) for day in range(first, first + 12)]

    # Clock changes are always below twelve hours, except at the date line.
    assert all(length * DAY - DAY // 2 < later - earlier < length * DAY + DAY // 2 for earlier, later in pairwise(days))
    for end in days:
        shown = datetime.fromtimestamp(end // 1000, zone_of(zone))
        there = datetime.combine(shown.date(), time_of_day(at), zone_of(zone))
        exists = there.astimezone(UTC).astimezone(zone_of(zone)).replace(tzinfo=None) == there.replace(tzinfo=None)
        assert not exists or time_of_day(at) == shown.time().replace(second=0) or _in_gap_before(shown, at, zone)


def _in_gap_before(shown, at, zone):
    """Whether the time was skipped on the previous date and so shifted past midnight."""
    yesterday = datetime.combine(shown.date() - timedelta(days=1), time_of_day(at), zone_of(zone))
    return yesterday.astimezone(UTC) == shown.astimezone(UTC)


@settings(deadline=None)  # the first use of a time zone reads its file
@given(
    zone=st.sampled_from(ZONES),
    start=INSTANTS,
    at=TIMES,
    text=st.sampled_from(["PT1S", "PT7M", "PT1H", "PT11H", "PT12H", "PT25H", "PT24H", "P1DT1S", "P31D"]),
    day=st.integers(1, 500),
    of=st.integers(1, 8),
)
def test_later_shares_are_due_later_in_any_calendar(zone, start, at, text, day, of):
    plan = Calendar.of({"day": text, "at": at, "zone": zone}, start)
    shares = [plan.due(asked(each, place, of)) for each in (day, day + 1) for place in range(of + 1)]

    assert sorted(set(shares)) == shares
    assert plan.due(asked(day, of, of)) == plan.due(asked(day, seat=SYSTEM)) == plan.end(day)
    assert start + milliseconds(text) // 2 <= plan.end(1) < start + 3 * milliseconds(text) + 2 * DAY


def test_zones_come_from_the_package_and_not_from_the_host():
    assert zoneinfo.ZoneInfo("Europe/Sofia").key == zone_of("Europe/Sofia").key
    assert zone_of("Europe/Sofia") is not zoneinfo.ZoneInfo("Europe/Sofia"), "which may be the host's"


# -- what a pace may be -----------------------------------------------------------------------------------------------


def test_durations_are_whole_units_of_iso_8601():
    told = {"PT24H": DAY, "P1D": DAY, "P1DT12H": 36 * HOUR, "P2W": 14 * DAY, "PT14M24S": 864_000, "PT90S": 90_000}
    assert told == {text: milliseconds(text) for text in told}


@pytest.mark.parametrize(
    "text", ["", "P", "PT", "P1DT", "24", "24H", "P1Y", "P1M", "PT1.5H", "PT-1H", "P1W1D", "PT1H\n", "pt1h", "PT٣H"]
)
def test_duration_without_a_fixed_length_is_refused(text):
    with pytest.raises(ValueError, match="such as PT24H"):
        milliseconds(text)


def test_invalid_calendar_fields_are_reported_with_an_example():
    assert {} == faults(SOFIA)
    assert {"day", "at", "zone"} == set(faults({}))
    assert "PT24H" in faults({})["day"]
    assert "perhaps Europe/Sofia?" in faults({**SOFIA, "zone": "Europe/Sofa"})["zone"]
    assert "such as Europe/Sofia" in faults({**SOFIA, "zone": "../../etc/passwd"})["zone"]
    assert {"at": "Must be a time of day from 00:00 to 23:59, such as 18:00."} == faults({**SOFIA, "at": "24:00"})
    assert ["day"] == list(faults({**SOFIA, "day": "PT59S"})) == list(faults({**SOFIA, "day": "P32D"}))
    assert {} == faults({**SOFIA, "day": "PT1M"}) == faults({**SOFIA, "day": "P31D"})


def test_question_that_interrupts_a_turn_has_half_of_the_next_share_at_most():
    plan = calendar("2026-05-01 12:00")

    def due(place, **more):
        return plan.due(Question(1, 0, Seat(2), "defend", "BAT-05", {"day": 3, "place": place, "of": 4, **more}))

    begins = plan.end(2)
    assert [3, 6, 12, 18, 24] == [(due(place) - begins) / HOUR for place in range(5)]
    assert [4.5, 9, 15, 21, 24] == [(due(place, interrupts=True) - begins) / HOUR for place in range(5)]
