"""Schemas of requests that change seats or the ruleset of a running game."""

from __future__ import annotations

from service.core.http.schemas.fields import IntegerField, StringField, example
from service.core.http.schemas.requests import Request

LATEST = 2**53 - 1
"""The last instant that every client can represent."""


@example({})
class TakeVacantSeatRequest(Request):
    invitation = StringField(200, metadata={"description": "Required unless the game is public."})
    player = StringField(
        64, 1, metadata={"description": "For the creator: the player who requested the seat and should get it."}
    )


@example({"player": "p5m2n8x1c4v7b9q0", "until": 1894060800000})
class SitterRequest(Request):
    player = StringField(64, 1, required=True, metadata={"description": "The account id of the sitter."})
    begins = IntegerField(
        0,
        LATEST,
        data_key="from",
        metadata={"description": "Start, in milliseconds of Unix time. Default: now."},
    )
    until = IntegerField(
        0,
        LATEST,
        required=True,
        metadata={"description": "End, in milliseconds of Unix time, at most one year from now."},
    )
