"""A small table for undo tests, at which commands are settled one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.games.nim.game import NIM
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.kernel.lifecycle import NEWEST
from domain.kernel.record import Chance, Commit, Position, Submission
from domain.kernel.terms import HOUR, SYSTEM, Option, Seat, Seq
from domain.table import features
from domain.table.feature import Moment
from domain.table.folding import fold
from domain.table.settle import settle
from service.core.pace.clock import clock_of

ONE, TWO, THREE = Seat(1), Seat(2), Seat(3)
START = 1_000


class Table:
    """A game whose clock moves only when a test moves it."""

    def __init__(
        self,
        game: AnyGame = NIM,
        seats: int = 2,
        *,
        undo: str | None = "consent",
        pace: Mapping[str, Any] | None = None,
        bots: tuple[int, ...] = (),
        settings: Mapping[str, Any] | None = None,
        rules: str = NEWEST,
    ) -> None:
        self.game, self.position, self.now = game, Position(), START
        self.chance = Chance(b"k" * 32)
        self.clock = clock_of(pace or {"mode": "free"}, START)
        self.log: list[Commit] = []
        self.stood = [Position()]
        """The position after each commit."""
        setup = game.rules.check(Setup(seats, ""))
        controllers = ["bot:random" if seat in bots else "player" for seat in range(1, seats + 1)]
        begin = {"game": "g", "kind": game.key, "ruleset": setup.ruleset, "controllers": controllers}
        begin |= {"options": setup.options, "modules": (), "pace": pace or {"mode": "free"}, "commitment": ""}
        begin |= {"entropy": [""] * seats, "table_rules": rules}
        chosen = {} if undo is None else {"undo": undo}
        self.say(SYSTEM, "begin", **begin, table=chosen | dict(settings or {}))

    def say(self, seat: Seat, type_: str, **told: Any) -> Commit:
        """Settle a command, and check that its commit folds to the same position."""
        return self.settled(seat, {"type": type_, **told})

    def settled(self, seat: Seat, command: Mapping[str, Any]) -> Commit:
        before = self.position
        submission = Submission(str(before.seq + 1), seat, command, self.now)
        commit, self.position = settle(self.game, before, submission, self.now, self.chance, self.clock)
        if commit.fault is not None:
            raise commit.fault
        assert fold(self.game, before, commit) == self.position
        self.log.append(commit)
        self.stood.append(self.position)
        return commit

    def take(self, seat: Seat, heap: int = 4, objects: int = 1) -> Commit:
        """A move of Nim."""
        commit = self.say(seat, "take", heap=heap, objects=objects)
        assert commit.refusal is None, commit.refusal
        return commit

    @property
    def mover(self) -> Seat:
        """The seat to move in Nim."""
        return self.position.state.mover

    def offered(self, seat: Seat, type_: str) -> list[Option]:
        moment = Moment(self.game, self.position, Seq(self.position.seq + 1), self.now)
        return [option for option in features.legal(moment, seat) if option.type == type_]

    def asked(self, seat: Seat, kind: str) -> Any:
        """The seat's pending question of this kind, or None."""
        return next((a for a in self.position.asked if (a.question.seat, a.question.kind) == (seat, kind)), None)


def code(commit: Commit) -> str | None:
    return None if commit.refusal is None else commit.refusal.code


def names(commit: Commit) -> list[str]:
    """The types of a commit's events."""
    return [type(event).__name__ for event in commit.events]


def begun(**told: Any) -> tuple[Table, Seat, Seat]:
    """A game of Nim, the seat to move and the other seat."""
    table = Table(**told)
    return table, table.mover, ONE if table.mover == TWO else TWO


def due(table: Table, seat: Seat) -> float:
    """Hours until the seat's question is due."""
    return (next(asked.due for asked in table.position.asked if asked.question.seat == seat) - table.now) / HOUR


def undo(table: Table, seat: Seat, first: int) -> Commit:
    """The seat undoes everything from a commit on."""
    commit = table.say(seat, "request_undo", seq=first)
    assert code(commit) is None, commit.refusal
    return commit
