"""The end of one round and the beginning of the next: SYSTEM's part (FRO-01, FRO-02, FRO-D32)."""

# ruff: noqa: ARG002 - a hook takes what its socket gives, whether it needs it or not

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.fronela import events as ev
from domain.fronela.commands import TurnRound
from domain.fronela.episode.decision import Course, QuestionKind
from domain.fronela.episode.socket import live
from domain.fronela.phases.scoring import area_entries
from domain.fronela.state import State
from domain.terms import Option

ROUND = "round"


class RoundEnds(QuestionKind):
    """SYSTEM's question between two rounds."""

    commands = (TurnRound,)

    def legal(self, state: State) -> Sequence[Option]:
        return [Option("turn_round")]

    def usual(self, state: State) -> Any:
        return TurnRound()

    def answer(self, course: Course, command: Any) -> None:
        course.close()
        end(course)
        if not course.state.ended:
            begin(course, course.state.round + 1)


def end(course: Course) -> None:
    """The end event comes before the round's points (FRO-D52)."""
    state = course.state
    for episode in live(state):
        episode.on_round_end(course)
    if state.tables.rounds[state.round].scores:
        course.happen(*area_entries(course.state))
    course.happen(ev.RoundEnded(state.round, last=state.round == state.tables.last))


def begin(course: Course, number: int) -> None:
    """Start events first, then the order of the round."""
    row = course.state.tables.rounds[number]
    course.happen(ev.RoundBegun(number, row.title, row.years))
    for episode in live(course.state):
        episode.on_round_start(course)
    slots = order(course.state)
    for episode in live(course.state):
        slots = episode.order(course.state, slots)
    course.happen(ev.OrderChanged(slots))


def order(state: State) -> tuple[str, ...]:
    """The normal order, behind those whom the round's table puts in front; honours that nobody has are passed over."""
    front = []
    for slot in state.tables.rounds[state.round].front:
        who = state.tokens.get(slot[1:], "") if slot.startswith("@") else slot
        if who:
            front.append(who)
    return (*front, *(nation for nation in state.tables.nations if nation not in front))
