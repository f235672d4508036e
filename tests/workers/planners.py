"""Players that play by plans: a seat without a pending question lays a plan, while workers may be killed."""

from __future__ import annotations

import hashlib

from domain.kernel.dice import Aside
from domain.kernel.game.rules import Setup
from domain.kernel.record import Chance, Submission
from domain.kernel.shape import as_document
from domain.kernel.terms import SYSTEM, Seat
from domain.registry import GAMES
from domain.table import bots, features
from domain.table.plans import ending
from domain.table.settle import settle
from service.core.followers.runner import GROUP
from service.core.positions.cache import Positions
from service.core.positions.game_config import load_game_config
from service.features.plans.store import Plans
from service.store.ports.lobbies import Chair, Lobby
from service.store.ports.waiting import NOWHERE, Plan
from service.store.seal import commitment
from tests.workers.almanac import say

SEED = bytes(range(32))
DREAM = Chance(b"what if nothing else happens".ljust(32, b"."))
"""The dice of a game that is only simulated."""

MOST = 12
"""The most commands of a plan."""


def opened(store, kind, *holders, pace=None, modules=(), **options):
    """A game with the same name, seed and dice in any store, with nothing settled yet."""
    setup = GAMES[kind].rules.check(Setup(len(holders), "", options, tuple(modules)))
    lobby = Lobby(
        "planned",
        kind,
        holders[0],
        tuple(Chair(holder) for holder in holders),
        setup.ruleset,
        setup.options,
        setup.modules,
        pace or {"mode": "free"},
        "public",
        commitment(SEED),
        store.schedule.now(),
        table=features.complete_settings({}),
    )
    store.lobbies.create(lobby, SEED)
    store.lobbies.start("planned", holders[0], "begin")
    return "planned"


def dreamt(game, position, seat, bot, most=MOST):
    """The commands that the bot would choose in the seat's next turn if all others let their time run out, and the kind
    of question."""
    commands, kind = [], ""
    dream = position
    for number in range(200):
        mine = next((each for each in dream.asked if each.question.seat == seat), None)
        if mine is not None:
            if kind and mine.question.kind != kind:
                break
            kind = mine.question.kind
            chosen = dict(bots.choose(game, bot, dream.state, seat, Aside(b"dream %d" % number)))
            submission = Submission(f"dream-{number}", seat, chosen, dream.at)
            commands.append(chosen)
        elif commands or not dream.asked:
            break
        else:
            first = dream.asked[0]
            submission = Submission(f"dream-{number}", SYSTEM, {"type": "expire", "question": first.id}, dream.at)
        _, dream = settle(game, dream, submission, dream.at, DREAM)
        if len(commands) >= most or dream.over:
            break
    return commands, kind


class Planners:
    """Every seat of a game. Their plans and commands depend only on the position of the game."""

    def __init__(self, store, game, wake=lambda _: None, *, by_hand=True, bot="greedy"):
        self.store, self.game, self.wake, self.by_hand, self.bot = store, game, wake, by_hand, bot
        self.facts = load_game_config(store, game)
        self.positions = Positions(store)
        self.laid = []
        self.said = None

    def act(self):
        """Lay plans if the game is idle, otherwise submit the default move; returns whether anything was done."""
        position = self.positions.refresh(self.facts).position
        if position.over or position.table is None or not self._stands_still(position):
            return False
        asked = {each.question.seat: each for each in position.asked}
        done = False
        for number in range(1, len(position.table.controllers) + 1):
            seat = Seat(number)
            if seat not in asked:
                done = self._plan(position, seat) or done
        if not done and self.by_hand:
            done = self._say(position, next(iter(asked.values())))
        return done

    def _stands_still(self, position):
        """Whether nothing is in progress: no command, no plan, no due command of SYSTEM."""
        now = self.store.schedule.now()
        if self.store.changes.behind(GROUP, [self.store.keys.number(self.game)]):
            return False  # a plan may be about to be submitted
        if any(each.question.seat == SYSTEM and (each.due or 0) <= now for each in position.asked):
            return False
        if any(each.due is not None and each.due <= now for each in position.asked):
            return False
        if self.said is not None and self.store.log.outcome(self.game, self.said) == "pending":
            return False
        seats = map(Seat, range(1, len(position.table.controllers) + 1))
        paused = {held.id for seat in seats if (held := Plans(self.store).get(self.game, seat)) and held.paused}
        for plan in set(self.laid[-2 * len(position.table.controllers) :]) - paused:
            came = self.store.log.outcomes(self.game, plan)
            if came is not None and "pending" in came:
                return False
        return self.store.log.head(self.game)[0] == position.seq

    def _plan(self, position, seat):
        held, game = Plans(self.store).get(self.game, seat), self.facts.game
        commands, kind = (
            ([], "")
            if held is not None and (held.waits or held.paused)
            else dreamt(self.facts.game, position, seat, self.bot)
        )
        if not commands:
            return False
        ends = ending(game, [kind])
        if ends is not None and commands[-1] != ends:
            commands = [*commands, dict(ends)]
        told = {
            "id": f"plan-{seat}-{position.seq}",
            "seat": seat,
            "player": self.store.lobbies.get(self.game).chairs[seat - 1].holder,
            "commands": commands,
            "laid": len(commands),
            "kinds": [kind],
            "condition": "unchanged" if (position.seq + seat) % 3 == 0 else "legal",
            "then": "wait",
            "seen": position.etag(seat),
            "credential": f"key-{seat}",
        }
        digest = hashlib.sha256(repr(commands).encode()).hexdigest()
        match = NOWHERE if held is None else held.id
        if Plans(self.store).lay(self.game, Plan(**told), digest, position.seq, match) != "laid":
            return False
        self.laid.append(told["id"])
        return True

    def _say(self, position, asked):
        seat = asked.question.seat
        if seat == SYSTEM:
            return False
        chosen = as_document(self.facts.game.rules.default(position.state, seat, Aside(b"said %d" % position.seq)))
        self.said = f"said-{position.seq}"
        receipt = say(self.store, self.game, seat, self.said, **chosen)
        if receipt.wake:
            self.wake(self.store.schedule.partition(self.game))
        return receipt.status == "accepted"
