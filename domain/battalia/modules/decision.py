"""Letting events happen while a command is decided: modules react, endings are looked at after each (END-05)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from domain.battalia.evolve.evolve import evolve
from domain.battalia.modules import socket as npc
from domain.battalia.rulebook import scoring
from domain.battalia.rulebook.map.roads import Memo
from domain.battalia.rulesets import RULESETS
from domain.battalia.rulesets.rules import Rules
from domain.battalia.state import State
from domain.dice import Dice
from domain.play.unfold import Unfolding

_ENDINGS = Memo(512)
"""Most commands change nothing that an ending depends on: the next one finds there what the last one saw."""


class Decision:
    """The state as it becomes, the dice, and the rules' numbers."""

    def __init__(self, state: State, dice: Dice) -> None:
        self.dice = dice
        self.rules: Rules = RULESETS[state.ruleset]
        self._npcs = npc.playing(state.modules)
        self._looked: tuple[Any, ...] = ()
        react = self._react if self._npcs else None
        self._unfolding: Unfolding[State, Any] = Unfolding(state, evolve, react, ends=self._ends)

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

    def _react(self, _: Unfolding[State, Any], event: Any) -> Iterable[Any]:
        return [] if self.over else [later for each in self._npcs for later in each.react(self, event)]

    def _ends(self, state: State) -> Any:
        watched = (state.board, state.cities, state.npcs, state.order, state.day)
        if len(self._looked) == len(watched) and all(a is b for a, b in zip(watched, self._looked, strict=True)):
            return None
        self._looked = watched
        return _ENDINGS.get(watched, (state.modules, state.options["victory_cities"]), lambda: scoring.ending(state))
