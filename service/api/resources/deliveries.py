"""What became of the words of a webhook; sending one again, or one to try it."""

from __future__ import annotations

import secrets

from flask import Blueprint, Response

from domain.terms import GameId
from service.api.access.auth import PLAY, READ, required_caller
from service.api.context.app import current_context
from service.api.http.answers import answer, query_choice
from service.api.http.problems import Problem
from service.api.limits.rates import too_many
from service.api.reference.routes import documented
from service.api.resources.webhooks import own_webhook
from service.api.schemas.replies import webhooks as replies
from service.api.schemas.requests import Nothing, read_body
from service.post.webhooks.webhook import AGAIN, TEST
from service.store.ports.outbox import EVERYWHERE, Subscription

blueprint = Blueprint("deliveries", __name__)

ASKED, HOUR = 60, 3600
"""Tests and redeliveries that an account may ask for in so many seconds."""


@blueprint.post("/v1/webhooks/<webhook>/test")
@documented(
    "Send a test",
    operation="sendTest",
    text="Posted once, with the type `test`, also where the webhook is switched off.",
    takes=Nothing,
    gives={202: replies.DeliveryAsked},
    problems=("unknown-webhook",),
    auth="required",
    answer="It is sent soon; look among the deliveries for what became of it.",
)
def test(webhook: str) -> Response:
    known = own_webhook(webhook, required_caller(PLAY).player)
    read_body(Nothing)
    word = f"msg_{secrets.token_hex(12)}"
    _ask(known, EVERYWHERE, f"{TEST}:{word}")
    return answer({"id": word}, 202)


@blueprint.get("/v1/webhooks/<webhook>/deliveries")
@documented(
    "What became of its words",
    operation="listDeliveries",
    text="Each try of the last hundred, or with `state=dead` the last hundred words that were given up.",
    gives={200: replies.Deliveries},
    problems=("unknown-webhook",),
    parameters=("state",),
    auth="required",
    answer="The deliveries.",
)
def deliveries(webhook: str) -> Response:
    known = own_webhook(webhook, required_caller(READ).player)
    dead = query_choice("state", ("dead",)) is not None
    return answer({"deliveries": list(current_context().store.subscriptions.noted(known.id, dead=dead))})


@blueprint.post("/v1/webhooks/<webhook>/deliveries/<delivery>/redeliver")
@documented(
    "Send a word again",
    operation="sendAgain",
    text="One that stands among the deliveries; it is posted once, with the id that it has, and holds what you may know of it "
    "now.",
    takes=Nothing,
    gives={202: replies.DeliveryAsked},
    problems=("unknown-webhook", "unknown-delivery"),
    auth="required",
    answer="It is sent soon; look among the deliveries for what became of it.",
)
def redeliver(webhook: str, delivery: str) -> Response:
    known = own_webhook(webhook, required_caller(PLAY).player)
    read_body(Nothing)
    noted = current_context().store.subscriptions.noted
    found = next(
        (
            each
            for dead in (False, True)
            for each in noted(known.id, dead=dead)
            if each["id"] == delivery and each["game"]
        ),
        None,
    )
    if found is None:
        raise Problem("unknown-delivery")
    _ask(known, GameId(found["game"]), f"{AGAIN}:{found['seq']}")
    return answer({"id": delivery}, 202)


def _ask(known: Subscription, game_id: GameId, what: str) -> None:
    """Have the side worker send something; raises the problem of an account that asks too often."""
    context = current_context()
    allowed, _, seconds = context.store.accounts.allow(f"webhook:{known.owner}", ASKED, ASKED / HOUR)
    if not allowed:
        raise too_many(seconds)
    context.store.outbox.put(game_id, known.id, what)
    if context.queue is not None:
        context.queue.post([context.store.log.partition(game_id)])
