"""Stories for rules: given a state, when a seat sends a command with loaded dice, then this happens or is refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from domain.kernel.dice import Dice, ScriptedDice
from domain.kernel.errors import RuleViolation
from domain.kernel.game import AnyGame
from domain.kernel.shape import as_document, build
from domain.kernel.terms import Seat


class LoadedDice(ScriptedDice):
    """Dice that show only these faces; shuffles stay random."""

    def __init__(self, *faces: int) -> None:
        super().__init__(b"a story", 0, faces)


class Story:
    """A state that commands change one by one; every command is converted to JSON and back."""

    def __init__(self, game: AnyGame, state: Any) -> None:
        self.game = game
        self._state = state
        self._events: tuple[Any, ...] = ()
        self.refusal: RuleViolation | None = None
        self._expected = True

    @property
    def state(self) -> Any:
        """The current state. Fails here after an unexpected refusal."""
        assert self._expected, self.refusal
        return self._state

    @state.setter
    def state(self, state: Any) -> None:
        self._state = state

    @property
    def events(self) -> tuple[Any, ...]:
        """The events of the last command."""
        assert self._expected, self.refusal
        return self._events

    def when(self, seat: int, command: Any, dice: Dice | None = None) -> Story:
        """Send a command for the seat."""
        state = self.state
        self._events, self.refusal = (), None
        sent = build(self.game.rules.commands, as_document(command))
        try:
            events = tuple(self.game.rules.decide(state, Seat(seat), sent, dice or LoadedDice()))
        except RuleViolation as refusal:
            self.refusal, self._expected = refusal, False
            return self
        self._happened(events)
        return self

    def _happened(self, events: Iterable[Any]) -> None:
        self._events = tuple(events)
        state = self._state
        for event in self._events:
            state = self.game.rules.evolve(state, event)
        assert self.game.rules.faults(state) == []
        self._state = state

    def then(self, *events: Any) -> Story:
        """The last command must have exactly these events."""
        assert events == self.events
        return self

    def with_(self, *events: Any) -> Story:
        """The last command must have these events in this order, possibly among others."""
        came = iter(self.events)
        for event in events:
            assert event in came, f"{event} is not, or not in this place, among {self.events}"
        return self

    def of(self, kind: type[Any]) -> list[Any]:
        """The events of a type from the last command."""
        return [event for event in self.events if type(event) is kind]

    def refused(self, code: str, rule: str | None = None, field: str | None = None) -> Story:
        """The last command must have been refused."""
        assert self.refusal is not None, self.events
        self._expected = True
        assert (code, rule or self.refusal.rule) == (self.refusal.code, self.refusal.rule)
        if field is not None:
            assert field == self.refusal.field
        return self

    def default(self, seat: int, dice: Dice | None = None) -> Story:
        """Let the seat's time run out."""
        dice = dice or LoadedDice()
        return self.when(seat, self.game.rules.default(self.state, Seat(seat), dice), dice)

    def offered(self, seat: int, type_: str) -> list[Any]:
        """The seat's Options of a type."""
        return [option for option in self.game.rules.legal(self.state, Seat(seat)) if option.type == type_]
