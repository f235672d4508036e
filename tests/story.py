"""Telling a rule as a story: given a state, when somebody says something with loaded dice, then this happens or is refused."""

from __future__ import annotations

from typing import Any

from domain.dice import Dice, ScriptedDice
from domain.errors import RuleViolation
from domain.game import AnyGame
from domain.shape import as_document, build
from domain.terms import Seat


class LoadedDice(ScriptedDice):
    """Dice that show these faces, and no others; shuffles stay drawn."""

    def __init__(self, *faces: int) -> None:
        super().__init__(b"a story", 0, faces)


class Story:
    """A state that goes on from command to command; every command travels through its JSON."""

    def __init__(self, game: AnyGame, state: Any) -> None:
        self.game = game
        self.state = state
        self.events: tuple[Any, ...] = ()
        self.refusal: RuleViolation | None = None

    def when(self, seat: int, command: Any, dice: Dice | None = None) -> Story:
        """The seat says this."""
        self.events, self.refusal = (), None
        heard = build(self.game.commands, as_document(command))
        try:
            self.events = tuple(self.game.decide(self.state, Seat(seat), heard, dice or LoadedDice()))
        except RuleViolation as refusal:
            self.refusal = refusal
            return self
        for event in self.events:
            self.state = self.game.evolve(self.state, event)
        assert self.game.faults(self.state) == []
        return self

    def then(self, *events: Any) -> Story:
        """Exactly these came of it."""
        assert self.refusal is None, self.refusal
        assert events == self.events
        return self

    def with_(self, *events: Any) -> Story:
        """These came of it, in this order, among others."""
        assert self.refusal is None, self.refusal
        came = iter(self.events)
        for event in events:
            assert event in came, f"{event} is not, or not in this place, among {self.events}"
        return self

    def of(self, kind: type[Any]) -> list[Any]:
        """The events of a type that came of it."""
        assert self.refusal is None, self.refusal
        return [event for event in self.events if type(event) is kind]

    def refused(self, code: str, rule: str | None = None, field: str | None = None) -> Story:
        """It was refused, and nothing came of it."""
        assert self.refusal is not None, self.events
        assert (code, rule or self.refusal.rule) == (self.refusal.code, self.refusal.rule)
        if field is not None:
            assert field == self.refusal.field
        return self

    def default(self, seat: int, dice: Dice | None = None) -> Story:
        """The seat says nothing, and its time is up."""
        dice = dice or LoadedDice()
        return self.when(seat, self.game.default(self.state, Seat(seat), dice), dice)

    def offered(self, seat: int, type_: str) -> list[Any]:
        """The seat's Options of a type."""
        return [option for option in self.game.legal(self.state, Seat(seat)) if option.type == type_]
