"""Routes for the inbox: the games that wait for the authenticated player."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

import orjson
from flask import Blueprint, Response

from domain.kernel.terms import PlayerId
from service.core.accounts.scopes import GAMES_READ
from service.core.history.seating import describe_game
from service.core.http.access.auth import require_valid_token, required_caller
from service.core.http.context.app import AppContext, current_context
from service.core.http.context.lobbies import LobbyCache
from service.core.http.context.offload import ReadContext
from service.core.http.context.tokens import digest_of
from service.core.http.limits.rates import client_address
from service.core.http.reference.routes import documented
from service.core.http.responses import (
    json_bytes_response,
    not_modified,
    preference_applied,
    preferred_wait,
    revalidation_headers,
)
from service.core.http.schemas import replies
from service.core.lobbies.inbox import list_turns
from service.store.ports.news import ALL_GAMES

blueprint = Blueprint("inbox", __name__)

PAUSE = 0.1
"""Minimum seconds between two reads of an inbox."""


@blueprint.get("/v1/me/turns")
@documented(
    "List games waiting for me",
    operation="listTurns",
    scope=GAMES_READ,
    text="With `Prefer: wait`, responds as soon as the list is not empty. If you also send If-None-Match, "
    "responds as soon as the list differs from that ETag.",
    gives={200: replies.Turns, 304: None},
    problems=("too-many-streams", "too-much-work"),
    parameters=("If-None-Match", "Prefer"),
    auth="required",
    answer="Your pending questions in all games.",
    headers=("ETag", "Preference-Applied"),
)
def my_turns() -> Response:
    credential = required_caller()
    context, seconds = current_context(), preferred_wait()
    body, etag, unchanged = _inbox(context, credential.player)
    until = time.monotonic() + (seconds or 0)
    if seconds and (unchanged is not None or body == EMPTY):
        with (
            context.stream_limiter.count_request(credential.player, client_address()),
            closing(context.store.news.subscribe(ALL_GAMES)) as news,
        ):
            while (left := until - time.monotonic()) > 0 and (unchanged is not None or body == EMPTY):
                news.wait(min(left, 1.0))
                time.sleep(min(PAUSE, left))
                body, etag, unchanged = _inbox(context, credential.player)
        require_valid_token(credential)
    headers = {**revalidation_headers(0), **preference_applied(seconds)}
    if unchanged is not None:
        unchanged.headers.update(preference_applied(seconds))
        return unchanged
    return json_bytes_response(body, headers={**headers, "ETag": etag})


EMPTY = b'{"turns":[]}'


def _inbox(context: AppContext, player_id: PlayerId) -> tuple[bytes, str, Response | None]:
    body = context.offload.run(lambda reads: _turns(reads, context, player_id), player_id)
    etag = f'"{digest_of(body.decode())[:16]}"'
    return body, etag, not_modified(etag, revalidation_headers(0))


def _turns(reads: ReadContext, context: AppContext, player_id: PlayerId) -> bytes:
    """The inbox as JSON. Slow with a thousand games, and requested at every change."""
    turns = turns_of(reads, context.lobby_cache, player_id)
    added = context.game_fields.read(reads.store, player_id, [turn["game"] for turn in turns])
    return orjson.dumps({"turns": [{**turn, **added[turn["game"]]} for turn in turns]})


def turns_of(reads: ReadContext, lobby_cache: LobbyCache, player_id: PlayerId) -> list[dict[str, Any]]:
    """The pending questions of a player in all their games (`service.core.lobbies.inbox.list_turns`), with their opponents."""
    games = reads.store.accounts.games_of(player_id)
    asked = reads.store.views.asked(games, archived=False) if games else {}
    going = [game_id for game_id, rows in asked.items() if rows.status != "over"]
    lobbies_now = LobbyCache(reads.store, reads.positions)
    seated = {game_id: lobby_cache.get_cached(game_id) or lobbies_now.get(game_id) for game_id in going}
    lobbies = [each.lobby for each in seated.values()]
    turns = list_turns(player_id, lobbies, asked, reads.store.schedule.now)
    waiting = {turn["game"] for turn in turns}
    opponents = {
        game_id: describe_game(each.lobby, each.names(), each.lobby.seats_of(player_id)).opponents
        for game_id, each in seated.items()
        if game_id in waiting
    }
    return [{**turn, "opponents": opponents[turn["game"]]} for turn in turns]
