"""Schemas of profiles."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import BooleanField, EnumField, IntegerField, StringField, example
from service.core.http.schemas.replies.accounts import ReliabilityReply
from service.core.http.schemas.replies.base import GAME_ID, MADE_AT, PLAYER_ID, Reply, id_of, instant
from service.core.http.schemas.requests import Request
from service.features.profiles.results import PlayedResult

GAMES = {"description": "Hide the counts of your results and your newest games."}
OPPONENTS = {"description": "Hide your results against other players, in their profiles too."}
RESULTS = tuple(str(each) for each in PlayedResult)
OTHER = {"id": "pz1k8ymr2pc0h4t9", "name": "Birk"}


@example({"games": False, "opponents": True})
class ProfileSettingsRequest(Request):
    games = BooleanField(load_default=lambda: False, metadata=dict(GAMES))
    opponents = BooleanField(load_default=lambda: False, metadata=dict(OPPONENTS))


@example(ProfileSettingsRequest.example)
class ProfileSettingsReply(Reply):
    games = BooleanField(required=True, metadata=dict(GAMES))
    opponents = BooleanField(required=True, metadata=dict(OPPONENTS))


class NamedPlayer(Reply):
    id = id_of()
    name = StringField(40, required=True, metadata={"description": "Empty if the account is erased."})


class CountedResults(Reply):
    kind = StringField(40, required=True)
    seats = IntegerField(1, required=True, metadata={"description": "Number of seats of the games."})
    seat = IntegerField(1, required=True, metadata={"description": "The seat that the player had last."})
    won = IntegerField(0, required=True, metadata={"description": "Wins, alone or with others."})
    lost = IntegerField(0, required=True)
    left = IntegerField(0, required=True, metadata={"description": "Games in which the player gave up the seat."})
    aborted = IntegerField(0, required=True, metadata={"description": "Games that a vote ended without a winner."})


class RecentGame(Reply):
    game = id_of()
    kind = StringField(40, required=True)
    seat = IntegerField(1, required=True)
    result = EnumField(*RESULTS, required=True)
    ended_at = instant("When the game ended.")
    opponents = fields.List(fields.Nested(NamedPlayer), required=True)


class HeadToHeadReply(Reply):
    player = fields.Nested(NamedPlayer, required=True)
    won = IntegerField(0, required=True, metadata={"description": "Games with a better result than this opponent."})
    lost = IntegerField(0, required=True, metadata={"description": "Games with a worse result than this opponent."})
    even = IntegerField(0, required=True, metadata={"description": "Games with the same result, and aborted games."})


AGAINST = {"player": OTHER, "won": 4, "lost": 3, "even": 0}


@example(
    {
        "id": PLAYER_ID,
        "name": "Ash",
        "created_at": MADE_AT,
        "reliability": {"turns": 100, "in_time": 97},
        "hidden": [],
        "games": 7,
        "results": [{"kind": "nim", "seats": 2, "seat": 1, "won": 4, "lost": 3, "left": 0, "aborted": 0}],
        "recent": [
            {"game": GAME_ID, "kind": "nim", "seat": 1, "result": "won", "ended_at": MADE_AT, "opponents": [OTHER]}
        ],
        "opponents": [AGAINST],
        "you": None,
    }
)
class Profile(Reply):
    id = id_of()
    name = StringField(40, required=True)
    created_at = instant("When the account was created.")
    reliability = fields.Nested(ReliabilityReply, required=True)
    hidden = fields.List(
        EnumField("games", "opponents"), required=True, metadata={"description": "What the player hides from others."}
    )
    games = IntegerField(
        0, required=True, allow_none=True, metadata={"description": "Number of finished public games. Null if hidden."}
    )
    results = fields.List(
        fields.Nested(CountedResults), required=True, metadata={"description": "By kind and seat. Empty if hidden."}
    )
    recent = fields.List(
        fields.Nested(RecentGame),
        required=True,
        metadata={"description": "The last games, at most ten, the newest first. Empty if hidden."},
    )
    opponents = fields.List(
        fields.Nested(HeadToHeadReply),
        required=True,
        metadata={"description": "The most frequent opponents, at most twenty. Omits those who hide their results."},
    )
    you = fields.Nested(
        HeadToHeadReply,
        required=True,
        allow_none=True,
        metadata={"description": "The player's results against you. Null if you are this player or have no account."},
    )
