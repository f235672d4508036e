"""Schema of a ruleset."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import BooleanField, StringField, example
from service.core.http.schemas.replies.base import Reply, anything, record


class RulesetValue(Reply):
    value = anything("A number, a string, or an object of named numbers.", allow_none=True)
    clause = StringField(80, required=True, metadata={"description": "The rule clause or clauses of this value."})
    mark = StringField(
        20, required=True, metadata={"description": "Source of the value, as a mark of the game's rules."}
    )


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
    kind = StringField(40, required=True)
    name = StringField(80, required=True)
    default = BooleanField(required=True, metadata={"description": "True for the default ruleset of new games."})
    older = fields.List(
        StringField(80), required=True, metadata={"description": "Earlier releases of the ruleset, newest first."}
    )
    numbers = record("Numbers of the ruleset, by name.", values=fields.Nested(RulesetValue))
    readings = record(
        "How the ruleset interprets ambiguous clauses. Values are strings.", values=fields.Nested(RulesetValue)
    )
    tables = record(
        "Tables of numbers by subject. In Fronela: areas with their borders; nations with units, maxima, "
        "points and growth; arrivals and rounds.",
        values=fields.Nested(RulesetValue),
    )
