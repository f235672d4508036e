"""Letting events happen while a command is decided, each followed by what it sets off."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from domain.battalia.rulesets import RULESETS
from domain.battalia.rulesets.rules import Rules
from domain.battalia.state import State
from domain.dice import Dice
from domain.play.unfold import Unfolding


class Decision:
    """The state as it becomes while one command is decided, the dice, and the rules' numbers.

    ``react`` says what an event sets off, ``ends`` after every event with which one the game is over now (END-05).
    Both are handed in, because they ask rules and modules that are themselves written in terms of a Decision.
    """

    def __init__(
        self,
        state: State,
        dice: Dice,
        *,
        evolve: Callable[[State, Any], State],
        react: Callable[[Decision, Any], Iterable[Any]] | None,
        ends: Callable[[State], Any],
    ) -> None:
        self.dice = dice
        self.rules: Rules = RULESETS[state.ruleset]
        reactions = None if react is None else lambda _, event: react(self, event)
        self._unfolding: Unfolding[State, Any] = Unfolding(state, evolve, reactions, ends=ends)

    @property
    def state(self) -> State:
        return self._unfolding.state

    @property
    def events(self) -> list[Any]:
        return self._unfolding.events

    @property
    def over(self) -> bool:
        """Nothing happens any more."""
        return bool(self.state.ending)

    def happen(self, event: Any) -> None:
        """Let it happen with all it sets off; nothing does once the game is over (END-05)."""
        if not self.over:
            self._unfolding.happen(event)
