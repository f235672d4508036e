"""Schemas of favorites."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import example
from service.core.http.schemas.replies.base import GAME_ID, MADE_AT, PLAYER_ID, Reply, id_of, instant
from service.core.http.schemas.replies.games import GameSummary, PlayerReference


@example({"player": {"id": PLAYER_ID, "name": "Birk"}, "added_at": MADE_AT})
class FavoritePlayer(Reply):
    player = fields.Nested(PlayerReference, required=True)
    added_at = instant("When you added the player.")


@example({"game": GAME_ID, "added_at": MADE_AT})
class FavoriteGame(Reply):
    game = id_of("The id of the game.")
    added_at = instant("When you added the game.")


@example({"players": [FavoritePlayer.example]})
class FavoritePlayers(Reply):
    players = fields.List(fields.Nested(FavoritePlayer), required=True)


@example({"games": [GameSummary.example]})
class FavoriteGames(Reply):
    games = fields.List(fields.Nested(GameSummary), required=True)
