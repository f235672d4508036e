"""Routes for webhooks, which post events of your games to a URL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response

from domain.kernel.terms import HOUR, GameId, PlayerId
from service.core.accounts.scopes import ACCOUNT_READ, GAMES_READ, WEBHOOKS_WRITE
from service.core.http.access.auth import authorize, is_member, required_caller
from service.core.http.access.idempotency import idempotent
from service.core.http.access.ids import new_id
from service.core.http.access.quotas import LIMIT_RETRY_SECONDS
from service.core.http.context.app import current_context
from service.core.http.limits.rates import limit_problem
from service.core.http.problems import Problem, invalid_fields
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import read_body
from service.core.notifications.game_subscriptions import subscribe_all, unsubscribe_all
from service.core.notifications.kinds import WEBHOOK
from service.core.notifications.notification import EVENTS
from service.core.outbound.addresses import AllowedAddresses
from service.core.outbound.targets import InvalidTarget, parse_target
from service.features.webhooks import schemas as replies
from service.features.webhooks.formats import FORMATS
from service.features.webhooks.schemas import WebhookRequest, WebhookSecretRequest, WebhookUpdate
from service.features.webhooks.signatures import generate_secret
from service.features.webhooks.webhook import WebhookTerms
from service.store.ports.outbox import Subscription

blueprint = Blueprint("webhooks", __name__)

OLD_SECRET_HOURS = 24


@blueprint.get("/v1/webhooks")
@documented(
    "List my webhooks",
    operation="listWebhooks",
    scope=ACCOUNT_READ,
    gives={200: replies.Webhooks},
    auth="required",
    answer="Your webhooks, oldest first. Their secrets are not shown again.",
)
def webhooks() -> Response:
    told = [_told(each) for each in _of(required_caller().player)]
    return json_response({"webhooks": told, "formats": {name: each.title for name, each in FORMATS.items()}})


@blueprint.post("/v1/webhooks")
@documented(
    "Create a webhook",
    operation="createWebhook",
    scope=(WEBHOOKS_WRITE, GAMES_READ),
    text="From now on, an event is posted to the URL for each commit of a game that the webhook subscribes to. "
    "Events arrive in the order of the game's commits, at least once, and never contain anything that their "
    "reader may not see. The secret is shown only once.",
    takes=WebhookRequest,
    gives={201: replies.CreatedWebhook},
    problems=("key-reused", "in-progress", "unknown-game", "game-over", "too-many-webhooks"),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The webhook and its secret.",
    headers=("Location",),
)
@idempotent
def make() -> Response:
    credential, context, body = required_caller(), current_context(), read_body(WebhookRequest)
    _check_url(body["url"])
    game = _own_game(body["game"], credential) if "game" in body else None
    format_, secret = body.get("format", next(iter(FORMATS))), generate_secret()
    webhook = WebhookTerms(
        body["url"],
        format_,
        _ordered(body.get("events", FORMATS[format_].default_events)),
        body.get("reader", FORMATS[format_].default_reader),
        ((secret, 0),),
        body.get("label", ""),
    )
    now, app = context.store.schedule.now(), credential.app
    made = Subscription(new_id("w"), WEBHOOK, credential.player, game, now, webhook.terms(), app=app)
    most = context.settings.webhooks
    if not context.store.subscriptions.add(made, most):
        raise limit_problem(LIMIT_RETRY_SECONDS, "too-many-webhooks", f"Delete one of your {most} webhooks.")
    if not subscribe_all(context.store, made):
        context.store.subscriptions.remove(made)
        raise Problem("game-over")
    return json_response({**_told(made), "secret": secret}, 201, {"Location": f"/v1/webhooks/{made.id}"})


@blueprint.get("/v1/webhooks/<webhook>")
@documented(
    "Get a webhook",
    operation="getWebhook",
    scope=ACCOUNT_READ,
    text="Returns the settings of the webhook and whether it is active, without the secret.",
    gives={200: replies.Webhook},
    problems=("unknown-webhook",),
    auth="required",
    answer="The webhook.",
)
def one(webhook: str) -> Response:
    return json_response(_told(own_webhook(webhook, required_caller().player)))


@blueprint.patch("/v1/webhooks/<webhook>")
@documented(
    "Update a webhook",
    operation="updateWebhook",
    scope=(WEBHOOKS_WRITE, GAMES_READ),
    text="Omitted fields keep their values. A disabled webhook receives nothing. After you enable it, it "
    "receives later events only.",
    takes=WebhookUpdate,
    gives={200: replies.Webhook},
    problems=("unknown-webhook",),
    auth="required",
    answer="The updated webhook.",
)
def change(webhook: str) -> Response:
    credential, store = required_caller(), current_context().store
    own_webhook(webhook, credential.player)
    body = read_body(WebhookUpdate)
    if "url" in body:
        _check_url(body["url"])
    fields: dict[str, Any] = {name: body[name] for name in ("url", "format", "reader", "label") if name in body}
    if "events" in body:
        fields["events"] = _ordered(body["events"])

    def changed(known: Subscription) -> Subscription:
        active = body.get("active", known.active)
        webhook = replace(WebhookTerms.from_subscription(known), **fields)
        return replace(known, active=active, terms=(replace(webhook, stopped="") if active else webhook).terms())

    known, now = _change(webhook, credential.player, changed)
    if known.active and not now.active:
        unsubscribe_all(store, now)
    subscribe_all(store, now)
    return json_response(_told(now))


@blueprint.delete("/v1/webhooks/<webhook>")
@documented(
    "Delete a webhook",
    operation="deleteWebhook",
    scope=WEBHOOKS_WRITE,
    gives={204: None},
    problems=("unknown-webhook",),
    auth="required",
    answer="The webhook is deleted.",
)
def remove(webhook: str) -> Response:
    store = current_context().store
    known = own_webhook(webhook, required_caller().player)
    store.subscriptions.remove(known)
    unsubscribe_all(store, known)
    return no_content()


@blueprint.post("/v1/webhooks/<webhook>/secret")
@documented(
    "Renew a webhook secret",
    operation="rotateWebhookSecret",
    scope=WEBHOOKS_WRITE,
    text="Events are signed with the new secret from now on. For some hours they are also signed with the "
    "previous one, so that you can update your receiver. Older secrets become invalid.",
    takes=WebhookSecretRequest,
    gives={201: replies.WebhookSecret},
    problems=("key-reused", "in-progress", "unknown-webhook"),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The new secret.",
)
@idempotent
def rotate(webhook: str) -> Response:
    player = required_caller().player
    own_webhook(webhook, player)
    hours, secret = read_body(WebhookSecretRequest).get("hours", OLD_SECRET_HOURS), generate_secret()
    until = current_context().store.schedule.now() + hours * HOUR
    _change(
        webhook,
        player,
        lambda known: replace(known, terms=WebhookTerms.from_subscription(known).with_secret(secret, until).terms()),
    )
    return json_response({"secret": secret, "old_secret_until": until}, 201)


def _of(player: PlayerId) -> list[Subscription]:
    return [each for each in current_context().store.subscriptions.of([player]) if each.kind == WEBHOOK]


def _change(
    id_: str, player: PlayerId, change: Callable[[Subscription], Subscription]
) -> tuple[Subscription, Subscription]:
    """Change the player's webhook based on its current state, despite concurrent changes. Returns it before and after."""
    while True:
        known = own_webhook(id_, player)
        now = change(known)
        if current_context().store.subscriptions.change(now, known):
            return known, now


def own_webhook(id_: str, player: PlayerId) -> Subscription:
    """A webhook of the player. Raises the problem of an unknown one, or of another player's."""
    found = current_context().store.subscriptions.get(id_)
    if found is None or found.kind != WEBHOOK or found.owner != player:
        raise Problem("unknown-webhook")
    return found


def _own_game(game: str, credential: Any) -> GameId:
    """A game that the caller has created or has a seat in. Raises the problem of any other."""
    access = authorize(GameId(game), credential, fresh=True)
    if not is_member(access.lobby, credential.player, access.context.store.schedule.now):
        raise invalid_fields([("/game", "Must be a game that you created or have a seat in.")])
    return access.lobby.id


def _check_url(url: str) -> None:
    try:
        parse_target(url, AllowedAddresses.from_settings(current_context().settings))
    except InvalidTarget as error:
        raise invalid_fields([("/url", str(error))]) from error


def _ordered(events: Any) -> tuple[str, ...]:
    return tuple(name for name in EVENTS if name in events)


def _told(each: Subscription) -> dict[str, Any]:
    webhook, now = WebhookTerms.from_subscription(each), current_context().store.schedule.now()
    old = [until for _, until in webhook.secrets if until > now]
    return {
        "id": each.id,
        "url": webhook.url,
        "format": webhook.format,
        "events": list(webhook.events),
        "game": each.game,
        "reader": webhook.reader,
        "label": webhook.label,
        "active": each.active,
        "disabled_reason": webhook.stopped or None,
        "created_at": each.made_at,
        "old_secret_until": old[0] if old else None,
    }
