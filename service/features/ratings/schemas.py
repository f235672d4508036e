"""Schemas of ratings."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from service.core.http.schemas.fields import BooleanField, IntegerField, ListField, StringField, example
from service.core.http.schemas.replies.base import GAME_ID, HEAD, MADE_AT, PLAYER_ID, Reply, id_of, instant

RATING = {"rating": 14.234567, "mu": 27.635389, "sigma": 4.466941, "games": 12}
LIST = {"list": "battalia:2:players", "kind": "battalia", "seats": 2, "bots": False}


def _number(about: str, **kwargs: Any) -> fields.Float:
    return fields.Float(required=True, metadata={"description": about}, **kwargs)


class RatingReply(Reply):
    rating = _number("`mu` minus three times `sigma`: the strength that the player has almost certainly.")
    mu = _number("The estimated strength.")
    sigma = _number("The uncertainty of the estimate, a standard deviation. It shrinks with each game.")
    games = IntegerField(0, required=True, metadata={"description": "Number of games that count."})


class RatingListName(Reply):
    list = StringField(80, required=True, metadata={"description": "The name of the list."})
    kind = StringField(40, required=True)
    seats = IntegerField(1, required=True)
    bots = BooleanField(
        required=True, metadata={"description": "True for the list of games in which bots had seats from the start."}
    )


class RatingListSummary(RatingListName):
    players = IntegerField(0, required=True, metadata={"description": "Number of players and bots with a rating."})
    games = IntegerField(
        0, required=True, metadata={"description": "Number of rated games, including those that do not count."}
    )


@example({"lists": [{**LIST, "players": 41, "games": 230}]})
class RatingLists(Reply):
    lists = fields.List(fields.Nested(RatingListSummary), required=True)


class RatedPlayer(Reply):
    id = id_of("The id of the account. Null for a bot.", allow_none=True)
    name = StringField(80, required=True, metadata={"description": "Empty if the account is erased."})
    bot = StringField(80, required=True, allow_none=True, metadata={"description": "The bot. Null for a player."})


ASH = {"id": PLAYER_ID, "name": "Ash", "bot": None}


class RankedPlayer(RatingReply):
    rank = IntegerField(1, required=True, metadata={"description": "Place in the list, 1 for the highest rating."})
    player = fields.Nested(RatedPlayer, required=True)


@example({**LIST, "ratings": [{"rank": 1, "player": ASH, **RATING}], "total": 41, "next": None})
class RatingPage(RatingListName):
    ratings = fields.List(fields.Nested(RankedPlayer), required=True)
    total = IntegerField(0, required=True, metadata={"description": "Number of players and bots in the list."})
    next = StringField(
        20, required=True, allow_none=True, metadata={"description": "Cursor of the next page. Null on the last page."}
    )


class RatingPointReply(RatingReply):
    at = instant("When the game ended.")
    game = id_of()


class PlayerRating(RatingListName, RatingReply):
    history = fields.List(
        fields.Nested(RatingPointReply),
        required=True,
        metadata={"description": "The rating after games, the oldest first. At most 100 games, evenly chosen."},
    )


@example({"ratings": [{**LIST, **RATING, "history": [{"at": MADE_AT, "game": GAME_ID, **RATING}]}]})
class PlayerRatings(Reply):
    ratings = fields.List(fields.Nested(PlayerRating), required=True)


class GameRatingSeat(Reply):
    seat = IntegerField(1, required=True)
    player = fields.Nested(RatedPlayer, required=True, metadata={"description": "Who had the seat at the start."})
    place = IntegerField(1, required=True, metadata={"description": "1 for the best. Equal results share a place."})
    after = fields.Nested(
        RatingReply, required=True, allow_none=True, metadata={"description": "Null if the game does not count."}
    )


@example(
    {**LIST, "clause": "", "teams": [[1], [2]], "results": [{"seat": 1, "player": ASH, "place": 1, "after": RATING}]}
)
class GameRating(RatingListName):
    clause = StringField(
        20,
        required=True,
        metadata={"description": "The clause by which the game does not count, such as `RAT-11`. Empty if it counts."},
    )
    teams = fields.List(ListField(IntegerField(1)), required=True)
    results = fields.List(fields.Nested(GameRatingSeat), required=True)


class PublishedRatings(Reply):
    day = StringField(
        10, required=True, metadata={"description": "The day (UTC) on which it was published, an ISO 8601 date."}
    )
    number = IntegerField(1, required=True, metadata={"description": "Number of the document, counted from 1."})
    published_at = instant("When it was published.")
    sha256 = StringField(64, required=True, metadata={"description": "SHA-256 of the document, hex."})
    games = IntegerField(0, required=True, metadata={"description": "Number of games that it adds."})
    log_index = IntegerField(
        0,
        required=True,
        allow_none=True,
        metadata={"description": "Index of its entry in the transparency log. Null if it is not in the log (yet)."},
    )


@example(
    {
        "name": HEAD,
        "days": [
            {"day": "2029-12-31", "number": 3, "published_at": MADE_AT, "sha256": HEAD, "games": 12, "log_index": 4200}
        ],
    }
)
class PublishedDays(Reply):
    name = StringField(
        64, required=True, metadata={"description": "The `game` of the documents' entries in the transparency log."}
    )
    days = fields.List(fields.Nested(PublishedRatings), required=True)


class PublishedResult(Reply):
    game = id_of()
    head = StringField(64, required=True)
    ended = instant("When the game ended.")
    players = fields.List(
        StringField(80),
        required=True,
        metadata={"description": "The id of the player, or `bot:` and the name of the bot, of each seat at the start."},
    )
    teams = fields.List(ListField(IntegerField(1)), required=True, metadata={"description": "The seats of each team."})
    places = ListField(
        IntegerField(1), required=True, metadata={"description": "The place of each team, 1 for the best."}
    )
    clause = StringField(
        20, required=True, metadata={"description": "The clause by which it does not count, or empty."}
    )


class PublishedList(Reply):
    list = StringField(80, required=True)
    games = fields.List(fields.Nested(PublishedResult), required=True)
    ratings = fields.Dict(
        required=True,
        metadata={"description": "By player or bot: `mu` and `sigma` as text with six decimals, and `games`."},
    )


@example(
    {
        "format": "oraclewheel/ratings",
        "number": 1,
        "place": 3,
        "previous": HEAD,
        "day": "2029-12-31",
        "at": MADE_AT,
        "release": "0.4.0",
        "lists": [
            {
                "list": "battalia:2:players",
                "games": [],
                "ratings": {PLAYER_ID: {"mu": "27.635389", "sigma": "8.065901", "games": 1}},
            }
        ],
    }
)
class PublishedDocument(Reply):
    format = StringField(40, required=True)
    number = IntegerField(1, required=True, metadata={"description": "Number of the format."})
    place = IntegerField(1, required=True, metadata={"description": "Number of the document, counted from 1."})
    previous = StringField(
        64, required=True, metadata={"description": "SHA-256 of the document before it, hex. Empty in the first."}
    )
    day = StringField(10, required=True)
    at = instant("When it was published.")
    release = StringField(40, required=True)
    lists = fields.List(fields.Nested(PublishedList), required=True)
