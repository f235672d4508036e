"""Four weeks with calendar pace, with workers and server killed around the check-points, give the same game as without
failures."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest

from domain.kernel.dice import Aside
from domain.registry import GAMES
from domain.table import bots
from service.audit.auditor import audit
from service.audit.export import export_lines
from service.core.pace.calendar import Calendar, milliseconds
from service.core.positions.cache import Positions
from service.core.positions.game_config import load_game_config
from service.core.queue import Queue
from service.ops.instance.embedded import EmbeddedServer
from service.store.ports.errors import StoreDown
from service.store.redis.store import open_store
from tests.stores import new_store
from tests.workers.almanac import MODULES, SOFIA, Almanac, Nobody, begin, days, instant, plan, say
from tests.workers.crew import Crew
from workers.sweeper import OUTAGE

PUMPS = 2
HOLDERS = ("ada", "bot:greedy", "cy", "di")
ADA, DI = 1, 4
WEEKS = 4
AWAY = OUTAGE / 1000 + 12
"""Seconds without any worker, starting half a day before a check-point."""


class Players:
    """Ada moves in the middle of each week, Di resigns on the tenth day, Cy never moves.

    Their commands depend only on the position of the game, and keep their id when sent again.
    """

    def __init__(self, store, game, wake):
        self.store, self.game, self.wake = store, game, wake
        self.facts = load_game_config(store, game)
        self.positions = Positions(store)

    def speak(self):
        """Submit the command that is due now, if any; returns whether one was accepted."""
        position = self.positions.refresh(self.facts).position
        for asked in position.asked:
            seat, day = asked.question.seat, asked.question.about["day"]
            if seat == ADA and (day - 1) % 7 in (2, 3, 4):
                chosen = bots.choose(self.facts.game, "greedy", position.state, seat, Aside(b"ada %d" % position.seq))
            elif seat == DI and day == 10 and position.table.controller(seat) == "player":
                chosen = {"type": "resign"}
            else:
                continue
            receipt = say(self.store, self.game, seat, f"said-{position.seq}", **chosen)
            if receipt.wake:
                self.wake(self.store.schedule.partition(self.game))
            return receipt.status == "accepted"
        return False


def told(store, game, pace):
    """Everything that must be equal: actors, results, and planned times counted from the end of the first day."""
    calendar = Calendar.of(pace, store.lobbies.get(game).started_at)
    return [
        {
            "id": body["submission"]["id"],
            "command": body["submission"]["command"],
            "actor": body["actor"],
            "played": body.get("played"),
            "events": body.get("events"),
            "refusal": body.get("refusal"),
            "drawn": body["drawn"],
            # The first day begins with the game, at any time of day.
            "planned": None if planned is None or planned <= calendar.end(1) else planned - calendar.end(1),
        }
        for body, planned in plan(store, game)
    ]


def quiet(monkeypatch, pace):
    """The game without failures, on a clock that is advanced."""
    with monkeypatch.context() as patched:
        almanac = Almanac(patched, new_store(), instant("2026-03-20 10:00"))
        game = almanac.begin(*HOLDERS, modules=MODULES, max_weeks=WEEKS, pace=pace)
        players = Players(almanac.store, game, Nobody().wake)
        while almanac.store.lobbies.get(game).status != "over":
            while players.speak():
                almanac.work()
            almanac.next()
        return told(almanac.store, game, pace)


class Storm:
    """Kills workers and the server at random, and once stops all workers for longer than a restart takes."""

    def __init__(self, crew, server, seed):
        self.crew, self.server = crew, server
        self.chance = random.Random(seed)
        self.next = 0.0
        self.kills = 0
        self.outages = 0
        self.away_until = 0.0

    def rage(self, *, leave):
        now = time.monotonic()
        if now < self.away_until:
            return
        if leave and not self.outages:
            self.outages += 1
            self.away_until = now + AWAY
            self.crew.end()
        elif now >= self.next:
            self.next = now + self.chance.uniform(0.3, 1.5)
            self.kills += 1
            if self.chance.random() < 0.3 and self.server.pid is not None:
                os.kill(self.server.pid, signal.SIGKILL)
            elif self.crew.processes:
                self.crew.kill(self.chance.choice(self.crew.processes))
            self.calm()

    def calm(self):
        """Replace dead workers."""
        if time.monotonic() >= self.away_until:
            self.crew.revive()
            while len(self.crew.processes) < PUMPS:
                self.crew.start()


def chaotic(store, crew, server, pace):
    """The same game on a real server, with kills around each check-point; returns the game and what was killed."""
    game = begin(store, *HOLDERS, modules=MODULES, max_weeks=WEEKS, pace=pace)
    calendar = Calendar.of(pace, store.lobbies.get(game).started_at)
    day = milliseconds(pace["day"])
    points = [calendar.end(7 * week) for week in range(1, WEEKS + 1)]
    players, storm = Players(store, game, Queue(crew.queue_url).wake), Storm(crew, server, 7)
    over, last = False, points[-1] + 20 * day
    while not over:
        try:
            now = store.schedule.now()
            assert now < last, "it has come to a stand"
            near = [place for place, point in enumerate(points) if abs(now - point) < day // 2]
            if near:
                storm.rage(leave=near == [2])
            else:
                storm.calm()
            players.speak()
            over = store.lobbies.get(game).status == "over"
        except StoreDown:
            storm.calm()
        time.sleep(0.02)
    return game, storm


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_four_weeks_with_kills_give_the_same_game_as_without(monkeypatch, tmp_path):
    """With days of sixteen seconds, the clock runs five thousand times as fast as with days of 24 hours."""
    pace = {**SOFIA, "day": "PT16S"}
    expected = quiet(monkeypatch, pace)
    server = EmbeddedServer(tmp_path / "data", fsync="always")
    url = server.start()
    crew, store = Crew(url, tmp_path, PUMPS), open_store(url)
    try:
        game, storm = chaotic(store, crew, server, pace)
        found = told(store, game, pace)
        turned = days(store, game)
        data = b"".join(export_lines(store, store.lobbies.get(game)))
    finally:
        crew.end()
        store.close()
        server.stop()

    for seq, (here, there) in enumerate(zip(expected, found, strict=False), 1):
        assert here == there, f"commit {seq}"
    assert len(expected) == len(found)
    assert [(7, week) for week in range(1, WEEKS + 1)] == [(day, week) for *_, day, week in turned if day == 7]
    assert {"player", "policy", "bot", "system"} == {each["actor"]["by"] for each in found}
    assert not [each for each in found if each["refusal"]]
    assert audit(data, games=GAMES).is_ok
    late = [at - planned for planned, at, *_ in turned if planned is not None]
    assert OUTAGE < max(late), "what an outage would put off has been made up"
    assert (1, True, True) == (storm.outages, storm.kills >= 20, server.restarts >= 3)


@pytest.mark.soak
def test_four_weeks_without_kills_give_the_same_game_each_time(monkeypatch):
    """Otherwise the comparison in the test above would prove nothing."""
    pace = {**SOFIA, "day": "PT16S"}
    one = quiet(monkeypatch, pace)

    assert one == quiet(monkeypatch, pace)
    assert ("END-04", "game_ended") == tuple(one[-1]["events"][-1][name] for name in ("clause", "type"))
    assert 4 == sum("weeks" in event.get("agenda", ()) for each in one for event in each["events"])
    assert "seat_resigned" in [event["type"] for each in one for event in each["events"]]
    assert 20 < sum(each["actor"]["by"] == "player" for each in one)
