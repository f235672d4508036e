"""Complete games of Battalia whose seats change players: missed turns, taken seats, sitters, and the audit."""

from __future__ import annotations

import random

import pytest

from domain.kernel.dice import Aside
from domain.kernel.record import Submission
from domain.kernel.terms import SYSTEM
from domain.table import bots, features
from domain.table.folding import replay
from domain.table.seats import SEATS, SITTER, SeatTaken, SeatVacated, TurnMissed
from service.core.history.lines import decode_commit
from service.core.pace.calendar import DAY, HOUR, MINUTE
from service.core.positions.cache import Positions
from service.core.positions.game_config import load_game_config
from service.store.codec import encode_submission
from tests.stores import new_store
from tests.workers.almanac import SOFIA, Almanac, instant
from tests.workers.test_clocks import audited

START = instant("2026-03-09 07:00")
PER_QUESTION = {"mode": "per_question", "hours": 24}


class Changing:
    """Players who join, are absent, sit in for each other and leave, drawn from a seed."""

    def __init__(self, almanac, game, seed):
        self.almanac, self.game, self.draw = almanac, game, random.Random(seed)
        self.facts, self.positions = load_game_config(almanac.store, game), Positions(almanac.store)
        self.counted, self.takers = 0, []

    @property
    def lobby(self):
        return self.almanac.store.lobbies.get(self.game)

    def step(self):
        """Some answer, some are replaced by a sitter, some are absent; then a vacant seat may be taken, or a seat given
        up."""
        for asked in self.positions.read_newest(self.facts).asked:
            seat, draw = asked.question.seat, self.draw.random()
            if seat == SYSTEM or not self.positions.read_newest(self.facts).table.is_played(seat) or draw < 0.45:
                continue
            state = self.positions.read_newest(self.facts).state
            if self.positions.read_newest(self.facts).question(asked.id) is not None:
                dice = Aside(self.draw.randbytes(32))
                command = bots.choose(self.facts.game, "greedy", state, seat, dice)
                self.say(seat, command, SITTER if draw < 0.6 else "player")
        if self.draw.random() < 0.05:
            self.say(self.draw.randint(1, 3), {"type": "resign"}, "player")
        for seat in self.lobby.seating.vacant:
            if self.draw.random() < 0.3:
                self.take(seat)
        self.almanac.until(self.almanac.now + self.draw.randrange(10 * MINUTE, 20 * HOUR))

    def say(self, seat, command, by):
        self.counted += 1
        submission = Submission(
            f"said {self.counted}", seat, dict(command), 0, by=by, tenure=self.lobby.seating.tenure(seat)
        )
        self.almanac.store.log.submit(self.game, encode_submission(submission), str(self.counted))
        self.almanac.work()

    def take(self, seat):
        self.counted += 1
        taker = f"taker{self.counted}"
        document = {"id": taker, "seat": SYSTEM, "command": {"type": "take_seat", "seat": seat}, "asked_at": 0}
        told = {"expected": None, "credential": None, "holder": taker}
        self.almanac.store.log.submit(self.game, {**document, **told}, taker)
        self.almanac.work()
        self.takers.append(taker)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("pace", [PER_QUESTION, SOFIA], ids=["per_question", "calendar"])
@pytest.mark.parametrize(("on_timeout", "on_resign"), [("bot", "bot"), ("random", "bot"), ("default", "leave")])
def test_games_whose_seats_change_players_pass_the_audit(monkeypatch, pace, seed, on_timeout, on_resign):
    almanac = Almanac(monkeypatch, new_store(), START)
    table = features.complete_settings({"missed_limit": 2, "on_timeout": on_timeout, "on_resign": on_resign})
    game = almanac.begin("ada", "bob", "cy", pace=pace, table=table, max_weeks=2)
    changing = Changing(almanac, game, seed)
    while almanac.now < START + 28 * DAY and changing.lobby.status == "running":
        changing.step()
    for _ in range(3000):
        if changing.lobby.status == "over":
            break
        almanac.next()
    lobby = changing.lobby
    assert ("over", False) == (lobby.status, lobby.stalled)
    commits = [decode_commit(changing.facts.game, stored) for stored in almanac.store.log.commits(game)]
    happened = [type(event) for commit in commits for event in commit.events]
    assert TurnMissed in happened
    assert SeatVacated in happened
    position = replay(changing.facts.game, commits, changing.facts.initial_position())
    assert dict(lobby.seating.since) == dict(SEATS.memory_at(position.table).taken)
    assert sum(each is SeatTaken for each in happened) <= len(changing.takers)
    assert {chair.holder for chair in lobby.chairs} <= {"ada", "bob", "cy", *changing.takers}
    audited(almanac, game)
