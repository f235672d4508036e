"""What SYSTEM submits when something is due, and what the names of due things say."""

from __future__ import annotations

from domain.terms import GameId, QuestionId
from service.store.codec import canonical


def seat_of_due(question: str) -> int:
    """The seat of a question that is due."""
    return int(question_of_due(question).rpartition(":")[2])


def question_of_due(due: str) -> QuestionId:
    """The question that `Due.question` names."""
    return QuestionId(due.partition("@")[0])


def due_document(game_id: GameId, letter: str, question: str) -> bytes:
    """What SYSTEM submits about a question: ``d`` for its deadline, ``b`` for a bot's answer."""
    name, type_ = ("bot", "act") if letter == "b" else ("due", "expire")
    return canonical(
        {
            "id": f"{name}:{game_id}:{question}",
            "seat": 0,
            "command": {"type": type_, "question": question_of_due(question)},
            "expected": None,
            "credential": None,
        }
    )
