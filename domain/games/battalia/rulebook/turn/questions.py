"""The kernel's calls about the pending question: asked seats, legal commands, default, decide."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice
from typing import Any

from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.questions import DAY, TURN
from domain.games.battalia.module_api.socket import Npc
from domain.games.battalia.rulebook.map.roads import Memo
from domain.games.battalia.rulebook.turn import calendar, orders
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.games.battalia.rulebook.turn.kinds import QUESTIONS, kind_of
from domain.games.battalia.rulesets.readings import GIVEN
from domain.games.battalia.state import BattaliaState, Frame
from domain.kernel.dice import Dice
from domain.kernel.errors import NotAsked, NotNow
from domain.kernel.options import MOST
from domain.kernel.shape import snake
from domain.kernel.terms import Option, Question, Seat


def answers(modules: Mapping[str, Npc]) -> Mapping[str, Collection[str]]:
    """The types of commands that answer each kind of question to seats, including those of these modules."""
    found: dict[str, set[str]] = {}
    for kinds in (QUESTIONS, *(module.questions for module in modules.values())):
        for kind, question in kinds.items():
            found.setdefault(kind, set()).update(snake(cls.__name__) for cls in question.commands)
    return {kind: sorted(commands) for kind, commands in found.items() if kind != DAY}


def awaiting(state: BattaliaState) -> Sequence[Question]:
    """The question on top, once for each seat that has not answered."""
    if not state.asking:
        return ()
    # Cached: most commands answer no question, so these inputs often stay the same.
    asked = (state.asking, state.order, state.options)
    return _STANDING.get(asked, (state.day, state.turn.seat, len(state.players)), lambda: _standing(state))


_STANDING = Memo(512)


def _standing(state: BattaliaState) -> Sequence[Question]:
    frame = state.asking[-1]
    place = len(state.asking) - 1
    about = _place_in_day(state, frame)
    if frame.about:
        about = {**frame.about, **about}
    return tuple([Question(frame.serial, place, seat, frame.kind, frame.clause, about) for seat in frame.seats])


def _place_in_day(state: BattaliaState, frame: Frame) -> Mapping[str, Any]:
    """The position of a question in the days (DAY-02).

    It has a ``day``, and for a seat its ``place`` among ``of`` places in the day. A question during a turn has the place of that turn. ``interrupts`` is set if it is not the asked seat's turn.
    Outside of turns it is set if the module says so for the kind (`QuestionKind.intrudes`). While seats choose factions
    and starts (SET-14), it is a day before the first, with a place for every choice.
    """
    day = state.day + (1 if state.options["quick_setup"] else 2)
    if frame.kind == DAY:
        return {"day": day}
    if state.day < 0:
        seat, of = frame.seats[0], len(state.players)
        return {"day": day, "place": seat if frame.kind == "faction" else 2 * of + 1 - seat, "of": 2 * of}
    taking, order = state.turn.seat, state.order
    place = {"day": day, "place": order.index(taking) + 1 if taking in order else 0, "of": len(order)}
    if taking in order:
        interrupts = taking not in frame.seats
    else:
        asker = registry.registered()[frame.npc] if frame.npc else None
        question = None if asker is None else asker.questions.get(frame.kind)
        interrupts = question is not None and question.intrudes
    return {**place, "interrupts": True} if interrupts else place


def top(state: BattaliaState, seat: Seat) -> Frame:
    """The pending question of the seat. Raises `NotAsked` if the seat has no question."""
    if not state.asking or seat not in state.asking[-1].seats:
        raise NotAsked("It is not your turn.", asked=sorted(state.asking[-1].seats) if state.asking else [])
    return state.asking[-1]


def has_answered(state: BattaliaState, seat: Seat) -> bool:
    """Whether the seat has answered the top question, which now waits for others."""
    frame = state.asking[-1] if state.asking else None
    return frame is not None and bool(frame.npc) and registry.registered()[frame.npc].has_answered(state, frame, seat)


def decide(state: BattaliaState, seat: Seat, command: Any, dice: Dice, *, silent: bool = False) -> Sequence[Any]:
    """The events of the answer or order. Raises `RuleViolation` if the rules forbid it.

    If the seat is ``silent``, questions at the end of its turn are answered by default (DAY-08).
    """
    if type(command) in orders.commands():
        return orders.give(state, seat, command)
    frame = top(state, seat)
    decision = start_decision(state, dice)
    module = registry.owner_of(state.modules, command)
    if module is not None and (frame.npc == module.key or (not frame.npc and frame.kind == TURN)):
        module.decide(decision, seat, command)
    elif module is None and not frame.npc and isinstance(command, QUESTIONS[frame.kind].commands):
        QUESTIONS[frame.kind].answer(decision, seat, command)
    else:
        raise NotNow("This command does not answer your pending question.", asked=frame.kind)
    answering = _answering(decision)
    calendar.proceed(decision, (lambda each: answering(each) or _end_in_silence(each, seat)) if silent else answering)
    return decision.unfolded


def depart(state: BattaliaState, seat: Seat, dice: Dice) -> Sequence[Any]:
    """The events after the player of a seat has left the game (END-06)."""
    decision = start_decision(state, dice)
    calendar.depart(decision, seat)
    calendar.proceed(decision, _answering(decision))
    return decision.unfolded


def _answering(decision: BattaliaDecision) -> Callable[[BattaliaDecision], bool]:
    """The function that answers questions without asking: by the ruleset, or only by orders (ORD-02)."""
    return _unasked if decision.rules.reads("only_answer") == GIVEN else orders.follow


def _unasked(decision: BattaliaDecision) -> bool:
    """Answer the top question if it need not be asked. Returns whether it did."""
    return _give_only_answer(decision) or orders.follow(decision)


def _end_in_silence(decision: BattaliaDecision, seat: Seat) -> bool:
    """Answer a question at the end of a silent seat's turn by default. Returns whether there was one."""
    frame = decision.state.asking[-1]
    kind = kind_of(frame)
    if kind is None or not kind.ends_turn or frame.seats != (seat,):
        return False
    kind.answer(decision, seat, kind.default(decision.state, seat, decision.dice))
    return True


def _give_only_answer(decision: BattaliaDecision) -> bool:
    """DAY-08: give the only answer to the top question, if all players know that it is the only one.

    Returns whether it did.
    """
    frame = decision.state.asking[-1]
    kind = kind_of(frame)
    if kind is None:
        return False
    for seat in frame.seats:
        command = kind.only(decision.state, seat)
        if command is not None:
            kind.answer(decision, seat, command)
            return True
    return False


def legal(state: BattaliaState, seat: Seat) -> Sequence[Option]:
    """Every answer that `decide` accepts, and no others; at most ``MOST + 1``."""
    if not state.asking or seat not in state.asking[-1].seats:
        return ()
    frame = state.asking[-1]
    if frame.npc:
        return list(registry.registered()[frame.npc].legal(state, seat, frame))
    return list(islice(QUESTIONS[frame.kind].legal(state, seat), MOST + 1))


def default(state: BattaliaState, seat: Seat, dice: Dice) -> Any:
    """The default command: that of an order, if one was given while the question was pending (ORD-02)."""
    frame = top(state, seat)
    if state.orders:
        answer = orders.ordered(state, seat)
        if answer is not None:
            return answer
    if frame.npc:
        return registry.registered()[frame.npc].default(state, seat, frame, dice)
    return QUESTIONS[frame.kind].default(state, seat, dice)
