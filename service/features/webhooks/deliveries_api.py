"""Routes for webhook deliveries: list, redeliver, test."""

from __future__ import annotations

import secrets

from flask import Blueprint, Response

from domain.kernel.terms import GameId
from service.core.accounts.scopes import ACCOUNT_READ, WEBHOOKS_WRITE
from service.core.http.access.auth import required_caller
from service.core.http.access.outbox import queue_delivery
from service.core.http.context.app import current_context
from service.core.http.limits.rates import limit_problem
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, query_choice
from service.core.http.schemas.requests import EmptyRequest, read_body
from service.core.notifications.deliveries import attempt_document
from service.features.webhooks import schemas as replies
from service.features.webhooks.api import own_webhook
from service.features.webhooks.webhook import AGAIN, TEST
from service.store.ports.outbox import NO_GAME, Subscription

blueprint = Blueprint("deliveries", __name__)

ASKED, HOUR = 60, 3600
"""Tests and redeliveries that an account may request in so many seconds."""


@blueprint.post("/v1/webhooks/<webhook>/test")
@documented(
    "Send a test event",
    operation="sendTestEvent",
    scope=WEBHOOKS_WRITE,
    text="Posts an event of the type `test` once, even if the webhook is disabled.",
    takes=EmptyRequest,
    gives={202: replies.QueuedDelivery},
    problems=("unknown-webhook",),
    auth="required",
    answer="The event is queued. List the deliveries to see the result.",
)
def test(webhook: str) -> Response:
    known = own_webhook(webhook, required_caller().player)
    read_body(EmptyRequest)
    word = f"msg_{secrets.token_hex(12)}"
    _ask(known, NO_GAME, f"{TEST}:{word}")
    return json_response({"id": word}, 202)


@blueprint.get("/v1/webhooks/<webhook>/deliveries")
@documented(
    "List deliveries of a webhook",
    operation="listDeliveries",
    scope=ACCOUNT_READ,
    text="Returns every attempt to deliver the last hundred events. With `state=dead`, returns the last hundred "
    "events that were given up.",
    gives={200: replies.Deliveries},
    problems=("unknown-webhook",),
    parameters=("state",),
    auth="required",
    answer="The deliveries.",
)
def deliveries(webhook: str) -> Response:
    known = own_webhook(webhook, required_caller().player)
    dead = query_choice("state", ("dead",)) is not None
    noted = current_context().store.subscriptions.noted(known.id, dead=dead)
    return json_response({"deliveries": [attempt_document(each) for each in noted]})


@blueprint.post("/v1/webhooks/<webhook>/deliveries/<delivery>/redeliver")
@documented(
    "Redeliver an event",
    operation="redeliverEvent",
    scope=WEBHOOKS_WRITE,
    text="Posts an event from the list of deliveries again, once, with the same id. It contains what you can see "
    "of it now.",
    takes=EmptyRequest,
    gives={202: replies.QueuedDelivery},
    problems=("unknown-webhook", "unknown-delivery"),
    auth="required",
    answer="The event is queued. List the deliveries to see the result.",
)
def redeliver(webhook: str, delivery: str) -> Response:
    known = own_webhook(webhook, required_caller().player)
    read_body(EmptyRequest)
    noted = current_context().store.subscriptions.noted
    found = next(
        (
            each
            for dead in (False, True)
            for each in noted(known.id, dead=dead)
            if each["id"] == delivery and each["game"] and each["seq"]
        ),
        None,
    )
    if found is None:
        raise Problem("unknown-delivery")
    _ask(known, GameId(found["game"]), f"{AGAIN}:{found['seq']}")
    return json_response({"id": delivery}, 202)


def _ask(known: Subscription, game_id: GameId, what: str) -> None:
    """Make the side worker send something. Raises the problem of too many requests."""
    context = current_context()
    allowed, _, seconds = context.store.accounts.allow(f"webhook:{known.owner}", ASKED, ASKED / HOUR)
    if not allowed:
        raise limit_problem(seconds)
    queue_delivery(game_id, known.id, what)
