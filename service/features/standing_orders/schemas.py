"""Schemas of standing orders and their effect."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import ComponentField, IntegerField, StringField, example
from service.core.http.schemas.replies.accounts import QuestionReply
from service.core.http.schemas.replies.base import Reply, seq_of
from service.core.http.schemas.replies.play import by_of


@example(
    {
        **QuestionReply.example,
        "kind": "defend",
        "rule": "BAT-01",
        "about": {"square": "C3", "attacker": 2, "day": 4, "place": 2, "of": 2, "interrupts": True},
        "text": "Birk attacks you on C3. Play cards to defend it, or none.",
        "seq": 57,
        "answered": {"type": "defend"},
        "by": "policy",
        "ordered": {"type": "defend", "units": ["lord-islanders-2"]},
    }
)
class StandingOrderQuestion(QuestionReply):
    text = StringField(2000, required=True, metadata={"description": "The question as a sentence."})
    seq = IntegerField(
        1,
        required=True,
        allow_none=True,
        metadata={"description": "The commit that answered the question. Null while it is pending."},
    )
    answered = ComponentField(
        "Command",
        metadata={"description": "The first command that answered. Omitted while the question is pending."},
    )
    by = by_of()
    ordered = ComponentField(
        "Command",
        metadata={
            "description": "The first command with which the current orders would answer. Omitted if they would not."
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
                "text": "Ash's standing order for amulets: wish for a lord of the Islanders.",
            }
        ],
        "questions": [StandingOrderQuestion.example],
    }
)
class StandingOrders(Reply):
    seq = seq_of("The ETag.")
    seat = IntegerField(1, required=True)
    orders = fields.List(
        ComponentField("Line"),
        required=True,
        metadata={"description": "Each order as the history line that gave it, with its sentence."},
    )
    questions = fields.List(
        fields.Nested(StandingOrderQuestion),
        required=True,
        metadata={"description": "The last five questions that orders can answer, newest first."},
    )
