"""Seats that change hands: who misses turns loses the seat to a bot for a while, who resigns leaves it, and somebody may take it.

The log says of seats what happened to them, never of whom: who holds a chair lies in the lobby's record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domain.errors import NotForSitters, RuleViolation
from domain.game import AnyGame
from domain.play import bots, table
from domain.play.parts import thinkers
from domain.play.parts.part import Moment, Part
from domain.play.parts.requests import AskPlayers, GiveSeat
from domain.play.parts.thinkers import BotCalled
from domain.play.record import NO_COMMIT, SITTER, Asked, Submission
from domain.settings import Setting
from domain.shape import catalogue
from domain.terms import QuestionId, Seat, Seq

KEY = "chairs"

ON_TIMEOUT, MISSED_LIMIT, ON_RESIGN = "on_timeout", "missed_limit", "on_resign"
SUBSTITUTES, MIN_RELIABILITY = "substitutes", "min_reliability"
DEFAULT, BOT, LEAVE = "default", "bot", "leave"
OPEN, CREATOR, VOTE, CLOSED = "open", "creator", "vote", "closed"

UNPLAYED = frozenset({"policy", "bot", "system"})
"""By whom a choice is made that shows nothing of the player."""


class SeatNotVacant(RuleViolation):
    """Nobody has given the seat up: it is not to be had."""

    code = "seat-not-vacant"


class SeatedAlready(RuleViolation):
    """Who would take the seat has another at the table."""

    code = "seated-already"


class NotYourSeat(RuleViolation):
    """The seat has changed hands since this was sent."""

    code = "seat-changed-hands"


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """SYSTEM: somebody takes a seat that is on offer."""

    seat: Seat
    seated: bool = False
    """Whether they have another seat at the table by the time it is settled: the worker knows, and the log names nobody."""


@dataclass(frozen=True, slots=True)
class ProposeSubstitute:
    """SYSTEM: somebody asks for a seat that is on offer, and takes it if the players agree."""

    seat: Seat
    seated: bool = False
    """As for `TakeSeat`."""


@dataclass(frozen=True, slots=True)
class TurnMissed:
    """A question that the seat's player could have answered ran out of time."""

    seat: Seat
    times: int
    """In a row, this one included."""


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
class Chairs:
    """What the table remembers of its seats."""

    on_timeout: str
    missed_limit: int
    on_resign: str
    missed: Mapping[Seat, int] = field(default_factory=dict)
    """How many turns each seat's player has missed in a row; not those who have missed none."""
    vacant: Mapping[Seat, Seq] = field(default_factory=dict)
    """The seats that were given up, each with the commit in which that was."""
    left: Mapping[Seat, Seq] = field(default_factory=dict)
    """Likewise the seats whose players have left the game: they are not to be had."""
    taken: Mapping[Seat, Seq] = field(default_factory=dict)
    """Of each seat that has changed hands, the commit in which its player took it."""
    stand_in: str = thinkers.USUAL
    called: Mapping[Seat, QuestionId] = field(default_factory=dict)
    """Of each seat for which a bot that thinks was called, the question that it is to answer; that of the last time."""
    passed: Mapping[Seat, QuestionId] | None = None
    """Of each seat the last question that ran out of time; None where not that is missed, but each command (`table.TableRules.missed`)."""


class SeatsPart(Part[Chairs]):
    """Missed turns, seats on offer, and who takes them."""

    key = KEY
    memory = Chairs
    settings = (
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
            "Minimum reliability of players who join: turns played in time, per hundred, among their last hundred.",
            0,
            min=0,
            max=100,
        ),
        thinkers.SETTING,
    )
    system = catalogue(TakeSeat, ProposeSubstitute)
    events = catalogue(TurnMissed, TurnsResumed, SeatVacated, SeatTaken, table.SeatLeft, BotCalled)
    sentences: Mapping[str, str | Sequence[str]] = {
        "turn_missed": "{seat:seat} has missed a turn ({times} in a row).",
        "turns_resumed": "{seat:seat} is back.",
        "seat_vacated": "A bot now plays for {seat:seat}, and the seat is vacant.",
        "seat_taken": "{seat:seat} takes the seat.",
        "bot_called": "{seat:seat} has run out of time, and the bot {bot} will move.",
        "seat_left": "{seat:seat} leaves the game.",
    }
    grants = (GiveSeat,)

    def faults(self, game: AnyGame, chosen: Mapping[str, Any]) -> Mapping[str, str]:
        """A seat can be left only where the rules say what becomes of it, and no vote decides where there are none."""
        if chosen.get(SUBSTITUTES) == VOTE and chosen.get("votes") == "off":
            return {SUBSTITUTES: f"{OPEN}, {CREATOR} or {CLOSED}: the table is to have no votes"}
        if chosen.get(ON_RESIGN) == LEAVE and not game.departs:
            return {ON_RESIGN: f"{BOT}: the rules of this game do not say what becomes of a seat that is left"}
        return {}

    def begins(self, chosen: Mapping[str, Any], seats: int) -> Chairs:  # noqa: ARG002
        return Chairs(chosen[ON_TIMEOUT], chosen[MISSED_LIMIT], chosen[ON_RESIGN], stand_in=thinkers.chosen(chosen))

    def decide(self, memory: Chairs, moment: Moment, seat: Seat, command: Any) -> Sequence[Any]:
        if seat not in memory.vacant:
            raise SeatNotVacant("Nobody has given this seat up.", vacant=sorted(memory.vacant))
        if command.seated:
            raise SeatedAlready("Who would take the seat has another at this table.")
        asks = isinstance(command, ProposeSubstitute) and table.PLAYER in moment.table.controllers
        return (AskPlayers(seat),) if asks else (SeatTaken(seat),)

    def grant(self, memory: Chairs, moment: Moment, request: Any) -> Sequence[Any]:  # noqa: ARG002
        assert isinstance(request, GiveSeat)
        return (SeatTaken(request.seat),) if request.seat in memory.vacant else ()

    def evolve(self, memory: Chairs, event: Any, seq: Seq, at: int) -> Chairs:  # noqa: ARG002
        match event:
            case TurnMissed(seat, times):
                return replace(memory, missed={**memory.missed, seat: times})
            case TurnsResumed(seat):
                return replace(memory, missed=_without(memory.missed, seat))
            case SeatVacated(seat) | table.SeatResigned(seat):
                vacant = {**memory.vacant, seat: seq}
                return replace(memory, missed=_without(memory.missed, seat), vacant=vacant)
            case table.SeatLeft(seat):
                return replace(memory, missed=_without(memory.missed, seat), left={**memory.left, seat: seq})
            case table.GameBegun() if table.RULES[event.table_rules].missed == "questions":
                return replace(memory, passed={})
            case table.DeadlinePassed(seat, question) if memory.passed is not None:
                return replace(memory, passed={**memory.passed, seat: question})
            case BotCalled(seat, question):
                return replace(memory, called={**memory.called, seat: question})
            case SeatTaken(seat):
                return replace(memory, vacant=_without(memory.vacant, seat), taken={**memory.taken, seat: seq})
            case _:
                return memory

    def controls(self, event: Any) -> tuple[Seat, str] | None:
        match event:
            case SeatVacated(seat, bot):
                return seat, "bot:" + bot
            case SeatTaken(seat):
                return seat, table.PLAYER
            case table.SeatLeft(seat):
                return seat, table.LEFT
            case _:
                return None

    def hears(self, memory: Chairs, submission: Submission) -> None:
        if submission.tenure != memory.taken.get(submission.seat, 0):
            raise NotYourSeat("The seat has changed hands.")
        if submission.by == SITTER and submission.command.get("type") == "resign":
            raise NotForSitters("Who sits in for a player does not give the seat up.")

    def silence(self, memory: Chairs, game: AnyGame) -> str | None:
        if memory.on_timeout == DEFAULT:
            return None
        return memory.on_timeout if memory.on_timeout == bots.RANDOM else bots.best(game)

    def spares(self, memory: Chairs, seated: table.Table, asked: Asked) -> bool:
        seat = asked.question.seat
        return bots.thinks(memory.on_timeout) and seated.is_played(seat) and memory.called.get(seat) != asked.id

    def spare(self, memory: Chairs, moment: Moment, asked: Asked) -> Sequence[Any]:  # noqa: ARG002
        seat = asked.question.seat
        return (table.DeadlinePassed(seat, asked.id), BotCalled(seat, asked.id, memory.on_timeout))

    def leaves(self, memory: Chairs) -> bool:
        return memory.on_resign == LEAVE

    def adds(self, memory: Chairs, moment: Moment, seat: Seat, by: str, asked: Asked | None) -> Sequence[Any]:
        missed = memory.missed.get(seat, 0)
        if by not in UNPLAYED:
            return (TurnsResumed(seat),) if missed else ()
        if by != "policy" or asked is None or not moment.table.is_played(seat):
            return ()
        counted = (memory.passed or {}).get(seat) == asked.id
        if counted or (asked.due is not None and asked.since >= asked.due):
            return ()  # asked when its time was up already, in what was left of a turn that is counted
        events = (TurnMissed(seat, missed + 1),)
        if not 0 < memory.missed_limit <= missed + 1:
            return events
        return (*events, SeatVacated(seat, thinkers.playing_on(moment.game, memory.stand_in)))

    def view(self, memory: Chairs) -> Mapping[str, Any]:
        missed = {str(seat): times for seat, times in sorted(memory.missed.items())}
        return {"vacant": sorted(memory.vacant), "missed": missed}


def memory_at(seated: table.Table) -> Chairs | None:
    """What a table remembers of its seats; None in a game that was begun without it."""
    found: Chairs | None = seated.memories.get(KEY)
    return found


def answering(seated: table.Table, asked: Asked) -> str:
    """The bot that is to answer a question, empty where nobody but a player is: its seat's, or one that was called."""
    kind, _, name = seated.controller(asked.question.seat).partition(":")
    if kind == "bot":
        return name
    chairs = memory_at(seated)
    called = chairs is not None and kind == table.PLAYER and chairs.called.get(asked.question.seat) == asked.id
    return chairs.on_timeout if chairs is not None and called else ""


def given_up(chairs: Chairs, seat: Seat) -> Seq:
    """The commit in which a seat that no player plays was given up; 0 for a bot's from the beginning."""
    return chairs.vacant.get(seat) or chairs.left.get(seat) or NO_COMMIT


def _without(numbers: Mapping[Seat, int], seat: Seat) -> Mapping[Seat, Any]:
    return {each: number for each, number in numbers.items() if each != seat} if seat in numbers else numbers


SEATS = SeatsPart()
