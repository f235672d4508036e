"""One command, one commit: settling submissions, folding and replaying commits. Pure, and the same for every game."""

from __future__ import annotations

import dataclasses
import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain import RELEASE, bots, table
from domain.dice import Aside, Dice, ScriptedDice
from domain.errors import AlreadyAnswered, GameOver, NotAsked, RulesFault, RuleViolation, Stale
from domain.game import AnyGame, Setup
from domain.shape import as_document, build
from domain.table import Table, TableEvent, seated
from domain.terms import SYSTEM, Question, Seat

RESIGNED_BOT = "greedy"
"""Who takes over for a seat that resigns, where the game has such a bot."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A command on its way: who asked for what, and when it was accepted into the stream."""

    id: str
    """Unique in the game; the same submission sent twice has one effect."""
    seat: Seat
    command: Mapping[str, Any]
    """JSON: ``type`` and parameters."""
    asked_at: int
    """Milliseconds of Unix time, by the store's clock."""
    expected: int | None = None
    """The seq that the sender had seen last, if that matters to him."""
    credential: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """The rules said no."""

    code: str
    message: str
    rule: str | None = None
    field: str | None = None
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Commit:
    """What one submission came to: events, or a refusal."""

    seq: int
    at: int
    """Settled, milliseconds of Unix time; never earlier than the commit before."""
    submission: Submission
    by: str
    """``player``, ``bot``, ``policy`` (a deadline answered) or ``system``."""
    drawn: int
    """Draws of the game so far, this commit's among them; a refusal makes none."""
    rolled: int
    """Scripted die rolls used so far (sandboxes only)."""
    events: tuple[Any, ...] = ()
    refusal: Refusal | None = None
    played: Mapping[str, Any] | None = None
    """The command that a bot or a deadline chose, as JSON."""
    seat: Seat = SYSTEM
    """Whose command it was: for a bot or a deadline the seat that was asked."""
    due: tuple[tuple[str, int], ...] = ()
    """The deadline of each question first asked by this commit, or put off by it."""
    release: str = RELEASE
    fault: BaseException | None = dataclasses.field(default=None, compare=False, repr=False)
    """What broke, when the refusal is ``rules-fault``; for the worker's log, never stored."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that stands."""

    id: str
    """``<seq of the commit that asked>:<place on the stack>:<seat>``"""
    question: Question
    since: int
    due: int | None = None
    acted: int = 0
    """The last commit in which its seat acted and was still asked; 0 if there is none."""


@dataclass(frozen=True, slots=True)
class Position:
    """A game as it stands after commit ``seq``."""

    state: Any = None
    table: Table | None = None
    seq: int = 0
    head: str = ""
    """Hash of the newest header, hex; whoever seals the commits keeps it up to date."""
    drawn: int = 0
    rolled: int = 0
    at: int = 0
    asked: tuple[Asked, ...] = ()
    seen: tuple[int, ...] = ()
    """The last commit that showed something to the public (first) and to each seat (by its number)."""

    @property
    def over(self) -> bool:
        return self.table is not None and self.table.outcome is not None

    def question(self, id_: str) -> Asked | None:
        """The standing question with this id."""
        return next((asked for asked in self.asked if asked.id == id_), None)

    def etag(self, seat: Seat | None) -> int:
        """The last commit that showed this reader something."""
        return self.seen[seat or 0] if self.seen else 0


@dataclass(frozen=True, slots=True)
class Chance:
    """Where a game's luck comes from: the key of its dice, and in a sandbox perhaps a script for them."""

    key: bytes
    script: tuple[int, ...] | None = None

    def dice(self, drawn: int, rolled: int) -> Dice:
        if self.script is None:
            return Dice(self.key, drawn)
        return ScriptedDice(self.key, drawn, self.script, rolled)

    def aside(self, what: str, seq: int) -> Dice:
        """Dice for what is no part of the game (a bot's choice, a default), so that they move no later roll."""
        return Aside(hmac.digest(self.key, what.encode() + seq.to_bytes(8, "big"), "sha256"))


Clock = Callable[[Question, int], int | None]
"""When a question first asked at an instant is due; both in milliseconds of Unix time."""


def no_clock(question: Question, at: int) -> int | None:
    """The pace ``free``: SYSTEM answers at once, nobody else ever has to."""
    return at if question.seat == SYSTEM else None


def settle(
    game: AnyGame,
    position: Position,
    submission: Submission,
    at: int,
    chance: Chance,
    clock: Clock = no_clock,
    recorded: Commit | None = None,
) -> tuple[Commit, Position]:
    """Decide one submission: the commit that it comes to, and the position after it.

    ``recorded`` is what the submission came to when it was first settled (`domain.redecide`): what a bot or a deadline
    chose then is not chosen again, and events that are decided alike are folded as the log has them.

    The only place that catches `RuleViolation`. Anything else that breaks becomes a commit with the refusal
    ``rules-fault``, and the table goes on. `BaseException` (a timer of the caller's) passes through.
    """
    seq, at = position.seq + 1, max(at, position.at)
    told = _Told(game, position, submission, chance, seq, None if recorded is None else recorded.played)
    try:
        events = told.events()
        if recorded is not None and recorded.events[: len(events)] == events:
            events = recorded.events[: len(events)]
        if not events:
            raise RulesFault("The command came to nothing.")
        after = _folded(game, position, seq, at, told.seat, events)
        ended = _ending(game, position, after)
        if ended is not None:
            events = (*events, ended)
            after = _folded(game, position, seq, at, told.seat, events)
        new = [asked for asked in after.asked if position.question(asked.id) is None]
        due = [(asked.id, clock(asked.question, at)) for asked in new] + told.put_off
    except RuleViolation as violation:
        return _refused(position, submission, at, told, violation)
    except Exception as error:  # noqa: BLE001 - one broken rule must not stop the table (design: rules-fault)
        return _refused(position, submission, at, told, RulesFault("The rules failed on this command."), error)
    commit = Commit(
        seq,
        at,
        submission,
        told.by,
        told.dice.drawn,
        getattr(told.dice, "rolled", 0),
        events,
        played=told.played,
        seat=told.seat,
        due=tuple((id_, when) for id_, when in due if when is not None),
    )
    return commit, _stamped(after, commit)


def refuse(position: Position, submission: Submission, at: int, violation: RuleViolation) -> tuple[Commit, Position]:
    """Settle a submission as refused without looking at it (one that has broken workers before)."""
    at = max(at, position.at)
    commit = Commit(
        position.seq + 1,
        at,
        submission,
        "system" if submission.seat == SYSTEM else "player",
        position.drawn,
        position.rolled,
        refusal=Refusal(violation.code, violation.message, violation.rule, violation.field, violation.facts),
        seat=submission.seat,
    )
    return commit, replace(position, seq=commit.seq, at=at)


def fold(game: AnyGame, position: Position, commit: Commit) -> Position:
    """The position after a commit that stands in the log: never rolls, never refuses."""
    if commit.refusal is not None:
        return replace(position, seq=commit.seq, at=commit.at)
    after = _folded(game, position, commit.seq, commit.at, commit.seat, commit.events)
    return _stamped(after, commit)


def replay(game: AnyGame, commits: Iterable[Commit], position: Position | None = None) -> Position:
    """Fold commits in order."""
    position = position or Position()
    for commit in commits:
        position = fold(game, position, commit)
    return position


class _Told:
    """What a submission says once the table has understood it: who acts, with which command, on which dice."""

    def __init__(
        self,
        game: AnyGame,
        position: Position,
        submission: Submission,
        chance: Chance,
        seq: int,
        choice: Mapping[str, Any] | None,
    ) -> None:
        self.game, self.position, self.submission, self.chance, self.seq = game, position, submission, chance, seq
        self.choice = choice
        self.seat = submission.seat
        self.by = "system" if submission.seat == SYSTEM else "player"
        self.dice = chance.dice(position.drawn, position.rolled)
        self.played: Mapping[str, Any] | None = None
        self.put_off: list[tuple[str, int | None]] = []

    def events(self) -> tuple[Any, ...]:
        position, submission = self.position, self.submission
        if position.over:
            raise GameOver("The game is over.")
        if submission.expected is not None and submission.expected != position.etag(submission.seat):
            raise Stale("There is news that you had not seen.", seq=position.etag(submission.seat))
        type_ = submission.command.get("type")
        if submission.seat == SYSTEM:
            return self._by_system(build(table.SYSTEM_COMMANDS, submission.command))
        if type_ in table.COMMANDS:
            build(table.COMMANDS, submission.command)
            return self._resign()
        asked = any(asked.question.seat == submission.seat for asked in position.asked)
        if not asked and type_ not in self.game.unasked:
            raise NotAsked("It is not your turn.", asked=sorted({a.question.seat for a in position.asked}))
        command = build(self.game.commands, submission.command)
        return tuple(self.game.decide(position.state, submission.seat, command, self.dice))

    def _resign(self) -> tuple[Any, ...]:
        assert self.position.table is not None
        if self.position.table.controller(self.seat) != table.PLAYER:
            raise NotAsked("A bot plays this seat already.")
        bot = RESIGNED_BOT if RESIGNED_BOT in bots.names(self.game) else bots.RANDOM
        return (table.SeatResigned(self.seat, bot),)

    def _by_system(self, command: table.TableCommand) -> tuple[Any, ...]:
        match command:
            case table.Begin():
                return self._begin(command)
            case table.PutOff(question, by):
                asked = self._standing(question)
                due = (asked.due or self.position.at) + by
                self.put_off.append((question, due))
                return (table.DeadlinePutOff(asked.question.seat, question, by, due),)
            case table.Expire(question):
                asked = self._standing(question)
                self.seat = asked.question.seat
                state = self.position.state
                if self.choice is not None:
                    chosen = build(self.game.commands, self.choice)
                else:
                    chosen = self.game.default(state, self.seat, self.chance.aside("default", self.seq))
                self.played = as_document(chosen)
                told: tuple[Any, ...] = ()
                if self.seat != SYSTEM:
                    self.by = "policy"
                    told = (table.DeadlinePassed(self.seat, question),)
                return told + tuple(self.game.decide(state, self.seat, chosen, self.dice))
            case table.Act(question):
                return self._act(self._standing(question))
            case _:
                raise NotAsked("SYSTEM does not resign.")

    def _act(self, asked: Asked) -> tuple[Any, ...]:
        assert self.position.table is not None
        self.seat, self.by = asked.question.seat, "bot"
        kind, _, name = self.position.table.controller(self.seat).partition(":")
        if kind != "bot":
            raise NotAsked("No bot plays this seat.")
        chosen = self.choice
        if chosen is None:
            chosen = bots.choose(self.game, name, self.position.state, self.seat, self.chance.aside("bot", self.seq))
        self.played = dict(chosen)
        command = build(self.game.commands, chosen)
        return tuple(self.game.decide(self.position.state, self.seat, command, self.dice))

    def _begin(self, command: table.Begin) -> tuple[Any, ...]:
        if self.position.table is not None:
            raise AlreadyAnswered("The game has begun.")
        names = (
            "game",
            "kind",
            "ruleset",
            "controllers",
            "options",
            "modules",
            "pace",
            "commitment",
            "entropy",
            "sandbox",
        )
        begun = table.GameBegun(**{name: getattr(command, name) for name in names})
        if command.position is not None:
            return (begun, table.PositionSet(command.position))
        setup = Setup(len(command.controllers), command.ruleset, command.options, command.modules)
        return (begun, *self.game.begin(setup, self.dice))

    def _standing(self, question: str) -> Asked:
        asked = self.position.question(question)
        if asked is None:
            raise AlreadyAnswered("The question has been answered.", question=question)
        return asked


def _refused(
    position: Position,
    submission: Submission,
    at: int,
    told: _Told,
    violation: RuleViolation,
    fault: BaseException | None = None,
) -> tuple[Commit, Position]:
    commit, after = refuse(position, submission, at, violation)
    return replace(commit, by=told.by, seat=told.seat, played=told.played, fault=fault), after


def _ending(game: AnyGame, before: Position, after: Position) -> table.GameEnded | None:
    if before.over or after.over:
        return None
    outcome = game.outcome(after.state)
    if outcome is None:
        return None
    return table.GameEnded(outcome.reason, outcome.clause, outcome.winners, outcome.scores)


def _folded(game: AnyGame, position: Position, seq: int, at: int, actor: Seat, events: Sequence[Any]) -> Position:
    state, board = position.state, position.table
    shown: set[int] = set()
    everybody = False
    for event in events:
        if isinstance(event, TableEvent):
            board = seated(board, event)
            if isinstance(event, table.PositionSet):
                state = event.position
            everybody = True
            continue
        state = game.evolve(state, event)
        audience = game.audience(event)
        if audience is None:
            everybody = True
        else:
            shown.update(audience)
    assert board is not None
    seen = position.seen or (0,) * (len(board.controllers) + 1)
    if everybody:
        seen = (seq,) * len(seen)
    elif shown:
        seen = tuple(seq if place in shown else old for place, old in enumerate(seen))
    asked = () if board.outcome is not None else _asked(game, state, position.asked, seq, at, actor)
    return replace(position, state=state, table=board, seq=seq, at=at, asked=asked, seen=seen)


def _asked(game: AnyGame, state: Any, before: tuple[Asked, ...], seq: int, at: int, actor: Seat) -> tuple[Asked, ...]:
    known = {(asked.question.serial, asked.question.seat): asked for asked in before}
    standing = []
    for question in game.awaiting(state):
        old = known.get((question.serial, question.seat))
        if old is None:
            standing.append(Asked(f"{seq}:{question.place}:{question.seat}", question, at))
        elif question.seat == actor:
            standing.append(replace(old, question=question, acted=seq))
        else:
            standing.append(old if old.question == question else replace(old, question=question))
    return tuple(standing)


def _stamped(position: Position, commit: Commit) -> Position:
    """With what the commit says of deadlines and dice; most say nothing new, and copying a position is not cheap."""
    position = _with_due(position, commit.due)
    if (position.drawn, position.rolled) == (commit.drawn, commit.rolled):
        return position
    return replace(position, drawn=commit.drawn, rolled=commit.rolled)


def _with_due(position: Position, due: tuple[tuple[str, int], ...]) -> Position:
    if not due:
        return position
    when = dict(due)
    asked = tuple(replace(a, due=when[a.id]) if a.id in when else a for a in position.asked)
    return replace(position, asked=asked)
