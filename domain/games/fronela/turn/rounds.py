"""The end of one round and the beginning of the next, played by SYSTEM (FRO-01, FRO-02, FRO-D32)."""

# ruff: noqa: ARG002 - hooks do not need all their arguments

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.commands import TurnRound
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.registry import live
from domain.games.fronela.phases.scoring import area_entries
from domain.games.fronela.state import FronelaState
from domain.kernel.terms import Option, Seat

ROUND = "round"


class RoundEnds(FronelaQuestionKind):
    """SYSTEM's question between two rounds."""

    commands = (TurnRound,)

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        return [Option("turn_round")]

    def usual(self, state: FronelaState) -> Any:
        return TurnRound()

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        decision.close()
        end(decision)
        if not decision.state.ended:
            begin(decision, decision.state.round + 1)


def end(decision: FronelaDecision) -> None:
    """End the round. Its end events come before its points (FRO-D52)."""
    state = decision.state
    for episode in live(state):
        episode.on_round_end(decision)
    if state.tables.rounds[state.round].scores:
        decision.happen(*area_entries(decision.state))
    decision.happen(ev.RoundEnded(state.round, last=state.round == state.tables.last))


def begin(decision: FronelaDecision, number: int) -> None:
    """Begin the round. Start events come before the order of the round."""
    row = decision.state.tables.rounds[number]
    decision.happen(ev.RoundBegun(number, row.title, row.years))
    for episode in live(decision.state):
        episode.on_round_start(decision)
    slots = order(decision.state)
    for episode in live(decision.state):
        slots = episode.order(decision.state, slots)
    decision.happen(ev.OrderChanged(slots))


def order(state: FronelaState) -> tuple[str, ...]:
    """The normal order, after the nations that the round's table puts first. Honors without a holder are skipped."""
    front = []
    for slot in state.tables.rounds[state.round].front:
        who = state.tokens.get(slot[1:], "") if slot.startswith("@") else slot
        if who:
            front.append(who)
    return (*front, *(nation for nation in state.tables.nations if nation not in front))
