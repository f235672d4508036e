"""What a plan needs of its game: which questions its first command answers, what ends the turn, and what counts as news."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from domain.game import AnyGame
from domain.play.parts import around
from domain.play.record import Asked, Commit, Position
from domain.terms import Seat

ANY = "*"
"""In the place of the kinds of questions: whichever comes."""

_TABLE = frozenset(around.EVENTS.values())


def kinds_answered(game: AnyGame, command: str) -> Collection[str]:
    """The kinds of questions that a command of this type may answer; `ANY` alone where the game does not say, none for none."""
    if command in game.unasked or command not in game.commands:
        return ()
    if not game.answers:
        return (ANY,)
    return sorted(kind for kind, commands in game.answers.items() if command in commands)


def ending(game: AnyGame, kinds: Collection[str]) -> Mapping[str, Any] | None:
    """The command that ends what the first of these kinds of questions is part of; None where there is no such command."""
    return next((game.endings[kind] for kind in kinds if kind in game.endings), None)


def kinds_waited_for(
    game: AnyGame, seat: Seat, command: Mapping[str, Any], before: Position, after: Position
) -> Collection[str]:
    """The kinds of questions that the rest of a plan waits for; none if its next command is to be played at once.

    ``before`` and ``after`` are the positions around the command that was played last. The rest waits during the seat's own
    turn while no question that the next command answers is put to the seat. If the seat is still asked the same question
    as before, the next command is played, and refused if it is no answer.
    """
    if after.over or game.on_turn(after.state) != seat:
        return ()
    kinds = kinds_answered(game, command["type"])
    # What ends a turn may also answer other kinds of questions, which a plan does not mean.
    kinds = [kind for kind in kinds if game.endings.get(kind) == command] or kinds
    known = {asked.id for asked in before.asked}
    for asked in after.asked:
        if answers(asked, seat, kinds) or (asked.question.seat == seat and asked.by_game and asked.id in known):
            return ()
    return kinds


def answers(asked: Asked, seat: Seat, kinds: Collection[str]) -> bool:
    """Whether a question of the game's is put to this seat and is of one of these kinds."""
    question = asked.question
    return question.seat == seat and asked.by_game and (ANY in kinds or question.kind in kinds)


def is_news(game: AnyGame, commit: Commit, seat: Seat) -> bool:
    """Whether something has happened in the game that the seat may read, beyond what only leads from one to the next.

    What happens around the game, at its table, is none of it, unless it makes the game stand otherwise.
    """
    for event in commit.events:
        if type(event) in _TABLE:
            if around.moves_the_game(event):
                return True
            continue
        readers = game.audience(event)
        if (readers is None or seat in readers) and not game.passes(event, seat):
            return True
    return False
