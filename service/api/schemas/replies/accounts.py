"""Accounts, tokens, and the inbox."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.fields import Several, Text, Truth, Whole, Word, example
from service.api.schemas.replies.base import (
    GAME_ID,
    MADE_AT,
    PLAYER_ID,
    Reply,
    id_of,
    instant,
    record,
    seq_of,
)

SCOPES = ("read", "play", "account", "admin")


@example({"id": PLAYER_ID, "name": "Ash", "token": "owt_Zr…", "token_id": "c8m2n4x6v0b1q3w5"})
class PlayerMade(Reply):
    id = id_of()
    name = Text(40, required=True)
    token = Text(200, required=True, metadata={"description": "Shown this once."})
    token_id = id_of("To revoke it by.")


@example(
    {
        "id": PLAYER_ID,
        "name": "Ash",
        "made_at": MADE_AT,
        "token_id": "c8m2n4x6v0b1q3w5",
        "scopes": ["read", "play", "account"],
        "expires_at": None,
    }
)
class Me(Reply):
    id = id_of()
    name = Text(40, required=True)
    made_at = instant("When the account was made.")
    token_id = id_of("The token that asks.")
    scopes = Several(Word(*SCOPES), required=True, metadata={"description": "The scopes of that token."})
    expires_at = instant("When that token expires. Null if it does not.", allow_none=True)


@example(
    {
        "id": "c8m2n4x6v0b1q3w5",
        "label": "my bot",
        "scopes": ["read"],
        "made_at": MADE_AT,
        "expires_at": None,
        "last_used_at": MADE_AT,
        "minted_by": "c8m2n4x6v0b1q3w4",
        "current": False,
    }
)
class Token(Reply):
    id = id_of()
    label = Text(80, required=True)
    scopes = Several(Word(*SCOPES), required=True)
    made_at = instant("When it was made.")
    expires_at = instant("When it expires. Null if it does not.", allow_none=True)
    last_used_at = instant("When it was last used, to about ten minutes. Null if never.", allow_none=True)
    minted_by = id_of("The token that created it. Null if none did, or if that is not known.", allow_none=True)
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
    game = id_of()
    seconds = Whole(0, required=True, metadata={"description": "Until it must be in use."})


@example({"id": "f4m2n4x6v0b1q3w5", "kind": "game", "game": GAME_ID, "made_at": MADE_AT})
class Feed(Reply):
    id = id_of("To revoke it by.")
    kind = Word("game", "turns", "calendar", required=True)
    game = id_of("Of a feed of a game: which one.", allow_none=True)
    made_at = instant("When it was made.")


@example({"feeds": [Feed.example]})
class Feeds(Reply):
    feeds = fields.List(fields.Nested(Feed), required=True)


@example({**Feed.example, "address": "https://games.example.org/feeds/owf_Qa….atom"})
class FeedMade(Feed):
    address = Text(2000, required=True, metadata={"description": "Whoever knows it reads the feed. Shown this once."})


@example(
    {
        "id": "v4m2n4x6v0b1q3w5",
        "from": MADE_AT,
        "to": MADE_AT + 864_000_000,
        "made_at": MADE_AT,
        "games": [GAME_ID],
        "seat": "orders",
        "sitter": None,
    }
)
class Vacation(Reply):
    id = id_of("To recall it by.")
    begins = instant("From when on you are away.", data_key="from")
    ends = instant("Until when, at the latest.", data_key="to")
    made_at = instant("When it was announced.")
    games = fields.List(Text(64), required=True, metadata={"description": "The games that know of it."})
    seat = Word("orders", "sitter", "default", required=True, metadata={"description": "Who answers meanwhile."})
    sitter = id_of("Who sits in meanwhile.", allow_none=True)


@example({"vacations": [Vacation.example]})
class Vacations(Reply):
    vacations = fields.List(fields.Nested(Vacation), required=True)


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
    id = id_of("Of the commit that asked, its place on the stack, and the seat.")
    seat = Whole(0, required=True, metadata={"description": "0 is the game itself: time and chance."})
    kind = Text(80, required=True)
    rule = Text(80, required=True)
    about = record(
        "What everybody may know of it. In a game that is played in days also the `day`, counted from the first, and the "
        "`place` in it out of so many places (`of`): in a calendar, that share of the day is over at `due`."
    )
    since = instant("When it was asked.")
    due = instant("When silence is taken for an answer.", allow_none=True)


@example({**Question.example, "game": GAME_ID, "game_kind": "battalia", "seq": 41})
class Turn(Question):
    game = id_of()
    game_kind = Text(40, required=True)
    seq = seq_of("The ETag of the seat's view, for If-Match.")


@example({"turns": [Turn.example]})
class Turns(Reply):
    turns = fields.List(fields.Nested(Turn), required=True, metadata={"description": "The most urgent first."})


class ReliabilityTold(Reply):
    asked = Whole(
        0, 100, required=True, metadata={"description": "Turns that they were asked for, of the last hundred."}
    )
    in_time = Whole(0, 100, required=True, metadata={"description": "How many of these they played in time."})


@example({"id": PLAYER_ID, "name": "Ash", "reliability": {"asked": 100, "in_time": 97}})
class PlayerTold(Reply):
    id = id_of()
    name = Text(40, required=True)
    reliability = fields.Nested(ReliabilityTold, required=True)
