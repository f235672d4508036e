"""Routes for ratings: lists, players, games, and the published documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flask import Blueprint, Response

from domain.kernel.terms import GameId, PlayerId, Seat
from service.core.accounts.ratings import Rating
from service.core.accounts.scopes import GAMES_READ
from service.core.http.access.auth import authorize, optional_caller
from service.core.http.context.app import current_context
from service.core.http.problems import Problem
from service.core.http.reference.parameters import FURTHEST
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, next_page_header, query_number, revalidation_headers
from service.features.ratings import publication, storage
from service.features.ratings.computation import list_key
from service.features.ratings.schemas import (
    GameRating,
    PlayerRatings,
    PublishedDays,
    PublishedDocument,
    RatingLists,
    RatingPage,
)
from service.store.ports.accounts import Player

blueprint = Blueprint("ratings", __name__)

RATINGS, MOST_RATINGS = 50, 200
"""Ratings on a page: default and maximum."""
BRIEFLY = {"Cache-Control": "public, max-age=60"}


@blueprint.get("/v1/ratings")
@documented(
    "List rating lists",
    operation="listRatingLists",
    scope=GAMES_READ,
    text="There is a list for each kind of game and number of seats. Games in which bots have seats have lists of their own.",
    gives={200: RatingLists},
    answer="The lists.",
)
def lists() -> Response:
    optional_caller()
    store = current_context().store
    names = storage.list_names(store)
    counted = zip(names, storage.count_games(store, names), strict=True)
    found = [{**_list(name), "players": players, "games": games} for name, (players, games) in counted]
    return json_response({"lists": found}, headers=BRIEFLY)


@blueprint.get("/v1/ratings/<rating_list>")
@documented(
    "Get a rating list",
    operation="getRatingList",
    scope=GAMES_READ,
    text="The highest rating first. docs/ratings.md explains the numbers and the rules.",
    gives={200: RatingPage},
    problems=("not-found",),
    parameters=("cursor", "ratings"),
    answer="A page of ratings.",
    headers=("Link",),
)
def one(rating_list: str) -> Response:
    optional_caller()
    first, wanted = query_number("cursor", 0, 0, FURTHEST), query_number("limit", RATINGS, 1, MOST_RATINGS)
    store = current_context().store
    if rating_list not in storage.list_names(store):
        raise Problem("not-found")
    found, size = storage.ranked(store, rating_list, first, wanted)
    known = _known(each.name for each in found)
    ratings = [
        {"rank": rank, "player": _player(each.name, known), **describe(each.rating)}
        for rank, each in enumerate(found, first + 1)
    ]
    following = str(first + wanted) if first + wanted < size else None
    headers = {**BRIEFLY, **(next_page_header(cursor=following) if following else {})}
    return json_response({**_list(rating_list), "ratings": ratings, "total": size, "next": following}, headers=headers)


@blueprint.get("/v1/players/<player>/ratings")
@documented(
    "Get a player's ratings",
    operation="getPlayerRatings",
    scope=GAMES_READ,
    text="The ratings of a player in every list, with their history. Ratings are public, because rated games are.",
    gives={200: PlayerRatings},
    problems=("unknown-player",),
    answer="The ratings.",
)
def of_player(player: str) -> Response:
    credential = optional_caller()
    store = current_context().store
    if store.accounts.player(PlayerId(player)) is None:
        raise Problem("unknown-player")
    found = []
    for name in storage.lists_of(store, player):
        points = storage.history(store, name, player)
        if points:
            told = [{"at": each.at, "game": each.game, **describe(each.rating)} for each in points]
            found.append({**_list(name), **describe(points[-1].rating), "history": told})
    return json_response({"ratings": found}, headers=revalidation_headers(None if credential is None else 0))


@blueprint.get("/v1/games/<game>/rating")
@documented(
    "Get the rating of a game",
    operation="getGameRating",
    scope=GAMES_READ,
    text="A rated game is in its list within minutes after its end. A late game can change later results of its players.",
    gives={200: GameRating},
    problems=("unknown-game", "not-found"),
    answer="The places of the seats, and the ratings after the game.",
)
def of_game(game_id: GameId) -> Response:
    access = authorize(game_id, optional_caller())
    store, chairs = access.context.store, access.lobby.chairs
    names = [list_key(access.lobby.kind, len(chairs), bots=bots) for bots in (False, True)]
    name, found = next(
        ((name, found) for name in names if (found := storage.find_game(store, name, game_id))), (names[0], None)
    )
    if found is None:
        raise Problem("not-found", "The game is not rated, or not in its list yet.")
    result, players = found.rated.result, found.rated.players
    known, after = _known(players), found.change.after
    places = {seat: place for team, place in zip(result.teams, result.places, strict=True) for seat in team}
    results = [
        {
            "seat": seat,
            "player": _player(who, known),
            "place": places[seat],
            "after": describe(after[who]) if who in after else None,
        }
        for seat, who in zip(map(Seat, range(1, len(players) + 1)), players, strict=True)
    ]
    told = {**_list(name), "clause": found.change.clause, "teams": [list(team) for team in result.teams]}
    return json_response(
        {**told, "results": results}, headers=revalidation_headers(None if access.player_id is None else 0)
    )


@blueprint.get("/v1/ratings/published")
@documented(
    "List published ratings",
    operation="listPublishedRatings",
    scope=GAMES_READ,
    text="Every day on which games were added, the lists are published as a document. Its SHA-256 enters the transparency "
    "log: the `game` of the entry is `name`, its `seq` is the number of the document, and its `head` is the SHA-256.",
    gives={200: PublishedDays},
    answer="The documents, the newest first.",
)
def published() -> Response:
    optional_caller()
    store = current_context().store
    places = {seq: place for place, seq in store.ledger.of(publication.LEAF)}
    days = [
        {
            "day": each.day,
            "number": each.number,
            "published_at": each.at,
            "sha256": each.sha256,
            "games": each.games,
            "log_index": places.get(each.number),
        }
        for each in publication.list_days(store)
    ]
    return json_response({"name": publication.LEAF, "days": days}, headers=BRIEFLY)


@blueprint.get("/v1/ratings/published/<day>")
@documented(
    "Get published ratings",
    operation="getPublishedRatings",
    scope=GAMES_READ,
    text="The document as it was published, for `oraclewheel ratings`; docs/ratings.md describes its format. It has the games "
    "that were added since the document before it, and all ratings.",
    gives={200: PublishedDocument},
    problems=("not-found",),
    answer="The document.",
)
def published_day(day: str) -> Response:
    optional_caller()
    found = publication.read_day(current_context().store, day)
    if found is None:
        raise Problem("not-found")
    return Response(
        found, mimetype="application/json", headers={"Cache-Control": "public, max-age=31536000, immutable"}
    )


def describe(rating: Rating) -> dict[str, Any]:
    """A rating for a response."""
    return {"rating": rating.value, "mu": rating.mu, "sigma": rating.sigma, "games": rating.games}


def _list(name: str) -> dict[str, Any]:
    kind, seats, who = name.split(":")
    return {"list": name, "kind": kind, "seats": int(seats), "bots": who == "bots"}


def _known(names: Iterable[str]) -> Mapping[PlayerId, Player]:
    """The accounts among these players and bots."""
    ids = sorted({PlayerId(each) for each in names if not each.startswith("bot:")})
    return current_context().store.accounts.players(ids) if ids else {}


def _player(name: str, known: Mapping[PlayerId, Player]) -> dict[str, Any]:
    if name.startswith("bot:"):
        bot = name.removeprefix("bot:")
        return {"id": None, "name": bot, "bot": bot}
    found = known.get(PlayerId(name))
    return {"id": name, "name": found.name if found else "", "bot": None}
