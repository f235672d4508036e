"""What is thought over elsewhere than where commands are settled: by whom, about which questions, and for how long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from domain.play import bots
from domain.play.parts import seats
from domain.play.record import Asked, Commit, Position
from domain.play.table import StandInAnswered
from domain.terms import GameId
from service.process.figures.catalogue import BY_STAND_IN, BY_THOUGHT, THOUGHT
from service.store.ports.commits import Append


class Thinking(Protocol):
    """Those who think for bots, elsewhere than where commands are settled."""

    @property
    def patience(self) -> int:
        """Milliseconds for which an answer may be thought over, and then a stand-in gives it; 0 where nobody thinks."""

    def ask(self, questions: Sequence[tuple[GameId, str]]) -> None:
        """Have these thought over (`Due.question`). A hint, as a wake is one: what was not heard is asked for again."""


class Nobody:
    """Nobody thinks here: stand-ins answer at once."""

    patience = 0

    def ask(self, questions: Sequence[tuple[GameId, str]]) -> None:
        pass


def due_id(asked: Asked) -> str:
    """`Due.question`. What is submitted is so once under its id: after an answer, and for another deadline, there is another."""
    return f"{asked.id}@{asked.moved}" if asked.moved else asked.id


def thinker(position: Position, asked: Asked) -> str | None:
    """The bot that is asked, where it is one that thinks."""
    if position.table is None or not asked.by_game:
        return None
    name = seats.answering(position.table, asked)
    return name if bots.thinks(name) else None


def note_answer(before: Position, commit: Commit) -> None:
    """Count what a bot that thinks has answered, or its stand-in, if the commit is an answer of theirs."""
    if commit.by != "bot" or commit.refusal is not None:
        return
    stands_in = any(isinstance(event, StandInAnswered) for event in commit.events)
    if stands_in or commit.submission.command.get("choice") is not None:
        THOUGHT.note((commit.at - before.at) / 1000, BY_STAND_IN if stands_in else BY_THOUGHT)


def to_think_over(newest: Iterable[Append], patience: int) -> list[tuple[GameId, str]]:
    """What these commits, the newest of their games, ask bots that think; what is to wait first is asked for later."""
    return [
        (append.game_id, due.question)
        for append in newest
        for due in append.due
        if due.what == "think" and due.when <= append.sealed.at + patience
    ]
