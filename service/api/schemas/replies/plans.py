"""What a seat lays down beforehand: its plans and what becomes of them, its standing orders and how they answer."""

from __future__ import annotations

from marshmallow import EXCLUDE, fields

from service.api.schemas.fields import Component, Text, Truth, Whole, Word, example
from service.api.schemas.replies.accounts import Question
from service.api.schemas.replies.base import COMMAND_ID, MADE_AT, Reply, id_of, instant, seq_of
from service.api.schemas.replies.play import CommandInList, Entry, by_of

_PLANNED = {"type": "end_turn"}


@example(
    {
        "id": COMMAND_ID,
        "seat": 1,
        "commands": [_PLANNED],
        "if": "unchanged",
        "then": "wait",
        "for": ["turn"],
        "seen": 41,
        "laid_at": MADE_AT,
        "status": "waiting",
    }
)
class Plan(Reply):
    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = "A seat's plan: as it was laid, and what became of it."

    id = id_of("Its ETag; when it is played, `GET …/commands/{id}` tells of it as of a list.")
    seat = Whole(1, required=True)
    commands = fields.List(Component("Command"), required=True, metadata={"description": "As they were laid."})
    if_ = Word("unchanged", "legal", data_key="if", required=True)
    then = Word("end_turn", "wait", required=True)
    for_ = fields.List(
        Text(80),
        data_key="for",
        required=True,
        metadata={"description": "The kinds of questions that it waits for; `*` for any."},
    )
    seen = seq_of("The ETag of your view when it was laid.")
    laid_at = instant("When it was laid.")
    status = Word(
        *("waiting", "playing", "played", "stopped", "over"),
        required=True,
        metadata={
            "description": "`playing`: begun; it may wait for others to decide. `stopped`: at the first refusal, or because commands "
            "were undone; `over`: the game ended before all of it was played."
        },
    )
    outcomes = fields.List(
        fields.Nested(CommandInList),
        metadata={"description": "What became of each command, what ends the turn among them, once it is played."},
    )
    stopped_at = Whole(0, metadata={"description": "The place of the command that was refused, counted from 0."})
    news = fields.Nested(
        Entry, allow_none=True, metadata={"description": "Of a plan that something had changed for: what it was first."}
    )


@example(
    {
        "dry_run": True,
        "seq": 41,
        "for": ["turn"],
        "question": Question.example,
        "accepted": True,
        "outcomes": [{"accepted": True, "lines": []}],
    }
)
class PlanTried(Reply):
    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = "What a plan would come to, in one of the games that its seat may imagine; nothing was laid."

    dry_run = Truth(required=True, metadata={"enum": [True]})
    seq = seq_of("The ETag of the view it was tried on.")
    for_ = fields.List(
        Text(80),
        data_key="for",
        required=True,
        metadata={"description": "The kinds of questions that it would wait for; `*` for any."},
    )
    question = fields.Nested(
        Question,
        required=True,
        allow_none=True,
        metadata={
            "description": "The question that it was tried for; null where none came, however long everybody was silent: then nothing was "
            "tried."
        },
    )
    accepted = Truth(required=True, metadata={"description": "Whether all of it would be allowed."})
    outcomes = fields.List(
        fields.Nested(CommandInList),
        required=True,
        metadata={
            "description": "What each command would come to, what ends the turn among them, as far as the first that is refused."
        },
    )
    stopped_at = Whole(0, metadata={"description": "The place of the command that would be refused, counted from 0."})


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
