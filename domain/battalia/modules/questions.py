"""What a kind of question is in Battalia, the core's and the modules' alike."""

from __future__ import annotations

from typing import Any

from domain.battalia.modules.decision import Decision
from domain.battalia.modules.orders import Standing
from domain.battalia.state import State
from domain.dice import Dice
from domain.play import questions
from domain.terms import Seat

TURN = "turn"
"""The kind of the question that a turn is: the core's, to which modules add commands."""
DAY = "day"
"""The kind of the question to SYSTEM whether the day may turn."""


class QuestionKind(questions.QuestionKind[State, Decision]):
    """One kind of question; the one that is put is the top of the stack, ``state.asking[-1]``."""

    intrudes: bool = False
    """Whether it can come up outside of turns through what other seats do: by a calendar such a question has its own time."""

    ends_turn: bool = False
    """Whether it belongs to the end of a turn: silence that ends the turn answers it too (DAY-08)."""

    standing: Standing | None = None
    """What may be ordered for it beforehand (ORD); None for a question that no order answers."""

    def only(self, state: State, seat: Seat) -> Any:  # noqa: ARG002
        """The one answer there is, where everybody knows that it is the only one: then nobody is asked (DAY-08).

        None where there is a choice, and wherever somebody's own cards are asked for: whoever is asked at times only would
        show what they hold.
        """
        return None


class InTurn(QuestionKind):
    """The commands that a module adds to a turn. It has no default: silence ends the turn (TURN-03)."""

    def default(self, state: State, seat: Seat, dice: Dice) -> Any:
        raise NotImplementedError
