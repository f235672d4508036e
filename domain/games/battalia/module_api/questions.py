"""Interface of a kind of question in Battalia, for the core and the modules."""

from __future__ import annotations

from typing import Any

from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.orders import OrderType
from domain.games.battalia.state import BattaliaState
from domain.kernel import questions
from domain.kernel.dice import Dice
from domain.kernel.terms import Seat

TURN = "turn"
"""The kind of question for a turn. It belongs to the core; modules add commands to it."""
DAY = "day"
"""The kind of question to SYSTEM to start the next day."""


class BattaliaQuestionKind(questions.QuestionKind[BattaliaState, BattaliaDecision]):
    """One kind of question. The current one is the top of the stack, ``state.asking[-1]``."""

    intrudes: bool = False
    """Whether it can arise outside of turns by other seats' actions. In a calendar game it then has its own time."""

    ends_turn: bool = False
    """Whether it belongs to the end of a turn: the default that ends the turn answers it too (DAY-08)."""

    standing: OrderType | None = None
    """Its standing orders (ORD). None if no order answers it."""

    def only(self, state: BattaliaState, seat: Seat) -> Any:  # noqa: ARG002
        """The only possible answer, if all players know that it is the only one.

        The question is then not asked (DAY-08). None if there is a choice. Also None if the question is about a player's own cards, because skipping it would
        reveal them.
        """
        return None


class InTurn(BattaliaQuestionKind):
    """Commands that a module adds to a turn. It has no default: the turn's default applies (TURN-03)."""

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> Any:
        raise NotImplementedError
