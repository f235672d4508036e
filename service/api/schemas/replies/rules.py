"""What a ruleset says, which rules are here, which decide a game, and what others would have decided."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.fields import Text, Truth, Whole, Word, example
from service.api.schemas.replies.base import Reply, anything, instant, record, seq_of


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


class RulesOf(Reply):
    release = Text(63, required=True, metadata={"description": "The release whose rules they are."})
    frozen = Truth(
        required=True,
        metadata={"description": "Whether it is an older one, whose rules are kept for games that stay under them."},
    )


@example(
    {"release": "0.3.0", "frozen": False, "digest": "9f2c6a7d14b85e03c1f7a2d6b8e90435f1c2d3e4a5b697887960514233241506"}
)
class KeptRules(RulesOf):
    digest = Text(
        64, required=True, metadata={"description": "SHA-256 over their files, hex; empty if it is not known."}
    )


class RefusedBy(Reply):
    code = Text(80, required=True)
    rule = Text(80, required=True, allow_none=True, metadata={"description": "The clause, if there is one."})


class Decided(Reply):
    accepted = Truth(required=True)
    refusal = fields.Nested(
        RefusedBy,
        required=True,
        allow_none=True,
        metadata={"description": "Why not; told to who sent the command alone."},
    )
    events = fields.List(
        Text(80), required=True, metadata={"description": "The types of what happened, as far as that can be told."}
    )


class Differs(Reply):
    seq = seq_of("The first commit that the present rules would have decided otherwise.")
    was = fields.Nested(Decided, required=True, metadata={"description": "What it came to."})
    would = fields.Nested(
        Decided,
        required=True,
        allow_none=True,
        metadata={"description": "What it would have come to; null where that cannot be told."},
    )


class Upgrade(Reply):
    seq = seq_of("The commit that says so: the last by the rules that were left.")
    left = Text(63, required=True, metadata={"description": "The release whose rules were left."})
    release = Text(63, required=True, metadata={"description": "The release whose rules go on."})
    differs = Whole(
        1,
        required=True,
        allow_none=True,
        metadata={
            "description": "The first commit that these would have decided otherwise; null where it was not everybody's to see."
        },
    )


class RulesVote(Upgrade):
    seq = seq_of("The commit with which it was called.")
    by = Whole(1, required=True, metadata={"description": "The seat that called it."})
    due = instant("By when who is asked must answer; silence is no.")
    voters = fields.List(Whole(), required=True)
    agreed = fields.List(Whole(), required=True)


@example(
    {
        "standing": "stays",
        "release": "0.2.0",
        "digest": "ab12",
        "present": "0.3.0",
        "differs": {
            "seq": 41,
            "was": {"accepted": True, "refusal": None, "events": ["road_built"]},
            "would": {"accepted": False, "refusal": None, "events": []},
        },
        "upgraded": None,
        "votes": True,
        "vote": None,
    }
)
class RulesTold(Reply):
    standing = Word(
        "present",
        "comparing",
        "alike",
        "stays",
        "agreed",
        "over",
        required=True,
        metadata={
            "description": "`present`: the present rules decide it. Of a game under older ones: `comparing`, it is not known yet "
            "what the present ones would have decided (ask again); `alike`, they take over with what comes next; `stays`, a commit "
            "would have come to something else, and it stays as it is unless its players vote; `agreed`, they have, and the present "
            "rules take over. `over`: nothing is decided any more."
        },
    )
    release = Text(63, required=True, metadata={"description": "The release whose rules decide it."})
    digest = Text(
        64,
        required=True,
        allow_none=True,
        metadata={"description": "Their digest, as `listKinds` tells it; null if unknown."},
    )
    present = Text(63, required=True, metadata={"description": "The release of the service."})
    differs = fields.Nested(
        Differs,
        required=True,
        allow_none=True,
        metadata={
            "description": "The first commit that would differ; null where there is none, and for whom it is not to see: "
            "`standing` says whether there is one."
        },
    )
    upgraded = fields.Nested(
        Upgrade,
        required=True,
        allow_none=True,
        metadata={"description": "The last time that the players have agreed to go on by other rules."},
    )
    votes = Truth(required=True, metadata={"description": "Whether there are votes at this table."})
    vote = fields.Nested(
        RulesVote, required=True, allow_none=True, metadata={"description": "The vote on it that stands."}
    )
