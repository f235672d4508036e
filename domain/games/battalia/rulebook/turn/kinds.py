"""Every kind of question of the game: the core's own, and those of modules."""

from __future__ import annotations

from collections.abc import Mapping

from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.decision import FLEE
from domain.games.battalia.module_api.questions import DAY, TURN, BattaliaQuestionKind
from domain.games.battalia.rulebook.actions.artefacts import WishQuestion
from domain.games.battalia.rulebook.battle.combat import DefenceQuestion, SpoilsQuestion
from domain.games.battalia.rulebook.battle.flight import FlightQuestion
from domain.games.battalia.rulebook.turn.calendar import DayQuestion, ReturnQuestion
from domain.games.battalia.rulebook.turn.player_turn import PlayerTurn
from domain.games.battalia.rulebook.turn.setup import FactionQuestion, StartQuestion
from domain.games.battalia.state import Frame

QUESTIONS: Mapping[str, BattaliaQuestionKind] = {
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
"""The core's own kinds; a module answers its own questions (`Frame.npc`)."""


def kind_of(frame: Frame) -> BattaliaQuestionKind | None:
    """The kind of a question. None for a module's question without one."""
    kinds = registry.registered()[frame.npc].questions if frame.npc else QUESTIONS
    return kinds.get(frame.kind)
