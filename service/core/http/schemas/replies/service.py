"""Schemas of keys, health checks and problems."""

from __future__ import annotations

from marshmallow import EXCLUDE, fields

from service.core.http.schemas.fields import IntegerField, StringField, example
from service.core.http.schemas.replies.base import Reply, instant
from service.core.http.schemas.replies.play import CommandListItem, HistoryEntry


@example({"status": "ok"})
class Health(Reply):
    status = StringField(20, required=True)


@example({"status": "ready", "warnings": []})
class Readiness(Reply):
    status = StringField(20, required=True)
    warnings = fields.List(StringField(400), required=True)


class FieldError(Reply):
    pointer = StringField(400, required=True, metadata={"description": "JSON pointer to the field."})
    detail = StringField(4000, required=True, metadata={"description": "The expected value."})


class GameHead(Reply):
    seq = IntegerField(0, required=True, allow_none=True)
    head = StringField(
        64,
        required=True,
        allow_none=True,
        metadata={"description": "SHA-256 of the header of that commit, in hex. Null if it is unknown."},
    )


@example(
    {
        "type": "urn:oraclewheel:refusal:not-your-turn",
        "title": "The rules do not allow this command.",
        "status": 409,
        "detail": "It is not your turn.",
        "code": "not-your-turn",
        "rule": None,
        "facts": {"asked": [2]},
    }
)
class ProblemDocument(Reply):
    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        title = "Problem"
        description = "An error (RFC 9457)."

    type = StringField(
        200,
        required=True,
        metadata={"description": "`urn:oraclewheel:problem:` or `urn:oraclewheel:refusal:`, followed by the code."},
    )
    title = StringField(400, required=True)
    status = IntegerField(400, 599, required=True)
    detail = StringField(4000, required=True)
    code = StringField(
        80, required=True, metadata={"description": "Machine-readable code. Never changes once released."}
    )
    pointer = StringField(400, metadata={"description": "JSON pointer to the invalid field."})
    parameter = StringField(80, metadata={"description": "The invalid query parameter or header."})
    errors = fields.List(fields.Nested(FieldError), metadata={"description": "The invalid fields."})
    rule = StringField(80, allow_none=True, metadata={"description": "The rule clause that refuses the command."})
    facts = fields.Dict(metadata={"description": "The details of the refusal, such as what was missing."})
    id = StringField(80, metadata={"description": "The id of the command that failed."})
    game = StringField(64, metadata={"description": "The game of a command that the rules refused."})
    seq = IntegerField(
        0,
        allow_none=True,
        metadata={"description": "The commit of a refused command; for `stale`, the newest ETag."},
    )
    client = fields.Nested(
        GameHead, metadata={"description": "The commit that you sent in Game-Head. The log does not contain it."}
    )
    server = fields.Nested(GameHead, metadata={"description": "The current state of the log."})
    limit = StringField(400, metadata={"description": "The size limit that was exceeded."})
    reason = StringField(1000, metadata={"description": "Why the account is suspended."})
    until = instant("When the suspension ends. Null if only an operator can end it.", required=False, allow_none=True)
    contact = StringField(
        254,
        allow_none=True,
        metadata={"description": "Email address for appeals against a suspension. Null if unknown."},
    )


class CommandProblem(ProblemDocument):
    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = "Why a command or a list of commands failed."

    settled = IntegerField(0, metadata={"description": "For a list: number of commands that were played."})
    commands = fields.List(
        fields.Nested(CommandListItem), metadata={"description": "For a list: the result of each command."}
    )
    missed = fields.List(fields.Nested(HistoryEntry), metadata={"description": "The entries that you had not seen."})
