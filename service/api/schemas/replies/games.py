"""Kinds of games, and games apart from what happens in them."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.fields import Text, Truth, Whole, Word, example
from service.api.schemas.replies.accounts import Question
from service.api.schemas.replies.base import (
    COMMITMENT,
    GAME_ID,
    HEAD,
    MADE_AT,
    PLAYER_ID,
    Reply,
    anything,
    id_of,
    instant,
    record,
    seq_of,
)
from service.api.schemas.replies.showing import Hints


class Setting(Reply):
    name = Text(80, required=True)
    text = Text(1000, required=True)
    default = anything("What holds if nothing is said.", allow_none=True)
    choices = fields.List(fields.Raw(allow_none=True))
    min = Whole(allow_none=True)
    max = Whole(allow_none=True)
    needs = fields.List(
        Text(40), metadata={"description": "The modules without which it may not be named; left out if there are none."}
    )
    defaults = fields.Dict(
        keys=Text(40),
        values=fields.Raw(allow_none=True),
        metadata={"description": "By module, the default with it where that is another; left out if there are none."},
    )


@example(
    {
        "key": "battalia",
        "title": "Battalia",
        "seats": [2, 3, 4],
        "rulesets": ["creation_v2", "creation_v1"],
        "rules": {"creation_v2": "/v1/kinds/battalia/rulesets/creation_v2"},
        "options": [{"name": "max_weeks", "text": "Weeks after which it ends.", "default": 10, "min": 1, "max": 50}],
        "modules": {},
        "bots": ["random", "greedy"],
        "thinking": ["search:1", "search:2", "search:3"],
        "paces": ["free", "per_question", "calendar"],
        "guide": "/v1/kinds/battalia/guide",
        "clauses": "/v1/kinds/battalia/clauses",
        "hints": Hints.example,
    }
)
class Kind(Reply):
    key = Text(40, required=True)
    title = Text(80, required=True)
    seats = fields.List(Whole(), required=True, metadata={"description": "With how many it can be played."})
    rulesets = fields.List(Text(), required=True, metadata={"description": "The default one first."})
    rules = record("By ruleset, where its numbers and readings are.", values=Text(200))
    options = fields.List(fields.Nested(Setting), required=True)
    modules = record("What each module brings.", values=Text(4000))
    bots = fields.List(
        Text(), required=True, metadata={"description": "Those that answer at once, the strongest last."}
    )
    thinking = fields.List(
        Text(),
        required=True,
        metadata={
            "description": "Bots that may be seated as well and think for longer, the strongest last. Where nobody thinks "
            "for them (`thinkers` of `listKinds`), others answer in their place, which history tells."
        },
    )
    hints = fields.Nested(
        Hints, required=True, metadata={"description": "How a client that knows no game may show this one."}
    )
    paces = fields.List(Text(20), required=True, metadata={"description": "The modes that its pace may have."})
    guide = Text(
        200, required=True, allow_none=True, metadata={"description": "Where the guide for players is; null for none."}
    )
    clauses = Text(
        200,
        required=True,
        allow_none=True,
        metadata={"description": "Where its rules are, with `#<id>` a single clause; null where they are not told."},
    )


@example({"kinds": [Kind.example], "thinkers": 1})
class Kinds(Reply):
    kinds = fields.List(fields.Nested(Kind), required=True)
    thinkers = Whole(
        0,
        required=True,
        metadata={"description": "How many processes think for bots now; 0: what `thinking` names is answered for."},
    )


class TableSchemas(Reply):
    commands = record("JSON Schema of each command to the table.")
    events = record("JSON Schema of each event of the table.")
    settings = fields.List(
        fields.Nested(Setting),
        required=True,
        metadata={"description": "What the creator of any game may choose for its table (`table` of the new game)."},
    )


@example(
    {
        **Kind.example,
        "commands": {"resign": {"type": "object", "properties": {"type": {"const": "resign"}}, "required": ["type"]}},
        "events": {},
        "draws": {"battle_rolled": [{"field": "attack[].face", "how": "die", "faces": 6}]},
        "table": {"commands": {}, "events": {}, "settings": []},
        "position": {"type": "object"},
    }
)
class KindInFull(Kind):
    commands = record("JSON Schema of each command, by its type.")
    events = record("JSON Schema of each event as the log holds it, by its type.")
    draws = record(
        "Which fields of an event hold rolls and draws, by its type, in the order in which they are drawn (docs/audit.md)."
    )
    table = fields.Nested(TableSchemas, required=True)
    position = record("JSON Schema of a position document.")


class Person(Reply):
    id = id_of()
    name = Text(40, required=True)


_STILL = {"vacant": False, "wishes": [], "sitter": None}


class SitterTold(Reply):
    player = fields.Nested(Person, required=True)
    begins = instant("From when on they play.", data_key="from")
    until = instant("From then on they do not.")


class Seat(Reply):
    seat = Whole(1, required=True)
    vacant = Truth(required=True, metadata={"description": "Whether it is on offer (`takeSeatOver`)."})
    wishes = fields.List(
        fields.Nested(Person),
        required=True,
        metadata={
            "description": "Who would take it, if the creator agrees: told to the creator, and to each of them alone. Where the "
            "players vote on it, who asks for it: told to the players as well."
        },
    )
    sitter = fields.Nested(
        SitterTold,
        required=True,
        allow_none=True,
        metadata={"description": "Who plays it in its player's place for a time: told to these two alone."},
    )
    player = fields.Nested(Person, required=True, allow_none=True)
    bot = Text(40, required=True, allow_none=True, metadata={"description": "The bot that plays it now."})
    entropy = Text(128, required=True, metadata={"description": "What it adds to the dice, hex."})


class SandboxTold(Reply):
    position = Truth(required=True, metadata={"description": "Whether it started from a given position."})
    dice = Truth(required=True, metadata={"description": "Whether its dice are scripted."})
    forked = fields.Dict(required=True, allow_none=True, metadata={"description": "The game and seq it comes from."})


@example(
    {
        "id": GAME_ID,
        "kind": "battalia",
        "status": "running",
        "visibility": "public",
        "creator": PLAYER_ID,
        "seats": [
            {"seat": 1, "player": {"id": PLAYER_ID, "name": "Ash"}, "bot": None, "entropy": "5eed", **_STILL},
            {"seat": 2, "player": None, "bot": "greedy", "entropy": "", **_STILL},
        ],
        "your_seats": [1],
        "ruleset": "creation_v2",
        "options": {},
        "modules": [],
        "pace": {"mode": "free"},
        "table": {},
        "commitment": COMMITMENT,
        "made_at": MADE_AT,
        "started_at": MADE_AT,
        "sandbox": None,
        "stalled": False,
        "seq": 42,
        "head": HEAD,
        "asked": [Question.example],
    }
)
class GameInList(Reply):
    id = id_of()
    kind = Text(40, required=True)
    status = Word("lobby", "running", "over", required=True)
    visibility = Word("public", "unlisted", "private", required=True)
    creator = id_of()
    seats = fields.List(fields.Nested(Seat), required=True)
    your_seats = fields.List(Whole(), required=True)
    ruleset = Text(80, required=True)
    options = record("As the creator chose, and the defaults.")
    modules = fields.List(Text(), required=True)
    pace = record("How long a question may stand, as the creator chose; each question says when it is due.")
    table = record("The settings of the table around the game; those that are missing it does not have.")
    commitment = Text(64, required=True, metadata={"description": "SHA-256 of the seed of the dice, hex."})
    made_at = instant("When it was made.")
    started_at = instant("When it started.", allow_none=True)
    sandbox = fields.Nested(SandboxTold, required=True, allow_none=True)
    stalled = Truth(required=True, metadata={"description": "Whether it needs an operator."})
    seq = seq_of("The newest commit; 0 before the start.")
    head = Text(64, required=True, metadata={"description": "SHA-256 of its header, hex."})
    asked = fields.List(fields.Nested(Question), required=True, metadata={"description": "Who is asked what."})


@example({"games": [GameInList.example], "next": None})
class Games(Reply):
    games = fields.List(fields.Nested(GameInList), required=True)
    next = Text(200, required=True, allow_none=True, metadata={"description": "The cursor of the next page."})


class Outcome(Reply):
    reason = Text(80, required=True)
    clause = Text(80, required=True)
    winners = fields.List(Whole(), required=True)
    scores = record("By seat.")


class Signature(Reply):
    key = Text(64, required=True)
    signature = Text(200, required=True, metadata={"description": "Ed25519 over the newest signed head, hex."})


@example(
    {
        **GameInList.example,
        "outcome": None,
        "signature": {"key": "c0ffee0123456789", "signature": "ab…"},
    }
)
class Game(GameInList):
    outcome = fields.Nested(Outcome, required=True, allow_none=True)
    signature = fields.Nested(Signature, required=True, allow_none=True)


@example(
    {
        **Game.example,
        "status": "lobby",
        "started_at": None,
        "seq": 0,
        "head": "",
        "asked": [],
        "signature": None,
        "rules": None,
        "invitation": "3q5vxk7r1tz2m5abd0cefghjkm",
    }
)
class GameMade(Game):
    invitation = Text(64, required=True, metadata={"description": "For the others; shown this once."})
