"""Schemas of options: the possible commands of a seat as templates."""

from __future__ import annotations

from marshmallow import EXCLUDE, fields

from service.core.http.schemas.fields import IntegerField, StringField, example
from service.core.http.schemas.replies.base import (
    Reply,
    record,
    seq_of,
)


class Bounds(Reply):
    min = IntegerField(required=True)
    max = IntegerField(required=True)


class OpenParameter(Reply):
    """One schema for the three forms: generators of clients cannot tell apart the members of a union without a tag."""

    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = "A parameter to choose. It has one of `one_of`, `subset_of` and `integer`."

    name = StringField(80, required=True)
    one_of = fields.List(fields.Raw(), metadata={"description": "The parameter is one of these values."})
    subset_of = fields.List(
        fields.Raw(), metadata={"description": "The parameter is a list of `min` to `max` of these values."}
    )
    min = IntegerField(0, metadata={"description": "Minimum number of values of `subset_of`."})
    max = IntegerField(0, metadata={"description": "Maximum number of values of `subset_of`."})
    integer = fields.Nested(Bounds, metadata={"description": "The parameter is a whole number in this range."})


class OptionReply(Reply):
    type = StringField(80, required=True, metadata={"description": "The type of the command."})
    fixed = fields.Dict(
        required=True,
        values=fields.Raw(),
        metadata={"description": "Parameters with fixed values. Copy them into the command."},
    )
    open = fields.List(
        fields.Nested(OpenParameter),
        required=True,
        metadata={
            "description": "Parameters to choose, independent of each other. Several `subset_of` with the same name form "
            "one list."
        },
    )


class ChoiceLabel(Reply):
    text = StringField(400, required=True)
    kind = StringField(40, metadata={"description": "`card` if it is displayed as a card."})
    note = StringField(400, metadata={"description": "Other text printed on it."})
    colors = fields.List(
        StringField(7), metadata={"description": "Its color on a light background, then on a dark one."}
    )


@example(
    {
        "seq": 41,
        "seat": 1,
        "answers": 1,
        "options": [{"type": "end_turn", "fixed": {}, "open": []}],
        "table": [{"type": "resign", "fixed": {}, "open": []}],
    }
)
class Options(Reply):
    seq = seq_of("The seq of the view. Send it as the ETag in If-Match.")
    seat = IntegerField(1, required=True)
    answers = IntegerField(
        0,
        required=True,
        metadata={
            "description": "Number of options that answer the pending question. They come first; the rest are standing "
            "orders."
        },
    )
    options = fields.List(fields.Nested(OptionReply), required=True)
    table = fields.List(fields.Nested(OptionReply), required=True)
    question = StringField(
        2000,
        allow_none=True,
        metadata={
            "description": "With `with=labels`: the pending question as a sentence to the seat. Null without a question."
        },
    )
    holdings = record(
        "With `with=labels`: what the seat holds, such as the cards in hand, by heading.",
        required=False,
        values=fields.List(StringField(200)),
    )
    labels = record(
        "With `with=labels`: display names of the strings in choices and in `holdings`. Strings that are "
        "displayed unchanged are omitted.",
        required=False,
        values=fields.Nested(ChoiceLabel),
    )
