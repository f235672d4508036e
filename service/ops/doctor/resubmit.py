"""Submits SYSTEM's refused commands again, after the cause was fixed."""

from __future__ import annotations

from typing import Any

from domain.kernel.terms import SYSTEM, GameId
from service.core.positions.cache import Positions
from service.core.positions.deadlines import RESUBMITTED, due_of
from service.core.positions.game_config import load_game_config
from service.store.redis.store import Store


def resubmit(store: Store, game_id: GameId) -> list[str]:
    """Submit again what is due in a game, under new ids; returns the questions."""
    facts = load_game_config(store, game_id)
    if facts is None:
        return []
    position = Positions(store).read_newest(facts)
    now = max(store.schedule.now(), position.at)
    questions = [(due.question.partition("@")[0], due.what) for due in due_of(position) if due.when <= now]
    for question, what in questions:
        document: dict[str, Any] = {
            "id": f"{RESUBMITTED}{position.seq}:{question}",
            "seat": SYSTEM,
            "command": {"type": what, "question": question},
            "expected": None,
            "credential": None,
        }
        store.log.submit(game_id, document, question)
    return [question for question, _ in questions]
