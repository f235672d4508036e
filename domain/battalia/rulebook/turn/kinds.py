"""Every kind of question that the game puts: the core's own, and what its modules bring."""

from __future__ import annotations

from collections.abc import Mapping

from domain.battalia.modules import registry
from domain.battalia.modules.decision import FLEE
from domain.battalia.modules.questions import DAY, TURN, QuestionKind
from domain.battalia.rulebook.actions.artefacts import WishQuestion
from domain.battalia.rulebook.battle.combat import DefenceQuestion, SpoilsQuestion
from domain.battalia.rulebook.battle.flight import FlightQuestion
from domain.battalia.rulebook.turn.calendar import DayQuestion, ReturnQuestion
from domain.battalia.rulebook.turn.player_turn import PlayerTurn
from domain.battalia.rulebook.turn.setup import FactionQuestion, StartQuestion
from domain.battalia.state import Frame

QUESTIONS: Mapping[str, QuestionKind] = {
    "faction": FactionQuestion(),
    "start": StartQuestion(),
    DAY: DayQuestion(),
    TURN: PlayerTurn(),
    "defend": DefenceQuestion(),
    "spoils": SpoilsQuestion(),
    FLEE: FlightQuestion(),
    "return": ReturnQuestion(),
    "wish": WishQuestion(),
}
"""The core's own; a question of a module (`Frame.npc`) is the module's to answer."""


def kind_of(frame: Frame) -> QuestionKind | None:
    """The kind of a question; None where a module answers without any."""
    kinds = registry.registered()[frame.npc].questions if frame.npc else QUESTIONS
    return kinds.get(frame.kind)
