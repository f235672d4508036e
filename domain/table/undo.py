"""Undo: a seat asks to return the game to its state before a commit.

Nothing leaves the log. Undo resets the state of the game and its questions. Seats, chat, agreements at the table, and
the dice are not reset. A seat undoes alone if no one else has acted since and no secret was revealed; otherwise by consent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain.kernel.errors import AlreadyAnswered, RuleViolation
from domain.kernel.lifecycle import SeatResigned, Table, with_memories
from domain.kernel.record import NO_COMMIT, Bars, Clock, OpenQuestion, Position
from domain.kernel.settings import Setting
from domain.kernel.shape import catalogue
from domain.kernel.terms import HOUR, SYSTEM, Integer, OneOf, Option, Question, Seat, Seq
from domain.table.feature import PLACE, Moment, TableFeature
from domain.table.votes.voting import upgrade_of

KEY = "undo"
CONSENT, FREE, OFF = "consent", "free", "off"

LEAST = HOUR
"""Minimum time in milliseconds for a question that is asked again after others have agreed."""
UNDONES = 256
"""Number of undone ranges that are remembered."""
REACH = 64
"""Number of commits that a seat may undo, counted back from the last that showed it anything."""
FURTHEST = 128
"""The total limit, including commits not shown to the seat. `domain.kernel.record.KEPT` is larger."""
LONGEST = 24
"""Hours in which the others must answer, in a game with a clock."""
SHOWN = 16
"""Number of undone ranges in the view."""


class NoUndo(RuleViolation):
    """The game does not allow undo."""

    code = "no-undo"


class NotThatFar(RuleViolation):
    """There is no such commit to undo, or it is too far back."""

    code = "not-that-far"


class NobodyToAsk(RuleViolation):
    """Undo needs the consent of other players, and there are none."""

    code = "nobody-to-ask"


class UndoAsked(RuleViolation):
    """Another request to undo is open, or the others have just declined one of this seat."""

    code = "undo-asked"


# -- commands ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RequestUndo:
    """Ask to undo the commit ``seq`` and all later ones."""

    seq: int


@dataclass(frozen=True, slots=True)
class AnswerUndo:
    """Answer a request to undo. ``request`` is the commit of the request."""

    request: int
    agree: bool


# -- events -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UndoRequested:
    seat: Seat
    first: Seq
    asked: tuple[Seat, ...]
    """The seats that must agree."""
    due: int | None = None
    """The deadline, milliseconds of Unix time. No answer counts as no."""


@dataclass(frozen=True, slots=True)
class UndoAgreed:
    seat: Seat
    request: Seq


@dataclass(frozen=True, slots=True)
class UndoDeclined:
    seat: Seat
    request: Seq


@dataclass(frozen=True, slots=True)
class Undone:
    """The game was reset to its state before the commit ``first``."""

    seat: Seat
    """The seat that requested it."""
    first: Seq
    last: Seq
    """The last undone commit. All commits from ``first`` to ``last`` are undone."""
    agreed: tuple[Seat, ...] = ()
    """The seats that were asked; empty if no consent was needed."""


# -- memory -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """A seat's request that others must answer."""

    seat: Seat
    seq: Seq
    """The commit of the request."""
    first: Seq
    asked: tuple[Seat, ...]
    waiting: tuple[Seat, ...]
    """The seats that have not answered."""
    due: int | None = None

    def stands(self, table: Table) -> bool:
        """Whether all seats involved still have players."""
        return all(table.is_played(seat) for seat in (self.seat, *self.waiting))


@dataclass(frozen=True, slots=True)
class UndoMemory:
    mode: str
    request: UndoRequest | None = None
    declined: tuple[Seat, ...] = ()
    """Seats whose request was declined since the game last continued. They cannot ask again before it continues."""
    undone: tuple[tuple[Seq, Seq], ...] = ()
    """Ranges that are undone and have not been restored: each from a commit to the one that undid it."""


# -- the feature --------------------------------------------------------------------------------------------------------


def _decide(memory: UndoMemory, moment: Moment, seat: Seat, command: RequestUndo | AnswerUndo) -> Sequence[Any]:
    if isinstance(command, AnswerUndo):
        return _answer(memory, moment, seat, command)
    return _request(memory, moment, seat, command)


def _evolve(memory: UndoMemory, event: Any, seq: Seq, at: int) -> UndoMemory:  # noqa: ARG001
    match event:
        case UndoRequested(seat, first, asked, due):
            return replace(memory, request=UndoRequest(seat, seq, first, asked, asked, due))
        case UndoAgreed(seat):
            assert memory.request is not None
            waiting = tuple(each for each in memory.request.waiting if each != seat)
            return replace(memory, request=replace(memory.request, waiting=waiting))
        case UndoDeclined():
            assert memory.request is not None
            return replace(memory, request=None, declined=(*memory.declined, memory.request.seat))
        case Undone(_, first):
            others = tuple((begin, by) for begin, by in memory.undone if by < first)
            return UndoMemory(memory.mode, undone=(*others, (first, seq))[-UNDONES:])
        case SeatResigned(seat) if memory.request is not None and seat in memory.request.waiting:
            return replace(memory, request=None)
        case _:
            return memory


def _view(memory: UndoMemory) -> Mapping[str, Any]:
    """``mode``, the last undone ranges, and the open request."""
    request = memory.request
    return {
        "mode": memory.mode,
        "undone": [{"first": first, "last": by - 1, "by": by} for first, by in memory.undone[-SHOWN:]],
        "request": None
        if request is None
        else {
            "seat": request.seat,
            "request": request.seq,
            "first": request.first,
            "waiting": list(request.waiting),
            "due": request.due,
        },
    }


UNDO = TableFeature(
    key=KEY,
    memory=UndoMemory,
    is_on=lambda chosen: "undo" in chosen,
    begin=lambda chosen, _seats: UndoMemory(chosen["undo"]),
    decide=_decide,
    evolve=_evolve,
    view=_view,
    settings=(
        Setting(
            "undo",
            "Whether players can undo moves. `consent`: the affected seats must agree. `free`: consent is needed only for "
            "chance and secrets. `off`: no undo.",
            CONSENT,
            (CONSENT, FREE, OFF),
        ),
    ),
    commands=catalogue(RequestUndo, AnswerUndo),
    unasked=("request_undo",),
    events=catalogue(UndoRequested, UndoAgreed, UndoDeclined, Undone),
    sentences={
        "undo_requested": "{seat:seat} asks {asked:seats} to undo everything from commit {first} onward.",
        "undo_agreed": "{seat:seat} agrees to the undo.",
        "undo_declined": "{seat:seat} declines the undo.",
        "undone": "{seat:seat} undoes everything from commit {first} onward.",
    },
    asks={KEY: "{wishes:seat} asks to undo everything from commit {first} onward. Agree or decline."},
)


def awaiting(table: Table) -> Iterator[tuple[Question, int | None]]:
    """The questions of an open request, with their deadline."""
    memory = UNDO.memory_at(table)
    request = None if memory is None else memory.request
    if request is None or not request.stands(table):
        return
    about = {"wishes": request.seat, "first": request.first, "request": request.seq}
    for seat in request.waiting:
        yield Question(-request.seq, PLACE, seat, KEY, "", about), request.due


def default(question: Question) -> AnswerUndo:
    return AnswerUndo(-question.serial, agree=False)


def legal(moment: Moment, seat: Seat) -> Sequence[Option]:
    """The requests that the seat may make, and its answers to the open one."""
    memory = UNDO.memory_at(moment.table)
    return () if memory is None else [*_possible_requests(memory, moment, seat), *_answers(memory, moment, seat)]


def find_undo_start(position: Position, command: Mapping[str, Any]) -> Seq | None:
    """The first commit that a command, as JSON, undoes if granted. None if it cannot be undone."""
    if position.bars is None or position.table is None:
        return None
    request, first = position.table.memories[KEY].request, None
    if command.get("type") == "request_undo":
        first = command.get("seq")
    elif command.get("type") == "answer_undo" and request is not None:
        first = request.first
    return Seq(first) if type(first) is int and max(1, position.seq - FURTHEST) < first <= position.seq else None


def _request(memory: UndoMemory, moment: Moment, seat: Seat, command: RequestUndo) -> Sequence[Any]:
    position, first = moment.position, Seq(command.seq)
    if memory.mode == OFF or position.bars is None:
        raise NoUndo("Undo is disabled in this game.")
    reach = _reach(moment, seat)
    if first not in reach or position.seq - first >= FURTHEST:
        raise NotThatFar(
            f"You can undo from commits {reach.start} to {reach.stop - 1}." if reach else "There is nothing to undo.",
            field="seq",
            first=reach.start,
            last=reach.stop - 1,
        )
    concerned = _concerned(memory.mode, position.bars, moment.table, seat, first)
    if concerned is None:
        raise NobodyToAsk(
            "Undo needs consent, because dice, draws or secrets were revealed since, or you have not acted. There is no other player to agree."
        )
    if not concerned:
        return [Undone(seat, first, position.seq)]
    if not _may_ask(memory, moment.table, seat):
        raise UndoAsked("An undo request is already open, or this one was declined and no one has moved since.")
    return [UndoRequested(seat, first, concerned, _deadline(moment))]


def _reach(moment: Moment, seat: Seat) -> range:
    """The commits that the seat may name. Derived from what it was shown, so that they reveal nothing else.

    A calendar day that is over does not begin again, and decisions by rules that the players have left are not undone.
    """
    last, bars = moment.position.etag(seat), moment.position.bars
    first = max(2, last - REACH + 1, _left_behind(moment.table) + 1)
    if bars is not None and moment.table.pace.get("mode") == "calendar":
        first = max(first, bars.acted[SYSTEM] + 1)
    return range(first, max(first, last + 1))


def _left_behind(table: Table) -> Seq:
    """The last commit that was decided by rules which the players have left."""
    upgraded = upgrade_of(table)
    return NO_COMMIT if upgraded is None else upgraded.seq


def _concerned(mode: str, bars: Bars, table: Table, seat: Seat, first: Seq) -> tuple[Seat, ...] | None:
    """The seats that must agree. Empty if no one must; None if someone must and no one can.

    The seat knows all of this from its own history: a commit that showed it nothing counts as one that revealed a
    secret.
    """
    players = _players(table, seat)
    if first <= max(bars.told, bars.hidden[seat]) or bars.acted[seat] < first:
        return players or None
    if mode == FREE:
        return ()
    return tuple(other for other in players if bars.acted[other] >= first)


def _players(table: Table, seat: Seat) -> tuple[Seat, ...]:
    """The other seats with players, who can be asked."""
    return tuple(other for other in table.players if other != seat)


def _may_ask(memory: UndoMemory, table: Table, seat: Seat) -> bool:
    asks = memory.request is not None and memory.request.stands(table)
    return not asks and seat not in memory.declined


def _deadline(moment: Moment) -> int | None:
    """A day, or the time of a question of the game if that is shorter. None in a game without a clock."""
    pace = moment.table.pace
    if pace.get("mode", "free") == "free":
        return None
    hours: int = min(LONGEST, pace.get("hours", LONGEST))
    return moment.at + hours * HOUR


def _possible_requests(memory: UndoMemory, moment: Moment, seat: Seat) -> Iterator[Option]:
    """Every commit that the seat may name."""
    bars, table = moment.position.bars, moment.table
    if memory.mode == OFF or bars is None:
        return
    reach = _reach(moment, seat)
    lowest, highest = max(reach.start, moment.position.seq - FURTHEST + 1), reach.stop - 1
    if not _may_ask(memory, table, seat) or not _players(table, seat):
        lowest = next(
            (seq for seq in range(lowest, highest + 1) if _at_once(memory, bars, table, seat, seq)), highest + 1
        )
        highest = min(highest, bars.acted[seat])
    if lowest <= highest:
        yield Option("request_undo", {}, (Integer("seq", lowest, highest),))


def _at_once(memory: UndoMemory, bars: Bars, table: Table, seat: Seat, seq: int) -> bool:
    return _concerned(memory.mode, bars, table, seat, Seq(seq)) == ()


def _answer(memory: UndoMemory, moment: Moment, seat: Seat, command: AnswerUndo) -> Sequence[Any]:
    request = memory.request
    if request is None or request.seq != command.request or not request.stands(moment.table):
        raise AlreadyAnswered("This undo request is no longer open.", field="request")
    if seat not in request.waiting:
        raise AlreadyAnswered(
            "This undo request does not need your answer, or you have already answered.", field="request"
        )
    if not command.agree:
        return [UndoDeclined(seat, request.seq)]
    if len(request.waiting) > 1:
        return [UndoAgreed(seat, request.seq)]
    if moment.position.seq - request.first >= FURTHEST:
        raise NotThatFar("Too many commits have followed. This undo request is now too old.", field="request")
    if request.first <= _left_behind(moment.table):
        raise NotThatFar("The players have agreed to other rules since then.", field="request")
    return [
        UndoAgreed(seat, request.seq),
        Undone(request.seat, request.first, moment.position.seq, request.asked),
    ]


def _answers(memory: UndoMemory, moment: Moment, seat: Seat) -> Iterator[Option]:
    request = memory.request
    if request is None or seat not in request.waiting or not request.stands(moment.table):
        return
    far = moment.position.seq - request.first >= FURTHEST or request.first <= _left_behind(moment.table)
    far = far and len(request.waiting) == 1
    yield Option("answer_undo", {"request": request.seq}, (OneOf("agree", (False,) if far else (True, False)),))


# -- folding -----------------------------------------------------------------------------------------------------------


def can_undo(table: Table) -> bool:
    """Whether commits can be undone in this game at all."""
    memory = UNDO.memory_at(table)
    return memory is not None and memory.mode != OFF


def drop_requests(table: Table) -> Table:
    """The table after events of the game: open requests to undo lapse."""
    memory = UNDO.memory_at(table)
    if memory is None or (memory.request is None and not memory.declined):
        return table
    return with_memories(table, {**table.memories, KEY: replace(memory, request=None, declined=())})


def due_again(clock: Clock, again: OpenQuestion, left: tuple[int, int], at: int, least: int) -> int:
    """The new deadline of a question asked again: its remaining time between two instants, or the minimum."""
    if again.question.seat == SYSTEM and left[1] <= left[0]:
        return at
    time = clock.between(again, left[0], max(left)) if left[1] > left[0] else 0
    return clock.later(again, at, max(time, least))


def redate(asked: OpenQuestion, due: int | None) -> OpenQuestion:
    """A question with another deadline; unchanged without one."""
    if due is None:
        return asked
    return replace(asked, due=due) if asked.held is None else replace(asked, held=replace(asked.held, due=due))


def find_undoing_commit(memory: UndoMemory, seq: int) -> int | None:
    """The commit that undid this one. None if it is not undone."""
    return next((by for first, by in reversed(memory.undone) if first <= seq < by), None)
