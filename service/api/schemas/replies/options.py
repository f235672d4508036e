"""What a seat may say, as templates of commands."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from service.api.schemas.fields import Either, Text, Whole, example
from service.api.schemas.replies.base import (
    Reply,
    record,
    seq_of,
)

SCALAR = ["string", "integer", "boolean"]


def _value(**kwargs: Any) -> fields.Raw:
    """What a parameter of a command may be."""
    return fields.Raw(allow_none=True, metadata={"type": SCALAR}, **kwargs)


def _value_or_list() -> fields.Raw:
    """A value, or a list of values: as one schema of several types, since Java's generator writes no class for a union with a list."""
    items = {"type": [*SCALAR, "null"]}
    return fields.Raw(allow_none=True, metadata={"type": [*SCALAR, "array"], "items": items})


class ChooseOne(Reply):
    name = Text(80, required=True)
    one_of = fields.List(_value(), required=True, metadata={"description": "The parameter is one of these."})


class ChooseSome(Reply):
    name = Text(80, required=True)
    subset_of = fields.List(_value(), required=True, metadata={"description": "It is a list of some of these."})
    min = Whole(0, required=True, metadata={"description": "How many at least."})
    max = Whole(0, required=True, metadata={"description": "How many at most."})


class Bounds(Reply):
    min = Whole(required=True)
    max = Whole(required=True)


class ChooseNumber(Reply):
    name = Text(80, required=True)
    integer = fields.Nested(Bounds, required=True, metadata={"description": "It is a whole number within these."})


class Option(Reply):
    type = Text(80, required=True, metadata={"description": "The type of the command."})
    fixed = fields.Dict(
        required=True,
        values=_value_or_list(),
        metadata={"description": "Parameters that are as they are."},
    )
    open = fields.List(
        Either([fields.Nested(each) for each in (ChooseOne, ChooseSome, ChooseNumber)]),
        required=True,
        metadata={
            "description": "Parameters to choose, each for itself. Several `subset_of` with one name make one list together."
        },
    )


class CalledChoice(Reply):
    text = Text(400, required=True)
    kind = Text(40, metadata={"description": "`card` for what is drawn as one."})
    note = Text(400, metadata={"description": "What else is printed on it."})
    colours = fields.List(Text(7), metadata={"description": "Its colour on light grounds, and on dark ones."})


@example(
    {
        "seq": 41,
        "seat": 1,
        "asked": 1,
        "options": [{"type": "end_turn", "fixed": {}, "open": []}],
        "table": [{"type": "resign", "fixed": {}, "open": []}],
    }
)
class Options(Reply):
    seq = seq_of("The ETag, for If-Match.")
    seat = Whole(1, required=True)
    asked = Whole(
        0,
        required=True,
        metadata={
            "description": "How many of the options, the first ones, answer the question; the rest are standing orders."
        },
    )
    options = fields.List(fields.Nested(Option), required=True)
    table = fields.List(fields.Nested(Option), required=True)
    question = Text(
        2000,
        allow_none=True,
        metadata={"description": "With `with=words`: what the seat is asked, as a sentence to it; null if nothing."},
    )
    held = record(
        "With `with=words`: by its heading, what the seat holds, such as the cards of its hand.",
        required=False,
        values=fields.List(Text(200)),
    )
    words = record(
        "With `with=words`: what the texts among the choices, and what is held, are called; those that are called as they are "
        "written are left out.",
        required=False,
        values=fields.Nested(CalledChoice),
    )
