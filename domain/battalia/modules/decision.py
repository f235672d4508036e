"""Letting events happen while a command is decided, each followed by what it sets off."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from domain.battalia.rulesets import RULESETS
from domain.battalia.rulesets.readings import WHOLE_BATTLES
from domain.battalia.rulesets.rules import Rules
from domain.battalia.state import State
from domain.dice import Dice
from domain.play.unfold import Unfolding

FLEE = "flee"
"""The kind of the question where a hero flees to (RAM-14)."""


class Decision(Unfolding[State, Any]):
    """The state as it becomes while one command is decided, the dice, and the rules' numbers.

    ``react`` says what an event sets off, ``ends`` with which one the game is over now. It is asked after every event, and a
    battle with all that it brings, flights included, is one event (`battle`, END-05).
    Both are handed in, because they ask rules and modules that are themselves written in terms of a Decision. Neither keeps
    hold of it: whatever a Decision has seen then goes as soon as it goes, and not when the garbage is next collected.
    """

    def __init__(
        self,
        state: State,
        dice: Dice,
        *,
        evolve: Callable[[State, Any], State],
        react: Callable[[Any, Any], Iterable[Any]] | None,
        ends: Callable[[State], Any],
    ) -> None:
        super().__init__(state, evolve, react, ends=ends)
        self.dice = dice
        self.rules: Rules = RULESETS[state.ruleset]
        self.over = bool(state.ending)

    def _end(self) -> None:
        """END-05: nothing happens any more once the game is over, whatever has ended it."""
        super()._end()
        if self.state.ending:
            self.over = True

    def battle(self) -> AbstractContextManager[None]:
        """END-05: what happens within is one event to endings, where the ruleset reads the clause so."""
        return self.together() if self.rules.reads("endings_looked_at") == WHOLE_BATTLES else nullcontext()
