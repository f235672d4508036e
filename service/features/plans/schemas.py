"""Schemas of plans and their results."""

from __future__ import annotations

from typing import Any

from marshmallow import EXCLUDE, fields

from domain.kernel.game import AnyGame
from service.core.http.schemas.commands import AnyCommand, load_all
from service.core.http.schemas.fields import (
    BooleanField,
    ComponentField,
    EnumField,
    IntegerField,
    ListField,
    StringField,
    example,
)
from service.core.http.schemas.replies.accounts import QuestionReply
from service.core.http.schemas.replies.base import COMMAND_ID, MADE_AT, Reply, id_of, instant, seq_of
from service.core.http.schemas.replies.play import CommandListItem, HistoryEntry
from service.core.http.schemas.requests import Request, body_object, loaded
from service.store.shared.lists import MOST_IN_LIST

_PLANNED = {"type": "end_turn"}


@example({"commands": [{"type": "take_supply", "cards": ["frimen-barfolk-3"]}], "if": "unchanged", "then": "end_turn"})
class PlanRequest(Request):
    """What is to be played when the question comes."""

    commands = ListField(
        AnyCommand("Command"),
        MOST_IN_LIST,
        0,
        required=True,
        metadata={"description": "As in a list of commands. Can be empty only if the plan ends the turn."},
    )
    if_ = EnumField(
        "unchanged",
        "legal",
        data_key="if",
        attribute="if",
        required=True,
        metadata={
            "description": "`unchanged`: only if nothing that the seat can see has changed. `legal`: as long as each "
            "command is legal."
        },
    )
    then = EnumField(
        "end_turn",
        "wait",
        required=True,
        metadata={"description": "After all commands are played: end the turn, or wait for the next question."},
    )
    for_ = ListField(
        StringField(80, 1),
        32,
        1,
        data_key="for",
        attribute="for",
        metadata={
            "description": "The kinds of questions that the plan waits for. Default: those that its first command answers. "
            "If the plan ends the turn, only questions of a turn."
        },
    )
    seen = IntegerField(
        0,
        metadata={
            "description": "The `seq` of the view that the plan is based on. The response is 412 `stale` if the view has "
            "changed."
        },
    )


def read_plan(game: AnyGame) -> dict[str, Any]:
    """The plan in this request's body, with validated commands. Raises as `read_body` does."""
    document = body_object()
    loaded(PlanRequest, document)
    load_all(game, document["commands"])
    return document


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
class PlanReply(Reply):
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


@example(PlanReply.example)
class PlanOutcome(PlanReply):
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
        QuestionReply,
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
