"""The service itself: keys, health, and what goes wrong."""

from __future__ import annotations

from marshmallow import EXCLUDE, fields

from service.api.schemas.fields import Text, Whole, Word, example
from service.api.schemas.replies.base import (
    HEAD,
    Reply,
)
from service.api.schemas.replies.play import CommandInList, Entry


class Key(Reply):
    id = Text(64, required=True)
    algorithm = Word("Ed25519", required=True)
    public = Text(64, required=True)


@example({"keys": [{"id": "c0ffee0123456789", "algorithm": "Ed25519", "public": HEAD}]})
class Keys(Reply):
    keys = fields.List(fields.Nested(Key), required=True)


@example({"status": "ok"})
class Health(Reply):
    status = Text(20, required=True)


@example({"status": "ready", "warnings": []})
class Readiness(Reply):
    status = Text(20, required=True)
    warnings = fields.List(Text(400), required=True)


class Fault(Reply):
    pointer = Text(400, required=True, metadata={"description": "JSON pointer to the field."})
    detail = Text(4000, required=True, metadata={"description": "What would be right."})


class Held(Reply):
    seq = Whole(0, required=True, allow_none=True)
    head = Text(64, required=True, allow_none=True, metadata={"description": "SHA-256 of its header, hex."})


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
        description = "What went wrong (RFC 9457)."

    type = Text(200, required=True, metadata={"description": "`urn:oraclewheel:problem:` or `:refusal:` and the code."})
    title = Text(400, required=True)
    status = Whole(400, 599, required=True)
    detail = Text(4000, required=True)
    code = Text(80, required=True, metadata={"description": "Never changes once released."})
    pointer = Text(400, metadata={"description": "JSON pointer to the field that is not right."})
    parameter = Text(80, metadata={"description": "The query parameter or header that is not right."})
    errors = fields.List(fields.Nested(Fault), metadata={"description": "Every field that is not right."})
    rule = Text(80, allow_none=True, metadata={"description": "The clause that refuses the command."})
    facts = fields.Dict(metadata={"description": "What was missing."})
    id = Text(80, metadata={"description": "The id of the command that came to this."})
    game = Text(64, metadata={"description": "The game of a command that the rules refused."})
    seq = Whole(
        0,
        allow_none=True,
        metadata={"description": "The commit of a refused command; the newest ETag if there is news."},
    )
    held = fields.Nested(
        Held, metadata={"description": "What you had seen of a log that does not stand there any more."}
    )
    stands = fields.Nested(Held, metadata={"description": "How the log stands."})
    bound = Text(400, metadata={"description": "What no position is larger than."})


class CommandProblem(ProblemDocument):
    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = "Why a command, or a list of them, did not go through."

    settled = Whole(0, metadata={"description": "Of a list of commands: how many went through."})
    commands = fields.List(
        fields.Nested(CommandInList), metadata={"description": "Of a list of commands: what became of each."}
    )
    missed = fields.List(fields.Nested(Entry), metadata={"description": "The news that you had not seen."})
