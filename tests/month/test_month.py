"""Four weeks of games with killed workers and servers are equal to four weeks without failures.

Both services get the same players, games, seeds and times, and everything is compared except what cannot be equal:

- random values: ids of vacations and plans (in commits, each is replaced by the name of its first occurrence), ids of
feeds, and links in emails;
- salted or signed values: the digest of chat messages, and so the heads of commits and their signatures. The audits of
all logs, with the keys, check those; the signature of each webhook event is checked on delivery;
- how often an event or email was delivered: a worker killed between delivering and recording delivers again. A repeated
delivery must have the same id and content;
- the order of events of different games, and of emails to different addresses: they are sent concurrently;
- whether an email is written before or after a commit of the very instant at which it is due: either is right, and the
email describes the game at that time. In both services, the games of an instant are settled first, and then deliveries
are made.

Times are compared as well: of commits, events and emails, and of everything that was due by itself. In the service with
kills, time runs while players act, but commands, events and emails get the time rounded down to ten minutes (see
`simulated`). Outages have their own test: here none is long enough to count.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter

import pytest

from tests.month import compared
from tests.month.doings import Month
from tests.month.founding import HOOKS, START, TABLES
from tests.month.quiet import Quiet
from tests.month.stormy import Stormy
from tests.notifications.mail import MailServer
from tests.notifications.receiver import Receiver


@contextlib.contextmanager
def receivers():
    receiver = Receiver()
    try:
        with MailServer() as mail:
            yield receiver, mail
    finally:
        receiver.close()


def heads(house, game):
    return house.reading(lambda store: [stored.head for stored in store.log.commits(game, headers=True)])


class Told:
    """The results of a month."""

    def __init__(self, house, month, receiver, mail):
        self.commits = {game: compared.commits(house, game) for game in house.games}
        self.words, self.doubled_words = compared.words(receiver, {game: heads(house, game) for game in house.games})
        self.letters, self.doubled_letters = compared.letters(mail)
        self.feeds, self.steps = month.read, month.steps
        self.divergences = {game: house.audited(game).divergences for game in house.games}

    def events(self):
        bodies = [body for commits in self.commits.values() for body in commits]
        return Counter(event["type"] for body in bodies for event in body.get("events", ()))

    def by(self):
        return Counter(body["actor"]["by"] for commits in self.commits.values() for body in commits)


def quiet(monkeypatch, games, days):
    with receivers() as (receiver, mail), monkeypatch.context() as patched:
        house = Quiet(patched, receiver, mail, games, START)
        try:
            month = Month(house, days)
            month.play()
            return Told(house, month, receiver, mail)
        finally:
            house.close()


def stormy(folder, games, days, seed, calm, most=math.inf):
    """The month on a real server; returns its results, the output of the doctor, and how often each role was killed."""
    with receivers() as (receiver, mail):
        house = Stormy(folder, receiver, mail, games, START, seed=seed, calm=calm)
        try:
            month = Month(house, days)
            house.storm.most = most
            house.storm.begin()
            month.play()
            house.storm.over()
            assert house.storm.failed is None
            house.rest()
            return Told(house, month, receiver, mail), house.doctor(), house.storm.kills
        finally:
            house.close()


def compare(monkeypatch, folder, games, days, *, most=math.inf, **storm):
    expected = quiet(monkeypatch, games, days)
    found, doctor, kills = stormy(folder, games, days, most=most, **storm)

    commits, words = sum(map(len, found.commits.values())), sum(map(len, found.words.values()))
    letters = sum(map(len, found.letters.values()))
    print(f"{commits} commits, {words} words (again: {found.doubled_words}), {letters} letters (again: ", end="")
    print(f"{found.doubled_letters}), {len(found.steps)} instants, killed: {dict(kills)}")
    for game in games:
        for seq, (here, there) in enumerate(zip(expected.commits[game], found.commits[game], strict=False), 1):
            assert here == there, f"commit {seq} of {game}"
        assert len(expected.commits[game]) == len(found.commits[game])
    assert dict.fromkeys(games, ()) == expected.divergences
    assert dict.fromkeys(games, ()) == found.divergences
    assert expected.steps == found.steps
    compared.same(expected.words, found.words)
    compared.same(expected.letters, found.letters)
    assert expected.feeds == found.feeds
    assert "No problems found." == doctor.splitlines()[-1]
    return found, kills


@pytest.mark.soak
def test_day_of_two_games_is_the_same_with_kills(monkeypatch, tmp_path):
    found, kills = compare(monkeypatch, tmp_path, ["lakes", "history"], 1, seed=5, calm=(0.2, 0.8), most=8)

    assert kills.total() >= 3
    assert {f"/{name}" for name in HOOKS} == found.words.keys()
    assert found.letters


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seed", [7, 8])
def test_four_weeks_of_four_games_are_the_same_with_kills(monkeypatch, tmp_path, seed):
    """Includes vacations, days off, a sitter, a substitute, missed turns, plans, orders, undos, votes and chat."""
    found, kills = compare(monkeypatch, tmp_path, list(TABLES), 28, seed=seed, calm=(2.0, 6.0))

    assert {"player", "sitter", "bot", "policy", "plan", "system"} == found.by().keys()
    happened = {
        *("vacation_announced", "vacation_begun", "vacation_ended", "clocks_stopped", "clocks_started", "time_given"),
        *("turn_missed", "turns_resumed", "seat_vacated", "seat_taken", "reserve_begun", "reserve_changed", "said"),
        *("undo_requested", "undone", "undo_declined", "vote_carried", "vote_failed", "order_given", "order_followed"),
    }
    assert set() == happened - found.events().keys()
    assert {"settle", "cron", "side", "stopped", "api", "valkey"} <= kills.keys()
