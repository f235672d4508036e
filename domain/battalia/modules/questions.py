"""What a kind of question is: which commands answer it, what is legal, and what silence means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from domain.battalia.modules.decision import Decision
from domain.battalia.state import State
from domain.dice import Dice
from domain.terms import Option, Seat

TURN = "turn"
"""The kind of the question that a turn is: the core's, to which modules add commands."""
DAY = "day"
"""The kind of the question to SYSTEM whether the day may turn."""


class QuestionKind(ABC):
    """One kind of question; the one that is put is the top of the stack, ``state.asking[-1]``, and ``seat`` is asked."""

    commands: tuple[type[Any], ...]
    """What answers it."""
    intrudes: bool = False
    """Whether it can come up outside of turns through what other seats do: by a calendar such a question has its own time."""

    @abstractmethod
    def legal(self, state: State, seat: Seat) -> Iterable[Option]:
        """Every answer that `answer` accepts, and no other."""

    @abstractmethod
    def default(self, state: State, seat: Seat, dice: Dice) -> Any:
        """The command that silence stands for."""

    @abstractmethod
    def answer(self, decision: Decision, seat: Seat, command: Any) -> None:
        """What one of `commands` comes to; raises `RuleViolation` where the rules forbid it."""


class InTurn(QuestionKind):
    """The commands that a module adds to a turn. It has no default: silence ends the turn (TURN-03)."""

    def default(self, state: State, seat: Seat, dice: Dice) -> Any:
        raise NotImplementedError
