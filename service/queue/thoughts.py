"""The pieces of an analysis as jobs: what the API asks for, and each piece for the next one."""

from __future__ import annotations

from domain.terms import GameId
from service.queue.thinking import PIECE, Thought

ANALYSE = "workers.thinking.analysing.analyse"
"""The job that makes a piece of an analysis."""


def piece_of(game_id: GameId, level: int, first: int) -> Thought:
    """The job that looks at a game from the moment of this place on; one for each moment."""
    return Thought(f"{PIECE} {game_id} {level} {first}", ANALYSE, (game_id, level, first))
