"""Schemas of challenges, and of the search for players."""

from __future__ import annotations

from marshmallow import RAISE, fields

from service.core.http.schemas.fields import BooleanField, EnumField, IntegerField, ListField, StringField, example
from service.core.http.schemas.replies.base import MADE_AT, PLAYER_ID, Reply, instant
from service.core.http.schemas.replies.games import GameSummary, PlayerReference
from service.core.http.schemas.requests import ENTROPY, HEX, GameRequest, Request

DAY = 24 * 3600
"""Seconds."""

MOST_GAMES = 50
"""Maximum number of games in one request."""


def _expires_in() -> IntegerField:
    about = "Seconds after which the reserved seats become free. Default: 7 days."
    return IntegerField(3600, 60 * DAY, load_default=lambda: 7 * DAY, metadata={"description": about})


def _entropy() -> StringField:
    about = "Your contribution to the dice of each game in which you take a seat, in hex."
    return StringField(128, pattern=ENTROPY, error=HEX, load_default=str, metadata={"description": about})


@example({"player": PLAYER_ID})
class ChallengeSeat(Request):
    player = StringField(64, 1, metadata={"description": "The id of the player, or your own id to take the seat."})
    bot = StringField(40, 1, metadata={"description": "The name of a bot. Omit both for an open seat."})


@example({"seats": [{"player": "pb1k8ymr2c0h4t9w"}, {"player": PLAYER_ID}]})
class ChallengeGame(Request):
    seats = ListField(
        fields.Nested(ChallengeSeat),
        64,
        1,
        required=True,
        metadata={"description": "Who plays each seat, seat 1 first. Without your own id you take no seat."},
    )


@example({"kind": "battalia", "games": [ChallengeGame.example], "pace": {"mode": "per_question", "hours": 24}})
class ChallengeRequest(GameRequest):
    class Meta:
        """For marshmallow."""

        unknown = RAISE
        exclude = ("seats", "auto_start", "sandbox")

    games = ListField(
        fields.Nested(ChallengeGame),
        MOST_GAMES,
        1,
        required=True,
        metadata={"description": "The games to create, all with the same settings."},
    )
    visibility = EnumField(
        "public",
        "unlisted",
        "private",
        load_default=lambda: "private",
        metadata={"description": "As for any game, but `private` by default."},
    )
    entropy = _entropy()
    expires_in = _expires_in()


@example({"expires_in": 3 * DAY})
class RematchRequest(Request):
    entropy = _entropy()
    expires_in = _expires_in()


@example({"findable": False})
class DiscoveryRequest(Request):
    findable = BooleanField(required=True)


@example({"findable": True})
class Discovery(Reply):
    findable = BooleanField(
        required=True,
        metadata={
            "description": "Whether others can find you by name and challenge you. Players of your past games can always "
            "ask for a rematch. Default: true."
        },
    )


@example({"players": [{"id": PLAYER_ID, "name": "Ash"}], "next": None})
class FoundPlayers(Reply):
    players = fields.List(fields.Nested(PlayerReference), required=True)
    next = StringField(
        required=True,
        allow_none=True,
        metadata={"description": "The cursor of the next page. Null on the last page."},
    )


_GAME = {
    **GameSummary.example,
    "status": "lobby",
    "visibility": "private",
    "your_seats": [],
    "auto_start": True,
    "started_at": None,
    "seq": 0,
    "head": "",
    "pending_questions": [],
}


@example({"game": _GAME, "received": True, "expires_at": MADE_AT + 7 * DAY * 1000})
class ChallengeReply(Reply):
    game = fields.Nested(GameSummary, required=True)
    received = BooleanField(
        required=True, metadata={"description": "True if a seat is reserved for you, false if you created the game."}
    )
    expires_at = instant(
        "When your reserved seat becomes free; in a game that you created, when the last one does. Null if no seat is "
        "reserved any more.",
        allow_none=True,
    )


@example({"challenges": [ChallengeReply.example]})
class Challenges(Reply):
    challenges = fields.List(fields.Nested(ChallengeReply), required=True)
