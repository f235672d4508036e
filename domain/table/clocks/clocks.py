"""The part itself: its commands, events, and hooks for other parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.kernel import lifecycle
from domain.kernel.errors import NotNow
from domain.kernel.lifecycle import Table
from domain.kernel.record import NO_COMMIT, Asked
from domain.kernel.settings import Setting
from domain.kernel.shape import catalogue
from domain.kernel.terms import SYSTEM, Integer, Option, QuestionId, Seat, Seq
from domain.table.clocks.counting import changed, clock_at, counted, gift, given_for, running, set_back, started
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
    Change,
    ClocksMemory,
    Stop,
    begun,
    gone_on,
    halts,
    put,
    spending_on,
    stop_of,
    with_reserve,
)
from domain.table.part import Moment, Part, TakenBack
from domain.table.requests import MoreTime, StartClocks, StopClocks, is_far


class Clocks(Part[ClocksMemory]):
    """The part for clocks; see the package."""

    key = "clocks"
    memory = ClocksMemory
    settings = (
        Setting(
            "give_time",
            "The hours that other players can give a seat for one question. 0 disables this.",
            default=168,
            min=0,
            max=8760,
        ),
    )
    commands = catalogue(GiveTime)
    events = catalogue(
        TimeGiven, ClocksStopped, ClocksStarted, ReserveBegun, ReserveChanged, ReserveSetBack, TimeCounted
    )
    sentences = {  # noqa: RUF012 - declared for all parts
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
    }
    grants = (StopClocks, StartClocks, MoreTime)

    def begins(self, chosen: Mapping[str, Any], seats: int) -> ClocksMemory:
        return ClocksMemory("free", chosen["give_time"], (("", 0),) * seats)

    def decide(self, memory: ClocksMemory, moment: Moment, seat: Seat, command: Any) -> Sequence[Any]:
        assert isinstance(command, GiveTime)
        if command.seat == seat or not moment.table.is_played(command.seat):
            raise NotNow("You can only give time to another player's seat.", field="seat")
        asked = next(running(moment, command.seat), None)
        if asked is None:
            raise NotNow("No clock runs for that seat.", field="seat")
        most = memory.giving - given_for(memory, asked)
        if not 1 <= command.hours <= most:
            words = (
                f"You can give 1 to {most} more hours for this question."
                if most
                else "You cannot give more time for this question."
            )
            raise NotNow(words, field="hours", most=most)
        if is_far(asked, moment.at):
            raise NotNow("That seat already has more than five years.", field="seat")
        given = gift(memory, moment, asked, command.hours, seat)
        if given is None:
            raise NotNow("You cannot give time in a calendar game.", field="hours")
        return [given]

    def grant(self, memory: ClocksMemory, moment: Moment, request: Any) -> Sequence[Any]:
        match request:
            case StopClocks(seat, why):
                if stop_of(memory, seat, why) is not None or (seat is not None and memory.mode == "calendar"):
                    return ()
                return [ClocksStopped(seat, why)]
            case StartClocks(seat, why):
                return () if stop_of(memory, seat, why) is None else [started(memory, moment, seat, why)]
            case MoreTime(seat, hours):
                given = (gift(memory, moment, asked, hours, None) for asked in running(moment, seat))
                return [each for each in given if each is not None]
        raise NotImplementedError

    def evolve(self, memory: ClocksMemory, event: Any, seq: Seq, at: int) -> ClocksMemory:
        match event:
            case lifecycle.GameBegun():
                return begun(memory, event)
            case TimeGiven(seat, question, hours):
                before, given = memory.gifts[seat - 1]
                gift = (question, hours + given if before == question else hours)
                return replace(memory, gifts=put(memory.gifts, seat, gift))
            case ClocksStopped(seat, why):
                stopped = at if seat is None and memory.stopped is None else memory.stopped
                return replace(memory, standing=(*memory.standing, Stop(seat, why, at)), stopped=stopped)
            case ClocksStarted(seat, why):
                return gone_on(memory, seat, why, at)
            case ReserveBegun(seat, question):
                return spending_on(memory, seat, question, seq)
            case ReserveChanged(seat, question, kept, left):
                used, added = memory.reserves[seat - 1] - kept, memory.increment if left > kept else 0
                spent = question if memory.spending[seat - 1] == question else ""
                began = memory.began[seat - 1] if spent and memory.sets_back else NO_COMMIT
                after = with_reserve(memory, left, Change(seq, seat, used, added, spent, began))
                return replace(after, spending=put(memory.spending, seat, ""))
            case ReserveSetBack(seat, first, left, again):
                after = with_reserve(memory, left, Change(seq, seat, first=first))
                return after if again is None else spending_on(after, seat, again, seq)
            case TimeCounted(seat, eased=True):
                return replace(memory, eased=put(memory.eased, seat, seq))
        return memory

    def legal(self, memory: ClocksMemory, moment: Moment, seat: Seat) -> Sequence[Option]:
        offered = []
        for other in moment.table.players:
            asked = next(running(moment, other), None)
            if other == seat or asked is None:
                continue
            most = memory.giving - given_for(memory, asked)
            # If an hour can be given, more can be given too: the end of a calendar day is the only limit.
            none = moment.clock is not None and gift(memory, moment, asked, 1, seat) is None
            if most > 0 and not is_far(asked, moment.at) and not none:
                offered.append(Option("give_time", {"seat": other}, (Integer("hours", 1, most),)))
        return offered

    def view(self, memory: ClocksMemory) -> Mapping[str, Any]:
        told: dict[str, Any] = {
            "stopped": [{"seat": each.seat, "why": each.why, "since": each.since} for each in memory.standing]
        }
        if memory.bank:
            told["reserves"] = list(memory.reserves)
        return told

    # -- what clocks do ---------------------------------------------------------------------------------------------------

    def halts(self, memory: ClocksMemory) -> Mapping[Seat, int]:
        if not memory.standing:
            return {}
        return halts(memory)

    def stops(self, memory: ClocksMemory) -> Sequence[tuple[int, int]]:
        return memory.stops

    def deadlines(self, event: Any) -> Mapping[QuestionId, int]:
        match event:
            case TimeGiven() | ReserveBegun() | TimeCounted():
                return {event.question: event.due}
            case ClocksStarted():
                return event.due
            case ReserveSetBack(_, _, _, question, due) if question is not None and due is not None:
                return {question: due}
        return {}

    def counted(self, event: Any) -> Mapping[QuestionId, int]:
        return {event.question: event.kept} if isinstance(event, ReserveChanged) else {}

    def counts(self, memory: ClocksMemory) -> bool:
        return any(memory.spending)

    def spares(self, memory: ClocksMemory, seated: Table, asked: Asked) -> bool:
        seat = asked.question.seat
        if not memory.bank or not seated.is_played(seat):
            return False
        return memory.reserves[seat - 1] > 0 and memory.spending[seat - 1] != asked.id

    def spare(self, memory: ClocksMemory, moment: Moment, asked: Asked) -> Sequence[Any]:
        seat = asked.question.seat
        left = memory.reserves[seat - 1]
        return [ReserveBegun(seat, asked.id, left, clock_at(memory, moment).later(asked, moment.at, left))]

    def heeds(self, memory: ClocksMemory) -> bool:
        return memory.bank > 0

    def follows(
        self, memory: ClocksMemory, moment: Moment, answered: Seat | None, before: Sequence[Asked]
    ) -> Sequence[Any]:
        stand = {asked.id for asked in moment.position.asked}
        gone = [asked for asked in before if asked.id not in stand and asked.by_game]
        return [
            event
            for asked in gone
            if asked.question.seat != SYSTEM and (event := changed(memory, moment, answered, asked)) is not None
        ]

    def takes_back(self, memory: ClocksMemory, moment: Moment, taken: TakenBack) -> Sequence[Any]:
        events: list[ReserveSetBack | TimeCounted] = []
        if memory.sets_back:
            seats = map(Seat, range(1, len(moment.table.controllers) + 1))
            events += [event for seat in seats if (event := set_back(memory, moment, seat, taken)) is not None]
        if memory.eased and not taken.agreed:
            # A question that uses a reserve has only that reserve.
            spending = {event.question for event in events if isinstance(event, ReserveSetBack)}
            olds = [old for old in taken.spans if taken.again[old] not in spending]
            events += [more for old in olds if (more := counted(memory, moment, taken, old)) is not None]
        return events


CLOCKS = Clocks()
