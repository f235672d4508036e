"""What has changed for a seat since its player last moved, and what they are to answer: as data and as words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from domain.game import AnyGame, Seen
from domain.terms import Seat
from service.projections.history.narration import Narrator


def since(
    game: AnyGame,
    narrator: Narrator,
    seat: Seat,
    seq: int,
    views: tuple[Seen, Seen],
    asked: Iterable[Mapping[str, Any]],
    silences: Mapping[str, str],
) -> dict[str, Any]:
    """What two views of the seat differ in, as the game counts it, and the questions that stand for it.

    ``seq`` is the commit of the earlier view, ``asked`` are the standing questions as everybody may read them, and ``silences``
    says by their ids what silence comes to.
    """
    changes = [{**line, "text": narrator.tell(line)} for line in game.changes(*views, seat)]
    questions = [
        {**question, "text": asked_by(narrator, question), "silence": silences.get(question["id"])}
        for question in asked
        if question["seat"] == seat
    ]
    texts = [line["text"] for line in changes]
    texts += [said for each in questions for said in (each["text"], each["silence"]) if said]
    return {"seq": seq, "changes": changes, "questions": questions, "text": " ".join(texts)}


def asked_by(narrator: Narrator, question: Mapping[str, Any], zone: str = "UTC") -> str:
    """What a seat is to answer, and by when, in a time zone, if there is a deadline."""
    text = narrator.ask(question)
    return text if question["due"] is None else f"{text} {narrator.due(question['due'], zone)}"
