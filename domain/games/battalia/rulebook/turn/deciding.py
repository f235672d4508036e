"""Creates a `BattaliaDecision` with the functions it needs: evolving the state, reactions of modules, end conditions (END-05)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from domain.games.battalia.evolve.evolve import evolve
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.decision import FLEE, BattaliaDecision
from domain.games.battalia.rulebook import scoring
from domain.games.battalia.rulebook.map.roads import Memo
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.readings import WHOLE_BATTLES
from domain.games.battalia.state import BattaliaState
from domain.kernel.dice import Dice

_ENDINGS = Memo(512)
"""Cache of end conditions by their inputs. Most commands change none of these."""


def start_decision(state: BattaliaState, dice: Dice) -> BattaliaDecision:
    npcs = registry.playing(state.modules)

    def react(decision: BattaliaDecision, event: Any) -> Iterable[Any]:
        return [] if decision.over else [later for npc in npcs for later in npc.react(decision, event)]

    return BattaliaDecision(state, dice, evolve=evolve, react=react if npcs else None, ends=_Ends())


class _Ends:
    """The end condition that is met, checked only if an event has changed its inputs.

    A pending flight is part of the battle before it. If the ruleset reads END-05 like this, nothing is checked until
    then.
    """

    __slots__ = ("_looked_at",)

    def __init__(self) -> None:
        self._looked_at: BattaliaState | None = None

    def __call__(self, state: BattaliaState) -> Any:
        seen = self._looked_at
        if (
            seen is not None
            and state.board is seen.board
            and state.cities is seen.cities
            and state.npcs is seen.npcs
            and state.order is seen.order
            and state.day == seen.day
        ):
            return None
        if _flees(state) and RULESETS[state.ruleset].reads("endings_looked_at") == WHOLE_BATTLES:
            return None
        self._looked_at = state
        watched = (state.board, state.cities, state.npcs, state.order, state.day)
        return _ENDINGS.get(
            watched, (state.ruleset, state.modules, state.options["victory_cities"]), lambda: scoring.ending(state)
        )


def _flees(state: BattaliaState) -> bool:
    """Whether a hero must still flee from a destroyed city (RAM-14)."""
    return any(frame.kind == FLEE and not frame.npc for frame in state.asking)
