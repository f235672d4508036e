"""What a ruleset says."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.fields import Text, Truth, example
from service.api.schemas.replies.base import Reply, anything, record


class Ruling(Reply):
    value = anything("A number, a word, or numbers by name.", allow_none=True)
    clause = Text(
        80, required=True, metadata={"description": "The clause of the rules that it belongs to, or several."}
    )
    mark = Text(20, required=True, metadata={"description": "Who settled it, by the marks of the game's rules."})


@example(
    {
        "kind": "battalia",
        "name": "creation_v2",
        "default": True,
        "older": ["creation_v1"],
        "numbers": {"hand": {"value": 6, "clause": "TURN-01", "mark": "P"}},
        "readings": {"after_meeting": {"value": "walks no further", "clause": "BUF-09", "mark": "S"}},
        "tables": {},
    }
)
class Ruleset(Reply):
    kind = Text(40, required=True)
    name = Text(80, required=True)
    default = Truth(required=True, metadata={"description": "Whether new games are played by it if nothing is said."})
    older = fields.List(
        Text(80), required=True, metadata={"description": "Those released before it, the newest first."}
    )
    numbers = record("Its numbers, by name.", values=fields.Nested(Ruling))
    readings = record(
        "How it reads clauses that have been read in more than one way; values are words.", values=fields.Nested(Ruling)
    )
    tables = record(
        "Numbers by the thing that they belong to: in Fronela the areas with their borders, the nations with units, maxima, "
        "points and growth, arrivals and rounds.",
        values=fields.Nested(Ruling),
    )
