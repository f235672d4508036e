"""The form of bodies about what changes in a game that goes on: whose its seats are, and by which rules it is played."""

from __future__ import annotations

from service.api.schemas.fields import Text, Whole, example
from service.api.schemas.requests import Request

LATEST = 2**53 - 1
"""The last instant that every client can write."""


@example({})
class TakeRequest(Request):
    invitation = Text(200, metadata={"description": "Needed unless the game is public."})
    player = Text(64, 1, metadata={"description": "By the creator: give it to this player, who has asked for it."})


@example({"player": "p5m2n8x1c4v7b9q0", "until": 1894060800000})
class SitterRequest(Request):
    player = Text(64, 1, required=True, metadata={"description": "Who is to play, by the id of their account."})
    begins = Whole(
        0,
        LATEST,
        data_key="from",
        metadata={"description": "From when on, milliseconds of Unix time; at once if nothing is said."},
    )
    until = Whole(
        0,
        LATEST,
        required=True,
        metadata={"description": "Until when, milliseconds of Unix time; a year from now at most."},
    )
