"""Schemas for accounts, tokens and the inbox."""

from __future__ import annotations

from typing import ClassVar

from marshmallow import fields

from service.core.accounts.scopes import SCOPES
from service.core.http.schemas.fields import BooleanField, EnumField, IntegerField, ListField, StringField, example
from service.core.http.schemas.replies.base import (
    GAME_ID,
    MADE_AT,
    PLAYER_ID,
    Reply,
    id_of,
    instant,
    record,
    seq_of,
)
from service.store.ports.accounts import APP, SESSION, TOKEN


@example({"id": PLAYER_ID, "name": "Ash", "token": "owt_Zr…", "token_id": "c8m2n4x6v0b1q3w5"})
class CreatedPlayer(Reply):
    id = id_of()
    name = StringField(40, required=True)
    token = StringField(
        200, required=True, metadata={"description": "The token. Shown only once. Empty for a session."}
    )
    token_id = id_of("Id of the token, to revoke it.")


@example({"id": PLAYER_ID, "name": "Ash", "token": "owt_Zr…", "token_id": "c8m2n4x6v0b1q3w5"})
class SignedIn(Reply):
    id = id_of()
    name = StringField(40, required=True)
    token = StringField(200, metadata={"description": "The token. Shown only once. Missing for a session."})
    token_id = id_of("Id of the token or session, to revoke it.")


@example(
    {
        "id": PLAYER_ID,
        "name": "Ash",
        "created_at": MADE_AT,
        "token_id": "c8m2n4x6v0b1q3w5",
        "scopes": ["read", "play", "account"],
        "game": None,
        "expires_at": None,
    }
)
class Me(Reply):
    id = id_of()
    name = StringField(40, required=True)
    created_at = instant("When the account was created.")
    token_id = id_of("The token of this request.")
    scopes = ListField(
        EnumField(*SCOPES), required=True, metadata={"description": "The scopes of the token of this request."}
    )
    game = id_of("The only game that the token of this request is valid for. Null for all games.", allow_none=True)
    expires_at = instant("When the token of this request expires. Null if it does not expire.", allow_none=True)


@example(
    {
        "id": "c8m2n4x6v0b1q3w5",
        "label": "my bot",
        "scopes": ["read"],
        "game": None,
        "created_at": MADE_AT,
        "expires_at": None,
        "last_used_at": MADE_AT,
        "created_by": "c8m2n4x6v0b1q3w4",
        "current": False,
        "kind": TOKEN,
        "device": "",
    }
)
class Token(Reply):
    id = id_of()
    label = StringField(80, required=True)
    scopes = ListField(EnumField(*SCOPES), required=True)
    game = id_of("The only game that the token is valid for. Null if it is valid for all games.", allow_none=True)
    created_at = instant("When the token was created.")
    expires_at = instant("When the token expires. Null if it does not expire.", allow_none=True)
    last_used_at = instant(
        "When the token was last used, accurate to about ten minutes. Null if never.", allow_none=True
    )
    created_by = id_of("The token that created this one. Null for a first token, or if unknown.", allow_none=True)
    current = BooleanField(required=True, metadata={"description": "True for the token of this request."})
    kind = EnumField(
        TOKEN,
        SESSION,
        APP,
        required=True,
        metadata={"description": "`session`: of a browser. `app`: of a connected app, which `label` names."},
    )
    device = StringField(
        80, required=True, metadata={"description": "The browser and system of a session. Empty if unknown."}
    )


@example({"token_id": "c8m2n4x6v0b1q3w5", "scopes": ["read", "play", "account"], "expires_at": MADE_AT})
class Session(Reply):
    token_id = id_of("Id of the session, to revoke it like a token.")
    scopes = ListField(EnumField(*SCOPES), required=True)
    expires_at = instant("When the session ends without another request.")


@example({"tokens": [Token.example]})
class Tokens(Reply):
    tokens = fields.List(fields.Nested(Token), required=True)


@example({**Token.example, "token": "owt_Zr…"})
class CreatedToken(Token):
    token = StringField(200, required=True, metadata={"description": "The token. Shown only once."})


@example({"ticket": "owk_Qa…", "game": GAME_ID, "expires_in": 60})
class Ticket(Reply):
    ticket = StringField(200, required=True)
    game = id_of()
    expires_in = IntegerField(
        0, required=True, metadata={"description": "Seconds within which the ticket must be used for the first time."}
    )


@example(
    {
        "id": "41:0:2",
        "seat": 2,
        "kind": "turn",
        "rule": "TURN-01",
        "about": {},
        "since": MADE_AT,
        "deadline": None,
    }
)
class QuestionReply(Reply):
    id = id_of("The commit that asked the question, its position on the stack, and the seat, such as `41:0:2`.")
    seat = IntegerField(
        0, required=True, metadata={"description": "Number of the seat. 0 is the game itself: time and chance."}
    )
    kind = StringField(80, required=True)
    rule = StringField(80, required=True)
    about = record(
        "Public details of the question. In games that are played in days also the `day`, counted from 1, and the "
        "turn's `place` in it, out of `of` places."
    )
    since = instant("When the question was asked.")
    deadline = instant(
        "Deadline. If it passes, `on_timeout` of the table decides the answer. Null without a deadline.",
        allow_none=True,
    )


class Opponent(Reply):
    seat = IntegerField(1, required=True)
    name = StringField(
        200, required=True, metadata={"description": "Name of the seat on the board and in the history."}
    )


@example(
    {
        **QuestionReply.example,
        "game": GAME_ID,
        "game_kind": "battalia",
        "title": "Amber Harbor",
        "opponents": [{"seat": 1, "name": "Birk"}],
        "seq": 41,
    }
)
class TurnReply(QuestionReply):
    has_game_fields: ClassVar[bool] = True

    game = id_of()
    game_kind = StringField(40, required=True)
    title = StringField(60, required=True, metadata={"description": "The title of the game."})
    opponents = fields.List(
        fields.Nested(Opponent), required=True, metadata={"description": "The seats that are not yours."}
    )
    seq = seq_of("The seq of the seat's view. Send it as the ETag in If-Match.")


@example({"turns": [TurnReply.example]})
class Turns(Reply):
    turns = fields.List(fields.Nested(TurnReply), required=True, metadata={"description": "Most urgent first."})


class ReliabilityReply(Reply):
    turns = IntegerField(
        0, 100, required=True, metadata={"description": "Number of turns with a deadline among the last hundred."}
    )
    in_time = IntegerField(
        0, 100, required=True, metadata={"description": "Number of these turns that were played before the deadline."}
    )


@example({"id": PLAYER_ID, "name": "Ash", "reliability": {"turns": 100, "in_time": 97}})
class PlayerReply(Reply):
    id = id_of()
    name = StringField(40, required=True)
    reliability = fields.Nested(ReliabilityReply, required=True)
