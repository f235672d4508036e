"""Every kind of question that the game puts: the core's own, and what its modules bring."""

from __future__ import annotations

from collections.abc import Mapping

from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.decision import FLEE
from domain.games.battalia.module_api.questions import DAY, TURN, QuestionKind
from domain.games.battalia.rulebook.actions.artefacts import WishQuestion
from domain.games.battalia.rulebook.battle.combat import DefenceQuestion, SpoilsQuestion
from domain.games.battalia.rulebook.battle.flight import FlightQuestion
from domain.games.battalia.rulebook.turn.calendar import DayQuestion, ReturnQuestion
from domain.games.battalia.rulebook.turn.player_turn import PlayerTurn
from domain.games.battalia.rulebook.turn.setup import FactionQuestion, StartQuestion
from domain.games.battalia.state import Frame

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
