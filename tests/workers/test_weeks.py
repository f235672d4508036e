"""Four weeks with days off, reserve time, extra time, stops, vacations and outages, and the audit."""

from __future__ import annotations

import random
from datetime import datetime

import pytest

from domain.kernel.dice import Aside
from domain.kernel.terms import SYSTEM
from domain.table import bots, features
from domain.table.clocks import clocks
from domain.table.folding import replay
from service.core.history.lines import decode_commit
from service.core.pace.calendar import DAY, HOUR, MINUTE
from service.core.pace.zones import zone_of
from service.core.positions.cache import Positions
from service.core.positions.game_config import load_game_config
from tests.soaking import soak
from tests.stores import new_store
from tests.workers.almanac import SOFIA, Almanac, bodies, instant, say
from tests.workers.test_clocks import bell, ring, to_the_end

START = instant("2026-03-09 07:00")
"""A Monday; clocks change in the third week."""
DAYS_OFF = {"zone": "Europe/Sofia", "weekends": ["saturday", "sunday"], "holidays": ["2026-03-18", "2026-04-01"]}
PER_QUESTION = {"mode": "per_question", "hours": 24, "bank_hours": 20, "increment_hours": 3, **DAYS_OFF}
BY_CALENDAR = {**SOFIA, **DAYS_OFF}
TABLE = {**features.complete_settings({}), "give_time": 40, "missed_limit": 0, "vacation_days": 6}

__all__ = ["bell"]


class Weeks:
    """Random actions of three players, drawn from a seed."""

    def __init__(self, almanac, game, seed):
        self.almanac, self.game, self.draw = almanac, game, random.Random(seed)
        self.facts = load_game_config(almanac.store, game)
        self.positions = Positions(almanac.store)
        self.counted = 0
        self.stopped = False
        self.held = set()

    def position(self):
        return self.positions.read_newest(self.facts)

    def name(self, what):
        self.counted += 1
        return f"{what} {self.counted}"

    def step(self):
        """One action, then some hours pass."""
        what = self.draw.choices(
            ["answer", "give", "vacation", "recall", "stop", "outage", "nothing"], [8, 2, 2, 1, 1, 0.3, 6]
        )[0]
        getattr(self, what)()
        self.almanac.work()
        self.almanac.until(self.almanac.now + self.draw.randrange(10 * MINUTE, 14 * HOUR))
        self.check()

    def answer(self):
        for asked in self.position().asked:
            seat = asked.question.seat
            if seat != SYSTEM and asked.question.serial >= 0:
                dice = Aside(self.draw.randbytes(32))
                command = dict(bots.choose(self.facts.game, "random", self.position().state, seat, dice))
                say(self.almanac.store, self.game, seat, self.name("answer"), **command)
                self.almanac.work()

    def give(self):
        by, to = self.draw.sample([1, 2, 3], 2)
        told = {"type": "give_time", "seat": to, "hours": self.draw.randint(1, 30)}
        say(self.almanac.store, self.game, by, self.name("gift"), **told)

    def vacation(self):
        begins = self.almanac.now + self.draw.randrange(0, 4 * DAY)
        times = {"begins": begins, "ends": begins + self.draw.randrange(HOUR, 4 * DAY)}
        seat, name = self.draw.randint(1, 3), self.name("vacation")
        told = {"type": "announce_vacation", "seat": seat, "vacation": name, **times}
        say(self.almanac.store, self.game, SYSTEM, name, **told)
        self.held.add((seat, name))

    def recall(self):
        if self.held:
            seat, name = self.draw.choice(sorted(self.held))
            say(self.almanac.store, self.game, SYSTEM, f"re{name}", type="recall_vacation", seat=seat, vacation=name)

    def stop(self):
        ring(self.almanac, self.game, "start" if self.stopped else "stop", by=1)
        self.stopped = not self.stopped

    def outage(self):
        self.almanac.sleep(self.almanac.now + self.draw.randrange(MINUTE, 9 * HOUR))

    def nothing(self):
        pass

    def check(self):
        """Nothing is due while its clock is stopped, or on a day off."""
        position = self.position()
        stands = clocks.halts(position.table)
        zone = zone_of("Europe/Sofia")
        for asked in position.asked:
            if asked.question.serial < 0:
                continue
            if asked.question.seat in stands:
                assert asked.due is None or asked.due <= self.almanac.now or asked.question.seat == SYSTEM
            if asked.due is not None and asked.due > self.almanac.now:
                due = datetime.fromtimestamp(asked.due / 1000, zone)
                assert due.weekday() < 5, asked
                assert due.date().isoformat() not in DAYS_OFF["holidays"], asked


def passed_on_days_off(almanac, game):
    zone = zone_of("Europe/Sofia")
    return [
        stored.seq
        for stored, body in zip(almanac.store.log.commits(game), bodies(almanac.store, game), strict=True)
        if any(event["type"] == "deadline_passed" for event in body.get("events", ()))
        and datetime.fromtimestamp(stored.at / 1000, zone).weekday() >= 5
    ]


@pytest.mark.soak
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (1, 2, 3))])
@pytest.mark.parametrize("pace", [*soak(PER_QUESTION), BY_CALENDAR], ids=["per_question", "calendar"])
def test_four_weeks_of_random_actions_pass_the_audit(monkeypatch, pace, seed):
    almanac = Almanac(monkeypatch, new_store(), START)
    game = almanac.begin("ada", "bob", "cy", pace=pace, table=TABLE, max_weeks=3)
    weeks = Weeks(almanac, game, seed)
    while almanac.now < START + 28 * DAY and almanac.store.lobbies.get(game).status == "running":
        weeks.step()
    position = weeks.position()
    commits = [decode_commit(weeks.facts.game, stored) for stored in almanac.store.log.commits(game)]
    folded = replay(weeks.facts.game, commits, weeks.facts.initial_position())
    assert (position.asked, position.table) == (folded.asked, folded.table)
    if almanac.store.lobbies.get(game).status == "running" and weeks.stopped:
        weeks.stop()
    assert [] == passed_on_days_off(almanac, game)
    assert not almanac.store.lobbies.get(game).stalled
    assert not [body for body in bodies(almanac.store, game) if body.get("refusal", {}).get("code") == "rules-fault"]
    to_the_end(almanac, game)
