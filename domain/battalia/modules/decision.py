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
from domain.play.unfold import Unfolded, Unfolding

FLEE = "flee"
"""The kind of the question where a hero flees to (RAM-14)."""


class Decision:
    """The state as it becomes while one command is decided, the dice, and the rules' numbers.

    ``react`` says what an event sets off, ``ends`` with which one the game is over now. It is asked after every event, and a
    battle with all that it brings, flights included, is one event (`battle`, END-05).
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
        self._whole = self.rules.reads("endings_looked_at") == WHOLE_BATTLES
        reactions = None if react is None else lambda _, event: react(self, event)
        self._unfolding: Unfolding[State, Any] = Unfolding(
            state, evolve, reactions, ends=lambda now: None if self._whole and _flees(now) else ends(now)
        )

    @property
    def state(self) -> State:
        return self._unfolding.state

    @property
    def events(self) -> list[Any]:
        return self._unfolding.events

    @property
    def unfolded(self) -> Unfolded:
        """All that has happened, with the state that it has come to: what deciding answers."""
        return self._unfolding.unfolded

    @property
    def over(self) -> bool:
        """Nothing happens any more."""
        return bool(self.state.ending)

    def happen(self, event: Any) -> None:
        """Let it happen with all it sets off; nothing does once the game is over (END-05)."""
        if not self.over:
            self._unfolding.happen(event)

    def battle(self) -> AbstractContextManager[None]:
        """END-05: what happens within is one event to endings, where the ruleset reads the clause so."""
        return self._unfolding.together() if self._whole else nullcontext()


def _flees(state: State) -> bool:
    """Whether a hero has still to flee from a destroyed city (RAM-14)."""
    return any(frame.kind == FLEE and not frame.npc for frame in state.asking)
