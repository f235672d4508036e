"""Seats that change hands.

Missed turns give a seat to a bot for a while, a resignation leaves it, and a substitute can take it.

The log records what happened to a seat, never the accounts: the lobby stores the players of the seats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domain.kernel.errors import NotForSitters, RuleViolation
from domain.kernel.game import AnyGame
from domain.kernel.lifecycle import (
    LEFT,
    PLAYER,
    RULES,
    DeadlinePassed,
    GameBegun,
    SeatLeft,
    SeatResigned,
    Table,
)
from domain.kernel.record import NO_COMMIT, SITTER, OpenQuestion, Submission
from domain.kernel.settings import Setting
from domain.kernel.shape import catalogue
from domain.kernel.terms import QuestionId, Seat, Seq
from domain.table import bots
from domain.table.feature import Moment, TableFeature

ON_TIMEOUT, MISSED_LIMIT, ON_RESIGN = "on_timeout", "missed_limit", "on_resign"
SUBSTITUTES, MIN_RELIABILITY = "substitutes", "min_reliability"
STAND_IN, USUAL = "stand_in", "usual"
DEFAULT, BOT, LEAVE = "default", "bot", "leave"
OPEN, CREATOR, VOTE, CLOSED = "open", "creator", "vote", "closed"

UNPLAYED = frozenset({"policy", "bot", "system"})
"""Values of `Commit.by` for choices that were not made by the player."""


class SeatNotVacant(RuleViolation):
    """The seat was not given up, so it is not available."""

    code = "seat-not-vacant"


class SeatedAlready(RuleViolation):
    """The player already has another seat at the table."""

    code = "seated-already"


class NotYourSeat(RuleViolation):
    """The seat has changed hands since the command was sent."""

    code = "seat-changed-hands"


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """SYSTEM: a player takes a vacant seat."""

    seat: Seat
    seated: bool = False
    """Whether the player has another seat at the table when this is settled. The worker knows; the log has no names."""


@dataclass(frozen=True, slots=True)
class ProposeSubstitute:
    """SYSTEM: a player requests a vacant seat, and takes it if the players agree."""

    seat: Seat
    seated: bool = False
    """As for `TakeSeat`."""


@dataclass(frozen=True, slots=True)
class TurnMissed:
    """A question that the seat's player could have answered timed out."""

    seat: Seat
    times: int
    """Number of missed turns in a row, including this one."""


@dataclass(frozen=True, slots=True)
class TurnsResumed:
    """A player who had missed turns played again."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SeatVacated:
    """The seat became vacant after too many missed turns. A bot plays until another player takes it."""

    seat: Seat
    bot: str


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A player took over the seat and can see everything it knows."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class BotCalled:
    """A question ran out of time, and a search bot will answer it. Until then its player can still answer."""

    seat: Seat
    question: QuestionId
    bot: str


@dataclass(frozen=True, slots=True)
class SeatsMemory:
    """The table's memory of its seats."""

    on_timeout: str
    missed_limit: int
    on_resign: str
    missed: Mapping[Seat, int] = field(default_factory=dict)
    """Missed turns in a row of each seat's player; omits players who have missed none."""
    vacant: Mapping[Seat, Seq] = field(default_factory=dict)
    """The seats that were given up, each with the commit in which that happened."""
    left: Mapping[Seat, Seq] = field(default_factory=dict)
    """The same for seats whose players have left the game; these are not available."""
    taken: Mapping[Seat, Seq] = field(default_factory=dict)
    """The commit in which its player took it, for each seat that has changed hands."""
    stand_in: str = USUAL
    called: Mapping[Seat, QuestionId] = field(default_factory=dict)
    """The question of the last call, for each seat for which a search bot was called."""
    passed: Mapping[Seat, QuestionId] | None = None
    """The last timed-out question of each seat. None if each command counts as missed (`TableRules.missed`)."""


def _begin(chosen: Mapping[str, Any], seats: int) -> SeatsMemory:  # noqa: ARG001
    # Games older than the setting `STAND_IN` have its default.
    stand_in = str(chosen.get(STAND_IN, USUAL))
    return SeatsMemory(chosen[ON_TIMEOUT], chosen[MISSED_LIMIT], chosen[ON_RESIGN], stand_in=stand_in)


def _decide(memory: SeatsMemory, moment: Moment, seat: Seat, command: TakeSeat | ProposeSubstitute) -> Sequence[Any]:  # noqa: ARG001
    check_vacant(memory, command)
    return (SeatTaken(seat),)


def _evolve(memory: SeatsMemory, event: Any, seq: Seq, at: int) -> SeatsMemory:  # noqa: ARG001
    match event:
        case TurnMissed(seat, times):
            return replace(memory, missed={**memory.missed, seat: times})
        case TurnsResumed(seat):
            return replace(memory, missed=_without(memory.missed, seat))
        case SeatVacated(seat) | SeatResigned(seat):
            vacant = {**memory.vacant, seat: seq}
            return replace(memory, missed=_without(memory.missed, seat), vacant=vacant)
        case SeatLeft(seat):
            return replace(memory, missed=_without(memory.missed, seat), left={**memory.left, seat: seq})
        case GameBegun() if RULES[event.table_rules].missed == "questions":
            return replace(memory, passed={})
        case DeadlinePassed(seat, question) if memory.passed is not None:
            return replace(memory, passed={**memory.passed, seat: question})
        case BotCalled(seat, question):
            return replace(memory, called={**memory.called, seat: question})
        case SeatTaken(seat):
            return replace(memory, vacant=_without(memory.vacant, seat), taken={**memory.taken, seat: seq})
        case _:
            return memory


def _view(memory: SeatsMemory) -> Mapping[str, Any]:
    missed = {str(seat): times for seat, times in sorted(memory.missed.items())}
    return {"vacant": sorted(memory.vacant), "missed": missed}


SEATS = TableFeature(
    key="chairs",
    memory=SeatsMemory,
    is_on=lambda chosen: ON_TIMEOUT in chosen,
    begin=_begin,
    decide=_decide,
    evolve=_evolve,
    view=_view,
    settings=(
        Setting(
            ON_TIMEOUT,
            "Who plays when a seat runs out of time: the default moves of the rules, a random choice, the "
            "game's bot, or a search bot.",
            DEFAULT,
            (DEFAULT, bots.RANDOM, BOT, *bots.THINKING),
        ),
        Setting(
            MISSED_LIMIT,
            "Number of missed turns in a row after which a bot plays and the seat becomes vacant. 0 disables this.",
            3,
            min=0,
            max=99,
        ),
        Setting(
            ON_RESIGN,
            "The effect of resigning. `bot`: a bot continues to play. `leave`: the seat leaves the game, if "
            "its rules support that.",
            BOT,
            (BOT, LEAVE),
        ),
        Setting(
            SUBSTITUTES,
            "Who can take a vacant seat. `open`: anyone in a public game. `creator`: players whom the "
            "creator accepts. `vote`: players whom the players accept by a vote. `closed`: no other player.",
            OPEN,
            (OPEN, CREATOR, VOTE, CLOSED),
        ),
        Setting(
            MIN_RELIABILITY,
            "Minimum reliability of players who join: the percentage of their last hundred turns played in time.",
            0,
            min=0,
            max=100,
        ),
        Setting(
            STAND_IN,
            "The bot that continues for an abandoned seat: the usual bot of the game, or a search bot.",
            USUAL,
            (USUAL, *bots.THINKING),
        ),
    ),
    system=catalogue(TakeSeat, ProposeSubstitute),
    events=catalogue(TurnMissed, TurnsResumed, SeatVacated, SeatTaken, SeatLeft, BotCalled),
    sentences={
        "turn_missed": "{seat:seat} misses {times:missed}{times:| turns in a row}.",
        "turns_resumed": "{seat:seat} is back.",
        "seat_vacated": "A bot now plays for {seat:seat}, and the seat is vacant.",
        "seat_taken": "{seat:seat} takes the seat.",
        "bot_called": "{seat:seat} runs out of time, and the bot {bot} will move.",
        "seat_left": "{seat:seat} leaves the game.",
    },
    names={"missed": {1: "a turn"}},
)


def faults(game: AnyGame, chosen: Mapping[str, Any]) -> Mapping[str, str]:
    """Seats can be left only if the rules define what happens then. A vote on substitutes needs votes to be on."""
    if chosen.get(SUBSTITUTES) == VOTE and chosen.get("votes") == "off":
        return {SUBSTITUTES: f"{OPEN}, {CREATOR} or {CLOSED}: the table is to have no votes"}
    if chosen.get(ON_RESIGN) == LEAVE and not game.rules.departs:
        return {ON_RESIGN: f"{BOT}: the rules of this game do not say what becomes of a seat that is left"}
    return {}


def check_sender(table: Table, submission: Submission) -> None:
    """Raises `RuleViolation` if the sender has lost the seat, or a sitter gives it up."""
    memory = SEATS.memory_at(table)
    if memory is None:
        return
    if submission.tenure != memory.taken.get(submission.seat, 0):
        raise NotYourSeat("Another player now has this seat.")
    if submission.by == SITTER and submission.command.get("type") == "resign":
        raise NotForSitters("A sitter cannot give up the seat.")


def check_vacant(memory: SeatsMemory, command: TakeSeat | ProposeSubstitute) -> None:
    """Raises `RuleViolation` if the player cannot have the seat."""
    if command.seat not in memory.vacant:
        raise SeatNotVacant("This seat is not vacant.", vacant=sorted(memory.vacant))
    if command.seated:
        raise SeatedAlready("This player already has a seat in this game.")


def give(table: Table, seat: Seat) -> Sequence[SeatTaken]:
    """The player who requested a vacant seat gets it; no events if it is not vacant."""
    return (SeatTaken(seat),) if seat in SEATS.required_at(table).vacant else ()


def reseat(table: Table, event: Any) -> Table:
    """The table after an event that may change the controller of a seat (`Table.controllers`)."""
    match event:
        case SeatVacated(seat, bot):
            controller = "bot:" + bot
        case SeatTaken(seat):
            controller = PLAYER
        case SeatLeft(seat):
            controller = LEFT
        case _:
            return table
    controllers = list(table.controllers)
    controllers[seat - 1] = controller
    return replace(table, controllers=tuple(controllers))


def bot_on_timeout(table: Table, game: AnyGame) -> str | None:
    """The bot that chooses for a player whose time is up. None: the game's default."""
    memory = SEATS.memory_at(table)
    if memory is None or memory.on_timeout == DEFAULT:
        return None
    return memory.on_timeout if memory.on_timeout == bots.RANDOM else bots.best(game)


def calls_bot(table: Table, asked: OpenQuestion) -> bool:
    """Whether a search bot is called when a question of the game has timed out."""
    memory, seat = SEATS.memory_at(table), asked.question.seat
    if memory is None:
        return False
    return bots.thinks(memory.on_timeout) and table.is_played(seat) and memory.called.get(seat) != asked.id


def call_bot(table: Table, asked: OpenQuestion) -> Sequence[Any]:
    """The events that call it, if it `calls_bot`."""
    seat = asked.question.seat
    return (DeadlinePassed(seat, asked.id), BotCalled(seat, asked.id, SEATS.required_at(table).on_timeout))


def leaves_on_resign(table: Table) -> bool:
    """Whether a player who resigns leaves the game, instead of being replaced by a bot."""
    memory = SEATS.memory_at(table)
    return memory is not None and memory.on_resign == LEAVE


def bot_on_resign(table: Table, game: AnyGame) -> str:
    """The bot that continues for a seat that is given up."""
    memory = SEATS.memory_at(table)
    return bots.stand_in(game) if memory is None or memory.stand_in == USUAL else memory.stand_in


def count_turn(moment: Moment, seat: Seat, by: str, asked: OpenQuestion | None) -> Sequence[Any]:
    """The events of a missed turn, or of the first turn after missed ones."""
    memory = SEATS.memory_at(moment.table)
    if memory is None:
        return ()
    missed = memory.missed.get(seat, 0)
    if by not in UNPLAYED:
        return (TurnsResumed(seat),) if missed else ()
    if by != "policy" or asked is None or not moment.table.is_played(seat):
        return ()
    counted = (memory.passed or {}).get(seat) == asked.id
    if counted or (asked.due is not None and asked.since >= asked.due):
        return ()  # timed out earlier; the rest of that turn is already counted as missed
    events = (TurnMissed(seat, missed + 1),)
    if not 0 < memory.missed_limit <= missed + 1:
        return events
    return (*events, SeatVacated(seat, bot_on_resign(moment.table, moment.game)))


def find_bot(table: Table, asked: OpenQuestion) -> str:
    """The bot that is to answer a question: the seat's, or a called one. Empty if only a player can answer."""
    kind, _, name = table.controller(asked.question.seat).partition(":")
    if kind == "bot":
        return name
    chairs = SEATS.memory_at(table)
    called = chairs is not None and kind == PLAYER and chairs.called.get(asked.question.seat) == asked.id
    return chairs.on_timeout if chairs is not None and called else ""


def given_up(chairs: SeatsMemory, seat: Seat) -> Seq:
    """The commit in which a seat without a player was given up; 0 for a bot's from the start."""
    return chairs.vacant.get(seat) or chairs.left.get(seat) or NO_COMMIT


def _without(numbers: Mapping[Seat, int], seat: Seat) -> Mapping[Seat, Any]:
    return {each: number for each, number in numbers.items() if each != seat} if seat in numbers else numbers
