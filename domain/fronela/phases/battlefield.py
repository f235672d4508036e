"""Where the active nation or person has somebody to fight (FRO-19)."""

from __future__ import annotations

from domain.fronela.phases.dice import fighter
from domain.fronela.state import Battle, State, areas_of, others


def contested(state: State) -> dict[str, tuple[str, ...]]:
    """The areas with foes of the active nation or person, and who they are."""
    if state.turn in state.tables.nations:
        return {area: tuple(foes) for area in areas_of(state, state.turn) if (foes := others(state, area, state.turn))}
    person = fighter(state, state.turn)
    return dict(person.foes(state)) if person is not None else {}


def opposed(state: State, area: str, foe: str) -> bool:
    """Whether the active side stands against this foe there."""
    return foe in contested(state).get(area, ())


def standing(state: State) -> Battle | None:
    """The battle of this round, if both sides still stand."""
    battle = state.battle
    return battle if battle is not None and opposed(state, battle.area, battle.defender) else None
