"""The effect of every event on the state. It never refuses, rolls or asks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from domain.games.battalia import events as ev
from domain.games.battalia.cards import RUINS
from domain.games.battalia.evolve import actions, battle, calendar
from domain.games.battalia.evolve.changes import Becomes
from domain.games.battalia.module_api.registry import owner_of, playing
from domain.games.battalia.state import NOBODY, BattaliaState, City, PlayerState, Tile, changed
from domain.kernel.terms import Seat

BECOMES: Becomes = {**actions.BECOMES, **battle.BECOMES, **calendar.BECOMES}
"""The core's own events. A module's events change only its memory (`Npc.evolve`)."""


def evolve(state: BattaliaState | None, event: Any) -> BattaliaState:
    """The state after the event of the core or a module."""
    if state is None:
        assert isinstance(event, ev.BattaliaBegun)
        return _begun(event)
    becomes = BECOMES.get(type(event))
    after = _remembered(state, event) if becomes is None else becomes(state, event)
    answers = event.answers if _ANSWERING[type(event)] else 0
    return _answered(after, answers, event.seat) if answers else after


def _remembered(state: BattaliaState, event: Any) -> BattaliaState:
    npc = owner_of(state.modules, event)
    assert npc is not None
    memory = npc.evolve(state.npcs[npc.key], event)
    return changed(state, npcs={**state.npcs, npc.key: memory})


class _Answering(dict[type[Any], bool]):
    """Whether events of a type may answer a question, by type."""

    def __missing__(self, kind: type[Any]) -> bool:
        found = self[kind] = "answers" in kind.__dataclass_fields__
        return found


_ANSWERING = _Answering()


def _begun(event: ev.BattaliaBegun) -> BattaliaState:
    players = {
        seat: PlayerState(seat, hand=deck[: event.hand], deck=deck[event.hand :]) for seat, deck in event.decks.items()
    }
    board = {event.centre: Tile(RUINS, "NESW")} | {name: Tile(card, "NESW") for name, card in event.neutrals.items()}
    return BattaliaState(
        ruleset=event.ruleset,
        options=event.options,
        modules=event.modules,
        factions=event.factions,
        columns=event.columns,
        rows=event.rows,
        starts=event.starts,
        centre=event.centre,
        order=event.order,
        markers=event.markers,
        players=players,
        piles=event.piles,
        great=event.great,
        gone=event.gone,
        board=board,
        cities={name: City(NOBODY, event.neutral_level) for name in event.neutrals},
        npcs={npc.key: npc.blank(event) for npc in playing(event.modules)},
    )


def _answered(state: BattaliaState, serial: int, seat: Seat) -> BattaliaState:
    frames = []
    for frame in state.asking:
        if frame.serial != serial:
            frames.append(frame)
        elif left := tuple([other for other in frame.seats if other != seat]):
            frames.append(replace(frame, seats=left))
    return changed(state, asking=tuple(frames))
