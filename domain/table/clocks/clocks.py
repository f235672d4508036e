"""What the clocks do: their commands and events, and their effect on the game's questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.kernel import lifecycle
from domain.kernel.errors import NotNow
from domain.kernel.lifecycle import Table
from domain.kernel.record import NO_COMMIT, OpenQuestion
from domain.kernel.settings import Setting
from domain.kernel.shape import catalogue
from domain.kernel.terms import SYSTEM, Integer, Option, QuestionId, Seat, Seq
from domain.table.clocks.counting import (
    TakenBack,
    change_reserve,
    clock_at,
    count_again,
    end_stop,
    give,
    hours_given,
    is_far,
    running,
    set_back_reserve,
)
from domain.table.clocks.events import (
    ClocksStarted,
    ClocksStopped,
    GiveTime,
    ReserveBegun,
    ReserveChanged,
    ReserveSetBack,
    TimeCounted,
    TimeGiven,
)
from domain.table.clocks.memory import (
    ClocksMemory,
    ReserveEffect,
    Stop,
    begin,
    find_stop,
    put,
    resume,
    spend,
    stopped_seats,
    with_reserve,
)
from domain.table.feature import Moment, TableFeature

GIVE_TIME = "give_time"
"""The setting."""


def _begin(chosen: Mapping[str, Any], seats: int) -> ClocksMemory:
    return ClocksMemory("free", chosen[GIVE_TIME], (("", 0),) * seats)


def _decide(memory: ClocksMemory, moment: Moment, seat: Seat, command: GiveTime) -> Sequence[Any]:
    if command.seat == seat or not moment.table.is_played(command.seat):
        raise NotNow("You can only give time to another player's seat.", field="seat")
    asked = next(running(moment, command.seat), None)
    if asked is None:
        raise NotNow("No clock runs for that seat.", field="seat")
    most = memory.giving - hours_given(memory, asked)
    if not 1 <= command.hours <= most:
        words = (
            f"You can give 1 to {most} more hours for this question."
            if most
            else "You cannot give more time for this question."
        )
        raise NotNow(words, field="hours", most=most)
    if is_far(asked, moment.at):
        raise NotNow("That seat already has more than five years.", field="seat")
    given = give(memory, moment, asked, command.hours, seat)
    if given is None:
        raise NotNow("You cannot give time in a calendar game.", field="hours")
    return [given]


def _evolve(memory: ClocksMemory, event: Any, seq: Seq, at: int) -> ClocksMemory:
    match event:
        case lifecycle.GameBegun():
            return begin(memory, event)
        case TimeGiven(seat, question, hours):
            before, given = memory.gifts[seat - 1]
            gift = (question, hours + given if before == question else hours)
            return replace(memory, gifts=put(memory.gifts, seat, gift))
        case ClocksStopped(seat, why):
            stopped = at if seat is None and memory.stopped is None else memory.stopped
            return replace(memory, standing=(*memory.standing, Stop(seat, why, at)), stopped=stopped)
        case ClocksStarted(seat, why):
            return resume(memory, seat, why, at)
        case ReserveBegun(seat, question):
            return spend(memory, seat, question, seq)
        case ReserveChanged(seat, question, kept, left):
            used, added = memory.reserves[seat - 1] - kept, memory.increment if left > kept else 0
            spent = question if memory.spending[seat - 1] == question else ""
            began = memory.began[seat - 1] if spent and memory.sets_back else NO_COMMIT
            after = with_reserve(memory, left, ReserveEffect(seq, seat, used, added, spent, began))
            return replace(after, spending=put(memory.spending, seat, ""))
        case ReserveSetBack(seat, first, left, again):
            after = with_reserve(memory, left, ReserveEffect(seq, seat, first=first))
            return after if again is None else spend(after, seat, again, seq)
        case TimeCounted(seat, eased=True):
            return replace(memory, eased=put(memory.eased, seat, seq))
    return memory


def _view(memory: ClocksMemory) -> Mapping[str, Any]:
    told: dict[str, Any] = {
        "stopped": [{"seat": each.seat, "why": each.why, "since": each.since} for each in memory.standing]
    }
    if memory.bank:
        told["reserves"] = list(memory.reserves)
    return told


CLOCKS = TableFeature(
    key="clocks",
    memory=ClocksMemory,
    is_on=lambda chosen: GIVE_TIME in chosen,
    begin=_begin,
    decide=_decide,
    evolve=_evolve,
    view=_view,
    settings=(
        Setting(
            GIVE_TIME,
            "The hours that other players can give a seat for one question. 0 disables this.",
            default=168,
            min=0,
            max=8760,
        ),
    ),
    commands=catalogue(GiveTime),
    events=catalogue(
        TimeGiven, ClocksStopped, ClocksStarted, ReserveBegun, ReserveChanged, ReserveSetBack, TimeCounted
    ),
    sentences={
        "time_given": (
            "{by:seat} gives {seat:seat} {hours} more {hours:hour|hours}.",
            "{seat:seat} gets {hours} more {hours:hour|hours}.",
        ),
        "clocks_stopped": ("{seat:seat}'s clock is stopped.", "All clocks are stopped."),
        "clocks_started": ("{seat:seat}'s clock runs again.", "The clocks run again."),
        "reserve_begun": "{seat:seat} starts to use their reserve time.",
        "reserve_changed": "{seat:seat}'s reserve time has changed.",
        "reserve_set_back": "{seat:seat}'s reserve time is restored.",
        "time_counted": "{seat:seat} undoes an answer, and the time since that answer counts as thinking time.",
    },
)


def legal(moment: Moment, seat: Seat) -> Sequence[Option]:
    """The gifts of time that the seat may make."""
    memory = CLOCKS.memory_at(moment.table)
    if memory is None:
        return ()
    offered = []
    for other in moment.table.players:
        asked = next(running(moment, other), None)
        if other == seat or asked is None:
            continue
        most = memory.giving - hours_given(memory, asked)
        # If an hour can be given, more can be given too: the end of a calendar day is the only limit.
        none = moment.clock is not None and give(memory, moment, asked, 1, seat) is None
        if most > 0 and not is_far(asked, moment.at) and not none:
            offered.append(Option("give_time", {"seat": other}, (Integer("hours", 1, most),)))
    return offered


# -- for other features -----------------------------------------------------------------------------------------------


def stop(table: Table, seat: Seat | None, why: str) -> Sequence[ClocksStopped]:
    """Stop counting time, for one seat or (None) the whole table. No events if it is already stopped.

    ``why`` is the reason of the other feature. A stop ends by the reason that it began with. A calendar has no clocks of
    single seats.
    """
    memory = CLOCKS.required_at(table)
    if find_stop(memory, seat, why) is not None or (seat is not None and memory.mode == "calendar"):
        return ()
    return (ClocksStopped(seat, why),)


def start(moment: Moment, seat: Seat | None, why: str) -> Sequence[ClocksStarted]:
    """End the stop of that reason. Each question has the time it had left, unless another stop applies to it."""
    memory = CLOCKS.required_at(moment.table)
    return () if find_stop(memory, seat, why) is None else (end_stop(memory, moment, seat, why),)


def give_time(moment: Moment, seat: Seat, hours: int) -> Sequence[TimeGiven]:
    """More hours for the questions of a seat with running clocks. No events without one, or if it has too much time."""
    memory = CLOCKS.required_at(moment.table)
    given = (give(memory, moment, asked, hours, None) for asked in running(moment, seat))
    return [each for each in given if each is not None]


# -- for settling and folding -----------------------------------------------------------------------------------------


def halts(table: Table) -> Mapping[Seat, int]:
    """The seats whose clocks are stopped, including SYSTEM, with the instant of the stop."""
    memory = CLOCKS.memory_at(table)
    return {} if memory is None or not memory.standing else stopped_seats(memory)


def stops(table: Table) -> Sequence[tuple[int, int]]:
    """Start and end of each past stop of the whole table's clocks."""
    memory = CLOCKS.memory_at(table)
    return () if memory is None else memory.stops


def deadlines(events: Sequence[Any]) -> Mapping[QuestionId, int]:
    """The new deadlines of game questions that these events have moved."""
    moved: dict[QuestionId, int] = {}
    for event in events:
        match event:
            case TimeGiven() | ReserveBegun() | TimeCounted():
                moved[event.question] = event.due
            case ClocksStarted():
                moved.update(event.due)
            case ReserveSetBack(_, _, _, question, due) if question is not None and due is not None:
                moved[question] = due
    return moved


def durations(events: Sequence[Any]) -> Mapping[QuestionId, int]:
    """Durations by the clock in these events, by the question they were counted for."""
    return {event.question: event.kept for event in events if isinstance(event, ReserveChanged)}


def counts(table: Table | None) -> bool:
    """Whether time is counted by the clock that the events of the next command omit if it has no effect."""
    memory = CLOCKS.memory_at(table)
    return memory is not None and any(memory.spending)


def has_reserve(table: Table, asked: OpenQuestion) -> bool:
    """Whether the seat's reserve time begins when a question of the game has timed out."""
    memory, seat = CLOCKS.memory_at(table), asked.question.seat
    if memory is None or not memory.bank or not table.is_played(seat):
        return False
    return memory.reserves[seat - 1] > 0 and memory.spending[seat - 1] != asked.id


def begin_reserve(moment: Moment, asked: OpenQuestion) -> ReserveBegun:
    """The begin of the seat's reserve time, if it `has_reserve`."""
    memory, seat = CLOCKS.required_at(moment.table), asked.question.seat
    left = memory.reserves[seat - 1]
    return ReserveBegun(seat, asked.id, left, clock_at(memory, moment).later(asked, moment.at, left))


def counts_reserves(table: Table) -> bool:
    """Whether answers change reserves (`change_reserves`)."""
    memory = CLOCKS.memory_at(table)
    return memory is not None and memory.bank > 0


def change_reserves(
    moment: Moment, answered: Seat | None, before: Sequence[OpenQuestion]
) -> tuple[ReserveChanged, ...]:
    """Changes of reserves by a command, in the same commit.

    ``answered`` is the seat whose player sent it, None for time or a bot. ``before`` are the questions pending then. The
    moment is the one after the command.
    """
    memory = CLOCKS.required_at(moment.table)
    stand = {asked.id for asked in moment.position.asked}
    gone = [asked for asked in before if asked.id not in stand and asked.by_game]
    return tuple(
        event
        for asked in gone
        if asked.question.seat != SYSTEM and (event := change_reserve(memory, moment, answered, asked)) is not None
    )


def take_back(moment: Moment, taken: TakenBack) -> tuple[ReserveSetBack | TimeCounted, ...]:
    """Events that follow, in the same commit, when commits are undone.

    They may move the deadlines (`deadlines`) of questions asked again. The moment is the one after the command and after
    the changes of reserves.
    """
    memory = CLOCKS.memory_at(moment.table)
    if memory is None:
        return ()
    events: list[ReserveSetBack | TimeCounted] = []
    if memory.sets_back:
        seats = map(Seat, range(1, len(moment.table.controllers) + 1))
        events += [event for seat in seats if (event := set_back_reserve(memory, moment, seat, taken)) is not None]
    if memory.eased and not taken.agreed:
        # A question that uses a reserve has only that reserve.
        spending = {event.question for event in events if isinstance(event, ReserveSetBack)}
        olds = [old for old in taken.spans if taken.again[old] not in spending]
        events += [more for old in olds if (more := count_again(memory, moment, taken, old)) is not None]
    return tuple(events)
