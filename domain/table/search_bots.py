"""Search bots that continue for an abandoned seat or answer a timed-out question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from domain.game import AnyGame
from domain.kernel.settings import Setting
from domain.kernel.terms import QuestionId, Seat
from domain.table import bots

STAND_IN, USUAL = "stand_in", "usual"

SETTING = Setting(
    STAND_IN,
    "The bot that continues for an abandoned seat: the usual bot of the game, or a search bot.",
    USUAL,
    (USUAL, *bots.THINKING),
)


@dataclass(frozen=True, slots=True)
class BotCalled:
    """A question ran out of time, and a search bot will answer it. Until then its player can still answer."""

    seat: Seat
    question: QuestionId
    bot: str


def chosen(settings: Mapping[str, Any]) -> str:
    """The setting of a table. Games older than the setting have the default."""
    return str(settings.get(STAND_IN, USUAL))


def playing_on(game: AnyGame, stand_in: str) -> str:
    """The bot that plays on for a seat that is given up, by the setting."""
    return bots.stand_in(game) if stand_in == USUAL else stand_in
