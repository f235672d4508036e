"""Vacations of players: announced at the table, begun and ended by the clock, with a limit of days per year of play.

The service announces them (`AnnounceVacation`). From then on the table itself asks SYSTEM when they begin and end.
While a player is away, the seat's clock is stopped if the pace has one for each seat. In a calendar game the days
continue, and missed turns do not count; the player has chosen who answers. A player who plays is back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain.kernel.errors import AlreadyAnswered
from domain.kernel.lifecycle import GameBegun, Table
from domain.kernel.settings import Setting
from domain.kernel.shape import as_line, catalogue
from domain.kernel.terms import DAY, SYSTEM, Question, Seat, Seq
from domain.table.clocks import clocks
from domain.table.feature import PLACE, Moment, TableFeature

VACATION_DAYS = "vacation_days"
YEAR = 365 * DAY
"""A year of play, counted from the beginning of the game."""

BEGINS, ENDS = "vacation_begins", "vacation_ends"
WHY = "vacation"
"""The reason for stopped clocks."""

ORDERS, SITS_IN, DEFAULT = "orders", "sitter", "default"
"""Values of ``plays``: the answers for an absent seat in a calendar game.

``orders``: its standing orders, as usual. ``sitter``: the sitter, and the orders for unanswered questions. ``default``:
only the rules' default.
"""


@dataclass(frozen=True, slots=True)
class AnnounceVacation:
    """SYSTEM: the player of a seat will be away."""

    seat: Seat
    vacation: str
    begins: int
    """Milliseconds of Unix time."""
    ends: int
    plays: str = ORDERS
    """The source of answers in a calendar game."""


@dataclass(frozen=True, slots=True)
class RecallVacation:
    """SYSTEM: the player has canceled the vacation, or is back early."""

    seat: Seat
    vacation: str


@dataclass(frozen=True, slots=True)
class BeginVacation:
    """SYSTEM: the vacation begins."""

    seat: Seat
    vacation: str


@dataclass(frozen=True, slots=True)
class EndVacation:
    """SYSTEM: the vacation is over."""

    seat: Seat
    vacation: str


@dataclass(frozen=True, slots=True)
class VacationAnnounced:
    seat: Seat
    vacation: str
    begins: int
    ends: int
    plays: str = ORDERS
    """The source of answers; always ``orders`` if clocks are stopped."""


@dataclass(frozen=True, slots=True)
class VacationBegun:
    seat: Seat
    vacation: str
    until: int
    """The latest end. Earlier than announced if the days of the year are used up."""


@dataclass(frozen=True, slots=True)
class VacationEnded:
    seat: Seat
    vacation: str
    why: str
    """``over``, ``played``, ``recalled``, ``left`` (the seat has another player), ``no_days`` (it never began)."""


@dataclass(frozen=True, slots=True)
class Away:
    """A vacation that is announced or has begun."""

    seat: Seat
    vacation: str
    first: int
    """The start, in the future or the past."""
    last: int
    asked: int
    """The commit that asks SYSTEM for the next step."""
    plays: str = ORDERS
    announced: int = 0
    """The announced end; 0 if it was not recorded yet."""


@dataclass(frozen=True, slots=True)
class VacationsMemory:
    """The vacations of a table."""

    days: int
    started: int = 0
    planned: tuple[Away, ...] = ()
    taken: tuple[Away, ...] = ()
    used: tuple[tuple[int, int], ...] = ()
    """The last year of play in which a vacation began, and the milliseconds used in it; by seat, seat 1 first."""


def _begin(chosen: Mapping[str, Any], seats: int) -> VacationsMemory:
    return VacationsMemory(chosen[VACATION_DAYS], used=((0, 0),) * seats)


def _decide(memory: VacationsMemory, moment: Moment, seat: Seat, command: Any) -> Sequence[Any]:  # noqa: ARG001
    planned, taken = _named(memory.planned, command), _named(memory.taken, command)
    match command:
        case AnnounceVacation(away, vacation, begins, ends, plays):
            known = planned is not None or taken is not None
            if known or not memory.days or ends <= moment.at or not moment.table.is_played(away):
                raise AlreadyAnswered("No vacation has to be announced.")
            goes_on = moment.table.pace.get("mode") == "calendar"
            return [VacationAnnounced(away, vacation, begins, ends, plays if goes_on else ORDERS)]
        case BeginVacation() if planned is not None:
            return _begun(memory, planned, moment)
        case EndVacation() if taken is not None:
            return _ended(taken, "over", moment)
        case RecallVacation() if taken is not None:
            return _ended(taken, "recalled", moment)
        case RecallVacation() if planned is not None:
            return [VacationEnded(planned.seat, planned.vacation, "recalled")]
    raise AlreadyAnswered("This vacation no longer exists.")


def _evolve(memory: VacationsMemory, event: Any, seq: Seq, at: int) -> VacationsMemory:
    match event:
        case GameBegun():
            return replace(memory, started=at)
        case VacationAnnounced(seat, vacation, begins, ends, plays):
            return replace(memory, planned=(*memory.planned, Away(seat, vacation, begins, ends, seq, plays, ends)))
        case VacationBegun(seat, vacation, until):
            said = _named(memory.planned, event)
            chosen = () if said is None else (said.plays, said.announced)
            taken = (*memory.taken, Away(seat, vacation, at, until, seq, *chosen))
            return replace(memory, planned=_without(memory.planned, event), taken=taken)
        case VacationEnded():
            used, taken_now = memory.used, _named(memory.taken, event)
            if taken_now is not None:
                used = _used(memory, taken_now, at)
            planned, taken = _without(memory.planned, event), _without(memory.taken, event)
            return replace(memory, planned=planned, taken=taken, used=used)
    return memory


def _view(memory: VacationsMemory) -> Mapping[str, Any]:
    return {
        "days": memory.days,
        "announced": [_told(each, "begins", "ends") for each in memory.planned],
        "away": [_told(each, "since", "until") for each in memory.taken],
    }


VACATIONS = TableFeature(
    key="vacations",
    memory=VacationsMemory,
    is_on=lambda chosen: VACATION_DAYS in chosen,
    begin=_begin,
    decide=_decide,
    evolve=_evolve,
    view=_view,
    settings=(
        Setting(
            VACATION_DAYS,
            "Vacation days of each player in a year of play, during which their clock stops. 0 disables vacations.",
            14,
            min=0,
            max=366,
        ),
    ),
    system=catalogue(AnnounceVacation, RecallVacation, BeginVacation, EndVacation),
    events=catalogue(VacationAnnounced, VacationBegun, VacationEnded),
    sentences={
        "vacation_announced": ("{seat:seat} will be on vacation; {plays:absence}.", "{seat:seat} will be on vacation."),
        "vacation_begun": "{seat:seat} is now on vacation.",
        "vacation_ended": "{seat:seat} is back from vacation.",
    },
    asks={
        BEGINS: "Wait until {away:seat} is on vacation.",
        ENDS: "Wait until {away:seat} is back from vacation.",
    },
    names={
        "absence": {
            SITS_IN: "decisions wait for a sitter",
            DEFAULT: "standing orders are not used during that time",
        },
    },
)


def awaiting(table: Table) -> Iterator[tuple[Question, int]]:
    """SYSTEM's questions when vacations begin and end, with their times."""
    memory = VACATIONS.memory_at(table)
    if memory is None:
        return
    for kind, aways in ((BEGINS, memory.planned), (ENDS, memory.taken)):
        for away in aways:
            about = {"away": away.seat, "vacation": away.vacation}
            due = away.first if kind == BEGINS else away.last
            yield Question(-away.asked, PLACE, SYSTEM, kind, "", about), due


def default(question: Question) -> BeginVacation | EndVacation:
    seat, vacation = question.about["away"], question.about["vacation"]
    return BeginVacation(seat, vacation) if question.kind == BEGINS else EndVacation(seat, vacation)


def end_if_played(moment: Moment, seat: Seat, by: str) -> Sequence[Any]:
    """The end of a vacation whose player has sent a command of the game."""
    memory = VACATIONS.memory_at(moment.table)
    if memory is None or by != "player":
        return ()
    away = next((each for each in memory.taken if each.seat == seat), None)
    return () if away is None else _ended(away, "played", moment)


def react(moment: Moment, table: Table) -> Sequence[Any]:
    """The end of a vacation whose seat no longer has its player; empty when there are none left."""
    memory = VACATIONS.memory_at(table)
    if memory is None:
        return ()
    for away in memory.taken:
        if not table.is_played(away.seat):
            return _ended(away, "left", moment.at_table(table))
    for away in memory.planned:
        if not table.is_played(away.seat):
            return [VacationEnded(away.seat, away.vacation, "left")]
    return ()


def is_away(table: Table, seat: Seat) -> bool:
    """Whether the seat's player is on vacation. Timeouts then do not count as missed turns."""
    memory = VACATIONS.memory_at(table)
    return memory is not None and any(each.seat == seat for each in memory.taken)


def resting(table: Table | None, seat: Seat, by: str) -> Collection[Seat]:
    """The seats whose standing orders do not answer questions raised by a command of this seat.

    ``by`` is as in `Commit.by`. A player who plays by hand is back, so their orders are not suspended.
    """
    memory = VACATIONS.memory_at(table)
    if memory is None:
        return ()
    back = seat if by == "player" else None
    return [each.seat for each in memory.taken if each.plays != ORDERS and each.seat != back]


def plays_default(table: Table | None, seat: Seat) -> bool:
    """Whether a timeout of the seat means the rules' default, regardless of its standing orders."""
    memory = VACATIONS.memory_at(table)
    return memory is not None and any(each.seat == seat and each.plays == DEFAULT for each in memory.taken)


def reveal(event: VacationAnnounced) -> Mapping[str, Any]:
    """The event as a line of history."""
    return {name: told for name, told in as_line(event).items() if (name, told) != ("plays", ORDERS)}


def _told(away: Away, first: str, last: str) -> Mapping[str, Any]:
    told = {"seat": away.seat, first: away.first, last: away.last}
    return told if away.plays == ORDERS else {**told, "plays": away.plays}


def announced_until(table: Table | None, ended: VacationEnded) -> int:
    """The announced end of a vacation of the table that ends now; 0 if unknown."""
    memory = VACATIONS.memory_at(table)
    away = None if memory is None else _named((*memory.taken, *memory.planned), ended)
    return 0 if away is None else away.announced


def _named(aways: Sequence[Away], named: Any) -> Away | None:
    return next((each for each in aways if (each.seat, each.vacation) == (named.seat, named.vacation)), None)


def _without(aways: Sequence[Away], named: Any) -> tuple[Away, ...]:
    return tuple(each for each in aways if (each.seat, each.vacation) != (named.seat, named.vacation))


def _year(memory: VacationsMemory, at: int) -> int:
    return max(0, at - memory.started) // YEAR


def _begun(memory: VacationsMemory, planned: Away, moment: Moment) -> Sequence[Any]:
    """The start of the vacation, if the year of play has days left; otherwise its end (``no_days``)."""
    at, (year, used) = moment.at, memory.used[planned.seat - 1]
    left = memory.days * DAY - (used if year == _year(memory, at) else 0)
    until = min(planned.last, at + left)
    if until <= at or any(each.seat == planned.seat for each in memory.taken):
        return [VacationEnded(planned.seat, planned.vacation, "no_days")]
    return [VacationBegun(planned.seat, planned.vacation, until), *clocks.stop(moment.table, planned.seat, WHY)]


def _ended(taken: Away, why: str, moment: Moment) -> Sequence[Any]:
    return [VacationEnded(taken.seat, taken.vacation, why), *clocks.start(moment, taken.seat, WHY)]


def _used(memory: VacationsMemory, taken: Away, at: int) -> tuple[tuple[int, int], ...]:
    """The vacation time used, by seat, after this vacation ends. It counts in the year in which the vacation began."""
    year = _year(memory, taken.first)
    before, used = memory.used[taken.seat - 1]
    total = min(at, taken.last) - taken.first + (used if before == year else 0)
    return (*memory.used[: taken.seat - 1], (year, total), *memory.used[taken.seat :])
