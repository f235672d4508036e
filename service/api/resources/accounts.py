"""Tokens and tickets, and the inbox of the player who asks."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

import orjson
from flask import Blueprint, Response

from domain.terms import PlayerId
from service.api.access.auth import PLAY, enter, insufficient, may, somebody, still
from service.api.access.ids import new_id
from service.api.access.quotas import too_many_tokens
from service.api.context.app import House, here
from service.api.context.lobbies import Rooms
from service.api.context.offload import Desk
from service.api.context.tokens import digest_of, new_token
from service.api.http.answers import answer, applied, current, no_content, not_modified, patience, raw
from service.api.http.problems import Problem
from service.api.limits.rates import address
from service.api.reference.routes import told
from service.api.schemas import replies
from service.api.schemas.requests import NewTicket, NewToken, read
from service.projections.inbox import turns
from service.store.ports.accounts import Credential
from service.store.ports.news import ALL_GAMES

blueprint = Blueprint("accounts", __name__)

FIRST_USE = 60
"""Seconds in which a ticket must be used."""

PAUSE = 0.1
"""Seconds between two readings of an inbox, however much news there is."""


@blueprint.get("/v1/me/tokens")
@told("My tokens", text="What they are, never the tokens themselves.", gives={200: replies.Tokens}, auth="required")
def tokens() -> Response:
    credential = somebody()
    listed = here().store.accounts.tokens(credential.player)
    return answer({"tokens": [_token(each, credential) for each in listed]})


@blueprint.post("/v1/me/tokens")
@told(
    "Make another token",
    text="It is shown this once, and has no more scopes than the one that asks for it.",
    takes=NewToken,
    gives={201: replies.TokenMade},
    problems=("too-many-tokens",),
    auth="required",
)
def make_token() -> Response:
    credential = somebody(PLAY)
    body = read(NewToken)
    for scope in body["scopes"]:
        if not may(credential, scope):
            raise insufficient(scope)
    token, store = new_token("t"), here().store
    scopes = tuple(dict.fromkeys(body["scopes"]))
    made = Credential(new_id("c"), credential.player, scopes, store.log.now(), body["label"])
    most = here().settings.tokens
    if not store.accounts.add_token(made, digest_of(token), most):
        raise too_many_tokens(most)
    return answer({**_token(made, credential), "token": token}, 201, {"Location": f"/v1/me/tokens/{made.id}"})


@blueprint.delete("/v1/me/tokens/<token>")
@told("Revoke a token", gives={204: None}, problems=("unknown-token",), auth="required")
def revoke(token: str) -> Response:
    credential = somebody(PLAY)
    house = here()
    if not house.store.accounts.revoke(credential.player, token):
        raise Problem("unknown-token")
    house.tokens.forget(token)
    return no_content()


def _token(each: Credential, asking: Credential) -> dict[str, Any]:
    return {
        "id": each.id,
        "label": each.label,
        "scopes": list(each.scopes),
        "made_at": each.made_at,
        "current": each.id == asking.id,
    }


@blueprint.post("/v1/me/tickets")
@told(
    "A ticket to follow one game",
    text="For `?ticket=` of the event stream, because a browser's EventSource sends no headers. Good for one use, "
    "which must begin within a minute.",
    takes=NewTicket,
    gives={201: replies.TicketMade},
    problems=("unknown-game",),
    auth="required",
)
def make_ticket() -> Response:
    credential = somebody()
    house = here()
    game = read(NewTicket)["game"]
    enter(game, credential)
    ticket = new_token("k")
    made = Credential(credential.id, credential.player, ("read",), house.store.log.now(), "ticket", game)
    house.store.accounts.add_ticket(made, digest_of(ticket), FIRST_USE)
    return answer({"ticket": ticket, "game": game, "seconds": FIRST_USE}, 201)


@blueprint.get("/v1/me/turns")
@told(
    "Every game that waits for me",
    text="With `Prefer: wait` it answers when there is something in it; and with If-None-Match besides, when it is not "
    "what was known.",
    gives={200: replies.Turns, 304: None},
    problems=("too-many-streams", "too-much-work"),
    parameters=("If-None-Match", "Prefer"),
    auth="required",
)
def my_turns() -> Response:
    credential = somebody()
    house, seconds = here(), patience()
    body, etag, unchanged = _inbox(house, credential.player)
    until = time.monotonic() + (seconds or 0)
    if seconds and (unchanged is not None or body == EMPTY):
        with (
            house.streams.waiting(credential.player, address()),
            closing(house.store.news.subscribe(ALL_GAMES)) as news,
        ):
            while (left := until - time.monotonic()) > 0 and (unchanged is not None or body == EMPTY):
                news.wait(min(left, 1.0))
                time.sleep(min(PAUSE, left))
                body, etag, unchanged = _inbox(house, credential.player)
        still(credential)
    headers = {**current(0), **applied(seconds)}
    if unchanged is not None:
        unchanged.headers.update(applied(seconds))
        return unchanged
    return raw(body, headers={**headers, "ETag": etag})


EMPTY = b'{"turns":[]}'


def _inbox(house: House, player_id: PlayerId) -> tuple[bytes, str, Response | None]:
    body = house.apart.run(lambda desk: _turns(desk, house.rooms, player_id), player_id)
    etag = f'"{digest_of(body.decode())[:16]}"'
    return body, etag, not_modified(etag, current(0))


def _turns(desk: Desk, rooms: Rooms, player_id: PlayerId) -> bytes:
    """Worked out apart: of whoever has sat at a thousand tables it takes a while, and is asked with every news."""
    games = desk.store.accounts.games_of(player_id)
    asked = desk.store.log.asked(games) if games else {}
    going = [game_id for game_id, rows in asked.items() if rows.status != "over"]
    here_now = Rooms(desk.store)
    lobbies = [(rooms.known(game_id) or here_now.room(game_id)).lobby for game_id in going]
    return orjson.dumps({"turns": turns(player_id, lobbies, asked)})
