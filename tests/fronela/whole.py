"""Whole games in one process, through `settle`, with the invariants checked after each commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from domain.games.fronela.game import FRONELA
from domain.kernel.dice import Dice
from domain.kernel.options import pick
from domain.kernel.record import Chance, Commit, Position, Submission
from domain.kernel.terms import SYSTEM, Seat
from domain.table import bots
from domain.table.folding import fold
from domain.table.settle import settle

Check = Callable[[Position, Commit], None]


def begin(ruleset: str) -> dict[str, Any]:
    """The command with which a game of four players starts."""
    return {
        "type": "begin",
        "game": "g",
        "kind": "fronela",
        "ruleset": ruleset,
        "controllers": ("player",) * 4,
        "options": {},
        "modules": (),
        "pace": {},
        "commitment": "",
        "entropy": ("",) * 4,
    }


class Table:
    """One game, played by a bot in every seat."""

    def __init__(self, seed: int, ruleset: str = "fronela_v3") -> None:
        self.chance = Chance(seed.to_bytes(32, "big"))
        self.luck = Dice(seed.to_bytes(32, "little"))
        self.position = Position()
        self.commits: list[Commit] = []
        self.say(SYSTEM, begin(ruleset))

    def say(self, seat: Seat, command: Mapping[str, Any]) -> Commit:
        number = self.position.seq + 1
        submission = Submission(str(number), seat, command, number)
        commit, after = settle(FRONELA, self.position, submission, number, self.chance)
        assert commit.refusal is None, (commit.refusal, command, commit.fault)
        assert after.state == fold(FRONELA, self.position, commit).state
        self.position = after
        self.commits.append(commit)
        return commit

    def turn(self, bot: str) -> Commit:
        """Answer the pending question."""
        asked = self.position.asked[0]
        seat = asked.question.seat
        if seat == SYSTEM:
            return self.say(SYSTEM, {"type": "expire", "question": asked.id})
        return self.say(seat, bots.choose(FRONELA, bot, self.position.state, seat, self.luck))

    def orders(self) -> Commit:
        """Let a random seat give a standing order, whether it has a question or not."""
        seat = Seat(1 + self.luck.below(4))
        options = [
            option for option in FRONELA.rules.legal(self.position.state, seat) if option.type in FRONELA.rules.unasked
        ]
        return self.say(seat, pick(options, self.luck))
