"""Schemas of seats, sitters and invitations."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import EnumField, IntegerField, StringField, example
from service.core.http.schemas.replies.base import GAME_ID, MADE_AT, PLAYER_ID, Reply, id_of, instant
from service.core.http.schemas.replies.games import PlayerReference


@example({"game": GAME_ID, "seat": 2, "bot": None})
class SeatAssignment(Reply):
    game = id_of()
    seat = IntegerField(1, required=True)
    bot = StringField(40, required=True, allow_none=True)


@example({"game": GAME_ID, "seat": 2, "status": "taken"})
class SeatRequestStatus(Reply):
    game = id_of()
    seat = IntegerField(1, required=True)
    status = EnumField(
        "taken",
        "pending",
        "asked",
        "refused",
        "none",
        required=True,
        metadata={
            "description": "`taken`: the seat is yours. `pending`: not settled yet. `asked`: the creator or a vote of the "
            "players must decide. `refused`: the players rejected the request. `none`: you have no open "
            "request."
        },
    )


@example({"game": GAME_ID, "seat": 2, "player": PLAYER_ID, "from": MADE_AT, "until": MADE_AT + 604_800_000})
class SitterAssignment(Reply):
    game = id_of()
    seat = IntegerField(1, required=True)
    player = id_of()
    begins = instant("When the sitter starts.", data_key="from")
    until = instant("When the sitter stops.")


@example({"player": {"id": PLAYER_ID, "name": "Ash"}, "requested_at": MADE_AT, "agreed_at": None})
class SitterAgreement(Reply):
    player = fields.Nested(
        PlayerReference, required=True, metadata={"description": "The player whose seats you would play."}
    )
    requested_at = instant("When the player asked you.")
    agreed_at = instant("When you agreed. Null if you have not answered.", allow_none=True)


@example({"agreements": [SitterAgreement.example]})
class SitterAgreements(Reply):
    agreements = fields.List(fields.Nested(SitterAgreement), required=True)


@example({"game": GAME_ID, "invitation": "3q5vxk7r1tz2m5abd0cefghjkm"})
class Invitation(Reply):
    game = id_of()
    invitation = StringField(64, required=True)
