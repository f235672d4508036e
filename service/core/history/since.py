"""The changes since a seat's player last moved, and their pending questions, as data and as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from domain.kernel.game.knowledge import SeatView
from domain.kernel.game.presentation import Presentation
from domain.kernel.terms import Seat
from service.core.history.narration import Narrator


def build_changes(
    presentation: Presentation,
    narrator: Narrator,
    seat: Seat,
    seq: int,
    views: tuple[SeatView, SeatView],
    asked: Iterable[Mapping[str, Any]],
    silences: Mapping[str, str],
) -> dict[str, Any]:
    """The differences between two views of the seat, and its pending questions.

    ``seq`` is the commit of the earlier view. ``asked`` are the pending questions in their public form. ``silences``
    gives the effect of a timeout by question id.
    """
    changes = [{**line, "text": narrator.narrate(line)} for line in presentation.changes(*views, seat)]
    questions = [
        {**question, "text": describe_question(narrator, question), "timeout_text": silences.get(question["id"])}
        for question in asked
        if question["seat"] == seat
    ]
    texts = [line["text"] for line in changes]
    texts += [sentence for each in questions for sentence in (each["text"], each["timeout_text"]) if sentence]
    return {"seq": seq, "changes": changes, "questions": questions, "text": " ".join(texts)}


def describe_question(narrator: Narrator, question: Mapping[str, Any], zone: str = "UTC") -> str:
    """The text of a question, with its deadline in the time zone if it has one."""
    text = narrator.describe_question(question)
    return text if question["deadline"] is None else f"{text} {narrator.describe_deadline(question['deadline'], zone)}"
