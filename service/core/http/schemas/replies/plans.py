"""Schemas of plans and their results, and of standing orders and their effect."""

from __future__ import annotations

from marshmallow import EXCLUDE, fields

from service.core.http.schemas.fields import BooleanField, ComponentField, EnumField, IntegerField, StringField, example
from service.core.http.schemas.replies.accounts import Question
from service.core.http.schemas.replies.base import COMMAND_ID, MADE_AT, Reply, id_of, instant, seq_of
from service.core.http.schemas.replies.play import CommandListItem, HistoryEntry, by_of

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
        "created_at": MADE_AT,
        "status": "waiting",
    }
)
class Plan(Reply):
    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = "The plan of a seat and its result."

    id = id_of(
        "The id of the plan, which is its ETag. After it is played, `GET …/commands/{id}` returns its result "
        "like that of a list."
    )
    seat = IntegerField(1, required=True)
    commands = fields.List(
        ComponentField("Command"), required=True, metadata={"description": "The commands as they were sent."}
    )
    if_ = EnumField("unchanged", "legal", data_key="if", required=True)
    then = EnumField("end_turn", "wait", required=True)
    for_ = fields.List(
        StringField(80),
        data_key="for",
        required=True,
        metadata={"description": "The kinds of questions that the plan waits for; `*` for any."},
    )
    seen = seq_of("The ETag of your view when the plan was stored.")
    created_at = instant("When the plan was stored.")
    status = EnumField(
        *("waiting", "playing", "played", "stopped", "over"),
        required=True,
        metadata={
            "description": "`playing`: started, possibly waiting for other players. `stopped`: ended at the first refusal, or because "
            "commands were undone. `over`: the game ended before the plan was complete."
        },
    )
    outcomes = fields.List(
        fields.Nested(CommandListItem),
        metadata={
            "description": "After the plan is played: the result of each command, including the one that ends the turn."
        },
    )
    stopped_at = IntegerField(0, metadata={"description": "Index of the refused command, counted from 0."})
    first_change = fields.Nested(
        HistoryEntry,
        allow_none=True,
        metadata={
            "description": "If the plan was refused because the view had changed: the first entry that changed it."
        },
    )


@example(Plan.example)
class PlanOutcome(Plan):
    """One schema for both outcomes: generators of clients cannot tell apart the members of a union without a tag."""

    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = (
            "The stored plan. With `dry_run=true` only `dry_run`, `seq`, `for`, `question`, `accepted`, `outcomes` and "
            "`stopped_at`: the predicted result in one of the games that the seat considers possible."
        )

    def __init__(self) -> None:
        super().__init__(partial=True)

    dry_run = BooleanField(metadata={"enum": [True]})
    seq = seq_of("The seq of the view that the prediction is based on.")
    question = fields.Nested(
        Question,
        allow_none=True,
        metadata={
            "description": "The question that the plan was tested on. Null if no such question arises while no player "
            "acts; nothing was tested then."
        },
    )
    accepted = BooleanField(metadata={"description": "True if all commands would be legal."})
    outcomes = fields.List(
        fields.Nested(CommandListItem),
        metadata={
            "description": "After the plan is played, or as predicted by a dry run: the result of each command, including "
            "the one that ends the turn, up to the first that is refused."
        },
    )


@example(
    {
        **Question.example,
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
class StandingOrderQuestion(Question):
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
