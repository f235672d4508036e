"""The standing orders of a seat, and how they answer."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.fields import Component, Text, Whole, example
from service.api.schemas.replies.accounts import Question
from service.api.schemas.replies.base import Reply, seq_of
from service.api.schemas.replies.play import by_of


@example(
    {
        **Question.example,
        "kind": "defend",
        "rule": "BAT-01",
        "about": {"square": "C3", "attacker": 2, "day": 4, "place": 2, "of": 2, "interrupts": True},
        "text": "Birk attacks you on C3: lay the cards that defend it, or none.",
        "seq": 57,
        "answered": {"type": "defend"},
        "by": "policy",
        "ordered": {"type": "defend", "units": ["lord-islanders-2"]},
    }
)
class OrderedQuestion(Question):
    text = Text(2000, required=True, metadata={"description": "The question in a sentence."})
    seq = Whole(
        1,
        required=True,
        allow_none=True,
        metadata={"description": "The commit that answered it; null while it stands."},
    )
    answered = Component(
        "Command",
        metadata={"description": "What was answered, of several commands the first; not there while it stands."},
    )
    by = by_of()
    ordered = Component(
        "Command",
        metadata={
            "description": "How the orders as they are now answer it, of several commands the first; not there where they do not."
        },
    )


@example(
    {
        "seq": 60,
        "seat": 1,
        "orders": [
            {
                "type": "order_given",
                "seat": 1,
                "order": {"type": "set_wish", "first": ["lord-islanders"]},
                "text": "Ash orders that an amulet's wish is for a lord of the Islanders.",
            }
        ],
        "questions": [OrderedQuestion.example],
    }
)
class StandingOrders(Reply):
    seq = seq_of("The ETag.")
    seat = Whole(1, required=True)
    orders = fields.List(
        Component("Line"),
        required=True,
        metadata={"description": "Each as the line of history that gave it, with its sentence."},
    )
    questions = fields.List(
        fields.Nested(OrderedQuestion),
        required=True,
        metadata={"description": "The last five for which something may be ordered, the newest first."},
    )
