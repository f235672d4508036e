"""Interface of a kind of question.

It defines the commands that answer it, the legal ones, the default, and the effect of an answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from domain.kernel.dice import Dice
from domain.kernel.terms import Option, Seat

S = TypeVar("S")
D = TypeVar("D")


class QuestionKind(ABC, Generic[S, D]):
    """One kind of question of a game with state ``S``. An answer is applied to its decision, a ``D``.

    A game has one table of its kinds by name. Its `awaiting`, `legal`, `default` and `decide` look up the pending
    question there. Other details of the question are in the state. ``seat`` is a seat with this question.
    """

    commands: tuple[type[Any], ...] = ()
    """The types of commands that answer it."""

    @abstractmethod
    def legal(self, state: S, seat: Seat) -> Iterable[Option]:
        """All commands that `answer` accepts, and no others."""

    @abstractmethod
    def default(self, state: S, seat: Seat, dice: Dice) -> Any:
        """The default command."""

    @abstractmethod
    def answer(self, decision: D, seat: Seat, command: Any) -> None:
        """Apply one of `commands`. Raises `RuleViolation` if the rules forbid it."""
