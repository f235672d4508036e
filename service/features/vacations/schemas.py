"""Schemas of vacations."""

from __future__ import annotations

from marshmallow import fields

from domain.table.vacations import DEFAULT, ORDERS, SITS_IN
from service.core.http.schemas.fields import EnumField, IntegerField, StringField, example
from service.core.http.schemas.replies.base import GAME_ID, MADE_AT, Reply, id_of, instant
from service.core.http.schemas.requests import Request


@example({"from": 1785844800000, "to": 1787054400000})
class VacationRequest(Request):
    begins = IntegerField(
        0,
        required=True,
        data_key="from",
        metadata={"description": "Milliseconds of Unix time. Begins now if the time is past."},
    )
    ends = IntegerField(
        0, required=True, data_key="to", metadata={"description": "Latest end, in milliseconds of Unix time."}
    )
    seat = EnumField(
        *(ORDERS, SITS_IN, DEFAULT),
        load_default=lambda: ORDERS,  # as a plain value it would be published, and generated types would require it
        metadata={
            "description": "Selects what answers for you in games with a calendar, where days continue to pass. `orders`: your "
            "standing orders. `sitter`: your sitter, and your orders only for questions that the sitter "
            "leaves open. `default`: no one; the default moves of the rules are played. This choice is "
            "public."
        },
    )
    sitter = StringField(
        64,
        1,
        metadata={
            "description": "For `sitter`: the account id of the sitter, who plays for you in every game that allows it. "
            "This includes games in which your clock stops."
        },
    )


@example(
    {
        "id": "v4m2n4x6v0b1q3w5",
        "from": MADE_AT,
        "to": MADE_AT + 864_000_000,
        "created_at": MADE_AT,
        "games": [GAME_ID],
        "seat": "orders",
        "sitter": None,
    }
)
class VacationReply(Reply):
    id = id_of("Id of the vacation, to cancel it.")
    begins = instant("Start of the vacation.", data_key="from")
    ends = instant("Latest end of the vacation.", data_key="to")
    created_at = instant("When the vacation was created.")
    games = fields.List(
        StringField(64), required=True, metadata={"description": "The games that the vacation applies to."}
    )
    seat = EnumField(
        "orders",
        "sitter",
        "default",
        required=True,
        metadata={"description": "What answers for you in games with a calendar, as in the request."},
    )
    sitter = id_of("The sitter during the vacation. Null without a sitter.", allow_none=True)


@example({"vacations": [VacationReply.example]})
class Vacations(Reply):
    vacations = fields.List(fields.Nested(VacationReply), required=True)
