"""Schemas of feeds."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import EnumField, StringField, example
from service.core.http.schemas.replies.base import GAME_ID, MADE_AT, Reply, id_of, instant
from service.core.http.schemas.requests import Request


@example({"kind": "game", "game": "gq3v1xk7rtz2m5ab"})
class FeedRequest(Request):
    kind = EnumField(
        "game",
        "turns",
        "calendar",
        required=True,
        metadata={
            "description": "`game`: the history of a game. `turns`: games that wait for you. `calendar`: your deadlines."
        },
    )
    game = StringField(64, 1, metadata={"description": "For `game`: the id of the game."})


@example({"id": "f4m2n4x6v0b1q3w5", "kind": "game", "game": GAME_ID, "created_at": MADE_AT})
class Feed(Reply):
    id = id_of("Id of the feed, to revoke it.")
    kind = EnumField("game", "turns", "calendar", required=True)
    game = id_of("For a feed of a game: the id of the game. Null otherwise.", allow_none=True)
    created_at = instant("When the feed was created.")


@example({"feeds": [Feed.example]})
class Feeds(Reply):
    feeds = fields.List(fields.Nested(Feed), required=True)


@example({**Feed.example, "url": "https://games.example.org/feeds/owf_Qa….atom"})
class CreatedFeed(Feed):
    url = StringField(
        2000,
        required=True,
        metadata={"description": "The secret URL. Anyone who has it can read the feed. Shown only once."},
    )
