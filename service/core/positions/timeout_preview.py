"""Describes to a player what happens if they miss a deadline."""

from __future__ import annotations

from collections.abc import Mapping

from domain.kernel.game import AnyGame
from domain.kernel.lifecycle import Table
from domain.kernel.record import OpenQuestion, Position
from domain.kernel.terms import Seat
from domain.table import features, vacations
from domain.table.bots import RANDOM
from domain.table.clocks.clocks import has_reserve
from domain.table.seats import SEATS, bot_on_timeout

STANDING_ORDERS = (
    "If time runs out, your standing orders decide. If none fits, the default move of the rules is played."
)
DEFAULT_MOVE = "If time runs out, the default move of the rules is played."
RANDOM_MOVE = "If time runs out, a random move is played for you."
BOT_MOVE = "If time runs out, a bot moves for you."
DECLINED = "If you do not answer in time, that counts as no."
RESERVE_TIME = "If time runs out, your reserve time is used."
VACATED = "Then a bot plays for you, and your seat becomes vacant."


def preview_timeouts(game: AnyGame, position: Position, seat: Seat) -> Mapping[str, str]:
    """The effect of a timeout, by question id, for the questions of a player's seat that have a deadline."""
    table = position.table
    if table is None or not table.is_played(seat):
        return {}
    due = [asked for asked in position.asked if asked.question.seat == seat and asked.due is not None]
    return {asked.id: said for asked in due if (said := _describe_timeout(game, table, asked))}


def _describe_timeout(game: AnyGame, table: Table, asked: OpenQuestion) -> str:
    if not asked.by_game:
        return DECLINED if getattr(features.default(asked.question), "agree", None) is False else ""
    if has_reserve(table, asked):
        return RESERVE_TIME
    said = _describe_choice(game, table, asked.question.seat)
    return f"{said} {VACATED}" if _is_vacated(table, asked) else said


def _describe_choice(game: AnyGame, table: Table, seat: Seat) -> str:
    name = bot_on_timeout(table, game)
    if name is not None:
        return RANDOM_MOVE if name == RANDOM else BOT_MOVE
    return STANDING_ORDERS if game.rules.unasked and not vacations.plays_default(table, seat) else DEFAULT_MOVE


def _is_vacated(table: Table, asked: OpenQuestion) -> bool:
    """Whether one more missed turn vacates the seat. An absent player, or one asked too late, misses none."""
    seat, chairs = asked.question.seat, SEATS.memory_at(table)
    if chairs is None or vacations.is_away(table, seat) or (asked.due is not None and asked.since >= asked.due):
        return False
    return 0 < chairs.missed_limit <= chairs.missed.get(seat, 0) + 1
