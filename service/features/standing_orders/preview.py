"""Previews standing orders: what the current orders would have answered to the seat's last questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from domain.kernel.dice import Dice
from domain.kernel.record import Commit, OpenQuestion, Position
from domain.kernel.terms import QuestionId, Seat, Seq
from service.core.positions.cache import Positions, replay
from service.core.positions.game_config import GameConfig
from service.store.redis.log.log import Log

MAX_QUESTIONS = 5
"""Number of recent questions to preview."""
BATCH_SIZE = 128
"""Commits read at a time, newest first."""
MAX_READS = 8
"""Maximum number of reads. Questions more than a thousand commits ago are not found."""


@dataclass(frozen=True, slots=True)
class OrderPreview:
    """A question to the seat, its real answer, and the answer by the orders."""

    question: OpenQuestion
    by_orders: Mapping[str, Any] | None
    """The command as JSON with its type; None if the orders leave the choice to the seat."""
    seq: Seq | None = None
    """The commit that answered, the first if there were several commands; None if unanswered."""
    answered: Mapping[str, Any] | None = None
    by: str = ""
    """The chooser of the real answer, as in `Commit.by`."""


def preview_orders(positions: Positions, log: Log, config: GameConfig, seat: Seat, now: Position) -> list[OrderPreview]:
    """The last questions that orders can answer, newest first.

    Orders decide on what the seat saw at the time. The rest of the state is imagined and cannot matter.
    """
    found: dict[QuestionId, OrderPreview] = {}
    standing = None if now.over else _find_question(config, now, seat)
    if standing is not None:
        found[standing.id] = OrderPreview(standing, _apply_orders(config, now, seat, now))
    last = int(now.seq)
    for _ in range(MAX_READS):
        if last < 1 or len(found) > MAX_QUESTIONS:
            break
        first = max(1, last - BATCH_SIZE + 1)
        before = config.initial_position() if first == 1 else positions.read_at(config, first - 1)
        commits = log.commits(config.id, first, last, onto=before.head)
        earlier: dict[QuestionId, OrderPreview] = {}
        for _, commit, after in replay(config.game, before, commits):
            asked = _find_question(config, before, seat) if _is_answer(config, commit, seat) else None
            if asked is not None and asked.id not in earlier:
                command = commit.submission.command if commit.played is None else commit.played
                ordered = _apply_orders(config, before, seat, now)
                earlier[asked.id] = OrderPreview(asked, ordered, commit.seq, command, commit.by)
            before = after
        found = {**found, **earlier}
        last = first - 1
    newest_first = sorted(found.values(), key=lambda each: now.seq + 1 if each.seq is None else each.seq, reverse=True)
    return newest_first[:MAX_QUESTIONS]


def _find_question(config: GameConfig, position: Position, seat: Seat) -> OpenQuestion | None:
    """The game's question to the seat, if orders can answer it."""
    for asked in position.asked:
        question = asked.question
        if question.seat == seat and question.serial >= 0 and question.kind in config.game.rules.orderable:
            return asked
    return None


def _is_answer(config: GameConfig, commit: Commit, seat: Seat) -> bool:
    """Whether the commit may have answered the seat's question: a command of the game that is not an order, by any actor."""
    if commit.refusal is not None or commit.seat != seat:
        return False
    command = commit.submission.command if commit.played is None else commit.played
    return command.get("type") in config.game.rules.commands and command["type"] not in config.game.rules.unasked


def _apply_orders(config: GameConfig, then: Position, seat: Seat, now: Position) -> Mapping[str, Any] | None:
    seen = config.game.knowledge.imagine(then.state, seat, Dice(bytes(32)))
    return config.game.rules.by_orders(seen, seat, now.state)
