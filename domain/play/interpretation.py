"""What a submission says once the table has understood it: who acts, with which command, on which dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.errors import AlreadyAnswered, GameOver, NotAsked, PlayedByBot, RuleViolation, Stale
from domain.game import AnyGame, Setup
from domain.play import bots, table
from domain.play.record import Asked, Chance, Position, Submission
from domain.shape import as_document, build
from domain.terms import SYSTEM

RESIGNED_BOT = "greedy"
"""Who takes over for a seat that resigns, where the game has such a bot."""


class Told:
    """What a submission says once the table has understood it: who acts, with which command, on which dice."""

    def __init__(
        self,
        game: AnyGame,
        position: Position,
        submission: Submission,
        chance: Chance,
        seq: int,
        choice: Mapping[str, Any] | None,
    ) -> None:
        self.game, self.position, self.submission, self.chance, self.seq = game, position, submission, chance, seq
        self.choice = choice
        self.seat = submission.seat
        self.by = "system" if submission.seat == SYSTEM else "player"
        self.dice = chance.dice(position.drawn, position.rolled)
        self.played: Mapping[str, Any] | None = None
        self.put_off: list[tuple[str, int | None]] = []

    def events(self) -> tuple[Any, ...]:
        position, submission = self.position, self.submission
        if position.over:
            raise GameOver("The game is over.")
        if submission.seat != SYSTEM:
            self._heard(position.table)
        if submission.expected is not None and submission.expected != position.etag(submission.seat):
            raise Stale("There is news that you had not seen.", seq=position.etag(submission.seat))
        type_ = submission.command.get("type")
        if submission.seat == SYSTEM:
            return self._by_system(build(table.SYSTEM_COMMANDS, submission.command))
        if type_ in table.COMMANDS:
            build(table.COMMANDS, submission.command)
            return self._resign()
        asked = any(asked.question.seat == submission.seat for asked in position.asked)
        if not asked and type_ not in self.game.unasked:
            raise NotAsked("It is not your turn.", asked=sorted({a.question.seat for a in position.asked}))
        command = build(self.game.commands, submission.command)
        return tuple(self.game.decide(position.state, submission.seat, command, self.dice))

    def _heard(self, seated: table.Table | None) -> None:
        """Before anything else is looked at, so that the answer to a seat without a player tells nothing."""
        if seated is not None and seated.rules.heard == "players" and not seated.is_played(self.seat):
            raise PlayedByBot("A bot plays this seat.")

    def _resign(self) -> tuple[Any, ...]:
        assert self.position.table is not None
        if self.position.table.controller(self.seat) != table.PLAYER:
            raise NotAsked("A bot plays this seat already.")
        bot = RESIGNED_BOT if RESIGNED_BOT in bots.names(self.game) else bots.RANDOM
        return (table.SeatResigned(self.seat, bot),)

    def _by_system(self, command: table.SystemCommand) -> tuple[Any, ...]:
        match command:
            case table.Begin():
                return self._begin(command)
            case table.PutOff(question, by):
                asked = self._standing(question)
                due = (asked.due or self.position.at) + by
                self.put_off.append((question, due))
                return (table.DeadlinePutOff(asked.question.seat, question, by, due),)
            case table.Expire(question):
                asked = self._standing(question)
                self.seat = asked.question.seat
                state = self.position.state
                if self.choice is not None:
                    chosen = build(self.game.commands, self.choice)
                else:
                    chosen = self.game.default(state, self.seat, self.chance.aside("default", self.seq))
                self.played = as_document(chosen)
                told: tuple[Any, ...] = ()
                if self.seat != SYSTEM:
                    self.by = "policy"
                    told = (table.DeadlinePassed(self.seat, question),)
                return told + tuple(self.game.decide(state, self.seat, chosen, self.dice))
            case table.Act(question):
                return self._act(self._standing(question))

    def _act(self, asked: Asked) -> tuple[Any, ...]:
        assert self.position.table is not None
        self.seat, self.by = asked.question.seat, "bot"
        kind, _, name = self.position.table.controller(self.seat).partition(":")
        if kind != "bot":
            raise NotAsked("No bot plays this seat.")
        chosen = self.choice
        if chosen is None:
            chosen = bots.choose(self.game, name, self.position.state, self.seat, self.chance.aside("bot", self.seq))
        self.played = dict(chosen)
        command = build(self.game.commands, chosen)
        return tuple(self.game.decide(self.position.state, self.seat, command, self.dice))

    def _begin(self, command: table.Begin) -> tuple[Any, ...]:
        if self.position.table is not None:
            raise AlreadyAnswered("The game has begun.")
        if command.table_rules not in table.RULES:
            raise RuleViolation(f"There are no table rules {command.table_rules!r}.", field="table_rules")
        names = (
            "game",
            "kind",
            "ruleset",
            "controllers",
            "options",
            "modules",
            "pace",
            "commitment",
            "entropy",
            "sandbox",
            "table_rules",
        )
        begun = table.GameBegun(**{name: getattr(command, name) for name in names})
        if command.position is not None:
            return (begun, table.PositionSet(command.position))
        setup = Setup(len(command.controllers), command.ruleset, command.options, command.modules)
        return (begun, *self.game.begin(setup, self.dice))

    def _standing(self, question: str) -> Asked:
        asked = self.position.question(question)
        if asked is None:
            raise AlreadyAnswered("The question has been answered.", question=question)
        return asked
