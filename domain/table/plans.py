"""The game's side of a plan: the questions its first command answers, the end of the turn, and what counts as news."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from domain.kernel.game import AnyGame
from domain.kernel.game.knowledge import Knowledge
from domain.kernel.game.rules import Rules
from domain.kernel.record import Commit, OpenQuestion, Position
from domain.kernel.terms import Seat
from domain.table import features

ANY = "*"
"""Any kind of question."""

_TABLE = frozenset(features.EVENTS.values())


def kinds_answered(rules: Rules[Any, Any, Any], command: str) -> Collection[str]:
    """The kinds of questions that a command of this type may answer.

    Only `ANY` if the game does not say; empty for none.
    """
    if command in rules.unasked or command not in rules.commands:
        return ()
    if not rules.answers:
        return (ANY,)
    return sorted(kind for kind, commands in rules.answers.items() if command in commands)


def ending(game: AnyGame, kinds: Collection[str]) -> Mapping[str, Any] | None:
    """The command that ends the turn of the first of these kinds of questions. None if there is no such command."""
    return next((game.rules.endings[kind] for kind in kinds if kind in game.rules.endings), None)


def kinds_waited_for(
    game: AnyGame, seat: Seat, command: Mapping[str, Any], before: Position, after: Position
) -> Collection[str]:
    """The kinds of questions that the rest of a plan waits for. Empty if its next command is to be played at once.

    ``before`` and ``after`` are the positions around the command that was played last. The rest waits during the seat's
    own turn while the seat has no question that the next command answers. If the seat still has the same question as
    before, the next command is played, and refused if it is not an answer.
    """
    if after.over or game.rules.on_turn(after.state) != seat:
        return ()
    kinds = kinds_answered(game.rules, command["type"])
    # A command that ends a turn may also answer other kinds of questions, which a plan does not wait for.
    kinds = [kind for kind in kinds if game.rules.endings.get(kind) == command] or kinds
    known = {asked.id for asked in before.asked}
    for asked in after.asked:
        if answers(asked, seat, kinds) or (asked.question.seat == seat and asked.by_game and asked.id in known):
            return ()
    return kinds


def answers(asked: OpenQuestion, seat: Seat, kinds: Collection[str]) -> bool:
    """Whether it is a question of the game to this seat and of one of these kinds."""
    question = asked.question
    return question.seat == seat and asked.by_game and (ANY in kinds or question.kind in kinds)


def is_news(knowledge: Knowledge[Any, Any], commit: Commit, seat: Seat) -> bool:
    """Whether the commit changed the game in a way that the seat may read, beyond leading from one turn to the next.

    Events at the table do not count, unless they change the game.
    """
    for event in commit.events:
        if type(event) in _TABLE:
            if features.changes_game(event):
                return True
            continue
        readers = knowledge.audience(event)
        if (readers is None or seat in readers) and not knowledge.passes(event, seat):
            return True
    return False
