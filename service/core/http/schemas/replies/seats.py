"""Schemas of seats, sitters and invitations."""

from __future__ import annotations

from service.core.http.schemas.fields import IntegerField, StringField, example
from service.core.http.schemas.replies.base import GAME_ID, Reply, id_of


@example({"game": GAME_ID, "seat": 2, "bot": None})
class SeatAssignment(Reply):
    game = id_of()
    seat = IntegerField(1, required=True)
    bot = StringField(40, required=True, allow_none=True)


@example({"game": GAME_ID, "invitation": "3q5vxk7r1tz2m5abd0cefghjkm"})
class Invitation(Reply):
    game = id_of()
    invitation = StringField(64, required=True)
