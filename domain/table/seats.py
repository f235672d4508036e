"""Seats that change hands.

Missed turns give a seat to a bot for a while, a resignation leaves it, and a substitute can take it.

The log records what happened to a seat, never the accounts: the lobby stores the players of the seats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domain.game import AnyGame
from domain.kernel import lifecycle
from domain.kernel.errors import NotForSitters, RuleViolation
from domain.kernel.record import NO_COMMIT, SITTER, Asked, Submission
from domain.kernel.settings import Setting
from domain.kernel.shape import catalogue
from domain.kernel.terms import QuestionId, Seat, Seq
from domain.table import bots, search_bots
from domain.table.part import Moment, Part
from domain.table.requests import AskPlayers, GiveSeat
from domain.table.search_bots import BotCalled

KEY = "chairs"

ON_TIMEOUT, MISSED_LIMIT, ON_RESIGN = "on_timeout", "missed_limit", "on_resign"
SUBSTITUTES, MIN_RELIABILITY = "substitutes", "min_reliability"
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
class Chairs:
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
    stand_in: str = search_bots.USUAL
    called: Mapping[Seat, QuestionId] = field(default_factory=dict)
    """The question of the last call, for each seat for which a search bot was called."""
    passed: Mapping[Seat, QuestionId] | None = None
    """The last timed-out question of each seat. None if each command counts as missed (`lifecycle.TableRules.missed`)."""


class SeatsPart(Part[Chairs]):
    """Missed turns, vacant seats, and substitutes."""

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
            "Minimum reliability of players who join: the percentage of their last hundred turns played in time.",
            0,
            min=0,
            max=100,
        ),
        search_bots.SETTING,
    )
    system = catalogue(TakeSeat, ProposeSubstitute)
    events = catalogue(TurnMissed, TurnsResumed, SeatVacated, SeatTaken, lifecycle.SeatLeft, BotCalled)
    sentences: Mapping[str, str | Sequence[str]] = {
        "turn_missed": "{seat:seat} misses {times:missed}{times:| turns in a row}.",
        "turns_resumed": "{seat:seat} is back.",
        "seat_vacated": "A bot now plays for {seat:seat}, and the seat is vacant.",
        "seat_taken": "{seat:seat} takes the seat.",
        "bot_called": "{seat:seat} runs out of time, and the bot {bot} will move.",
        "seat_left": "{seat:seat} leaves the game.",
    }
    names: Mapping[str, Mapping[Any, str]] = {"missed": {1: "a turn"}}
    grants = (GiveSeat,)

    def faults(self, game: AnyGame, chosen: Mapping[str, Any]) -> Mapping[str, str]:
        """Seats can be left only if the rules define what happens then. A vote on substitutes needs votes to be on."""
        if chosen.get(SUBSTITUTES) == VOTE and chosen.get("votes") == "off":
            return {SUBSTITUTES: f"{OPEN}, {CREATOR} or {CLOSED}: the table is to have no votes"}
        if chosen.get(ON_RESIGN) == LEAVE and not game.departs:
            return {ON_RESIGN: f"{BOT}: the rules of this game do not say what becomes of a seat that is left"}
        return {}

    def begins(self, chosen: Mapping[str, Any], seats: int) -> Chairs:  # noqa: ARG002
        return Chairs(chosen[ON_TIMEOUT], chosen[MISSED_LIMIT], chosen[ON_RESIGN], stand_in=search_bots.chosen(chosen))

    def decide(self, memory: Chairs, moment: Moment, seat: Seat, command: Any) -> Sequence[Any]:
        if seat not in memory.vacant:
            raise SeatNotVacant("This seat is not vacant.", vacant=sorted(memory.vacant))
        if command.seated:
            raise SeatedAlready("This player already has a seat in this game.")
        asks = isinstance(command, ProposeSubstitute) and lifecycle.PLAYER in moment.table.controllers
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
            case SeatVacated(seat) | lifecycle.SeatResigned(seat):
                vacant = {**memory.vacant, seat: seq}
                return replace(memory, missed=_without(memory.missed, seat), vacant=vacant)
            case lifecycle.SeatLeft(seat):
                return replace(memory, missed=_without(memory.missed, seat), left={**memory.left, seat: seq})
            case lifecycle.GameBegun() if lifecycle.RULES[event.table_rules].missed == "questions":
                return replace(memory, passed={})
            case lifecycle.DeadlinePassed(seat, question) if memory.passed is not None:
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
                return seat, lifecycle.PLAYER
            case lifecycle.SeatLeft(seat):
                return seat, lifecycle.LEFT
            case _:
                return None

    def hears(self, memory: Chairs, submission: Submission) -> None:
        if submission.tenure != memory.taken.get(submission.seat, 0):
            raise NotYourSeat("Another player now has this seat.")
        if submission.by == SITTER and submission.command.get("type") == "resign":
            raise NotForSitters("A sitter cannot give up the seat.")

    def silence(self, memory: Chairs, game: AnyGame) -> str | None:
        if memory.on_timeout == DEFAULT:
            return None
        return memory.on_timeout if memory.on_timeout == bots.RANDOM else bots.best(game)

    def spares(self, memory: Chairs, seated: lifecycle.Table, asked: Asked) -> bool:
        seat = asked.question.seat
        return bots.thinks(memory.on_timeout) and seated.is_played(seat) and memory.called.get(seat) != asked.id

    def spare(self, memory: Chairs, moment: Moment, asked: Asked) -> Sequence[Any]:  # noqa: ARG002
        seat = asked.question.seat
        return (lifecycle.DeadlinePassed(seat, asked.id), BotCalled(seat, asked.id, memory.on_timeout))

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
            return ()  # timed out earlier; the rest of that turn is already counted as missed
        events = (TurnMissed(seat, missed + 1),)
        if not 0 < memory.missed_limit <= missed + 1:
            return events
        return (*events, SeatVacated(seat, search_bots.playing_on(moment.game, memory.stand_in)))

    def view(self, memory: Chairs) -> Mapping[str, Any]:
        missed = {str(seat): times for seat, times in sorted(memory.missed.items())}
        return {"vacant": sorted(memory.vacant), "missed": missed}


def memory_at(seated: lifecycle.Table) -> Chairs | None:
    """The table's memory of its seats. None in a game without this part."""
    found: Chairs | None = seated.memories.get(KEY)
    return found


def answering(seated: lifecycle.Table, asked: Asked) -> str:
    """The bot that is to answer a question: the seat's, or a called one. Empty if only a player can answer."""
    kind, _, name = seated.controller(asked.question.seat).partition(":")
    if kind == "bot":
        return name
    chairs = memory_at(seated)
    called = chairs is not None and kind == lifecycle.PLAYER and chairs.called.get(asked.question.seat) == asked.id
    return chairs.on_timeout if chairs is not None and called else ""


def given_up(chairs: Chairs, seat: Seat) -> Seq:
    """The commit in which a seat without a player was given up; 0 for a bot's from the start."""
    return chairs.vacant.get(seat) or chairs.left.get(seat) or NO_COMMIT


def _without(numbers: Mapping[Seat, int], seat: Seat) -> Mapping[Seat, Any]:
    return {each: number for each, number in numbers.items() if each != seat} if seat in numbers else numbers


SEATS = SeatsPart()
