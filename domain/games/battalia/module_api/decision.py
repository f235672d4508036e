"""Applies events while a command is decided, each followed by its reactions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.readings import WHOLE_BATTLES
from domain.games.battalia.rulesets.rules import BattaliaNumbers
from domain.games.battalia.state import BattaliaState
from domain.kernel.dice import Dice
from domain.kernel.unfold import Unfolding

FLEE = "flee"
"""The kind of question for a fleeing hero (RAM-14)."""


class BattaliaDecision(Unfolding[BattaliaState, Any]):
    """The state while one command is decided, the dice, and the numbers of the rules.

    ``react`` returns the reactions to an event. ``ends`` returns the event that ends the game, if any. It is called
    after every event; a battle with all its effects, flights included, counts as one event (`battle`, END-05).

    Both are passed in because they call rules and modules that themselves use a Decision. Neither keeps a reference to
    it, so its data is freed with it and not at the next garbage collection.
    """

    def __init__(
        self,
        state: BattaliaState,
        dice: Dice,
        *,
        evolve: Callable[[BattaliaState, Any], BattaliaState],
        react: Callable[[Any, Any], Iterable[Any]] | None,
        ends: Callable[[BattaliaState], Any],
    ) -> None:
        super().__init__(state, evolve, react, ends=ends)
        self.dice = dice
        self.rules: BattaliaNumbers = RULESETS[state.ruleset]
        self.over = bool(state.ending)

    def _end(self) -> None:
        """END-05: no event is applied after the end of the game, whatever caused the end."""
        super()._end()
        if self.state.ending:
            self.over = True

    def battle(self) -> AbstractContextManager[None]:
        """END-05: everything within is one event for endings, if the ruleset reads the clause like this."""
        return self.together() if self.rules.reads("endings_looked_at") == WHOLE_BATTLES else nullcontext()
