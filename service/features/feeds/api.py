"""Routes for feeds with a secret URL, for feed readers and calendars that cannot send a token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response

from domain.kernel.terms import PlayerId
from service.core.accounts.scopes import ACCOUNT_READ, GAMES_READ, NOTIFICATIONS_WRITE
from service.core.http.access.auth import authorize, required_caller
from service.core.http.access.idempotency import idempotent
from service.core.http.access.ids import new_id
from service.core.http.access.quotas import LIMIT_RETRY_SECONDS
from service.core.http.context.app import current_context
from service.core.http.context.tokens import digest_of, new_token
from service.core.http.limits.rates import limit_problem
from service.core.http.problems import Problem, invalid_fields
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import read_body
from service.features.feeds.public_api import CALENDAR, GAME
from service.features.feeds.schemas import CreatedFeed, FeedRequest, Feeds
from service.store.ports.accounts import FEED, SecretAddress

blueprint = Blueprint("feeds", __name__)


@blueprint.get("/v1/me/feeds")
@documented(
    "List my feeds",
    operation="listFeeds",
    scope=ACCOUNT_READ,
    text="Lists the feeds, never their URLs. When a token is revoked, its feeds are deleted.",
    gives={200: Feeds},
    auth="required",
    answer="Your feeds.",
)
def feeds() -> Response:
    credential = required_caller()
    return json_response({"feeds": [_feed(each) for each in _living(credential.player)]})


@blueprint.post("/v1/me/feeds")
@documented(
    "Create a feed",
    operation="createFeed",
    scope=(NOTIFICATIONS_WRITE, GAMES_READ),
    text="`game` is the history of one game in paragraphs, as you can read it (Atom). `turns` lists every game "
    "that waits for you (Atom). `calendar` contains your deadlines (iCalendar). Anyone who has the URL can "
    "read the feed without a token. The URL is shown only once. It works until you revoke the feed or the "
    "token that created it. A feed of a game also ends when you lose your seat.",
    takes=FeedRequest,
    gives={201: CreatedFeed},
    problems=("key-reused", "in-progress", "unknown-game", "too-many-feeds"),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The feed and its URL.",
    headers=("Location",),
)
@idempotent
def make_feed() -> Response:
    credential = required_caller()
    context, body = current_context(), read_body(FeedRequest)
    game, kind = body.get("game"), body["kind"]
    if (kind == GAME) != (game is not None):
        right = "Required if `kind` is `game`." if kind == GAME else "Only allowed if `kind` is `game`."
        raise invalid_fields([("/game", right)])
    seated = game is not None and authorize(game, credential).seat is not None
    secret = new_token("f")
    made = SecretAddress(
        new_id("f"),
        credential.player,
        credential.parent_of_new,
        FEED,
        kind,
        context.store.schedule.now(),
        game,
        seated,
    )
    most = context.settings.feeds
    _living(credential.player)  # a feed without a token takes no slot
    if not context.store.accounts.add_address(made, digest_of(secret), most):
        raise limit_problem(
            LIMIT_RETRY_SECONDS, "too-many-feeds", f"An account can have {most} feeds. Revoke one of them."
        )
    where = f"{context.base_url()}/feeds/{secret}.{'ics' if kind == CALENDAR else 'atom'}"
    return json_response({**_feed(made), "url": where}, 201, {"Location": f"/v1/me/feeds/{made.id}"})


@blueprint.delete("/v1/me/feeds/<feed>")
@documented(
    "Revoke a feed",
    operation="revokeFeed",
    scope=NOTIFICATIONS_WRITE,
    gives={204: None},
    problems=("unknown-feed",),
    auth="required",
    answer="The feed is deleted, and its URL no longer works.",
)
def revoke_feed(feed: str) -> Response:
    credential = required_caller()
    if not current_context().store.accounts.drop_address(credential.player, FEED, feed):
        raise Problem("unknown-feed")
    return no_content()


def _feed(each: SecretAddress) -> dict[str, Any]:
    return {"id": each.id, "kind": each.kind, "game": each.game, "created_at": each.made_at}


def _living(player_id: PlayerId) -> Sequence[SecretAddress]:
    """A player's feeds. Those whose token is gone are removed."""
    accounts = current_context().store.accounts
    found = accounts.addresses(player_id, FEED)
    held = accounts.held({(player_id, each.credential) for each in found}) if found else set()
    for each in found:
        if (player_id, each.credential) not in held:
            accounts.drop_address(player_id, FEED, each.id)
    return [each for each in found if (player_id, each.credential) in held]
