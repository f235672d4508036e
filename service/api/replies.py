"""The form of every JSON body that goes out: what clients may rely on, and must let grow."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from marshmallow import EXCLUDE, Schema, fields

from service.api.fields import Several, Text, Truth, Whole, Word, example

GAME_ID, PLAYER_ID, COMMAND_ID = "gq3v1xk7rtz2m5ab", "pc0h4t9wz1k8ymr2", "k3Vt0aPq9vZxW1uYbR2sTf4d"
MADE_AT = 1893456000000
HEAD = "9f2c6a7d14b85e03c1f7a2d6b8e90435f1c2d3e4a5b697887960514233241506"
COMMITMENT = "5e884898da28047151d0e56f8dc6292773603d0d6aabbd62a11ef721d1542d8f"


def _id(about: str = "", **kwargs: Any) -> Text:
    return Text(64, required=kwargs.pop("required", True), metadata={"description": about} if about else {}, **kwargs)


def _instant(about: str, **kwargs: Any) -> Whole:
    metadata = {"description": f"{about} Milliseconds of Unix time."}
    return Whole(required=kwargs.pop("required", True), metadata=metadata, **kwargs)


def _json(about: str, **kwargs: Any) -> fields.Raw:
    return fields.Raw(required=True, metadata={"description": about}, **kwargs)


def _record(about: str, **kwargs: Any) -> fields.Dict:
    return fields.Dict(required=True, metadata={"description": about}, **kwargs)


def _seq(about: str) -> Whole:
    return Whole(0, required=True, metadata={"description": about})


class Reply(Schema):
    """A body that goes out: there may be more in it one day."""

    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE

    example: ClassVar[Mapping[str, Any]] = MappingProxyType({})


# -- accounts ---------------------------------------------------------------------------------------------------------


@example({"id": PLAYER_ID, "name": "Ash", "token": "owt_Zr…", "token_id": "c8m2n4x6v0b1q3w5"})
class PlayerMade(Reply):
    id = _id()
    name = Text(40, required=True)
    token = Text(200, required=True, metadata={"description": "Shown this once."})
    token_id = _id("To revoke it by.")


@example(
    {
        "id": PLAYER_ID,
        "name": "Ash",
        "made_at": MADE_AT,
        "token_id": "c8m2n4x6v0b1q3w5",
        "scopes": ["read", "play"],
    }
)
class Me(Reply):
    id = _id()
    name = Text(40, required=True)
    made_at = _instant("When the account was made.")
    token_id = _id("The token that asks.")
    scopes = Several(Word("read", "play", "admin"), required=True)


@example(
    {
        "id": "c8m2n4x6v0b1q3w5",
        "label": "my bot",
        "scopes": ["read"],
        "made_at": MADE_AT,
        "current": False,
    }
)
class Token(Reply):
    id = _id()
    label = Text(80, required=True)
    scopes = Several(Word("read", "play", "admin"), required=True)
    made_at = _instant("When it was made.")
    current = Truth(required=True, metadata={"description": "Whether it is the token that asks."})


@example({"tokens": [Token.example]})
class Tokens(Reply):
    tokens = fields.List(fields.Nested(Token), required=True)


@example({**Token.example, "token": "owt_Zr…"})
class TokenMade(Token):
    token = Text(200, required=True, metadata={"description": "Shown this once."})


@example({"ticket": "owk_Qa…", "game": GAME_ID, "seconds": 60})
class TicketMade(Reply):
    ticket = Text(200, required=True)
    game = _id()
    seconds = Whole(0, required=True, metadata={"description": "Until it must be in use."})


@example(
    {
        "id": "41:0:2",
        "seat": 2,
        "kind": "turn",
        "rule": "TURN-01",
        "about": {},
        "since": MADE_AT,
        "due": None,
    }
)
class Question(Reply):
    id = _id("Of the commit that asked, its place on the stack, and the seat.")
    seat = Whole(0, required=True, metadata={"description": "0 is the game itself: time and chance."})
    kind = Text(80, required=True)
    rule = Text(80, required=True)
    about = _record("What everybody may know of it.")
    since = _instant("When it was asked.")
    due = _instant("When silence is taken for an answer.", allow_none=True)


@example({**Question.example, "game": GAME_ID, "game_kind": "battalia", "seq": 41})
class Turn(Question):
    game = _id()
    game_kind = Text(40, required=True)
    seq = _seq("The ETag of the seat's view, for If-Match.")


@example({"turns": [Turn.example]})
class Turns(Reply):
    turns = fields.List(fields.Nested(Turn), required=True, metadata={"description": "The most urgent first."})


# -- kinds ------------------------------------------------------------------------------------------------------------


class Setting(Reply):
    name = Text(80, required=True)
    text = Text(1000, required=True)
    default = _json("What holds if nothing is said.", allow_none=True)
    choices = fields.List(fields.Raw(allow_none=True))
    min = Whole(allow_none=True)
    max = Whole(allow_none=True)


@example(
    {
        "key": "battalia",
        "title": "Battalia",
        "seats": [2, 3, 4],
        "rulesets": ["creation_v1"],
        "options": [{"name": "max_weeks", "text": "Weeks after which it ends.", "default": 10, "min": 1, "max": 50}],
        "modules": {},
        "bots": ["random", "greedy"],
    }
)
class Kind(Reply):
    key = Text(40, required=True)
    title = Text(80, required=True)
    seats = fields.List(Whole(), required=True, metadata={"description": "With how many it can be played."})
    rulesets = fields.List(Text(), required=True, metadata={"description": "The default one first."})
    options = fields.List(fields.Nested(Setting), required=True)
    modules = _record("What each module brings.", values=Text(4000))
    bots = fields.List(Text(), required=True)


@example({"kinds": [Kind.example]})
class Kinds(Reply):
    kinds = fields.List(fields.Nested(Kind), required=True)


class TableSchemas(Reply):
    commands = _record("JSON Schema of each command to the table.")
    events = _record("JSON Schema of each event of the table.")


@example(
    {
        **Kind.example,
        "commands": {"resign": {"type": "object", "properties": {"type": {"const": "resign"}}, "required": ["type"]}},
        "events": {},
        "table": {"commands": {}, "events": {}},
        "position": {"type": "object"},
    }
)
class KindInFull(Kind):
    commands = _record("JSON Schema of each command, by its type.")
    events = _record("JSON Schema of each event as the log holds it, by its type.")
    table = fields.Nested(TableSchemas, required=True)
    position = _record("JSON Schema of a position document.")


# -- games ------------------------------------------------------------------------------------------------------------


class Person(Reply):
    id = _id()
    name = Text(40, required=True)


class Seat(Reply):
    seat = Whole(1, required=True)
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
            {"seat": 1, "player": {"id": PLAYER_ID, "name": "Ash"}, "bot": None, "entropy": "5eed"},
            {"seat": 2, "player": None, "bot": "greedy", "entropy": ""},
        ],
        "your_seats": [1],
        "ruleset": "creation_v1",
        "options": {},
        "modules": [],
        "pace": {"mode": "free"},
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
    id = _id()
    kind = Text(40, required=True)
    status = Word("lobby", "running", "over", required=True)
    visibility = Word("public", "unlisted", "private", required=True)
    creator = _id()
    seats = fields.List(fields.Nested(Seat), required=True)
    your_seats = fields.List(Whole(), required=True)
    ruleset = Text(80, required=True)
    options = _record("As the creator chose, and the defaults.")
    modules = fields.List(Text(), required=True)
    pace = _record("How long a question may stand.")
    commitment = Text(64, required=True, metadata={"description": "SHA-256 of the seed of the dice, hex."})
    made_at = _instant("When it was made.")
    started_at = _instant("When it started.", allow_none=True)
    sandbox = fields.Nested(SandboxTold, required=True, allow_none=True)
    stalled = Truth(required=True, metadata={"description": "Whether it needs an operator."})
    seq = _seq("The newest commit; 0 before the start.")
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
    scores = _record("By seat.")


class Signature(Reply):
    key = Text(64, required=True)
    signature = Text(200, required=True, metadata={"description": "Ed25519 over the newest signed head, hex."})


@example({**GameInList.example, "outcome": None, "signature": {"key": "c0ffee0123456789", "signature": "ab…"}})
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
        "invitation": "3q5vxk7r1tz2m5abd0cefghjkm",
    }
)
class GameMade(Game):
    invitation = Text(64, required=True, metadata={"description": "For the others; shown this once."})


@example({"game": GAME_ID, "seat": 2, "bot": None})
class Seated(Reply):
    game = _id()
    seat = Whole(1, required=True)
    bot = Text(40, required=True, allow_none=True)


@example({"game": GAME_ID, "invitation": "3q5vxk7r1tz2m5abd0cefghjkm"})
class Invitation(Reply):
    game = _id()
    invitation = Text(64, required=True)


# -- play -------------------------------------------------------------------------------------------------------------


class Line(Reply):
    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = "What happened, with the fields of its type that the reader may see."

    type = Text(80, required=True)
    text = Text(4000, required=True, metadata={"description": "The same in a sentence."})


class Refusal(Reply):
    code = Text(80, required=True)
    message = Text(1000, required=True)
    rule = Text(80, required=True, allow_none=True)
    field = Text(80, required=True, allow_none=True)
    facts = _record("What was missing.")


@example(
    {
        "seq": 42,
        "at": MADE_AT,
        "seat": 1,
        "by": "player",
        "head": HEAD,
        "lines": [{"type": "turn_ended", "seat": 1, "text": "Ash ends the turn."}],
        "command": COMMAND_ID,
    }
)
class Entry(Reply):
    seq = _seq("The commit.")
    at = _instant("When it was settled.")
    seat = Whole(0, required=True, metadata={"description": "Who acted; 0 is the game itself."})
    by = Word(
        *("player", "bot", "policy", "system"),
        required=True,
        metadata={"description": "`policy`: a deadline passed, and the default was played."},
    )
    head = Text(64, required=True, metadata={"description": "SHA-256 of the commit's header, hex."})
    lines = fields.List(fields.Nested(Line), required=True)
    command = Text(64, metadata={"description": "The id of the command, if it was yours."})
    refusal = fields.Nested(Refusal, metadata={"description": "Why it was refused, if it was yours."})


@example({"events": [Entry.example], "after": 42, "more": False})
class Events(Reply):
    events = fields.List(fields.Nested(Entry), required=True)
    after = _seq("Where to go on: `?after=` of the next page.")
    more = Truth(required=True, metadata={"description": "Whether there is a next page now."})


@example({"id": COMMAND_ID, "status": "pending"})
class CommandPending(Reply):
    id = _id()
    status = Word("pending", required=True)


@example({"id": COMMAND_ID, "status": "settled", **Entry.example})
class CommandOutcome(Reply):
    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = "A settled command, as its sender may read what came of it; or what came of one that was tried."

    id = _id(required=False)
    status = Word("settled")
    seq = _seq("The commit; of a dry run, the ETag of the view it was tried on.")
    lines = fields.List(fields.Nested(Line), metadata={"description": "Of a dry run: one possible outcome."})
    dry_run = Truth(metadata={"description": "True for one that was only tried."})
    accepted = Truth(metadata={"description": "Of a dry run: whether the rules would allow it, for certain."})
    refusal = fields.Nested(Refusal, metadata={"description": "Of a dry run: why not."})
    at = _instant("When it was settled.", required=False)
    head = Text(64)


@example({"id": COMMAND_ID, "status": "settled", **Entry.example})
class CommandStatus(Reply):
    id = _id()
    status = Word(
        *("pending", "settled", "refused", "over"),
        required=True,
        metadata={"description": "`over`: the game ended before it."},
    )
    seq = Whole(0)
    lines = fields.List(fields.Nested(Line))
    refusal = fields.Nested(Refusal)


class Option(Reply):
    type = Text(80, required=True)
    fixed = _record("Parameters that are as they are.")
    open = fields.List(
        fields.Dict(),
        required=True,
        metadata={
            "description": "Parameters to choose: `one_of` some; a `subset_of` some with `min` to `max` of them; an "
            "`integer` from `min` to `max`."
        },
    )


@example(
    {
        "seq": 41,
        "seat": 1,
        "options": [{"type": "end_turn", "fixed": {}, "open": []}],
        "table": [{"type": "resign", "fixed": {}, "open": []}],
    }
)
class Options(Reply):
    seq = _seq("The ETag, for If-Match.")
    seat = Whole(1, required=True)
    options = fields.List(fields.Nested(Option), required=True)
    table = fields.List(fields.Nested(Option), required=True)


@example({"seq": 41, "public": {"round": 3}, "private": {"hand": []}})
class View(Reply):
    seq = _seq("The last commit that changed what this reader sees: the ETag.")
    public = _record("What everybody sees, as the kind of game tells it; `table` says who plays and how it ended.")
    private = _json("What the seat sees besides; null for the public.", allow_none=True)


@example({"seq": 41, "position": {"round": 3}})
class PositionDocument(Reply):
    seq = _seq("The commit after which it stood so.")
    position = _record("The state; its JSON Schema is in the kind.")


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
    errors = fields.List(fields.Dict(), metadata={"description": "Every field that is not right."})
    rule = Text(80, allow_none=True, metadata={"description": "The clause that refuses the command."})
    facts = fields.Dict(metadata={"description": "What was missing."})
    missed = fields.List(fields.Nested(Entry), metadata={"description": "The news that you had not seen."})
