"""Feeds with a secret address, for readers and calendars that cannot send a token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response

from domain.terms import PlayerId
from service.api.access.auth import PLAY, authorize, required_caller
from service.api.access.ids import new_id
from service.api.access.once import once
from service.api.access.quotas import LATER
from service.api.context.app import current_context
from service.api.context.tokens import digest_of, new_token
from service.api.http.answers import answer, no_content
from service.api.http.problems import Problem, invalid
from service.api.limits.rates import too_many
from service.api.reference.routes import documented
from service.api.resources.secret_feeds import CALENDAR, GAME
from service.api.schemas import replies
from service.api.schemas.requests import FeedRequest, read_body
from service.store.ports.accounts import FEED, SecretAddress

blueprint = Blueprint("feeds", __name__)


@blueprint.get("/v1/me/feeds")
@documented(
    "My feeds",
    operation="listFeeds",
    text="What they are, never their addresses. Those of a revoked token are gone with it.",
    gives={200: replies.Feeds},
    auth="required",
    answer="Your feeds.",
)
def feeds() -> Response:
    credential = required_caller()
    return answer({"feeds": [_feed(each) for each in _living(credential.player)]})


@blueprint.post("/v1/me/feeds")
@documented(
    "Make a feed",
    operation="createFeed",
    text="`game` is the history of one game in paragraphs, as you may read it (Atom); `turns` is every game that waits for you "
    "(Atom); `calendar` is your deadlines (iCalendar). Whoever knows its address reads it without a token: it is shown this "
    "once, and ends when you revoke it or the token that you made it with, and that of a game when you lose your seat in it.",
    takes=FeedRequest,
    gives={201: replies.FeedMade},
    problems=("key-reused", "in-progress", "unknown-game", "too-many-feeds"),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The feed and its address.",
    headers=("Location",),
)
@once
def make_feed() -> Response:
    credential = required_caller(PLAY)
    context, body = current_context(), read_body(FeedRequest)
    game, kind = body.get("game"), body["kind"]
    if (kind == GAME) != (game is not None):
        right = "A feed of a game names the game." if kind == GAME else "Only a feed of the kind `game` names one."
        raise invalid([("/game", right)])
    seated = game is not None and authorize(game, credential).seat is not None
    secret = new_token("f")
    made = SecretAddress(
        new_id("f"), credential.player, credential.id, FEED, kind, context.store.log.now(), game, seated
    )
    most = context.settings.feeds
    _living(credential.player)  # what has died holds no place
    if not context.store.accounts.add_address(made, digest_of(secret), most):
        raise too_many(LATER, "too-many-feeds", f"An account may have {most}: revoke one of them.")
    where = f"{context.base_url()}/feeds/{secret}.{'ics' if kind == CALENDAR else 'atom'}"
    return answer({**_feed(made), "address": where}, 201, {"Location": f"/v1/me/feeds/{made.id}"})


@blueprint.delete("/v1/me/feeds/<feed>")
@documented(
    "Revoke a feed",
    operation="revokeFeed",
    gives={204: None},
    problems=("unknown-feed",),
    auth="required",
    answer="Its address leads nowhere any more.",
)
def revoke_feed(feed: str) -> Response:
    credential = required_caller(PLAY)
    if not current_context().store.accounts.drop_address(credential.player, FEED, feed):
        raise Problem("unknown-feed")
    return no_content()


def _feed(each: SecretAddress) -> dict[str, Any]:
    return {"id": each.id, "kind": each.kind, "game": each.game, "made_at": each.made_at}


def _living(player_id: PlayerId) -> Sequence[SecretAddress]:
    """A player's feeds; those whose token is gone are taken away."""
    accounts = current_context().store.accounts
    found = accounts.addresses(player_id, FEED)
    held = accounts.held({(player_id, each.credential) for each in found}) if found else set()
    for each in found:
        if (player_id, each.credential) not in held:
            accounts.drop_address(player_id, FEED, each.id)
    return [each for each in found if (player_id, each.credential) in held]
