"""Bots whose moves are computed by search workers: which questions they get, and for how long."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from domain.kernel.lifecycle import StandInAnswered
from domain.kernel.record import Commit, Position
from domain.kernel.terms import GameId
from service.core.feature import load
from service.features import FEATURES
from service.ops.metrics.catalogue import BY_STAND_IN, BY_THOUGHT, THOUGHT
from service.store.ports.commits import Append


class Thinking(Protocol):
    """Computes bots' moves outside the settle workers."""

    @property
    def patience(self) -> int:
        """Milliseconds until the fallback bot answers; 0 without search workers."""

    def ask(self, questions: Sequence[tuple[GameId, str]]) -> None:
        """Request a search for these questions (`Due.question`). Only a hint: lost ones are requested again."""

    def look(self, partitions: Collection[int]) -> int:
        """Request again what is pending in these partitions and no job computes; returns how many."""

    def refresh(self) -> None:
        """Check whether any search worker is alive. Raises redis-py's errors."""


class Nobody:
    """No search workers: fallback bots answer at once."""

    patience = 0

    def ask(self, questions: Sequence[tuple[GameId, str]]) -> None:
        pass

    def look(self, partitions: Collection[int]) -> int:  # noqa: ARG002 - nothing waits for a search
        return 0

    def refresh(self) -> None:
        pass


@functools.cache
def shared_thinking() -> Thinking:
    """The search of the feature that has one."""
    code = next((feature.search for feature in FEATURES if feature.search), "")
    thinking: Thinking = load(code)() if code else Nobody()
    return thinking


def note_answer(before: Position, commit: Commit) -> None:
    """Count an answer of a searching bot or of its fallback bot, if the commit is one."""
    if commit.by != "bot" or commit.refusal is not None:
        return
    stands_in = any(isinstance(event, StandInAnswered) for event in commit.events)
    if stands_in or commit.submission.command.get("choice") is not None:
        THOUGHT.note((commit.at - before.at) / 1000, BY_STAND_IN if stands_in else BY_THOUGHT)


def to_think_over(newest: Iterable[Append], patience: int) -> list[tuple[GameId, str]]:
    """Questions to searching bots in these commits, the newest of their games; leaves out those with a later start."""
    return [
        (append.game_id, due.question)
        for append in newest
        for due in append.due
        if due.what == "think" and due.when <= append.sealed.at + patience
    ]
