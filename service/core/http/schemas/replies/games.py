"""Schemas of kinds of games and of games, without their content."""

from __future__ import annotations

from typing import Any, ClassVar

from marshmallow import fields

from service.core.http.schemas.fields import BooleanField, EnumField, IntegerField, StringField, example
from service.core.http.schemas.replies.accounts import QuestionReply
from service.core.http.schemas.replies.base import (
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
from service.core.http.schemas.replies.showing import DisplayHints


class SettingReply(Reply):
    name = StringField(80, required=True)
    text = StringField(1000, required=True)
    default = anything("The default value.", allow_none=True)
    choices = fields.List(fields.Raw(allow_none=True))
    min = IntegerField(allow_none=True)
    max = IntegerField(allow_none=True)
    needs = fields.List(
        StringField(40), metadata={"description": "Modules that this setting requires. Omitted if there are none."}
    )
    defaults = fields.Dict(
        keys=StringField(40),
        values=fields.Raw(allow_none=True),
        metadata={"description": "Default values by module, if they differ from `default`. Omitted if there are none."},
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
        "search_bots": ["search:1", "search:2", "search:3"],
        "paces": ["free", "per_question", "calendar"],
        "guide": "/v1/kinds/battalia/guide",
        "clauses": "/v1/kinds/battalia/clauses",
        "hints": DisplayHints.example,
    }
)
class Kind(Reply):
    key = StringField(40, required=True)
    title = StringField(80, required=True)
    seats = fields.List(IntegerField(1), required=True, metadata={"description": "The possible numbers of seats."})
    rulesets = fields.List(StringField(), required=True, metadata={"description": "The default ruleset first."})
    rules = record("URL of the numbers and interpretations of each ruleset.", values=StringField(200))
    options = fields.List(fields.Nested(SettingReply), required=True)
    modules = record("Description of each module.", values=StringField(4000))
    bots = fields.List(
        StringField(), required=True, metadata={"description": "Bots that answer at once, strongest last."}
    )
    search_bots = fields.List(
        StringField(),
        required=True,
        metadata={
            "description": "Bots that compute their moves in search workers, strongest last. If no search worker is "
            "running (`search_workers` of `listKinds` is 0), fallback bots answer for them, and the history shows "
            "that."
        },
    )
    hints = fields.Nested(
        DisplayHints, required=True, metadata={"description": "Display hints for clients that do not know this game."}
    )
    paces = fields.List(StringField(20), required=True, metadata={"description": "The supported modes of `pace`."})
    guide = StringField(
        200,
        required=True,
        allow_none=True,
        metadata={"description": "URL of the guide for players. Null if the game has no guide."},
    )
    clauses = StringField(
        200,
        required=True,
        allow_none=True,
        metadata={"description": "URL of the rules; append `#<id>` for a clause. Null if they are not available."},
    )


@example({"kinds": [Kind.example], "search_workers": 1})
class Kinds(Reply):
    kinds = fields.List(fields.Nested(Kind), required=True)
    search_workers = IntegerField(
        0,
        required=True,
        metadata={
            "description": "Number of running search workers. If 0, fallback bots answer for the bots in `search_bots`."
        },
    )


class TableSchemas(Reply):
    commands = record("JSON Schema of each command that every game shares.")
    events = record("JSON Schema of each event that every game shares, as the log stores it.")
    lines = record("JSON Schema of each of these events as readers get it.")
    settings = fields.List(
        fields.Nested(SettingReply),
        required=True,
        metadata={
            "description": "Settings that every game shares. The creator chooses them in `table` of the new game."
        },
    )


@example(
    {
        **Kind.example,
        "commands": {"resign": {"type": "object", "properties": {"type": {"const": "resign"}}, "required": ["type"]}},
        "events": {},
        "lines": {},
        "draws": {"battle_rolled": [{"field": "attack[].face", "how": "die", "faces": 6}]},
        "table": {"commands": {}, "events": {}, "lines": {}, "settings": []},
        "position": {"type": "object"},
    }
)
class KindDetails(Kind):
    commands = record("JSON Schema of each command, by type.")
    events = record("JSON Schema of each event as the log stores it, by type.")
    lines = record(
        "JSON Schema of each event as readers get it: with `text`, and without the fields that only some may read."
    )
    draws = record(
        "The fields of each event that contain die rolls and draws, by type, in the order in which they are "
        "drawn (docs/audit.md)."
    )
    table = fields.Nested(TableSchemas, required=True)
    position = record("JSON Schema of a position document.")


class PlayerReference(Reply):
    id = id_of()
    name = StringField(40, required=True)


_STILL: dict[str, Any] = {"vacant": False, "reservation": None, "requests": [], "sitter": None}


class SeatReservation(Reply):
    player = fields.Nested(PlayerReference, required=True)
    expires_at = instant(
        "Until when only this player can take the seat. Null if the player has declined.", allow_none=True
    )


class SitterReply(Reply):
    player = fields.Nested(PlayerReference, required=True)
    begins = instant("When the sitter starts.", data_key="from")
    until = instant("When the sitter stops.")


class Seat(Reply):
    seat = IntegerField(1, required=True)
    vacant = BooleanField(
        required=True, metadata={"description": "True if the seat is vacant and can be taken (`takeVacantSeat`)."}
    )
    reservation = fields.Nested(
        SeatReservation,
        required=True,
        allow_none=True,
        metadata={"description": "The player for whom the free seat is or was reserved. Null for any other seat."},
    )
    requests = fields.List(
        fields.Nested(PlayerReference),
        required=True,
        metadata={
            "description": "Players who request the seat. If the creator decides, only the creator sees all of them, and "
            "each player sees their own request. If the players vote, the players also see them."
        },
    )
    sitter = fields.Nested(
        SitterReply,
        required=True,
        allow_none=True,
        metadata={
            "description": "The player who temporarily plays the seat for its player. Visible only to these two; null for "
            "others, and without a sitter."
        },
    )
    name = StringField(
        200,
        metadata={
            "description": "What the board and the history call the seat: the player, the side with its bot, or the number. "
            "Lists of games omit it."
        },
    )
    player = fields.Nested(PlayerReference, required=True, allow_none=True)
    bot = StringField(
        40,
        required=True,
        allow_none=True,
        metadata={"description": "The bot that plays the seat now. Null if no bot plays it."},
    )
    entropy = StringField(128, required=True, metadata={"description": "The seat's contribution to the dice, in hex."})


class SandboxInfo(Reply):
    position = BooleanField(
        required=True, metadata={"description": "True if the sandbox started from a given position."}
    )
    dice = BooleanField(required=True, metadata={"description": "True if the dice are scripted."})
    forked = fields.Dict(
        required=True,
        allow_none=True,
        metadata={"description": "The game and seq that it was forked from. Null if it was not."},
    )


@example(
    {
        "id": GAME_ID,
        "kind": "battalia",
        "title": "Amber Harbor",
        "tags": ["beginners"],
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
        "auto_start": False,
        "commitment": COMMITMENT,
        "created_at": MADE_AT,
        "started_at": MADE_AT,
        "sandbox": None,
        "stalled": False,
        "seq": 42,
        "head": HEAD,
        "pending_questions": [QuestionReply.example],
    }
)
class GameSummary(Reply):
    has_game_fields: ClassVar[bool] = True

    id = id_of()
    kind = StringField(40, required=True)
    title = StringField(
        60,
        required=True,
        metadata={"description": "The name of the game. By default two words that follow from its id. Not unique."},
    )
    tags = fields.List(StringField(24), required=True)
    status = EnumField("lobby", "running", "over", required=True)
    visibility = EnumField("public", "unlisted", "private", required=True)
    creator = id_of()
    seats = fields.List(fields.Nested(Seat), required=True)
    your_seats = fields.List(IntegerField(1), required=True)
    ruleset = StringField(80, required=True)
    options = record("The options chosen by the creator, including defaults.")
    modules = fields.List(StringField(), required=True)
    pace = record("Time limits chosen by the creator. Each question has its deadline in `deadline`.")
    table = record("Settings that every game shares. A setting that does not apply to this game is omitted.")
    auto_start = BooleanField(
        required=True, metadata={"description": "True if the game starts when its last seat is taken."}
    )
    commitment = StringField(64, required=True, metadata={"description": "SHA-256 of the seed of the dice, in hex."})
    created_at = instant("When the game was created.")
    started_at = instant("When the game started. Null before the start.", allow_none=True)
    sandbox = fields.Nested(SandboxInfo, required=True, allow_none=True)
    stalled = BooleanField(required=True, metadata={"description": "True if the game needs an operator."})
    seq = seq_of("The newest commit. 0 before the start.")
    head = StringField(
        64,
        required=True,
        metadata={"description": "SHA-256 of the header of the newest commit, in hex. Empty before the start."},
    )
    pending_questions = fields.List(
        fields.Nested(QuestionReply), required=True, metadata={"description": "The pending questions."}
    )


@example({"games": [GameSummary.example], "next": None})
class Games(Reply):
    games = fields.List(fields.Nested(GameSummary), required=True)
    next = StringField(
        200,
        required=True,
        allow_none=True,
        metadata={"description": "The cursor of the next page. Null on the last page."},
    )


class GameOutcome(Reply):
    reason = StringField(80, required=True)
    clause = StringField(80, required=True)
    winners = fields.List(IntegerField(1), required=True)
    scores = record("Score by seat.")


class SignatureReply(Reply):
    key = StringField(64, required=True)
    signature = StringField(
        200, required=True, metadata={"description": "Ed25519 signature of the newest signed head, in hex."}
    )


@example(
    {
        **GameSummary.example,
        "outcome": None,
        "signature": {"key": "c0ffee0123456789", "signature": "ab…"},
    }
)
class GameReply(GameSummary):
    outcome = fields.Nested(GameOutcome, required=True, allow_none=True)
    signature = fields.Nested(SignatureReply, required=True, allow_none=True)


@example(
    {
        **GameReply.example,
        "status": "lobby",
        "started_at": None,
        "seq": 0,
        "head": "",
        "pending_questions": [],
        "signature": None,
        "rules": None,
        "invitation": "3q5vxk7r1tz2m5abd0cefghjkm",
    }
)
class CreatedGame(GameReply):
    invitation = StringField(
        64, required=True, metadata={"description": "The invitation for the other players. Shown only once."}
    )
