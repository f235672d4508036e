"""The free Buff on the roads, moved by the player who ends a turn (BUF-06 to BUF-08)."""

from __future__ import annotations

from collections.abc import Iterator

from domain.games.battalia import events as core
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.questions import BattaliaQuestionKind
from domain.games.battalia.modules.unbound_buff import commands as cmd
from domain.games.battalia.modules.unbound_buff import events as ev
from domain.games.battalia.modules.unbound_buff import meeting, memory, orders
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.refusals import NoWay
from domain.games.battalia.rulesets.readings import EVERY_WEEK
from domain.games.battalia.state import BattaliaState
from domain.kernel.dice import Dice
from domain.kernel.terms import OneOf, Option, Seat


def ways(state: BattaliaState) -> tuple[str, ...]:
    """BUF-07: the squares to which the next step of this move may lead."""
    where, trail = memory.square(state), memory.of(state)["trail"]
    return tuple(to for to in roads.network(state).links[where] if to not in trail)


def grow(decision: BattaliaDecision) -> None:
    """BUF-05: announce the horde's strength for the new week."""
    strength = memory.horde(decision.state)
    if strength != memory.of(decision.state)["horde"] or decision.rules.reads("horde_announced") == EVERY_WEEK:
        decision.happen(ev.HordeGrown(strength))


def offer(decision: BattaliaDecision) -> None:
    """BUF-06: ask the player whose turn ends whether to move him, unless no road leads away."""
    seat, where = decision.state.turn.seat, memory.square(decision.state)
    if where and seat in decision.state.order and roads.network(decision.state).links[where]:
        about = {"square": where}
        decision.happen(core.QuestionAsked("stir", (seat,), "BUF-06", about, memory.KEY))


def _go_on(decision: BattaliaDecision, seat: Seat) -> None:
    left = memory.of(decision.state)["left"]
    if left and ways(decision.state):
        about = {"square": memory.square(decision.state), "left": left}
        decision.happen(core.QuestionAsked("march", (seat,), "BUF-07", about, memory.KEY))


def _leave(decision: BattaliaDecision, seat: Seat) -> None:
    decision.happen(ev.BuffLeftAlone(seat, decision.state.asking[-1].serial))


class StirQuestion(BattaliaQuestionKind):
    """BUF-06: whether to move Buff. The default leaves him where he is."""

    commands = (cmd.RollForBuff, cmd.LeaveBuff)
    ends_turn = True
    standing = orders.StirOrders()

    def legal(self, state: BattaliaState, seat: Seat) -> Iterator[Option]:  # noqa: ARG002
        yield Option("roll_for_buff")
        yield Option("leave_buff")

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.LeaveBuff:  # noqa: ARG002
        return cmd.LeaveBuff()

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.RollForBuff | cmd.LeaveBuff) -> None:
        if isinstance(command, cmd.LeaveBuff):
            _leave(decision, seat)
            return
        decision.happen(ev.BuffRolled(seat, decision.dice.roll(), decision.state.asking[-1].serial))
        _go_on(decision, seat)


class MarchQuestion(BattaliaQuestionKind):
    """BUF-07, BUF-08: Buff's next step. The default leaves him where he is."""

    commands = (cmd.MoveBuff, cmd.LeaveBuff)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterator[Option]:  # noqa: ARG002
        yield Option("move_buff", {}, (OneOf("to", ways(state)),))
        yield Option("leave_buff")

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.LeaveBuff:  # noqa: ARG002
        return cmd.LeaveBuff()

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.MoveBuff | cmd.LeaveBuff) -> None:
        if isinstance(command, cmd.LeaveBuff):
            _leave(decision, seat)
            return
        state = decision.state
        frame, open_ = state.asking[-1], ways(state)
        if command.to not in open_:
            raise NoWay("The Unbound Buff cannot move there.", rule="BUF-07", field="to", ways=list(open_))
        left = frame.about["left"] - 1
        decision.happen(ev.BuffMoved(seat, memory.square(state), command.to, left, frame.serial))
        if memory.prey(decision.state, command.to):
            meeting.assault(decision, seat, command.to)
        else:
            _go_on(decision, seat)
