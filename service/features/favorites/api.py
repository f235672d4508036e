"""Routes for favorite players and games."""

from __future__ import annotations

from flask import Blueprint, Response

from domain.kernel.terms import GameId, PlayerId
from service.core.accounts.scopes import ACCOUNT_READ, ACCOUNT_WRITE
from service.core.http.access.auth import authorize, is_member, required_caller
from service.core.http.access.quotas import LIMIT_RETRY_SECONDS
from service.core.http.context.app import current_context
from service.core.http.limits.rates import limit_problem
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.resources.games import build_summaries
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import EmptyRequest, read_body
from service.features.favorites import storage
from service.features.favorites.schemas import FavoriteGame, FavoriteGames, FavoritePlayer, FavoritePlayers

blueprint = Blueprint("favorites", __name__)


@blueprint.get("/v1/me/favorites/players")
@documented(
    "List favorite players",
    operation="listFavoritePlayers",
    scope=ACCOUNT_READ,
    gives={200: FavoritePlayers},
    auth="required",
    answer="The players, the newest favorite first.",
)
def players() -> Response:
    owner, store = required_caller().player, current_context().store
    found = storage.list_players(store, owner)
    known = store.accounts.players(list(found))
    listed = [_player(each, known[each].name, since) for each, since in found.items() if each in known]
    return json_response({"players": listed})


@blueprint.put("/v1/me/favorites/players/<player>")
@documented(
    "Add a favorite player",
    operation="setFavoritePlayer",
    scope=ACCOUNT_WRITE,
    text="The player is not notified.",
    takes=EmptyRequest,
    gives={200: FavoritePlayer},
    problems=("unknown-player", "too-many-favorites"),
    auth="required",
    answer="The favorite.",
)
def add_player(player: str) -> Response:
    owner, store = required_caller().player, current_context().store
    read_body(EmptyRequest)
    known = store.accounts.player(PlayerId(player))
    if known is None or known.id == owner:
        raise Problem("unknown-player")
    return json_response(_player(known.id, known.name, _add(storage.PLAYERS, owner, known.id)))


def _player(player_id: PlayerId, name: str, since: int) -> dict[str, object]:
    return {"player": {"id": player_id, "name": name}, "added_at": since}


def _add(kind: str, owner: PlayerId, id_: str) -> int:
    since = storage.add_favorite(current_context().store, kind, owner, id_)
    if since is None:
        detail = f"An account can have {storage.MOST} favorites of a kind. Remove one of them."
        raise limit_problem(LIMIT_RETRY_SECONDS, "too-many-favorites", detail)
    return since


@blueprint.delete("/v1/me/favorites/players/<player>")
@documented(
    "Remove a favorite player",
    operation="deleteFavoritePlayer",
    scope=ACCOUNT_WRITE,
    gives={204: None},
    problems=("unknown-favorite",),
    auth="required",
    answer="The player is no longer a favorite.",
)
def remove_player(player: str) -> Response:
    return _remove(storage.PLAYERS, player)


def _remove(kind: str, id_: str) -> Response:
    owner = required_caller().player
    if not storage.remove_favorite(current_context().store, kind, owner, id_):
        raise Problem("unknown-favorite")
    return no_content()


@blueprint.get("/v1/me/favorites/games")
@documented(
    "List favorite games",
    operation="listFavoriteGames",
    scope=ACCOUNT_READ,
    text="Leaves out games that were deleted, and private games that you can no longer see.",
    gives={200: FavoriteGames},
    auth="required",
    answer="The games, the newest favorite first.",
)
def games() -> Response:
    owner, context = required_caller().player, current_context()
    store = context.store
    found = store.lobbies.read_all(list(storage.list_games(store, owner)))
    lobbies = [
        each
        for each in found
        if each is not None and (each.visibility != "private" or is_member(each, owner, store.schedule.now))
    ]
    return json_response({"games": build_summaries(context, context.offload.local_reads, lobbies, owner)})


@blueprint.put("/v1/me/favorites/games/<game>")
@documented(
    "Add a favorite game",
    operation="setFavoriteGame",
    scope=ACCOUNT_WRITE,
    takes=EmptyRequest,
    gives={200: FavoriteGame},
    problems=("unknown-game", "too-many-favorites"),
    auth="required",
    answer="The favorite.",
)
def add_game(game_id: GameId) -> Response:
    credential = required_caller()
    read_body(EmptyRequest)
    access = authorize(game_id, credential)
    return json_response({"game": access.lobby.id, "added_at": _add(storage.GAMES, credential.player, access.lobby.id)})


@blueprint.delete("/v1/me/favorites/games/<game>")
@documented(
    "Remove a favorite game",
    operation="deleteFavoriteGame",
    scope=ACCOUNT_WRITE,
    gives={204: None},
    problems=("unknown-favorite",),
    auth="required",
    answer="The game is no longer a favorite.",
)
def remove_game(game_id: GameId) -> Response:
    return _remove(storage.GAMES, game_id)
