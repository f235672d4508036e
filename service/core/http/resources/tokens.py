"""Routes for tokens and tickets of the authenticated player."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from domain.kernel.terms import GameId
from service.core.accounts import apps
from service.core.accounts.scopes import ACCOUNT_WRITE, GAMES_READ, includes
from service.core.http.access.auth import authorize, insufficient_scope, require_valid_token, required_caller
from service.core.http.access.idempotency import idempotent
from service.core.http.access.ids import new_id
from service.core.http.access.ownership import require_person
from service.core.http.access.quotas import too_many_tokens_problem
from service.core.http.context.app import current_context
from service.core.http.context.tokens import digest_of, new_token
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas import replies
from service.core.http.schemas.requests import TicketRequest, TokenRequest, read_body
from service.store.ports.accounts import APP, TOKEN, Credential

blueprint = Blueprint("tokens", __name__)

FIRST_USE = 60
"""Seconds in which a ticket must be used."""


@blueprint.get("/v1/me/tokens")
@documented(
    "List my tokens",
    operation="listTokens",
    scope=ACCOUNT_WRITE,
    text="Lists labels, scopes, expiry and last use, never the tokens themselves.",
    gives={200: replies.Tokens},
    auth="required",
    answer="Your tokens.",
)
def tokens() -> Response:
    credential, accounts = required_caller(), current_context().store.accounts
    used = accounts.last_uses(credential.player)
    listed = accounts.tokens(credential.player)
    return json_response(
        {"tokens": [_token(each, credential, used.get(each.id)) for each in listed if each.kind != APP]}
    )


@blueprint.post("/v1/me/tokens")
@documented(
    "Create a token",
    operation="createToken",
    scope=ACCOUNT_WRITE,
    text="The token is shown only once. The new token has no scope that yours lacks, expires no later than "
    "yours, and is revoked when yours is revoked. A token created in a session stays valid after sign-out. "
    "With `game` it works for that game only.",
    takes=TokenRequest,
    gives={201: replies.CreatedToken},
    problems=("key-reused", "in-progress", "too-many-tokens", "unknown-game"),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The token and its scopes.",
    headers=("Location",),
)
@idempotent
def make_token() -> Response:
    credential = required_caller()
    require_person(credential)
    body = read_body(TokenRequest)
    for scope in body["scopes"]:
        if not includes(credential.scopes, scope):
            raise insufficient_scope(scope)
    game = GameId(body["game"]) if "game" in body else None
    if game is not None:
        authorize(game, credential)
    token, store = new_token("t"), current_context().store
    scopes = tuple(dict.fromkeys(body["scopes"]))
    now, seconds = store.schedule.now(), body.get("expires_in")
    ends = [None if credential.renews else credential.expires_at, None if seconds is None else now + seconds * 1000]
    made = Credential(
        new_id("c"),
        credential.player,
        scopes,
        now,
        body["label"],
        game,
        minted_by=credential.parent_of_new,
        expires_at=min((each for each in ends if each is not None), default=None),
        limited_until=credential.limited_until,
    )
    most = current_context().settings.tokens
    others = sum(each.kind != TOKEN for each in store.accounts.tokens(credential.player))
    if not store.accounts.add_token(made, digest_of(token), most and most + others, credential.id):
        require_valid_token(credential)
        raise too_many_tokens_problem(most)
    told = {**_token(made, credential, None), "token": token}
    return json_response(told, 201, {"Location": f"/v1/me/tokens/{made.id}"})


@blueprint.delete("/v1/me/tokens/<token>")
@documented(
    "Revoke a token",
    operation="revokeToken",
    scope=ACCOUNT_WRITE,
    text="Also revokes every token that was created with it, and disconnects apps that were connected with it. The token of this request stays valid, even if it "
    "was created with the revoked one. So you can create a token and use it to revoke your old one. "
    "Any token may revoke itself, whatever its scopes.",
    gives={204: None},
    problems=("unknown-token",),
    auth="required",
    answer="The token is revoked.",
)
def revoke(token: str) -> Response:
    credential = required_caller(own=token)
    context = current_context()
    revoked = context.store.accounts.revoke(credential.player, token, keep=credential.id)
    ended = apps.end_connections(context.store, credential.player, [token, *revoked])
    if not revoked and not ended:
        raise Problem("unknown-token")
    revoked = [*revoked, *ended]
    for each in revoked:
        context.tokens.forget(each)
    return no_content()


@blueprint.delete("/v1/me/tokens")
@documented(
    "Revoke my other tokens",
    operation="revokeOtherTokens",
    scope=ACCOUNT_WRITE,
    text="Revokes every token and session of the account except the one of this request, and disconnects all apps.",
    gives={204: None},
    auth="required",
    answer="All others are revoked.",
)
def revoke_others() -> Response:
    credential, context = required_caller(), current_context()
    for revoked in apps.revoke_all(context.store, credential.player, keep=credential.id):
        context.tokens.forget(revoked)
    return no_content()


def _token(each: Credential, asking: Credential, used: int | None) -> dict[str, Any]:
    return {
        "id": each.id,
        "label": each.label,
        "scopes": list(each.scopes),
        "game": each.game,
        "created_at": each.made_at,
        "expires_at": each.expires_at,
        "last_used_at": used,
        "created_by": each.minted_by or None,
        "current": each.id == asking.id,
        "kind": each.kind,
        "device": each.device,
    }


@blueprint.post("/v1/me/tickets")
@documented(
    "Create a game ticket",
    operation="createTicket",
    scope=GAMES_READ,
    any_game=True,
    text="Use the ticket as `?ticket=` for the event stream, view and board of the game, because a browser's "
    "EventSource and images send no headers. Use it within a minute. It then stays valid for a day after "
    "each use.",
    takes=TicketRequest,
    gives={201: replies.Ticket},
    problems=("key-reused", "in-progress", "unknown-game"),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The ticket.",
)
@idempotent
def make_ticket() -> Response:
    credential = required_caller()
    context = current_context()
    game = read_body(TicketRequest)["game"]
    authorize(game, credential)
    ticket = new_token("k")
    made = Credential(credential.id, credential.player, (GAMES_READ,), context.store.schedule.now(), "ticket", game)
    context.store.accounts.add_ticket(made, digest_of(ticket), FIRST_USE)
    return json_response({"ticket": ticket, "game": game, "expires_in": FIRST_USE}, 201)
