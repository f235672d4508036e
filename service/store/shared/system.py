"""Commands that SYSTEM submits when something is due, and the names of due questions."""

from __future__ import annotations

from typing import Any

from domain.kernel.terms import SYSTEM, GameId, QuestionId
from service.store.codec import canonical
from service.store.ports.waiting import Due


def seat_of_due(question: str) -> int:
    return int(question_of_due(question).rpartition(":")[2])


def question_of_due(due: str) -> QuestionId:
    return QuestionId(due.partition("@")[0])


def due_document(game_id: GameId, letter: str, question: str) -> bytes:
    """SYSTEM's command for a question: ``d`` at its deadline, ``b`` for a bot's answer, ``t`` if a search was too slow."""
    return canonical(_document(game_id, "expire" if letter == "d" else "act", question))


def due_submission(game_id: GameId, due: Due) -> dict[str, Any]:
    """SYSTEM's submission for something due, without the instant."""
    return _document(game_id, due.what, due.question)


def _document(game_id: GameId, what: str, question: str) -> dict[str, Any]:
    expires = what == "expire"
    return {
        "id": f"{'due' if expires else 'bot'}:{game_id}:{question}",
        "seat": SYSTEM,
        "command": {"type": "expire" if expires else "act", "question": question_of_due(question)},
        "expected": None,
        "credential": None,
    }
