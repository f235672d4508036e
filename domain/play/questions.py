"""What a kind of question is in any game: which commands answer it, what is legal, what silence means, what an answer does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from domain.dice import Dice
from domain.terms import Option, Seat

S = TypeVar("S")
D = TypeVar("D")


class QuestionKind(ABC, Generic[S, D]):
    """One kind of question that a game of state ``S`` puts; an answer is carried out on its decision, a ``D``.

    A game has one table of its kinds by name, and its `awaiting`, `legal`, `default` and `decide` look the question that
    stands up in it. Whatever else the question is about stands in the state; ``seat`` is one that is asked.
    """

    commands: tuple[type[Any], ...] = ()
    """The types of the commands that answer it."""

    @abstractmethod
    def legal(self, state: S, seat: Seat) -> Iterable[Option]:
        """Every command that `answer` accepts, and no other."""

    @abstractmethod
    def default(self, state: S, seat: Seat, dice: Dice) -> Any:
        """The command that silence stands for."""

    @abstractmethod
    def answer(self, decision: D, seat: Seat, command: Any) -> None:
        """Carry out one of `commands`; raises `RuleViolation` where the rules forbid it."""
