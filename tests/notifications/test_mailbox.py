"""The schedule of email (questions, quiet hours, daily email), and the parts of a message."""

from __future__ import annotations

import email
import email.policy
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from service.core.notifications.schedule import ASKED, HALF, TENTH, plan_times, skip_quiet_hours
from service.core.outbound.message import EmailDraft, Section, build_message, sanitize_header
from service.features.email.mailbox import Mailbox, next_daily_email

HOUR, MINUTE = 3_600_000, 60_000
SOFIA = ZoneInfo("Europe/Sofia")


def at(text, zone=SOFIA):
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


def box(**told):
    return Mailbox(**{"address": "a@example.org", "verified": True, "zone": "Europe/Sofia", **told})


def test_email_is_due_at_once_and_reminders_at_half_and_a_tenth():
    assert {ASKED: 0, HALF: 12 * HOUR, TENTH: int(21.6 * HOUR)} == plan_times(box().schedule, 0, 24 * HOUR)


def test_reminders_follow_the_pace_and_skip_weekends():
    pace = {"mode": "per_question", "hours": 20, "zone": "Europe/Sofia", "weekends": ["saturday", "sunday"]}
    friday, monday = at("2026-11-20T14:00"), at("2026-11-23T10:00")

    assert {ASKED: friday, HALF: at("2026-11-23T00:00"), TENTH: at("2026-11-23T08:00")} == plan_times(
        box().schedule, friday, monday, pace=pace
    )


def test_no_reminder_without_a_deadline_or_if_reminders_are_off():
    assert {ASKED: 5} == plan_times(box().schedule, 5, None)
    assert {ASKED: 0} == plan_times(box(reminders=False).schedule, 0, 24 * HOUR)


def test_email_is_delayed_by_the_chosen_minutes():
    assert {ASKED: 90 * MINUTE} == plan_times(box(when="later", minutes=90, reminders=False).schedule, 0, 24 * HOUR)


def test_email_to_a_player_who_may_be_online_is_delayed():
    assert {ASKED: 10 * MINUTE} == plan_times(box().schedule, 0, None, 10 * MINUTE)
    assert {ASKED: 60 * MINUTE} == plan_times(box(when="later", minutes=60).schedule, 0, None, 10 * MINUTE)


def test_reminders_too_close_to_each_other_or_the_deadline_are_dropped():
    assert {ASKED: 0} == plan_times(box().schedule, 0, 11 * MINUTE)
    assert {HALF: 10 * MINUTE} == plan_times(box(when="later", minutes=60).schedule, 0, 20 * MINUTE)
    assert {ASKED: 12 * HOUR, TENTH: int(21.6 * HOUR)} == plan_times(
        box(when="later", minutes=12 * 60).schedule, 0, 24 * HOUR
    )


@pytest.mark.parametrize("told", [{"when": "off"}, {"when": "daily"}, {"verified": False}, {"stopped": "bounced"}])
def test_no_email_is_due_if_it_is_off_daily_unconfirmed_or_stopped(told):
    assert not box(**told).follows_commits


@pytest.mark.parametrize(
    ("quiet", "then", "goes"),
    [
        (("22:00", "08:00"), "2030-01-31T21:59", "2030-01-31T21:59"),
        (("22:00", "08:00"), "2030-01-31T22:00", "2030-02-01T08:00"),
        (("22:00", "08:00"), "2030-02-01T07:59", "2030-02-01T08:00"),
        (("22:00", "08:00"), "2030-02-01T08:00", "2030-02-01T08:00"),
        (("09:00", "17:00"), "2030-01-31T12:00", "2030-01-31T17:00"),
        (("09:00", "17:00"), "2030-01-31T17:00", "2030-01-31T17:00"),
        (("09:00", "09:00"), "2030-01-31T12:00", "2030-01-31T12:00"),
        (None, "2030-01-31T03:00", "2030-01-31T03:00"),
        (("22:00", "03:30"), "2030-03-31T02:00", "2030-03-31T04:30"),  # 03:30 does not exist on this day
    ],
)
def test_email_in_quiet_hours_is_due_at_their_end(quiet, then, goes):
    assert at(goes) == skip_quiet_hours(box(quiet=quiet).schedule, at(then))


def test_email_and_reminder_that_quiet_hours_bring_together_are_merged():
    found = plan_times(box(quiet=("22:00", "08:00")).schedule, at("2030-01-31T22:30"), at("2030-02-01T10:30"))

    assert {ASKED: at("2030-02-01T08:00"), TENTH: at("2030-02-01T09:18")} == found


def test_daily_email_is_due_at_the_local_hour_in_summer_and_winter():
    daily = box(when="daily", hour=8)

    assert at("2030-03-30T08:00") == next_daily_email(daily, at("2030-03-30T07:59"))
    assert at("2030-03-31T08:00") == next_daily_email(daily, at("2030-03-30T08:00"))
    assert 23 * HOUR == at("2030-03-31T08:00") - at("2030-03-30T08:00")


def test_mailbox_survives_a_round_trip_and_ignores_unknown_terms():
    kept = box(quiet=("22:00", "08:00"), when="later", minutes=7, leave="s")
    known = dict(kept.terms(), colour="of a later release")

    class Kept:
        terms = known

    assert kept == Mailbox.from_subscription(Kept)


# -- the parts of a message ----------------------------------------------------------------------------------------------


def letter(**told):
    section = Section(
        "Nim with <Birk>",
        ["It is your turn."],
        ["You have 3."],
        [("Birk", "Birk takes 1 & 2.")],
        False,
        "https://g.example/letters/open/x",
        b"\x89PNG",
    )
    usual = {
        "to": "ada@example.org",
        "subject": "Nim with <Birk>",
        "message_id": "1.0.1.asked.g1@g.example",
        "sections": [section],
        "thread": "g1@g.example",
        "unsubscribe": "https://games.example.org/letters/leave/" + "s" * 43,
    }
    return build_message(EmailDraft(**{**usual, **told}), "Oracle Wheel <post@g.example>", 1_893_456_000_000)


def test_email_has_the_standard_headers():
    raw = letter().as_bytes()
    read = email.message_from_bytes(raw, policy=email.policy.default)

    assert "<https://games.example.org/letters/leave/" + "s" * 43 + ">" == read["List-Unsubscribe"]
    assert b"\nList-Unsubscribe: <https://games.example.org/letters/leave/sss" in raw, "as it is, not encoded"
    assert "List-Unsubscribe=One-Click" == read["List-Unsubscribe-Post"]
    assert ("<1.0.1.asked.g1@g.example>", "<g1@g.example>") == (read["Message-ID"], read["References"])
    assert "auto-generated" == read["Auto-Submitted"]
    assert "Tue, 01 Jan 2030 00:00:00 +0000" == read["Date"]
    assert all(len(line) <= 998 for line in raw.split(b"\r\n"))


def test_email_contains_plain_text_html_and_the_board():
    read = email.message_from_bytes(letter().as_bytes(), policy=email.policy.default)

    plain, html = (read.get_body((kind,)).get_content() for kind in ("plain", "html"))
    (board,) = [part for part in read.walk() if part.get_content_type() == "image/png"]

    assert "multipart/alternative" == read.get_content_type()
    for told in ("It is your turn.", "You have 3."):
        assert told in plain
        assert told in html
    assert "Birk takes 1 & 2." in plain
    assert "Birk takes 1 &amp; 2." in html
    assert "<Birk>" not in html
    assert f"cid:{board['Content-ID'].strip('<>')}" in html
    assert b"\x89PNG" == board.get_content()


def test_email_without_sections_is_plain_text():
    read = email.message_from_bytes(
        letter(sections=(), opening="Hello,\n\nAsh").as_bytes(), policy=email.policy.default
    )

    assert "text/plain" == read.get_content_type()
    assert read.get_content().replace("\r\n", "\n").startswith("Hello,\n\nAsh\n")


def test_line_break_in_a_subject_adds_no_header():
    read = email.message_from_bytes(
        letter(subject="Nim with A\r\nBcc: all@example.org\x00").as_bytes(), policy=email.policy.default
    )

    assert read["Bcc"] is None
    assert "Nim with A Bcc: all@example.org" == read["Subject"]
    assert "a b" == sanitize_header("a\u2028 \tb\x7f")


@pytest.mark.parametrize("end", ["0a", "0d=0a", "0a=0a"])
def test_encoded_word_in_a_subject_adds_no_header(end):
    raw = letter(subject=f"Nim with =?utf-8?q?A={end}Bcc:all@example.org?=").as_bytes()

    assert [] == [line for line in raw.splitlines() if line.lower().startswith(b"bcc")]
    assert (
        f"Nim with = ?utf-8?q?A={end}Bcc:all@example.org?="
        == email.message_from_bytes(raw, policy=email.policy.default)["Subject"]
    )
