"""Whole calendar games of Battalia whose players give random orders and go on vacation with different substitutes."""

from __future__ import annotations

import hashlib

from domain.kernel.dice import Dice
from domain.kernel.game.rules import Setup
from domain.kernel.options import pick
from domain.kernel.terms import DAY, SYSTEM, Seat
from domain.registry import GAMES
from domain.table import bots, features
from domain.table.vacations import DEFAULT, ORDERS, SITS_IN
from tools.simulation.selfplay import SelfPlay

PACE = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "Europe/Sofia"}


class Absences(SelfPlay):
    """One such game; ``away`` lists for each commit the seats on vacation and who answers for them."""

    def __init__(self, seed, seats, plays=(ORDERS, SITS_IN, DEFAULT), modules=(), **options):
        game = GAMES["battalia"]
        digest = hashlib.sha256(f"absences/battalia/{seed}".encode()).digest()
        setup = Setup(seats, game.rules.rulesets[0], options, tuple(modules))
        table = features.complete_settings({"missed_limit": 0, "vacation_days": 300, "on_timeout": "default"})
        super().__init__(
            game, setup, ("player:random",) * seats, digest, f"battalia-{digest.hex()[:12]}", None, PACE, table=table
        )
        self.draw, self.plays, self.sent = Dice(digest), plays, 0
        self.away = []

    def say(self, seat, command, **told):
        """Send a command, and note who was away before it, and how."""
        table = self.position.table
        self.away.append({each.seat: each.plays for each in table.memories["vacations"].taken} if table else {})
        return super().say(seat, command, **told)

    def begin_with_orders(self):
        """Begin, and give every seat an order."""
        self.begin()
        for seat in self.speakers:
            self.say(seat, {"type": "set_defence", "place": 1, "how": "all"})
        return self

    def run_all(self, cap=4000):
        """Play to the end."""
        self.begin_with_orders()
        while not self.over and self.position.seq < cap:
            self.wander()
        return self

    def wander(self):
        """Take a random step: an order, a vacation, an answer, or a timeout."""
        seat = Seat(1 + self.draw.below(len(self.speakers)))
        taken = {each.seat for each in self.position.table.memories["vacations"].taken}
        if self.draw.below(6) == 0 and seat not in taken:
            given = [o for o in self.game.rules.legal(self.position.state, seat) if o.type in self.game.rules.unasked]
            if given:
                self.say(seat, pick(given, self.draw))
                return
        if self.draw.below(10) == 0 and not taken:
            self.sent += 1
            times = {"begins": self.now, "ends": self.now + (4 + self.draw.below(9)) * DAY}
            told = {"type": "announce_vacation", "seat": seat, "vacation": f"v{self.sent}", **times}
            plays = self.draw.choose(self.plays)
            self.say(SYSTEM, told if plays == ORDERS else {**told, "plays": plays})
            return
        there = [each for each in self.position.asked if each.question.seat not in (SYSTEM, *taken)]
        if not there or self.draw.below(20) == 0:
            first = min(self.position.asked, key=lambda each: each.due or self.now)
            self.now = max(self.now, first.due or self.now)
            self.say(SYSTEM, {"type": "expire", "question": first.id})
            return
        asked = self.draw.choose(there).question.seat
        name = bots.RANDOM if self.draw.below(3) == 0 else "greedy"
        self.say(asked, dict(bots.choose(self.game, name, self.position.state, asked, self.draw)))
