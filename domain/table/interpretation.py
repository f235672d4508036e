"""The meaning of a submission at a position, and its events: the table's part of settling it, as three pure steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from domain.kernel import lifecycle
from domain.kernel.dice import Dice
from domain.kernel.errors import AlreadyAnswered, GameOver, NotAsked, PlayedByBot, RuleViolation, StaleSubmission
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.kernel.record import Chance, Commit, OpenQuestion, Position, Submission
from domain.kernel.shape import as_document, build
from domain.kernel.terms import SYSTEM, QuestionId, Seat, Seq
from domain.kernel.unfold import Unfolded
from domain.table import bots, features, seats, vacations
from domain.table.clocks import clocks
from domain.table.feature import Moment

_BEGUN = tuple(field.name for field in fields(lifecycle.GameBegun))
"""The fields that the first event repeats from its command: all of its own."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The meaning of a submission: who acts, who made the choice, and the command."""

    seat: Seat
    """The seat that the command belongs to; for ``expire`` and ``act`` the seat with the question."""
    by: str
    """The source of the choice, as in `Commit.by`."""
    command: Any
    """The command as sent, as an object of its class: SYSTEM's, the table's or the game's."""
    asked: OpenQuestion | None = None
    """The question that a command of SYSTEM names."""
    played: Mapping[str, Any] | None = None
    """The game's command that a bot or a deadline chose, as JSON."""
    instead: tuple[str, str] | None = None
    """The bot that chose it, and the search bot that it replaces, if a search bot did not answer."""


def interpret(game: AnyGame, position: Position, submission: Submission) -> Interpretation:
    """The acting seat and its command. Raises `RuleViolation` for commands that the table does not pass to the game."""
    if position.over:
        raise GameOver("The game is over.")
    seat = submission.seat
    if seat != SYSTEM:
        _check_heard(position.table, seat)
        if position.table is not None and position.table.memories:
            features.check_sender(position.table, submission)
    if submission.expected is not None and submission.expected != position.etag(seat):
        raise StaleSubmission("There is news that you had not seen.", seq=position.etag(seat))
    if seat == SYSTEM:
        return _by_system(position, build(features.SYSTEM_COMMANDS, submission.command), submission.asked_at)
    type_ = submission.command.get("type")
    if type_ in features.PLAYERS:
        return Interpretation(seat, submission.by, build(features.PLAYERS, submission.command))
    if type_ not in game.rules.unasked and not any(asked.question.seat == seat for asked in _asked_by_game(position)):
        answered = game.rules.has_answered(position.state, seat)
        words = "You have already answered. Others have not." if answered else "It is not your turn."
        raise NotAsked(words, asked=sorted({asked.question.seat for asked in _asked_by_game(position)}))
    return Interpretation(seat, submission.by, build(game.rules.commands, submission.command))


def _asked_by_game(position: Position) -> Iterable[OpenQuestion]:
    """The pending questions of the game. An answer to the game never answers a question of the table's features."""
    return (asked for asked in position.asked if not features.is_asking(asked.question))


def _check_heard(seated: lifecycle.Table | None, seat: Seat) -> None:
    """Refuse a seat that no player controls before looking at its command: the refusal must not depend on it."""
    if seated is not None and seated.rules.heard == "players" and not seated.is_played(seat):
        raise PlayedByBot("A bot plays this seat.")


def _by_system(position: Position, command: Any, asked_at: int) -> Interpretation:
    match command:
        case lifecycle.Begin():
            return Interpretation(SYSTEM, "system", command)
        case lifecycle.PutOff(question):
            return Interpretation(SYSTEM, "system", command, _running(position, question))
        case lifecycle.Expire(question):
            if (left := _of_who_has_left(position, question)) is not None:
                return Interpretation(left.question.seat, "system", command, left)
            asked = _running(position, question)
            if asked.dated and asked.due is not None and asked_at < asked.due:
                raise AlreadyAnswered("The question is not due yet.", question=question)
            return Interpretation(asked.question.seat, "system", command, asked)
        case lifecycle.Act(question):
            asked = _standing(position, question)
            if command.choice is not None and command.moved != asked.moved:
                raise AlreadyAnswered("The position has changed since this answer was computed.", question=question)
            return Interpretation(asked.question.seat, "bot", command, asked)
        case _:  # a feature's, about a seat
            return Interpretation(Seat(command.seat), "system", command)


def _standing(position: Position, question: QuestionId) -> OpenQuestion:
    asked = position.question(question)
    if asked is None:
        raise AlreadyAnswered("The question has been answered.", question=question)
    return asked


def _of_who_has_left(position: Position, question: QuestionId) -> OpenQuestion | None:
    """The question, if its seat has neither a player nor a bot. Such a seat never makes others wait for its clock."""
    asked, seated = position.question(question), position.table
    if asked is None or seated is None or seated.controller(asked.question.seat) != lifecycle.LEFT:
        return None
    return asked


def _running(position: Position, question: QuestionId) -> OpenQuestion:
    asked = _standing(position, question)
    if asked.held is not None:
        raise AlreadyAnswered("The clock of this question is stopped.", question=question)
    return asked


def with_choice(
    game: AnyGame,
    position: Position,
    interpretation: Interpretation,
    chance: Chance,
    seq: Seq,
    recorded: Commit | None,
) -> Interpretation:
    """Adds the choice of a bot or a deadline; without one, returns the interpretation unchanged.

    ``recorded`` is the commit in which the submission was first settled; its choice is then reused. Raises `NotAsked`
    for a seat that no bot plays.
    """
    seat, played = interpretation.seat, None if recorded is None else recorded.played
    match interpretation.command:
        case lifecycle.Expire():
            asked = interpretation.asked
            if played is not None:
                command = _chosen(game, played)
            elif asked is not None and _is_spared(position.table, asked):
                return Interpretation(SYSTEM, "system", interpretation.command, asked)
            elif asked is not None and features.is_asking(asked.question):
                command = features.default(asked.question)
            else:
                command = _in_silence(game, position, seat, chance.aside("default", seq))
            by = "system" if seat == SYSTEM else "policy"
            return Interpretation(seat, by, interpretation.command, interpretation.asked, as_document(command))
        case lifecycle.Act():
            assert position.table is not None
            assert interpretation.asked is not None
            name = seats.find_bot(position.table, interpretation.asked)
            if not name and position.table.memories:
                raise AlreadyAnswered("A player has taken the seat.")
            if not name:
                raise NotAsked("No bot plays this seat.")
            instead = None
            if bots.thinks(name):
                if (choice := _thought_over(game, position, interpretation, name, chance)) is not None:
                    return replace(interpretation, played=choice)
                thinker, name = name, _stand_in(game, recorded)
                instead = name, thinker
            if played is None:
                played = bots.choose(game, name, position.state, seat, chance.aside("bot", seq))
            return replace(interpretation, played=dict(played), instead=instead)
        case _:
            return interpretation


def _stand_in(game: AnyGame, recorded: Commit | None) -> str:
    """The bot that replaces a search bot.

    The log has the choice and the name of the bot, because releases differ in that.
    """
    events = () if recorded is None else recorded.events
    told = next((event.bot for event in events if isinstance(event, lifecycle.StandInAnswered)), None)
    return told if told in bots.names(game) else bots.best(game)


def _thought_over(
    game: AnyGame, position: Position, told: Interpretation, name: str, chance: Chance
) -> dict[str, Any] | None:
    """The move that the seat's search bot has computed, if there is one and the rules still allow it."""
    choice = told.command.choice
    if not isinstance(choice, Mapping) or told.command.bot != name:
        return None
    try:
        command, dice = build(game.rules.commands, choice), chance.dice(position.drawn, position.rolled)
        game.rules.decide(_known_to(game, position, told), told.seat, command, dice)
    except RuleViolation:
        return None
    return dict(choice)


def _known_to(game: AnyGame, position: Position, told: Interpretation) -> Any:
    """The game's state to decide on: without the orders that are suspended for this command."""
    resting = vacations.resting(position.table, told.seat, told.by)
    return game.rules.resting(position.state, resting) if resting else position.state


def _in_silence(game: AnyGame, position: Position, seat: Seat, dice: Dice) -> Any:
    seated = position.table
    name = seats.bot_on_timeout(seated, game) if seated is not None and seated.is_played(seat) else None
    if name is None:
        state = game.rules.resting(position.state, [seat]) if vacations.plays_default(seated, seat) else position.state
        return game.rules.default(state, seat, dice)
    return build(game.rules.commands, bots.choose(game, name, position.state, seat, dice))


def decide(moment: Moment, interpretation: Interpretation, dice: Dice) -> tuple[tuple[Any, ...], Any]:
    """The events of the command, and the game's state after them, or None if they have yet to be folded.

    Raises `RuleViolation` if the table or the game's rules forbid the command.
    """
    game, position = moment.game, moment.position
    seat, command, asked = interpretation.seat, interpretation.command, interpretation.asked
    match command:
        case lifecycle.Begin():
            return _begin(game, position, command, dice), None
        case lifecycle.Resign():
            return _resign(game, position, seat, dice), None
        case lifecycle.PutOff(question, by):
            assert asked is not None
            return (lifecycle.DeadlinePutOff(asked.question.seat, question, by, (asked.due or position.at) + by),), None
        case lifecycle.Expire() if interpretation.played is None:
            return _spared(moment, asked), None
        case lifecycle.Expire() | lifecycle.Act():
            assert interpretation.played is not None
            command = _chosen(game, interpretation.played)
    by_game = not features.is_for_feature(command)
    if not by_game:
        decided, state = features.decide(moment, seat, command), None
    else:
        known = _known_to(game, position, interpretation)
        silent = _is_silent(position.table, interpretation)
        decided = (game.rules.decide_silence if silent else game.rules.decide)(known, seat, command, dice)
        # A decision made without some orders has yet to be applied to the state that has them.
        state = decided.state if isinstance(decided, Unfolded) and known is position.state else None
    events = tuple(decided)
    if interpretation.by == "policy" and by_game:
        assert asked is not None
        events = (lifecycle.DeadlinePassed(seat, asked.id), *events)
    if interpretation.instead is not None:
        events = (lifecycle.StandInAnswered(seat, *interpretation.instead), *events)
    if by_game and events and position.table is not None and position.table.memories:
        events = (*events, *features.add_events(moment, seat, interpretation.by, asked))
    return events, state


def _is_silent(seated: lifecycle.Table | None, interpretation: Interpretation) -> bool:
    """Whether the command is played after a timeout, at a table where it also answers the rest of the turn."""
    if seated is None or seated.rules.silence != "turn":
        return False
    return interpretation.by in ("policy", "bot") and seated.is_played(interpretation.seat)


def _chosen(game: AnyGame, document: Mapping[str, Any]) -> Any:
    for known in (features.PLAYERS, features.SYSTEM_COMMANDS):
        if document.get("type") in known:
            return build(known, document)
    return build(game.rules.commands, document)


def _is_spared(table: lifecycle.Table | None, asked: OpenQuestion) -> bool:
    """Whether something replaces the default when a question has timed out."""
    return table is not None and asked.by_game and (clocks.has_reserve(table, asked) or seats.calls_bot(table, asked))


def _spared(moment: Moment, asked: OpenQuestion | None) -> tuple[Any, ...]:
    """Events that replace the default when a question has timed out."""
    assert asked is not None
    if clocks.has_reserve(moment.table, asked):
        return (clocks.begin_reserve(moment, asked),)
    called = seats.call_bot(moment.table, asked)
    return (*called, *features.add_events(moment, asked.question.seat, "policy", asked))


def _resign(game: AnyGame, position: Position, seat: Seat, dice: Dice) -> tuple[Any, ...]:
    assert position.table is not None
    if position.table.controller(seat) != lifecycle.PLAYER:
        raise NotAsked("A bot already plays this seat.")
    if game.rules.departs and seats.leaves_on_resign(position.table):
        return (lifecycle.SeatLeft(seat), *game.rules.depart(position.state, seat, dice))
    return (lifecycle.SeatResigned(seat, seats.bot_on_resign(position.table, game)),)


def _begin(game: AnyGame, position: Position, command: lifecycle.Begin, dice: Dice) -> tuple[Any, ...]:
    if position.table is not None:
        raise AlreadyAnswered("The game has begun.")
    if command.table_rules not in lifecycle.RULES:
        raise RuleViolation(f"There are no table rules {command.table_rules!r}.", field="table_rules")
    begun = lifecycle.GameBegun(**{name: getattr(command, name) for name in _BEGUN})
    if command.position is not None:
        return (begun, lifecycle.PositionSet(command.position))
    setup = Setup(len(command.controllers), command.ruleset, command.options, command.modules)
    return (begun, *game.rules.begin(setup, dice))
