"""Webhooks, and what became of their words."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.fields import Several, Text, Truth, Whole, Word, example
from service.api.schemas.replies.base import GAME_ID, MADE_AT, Reply, id_of, instant
from service.post.webhooks.webhook import FAILING, FORMATS, GONE, READERS
from service.post.words import EVENTS

_WEBHOOK = {
    "id": "w7d2k9s4h1q8z3xn",
    "url": "https://example.org/hook",
    "format": "json",
    "events": ["game_over", "your_turn"],
    "game": None,
    "reader": "seat",
    "label": "my bot",
    "active": True,
    "stopped": None,
    "made_at": MADE_AT,
    "old_secret_until": None,
}
_DELIVERY = {
    "id": "msg_4f1c2a9be0d37788a1b2c3d4",
    "game": GAME_ID,
    "seq": 42,
    "event": "your_turn",
    "at": MADE_AT,
    "attempt": 1,
    "state": "delivered",
    "reason": "ok",
    "status": 204,
    "milliseconds": 87,
    "again": None,
}


@example(_WEBHOOK)
class Webhook(Reply):
    id = id_of()
    url = Text(1000, required=True)
    format = Word(*FORMATS, required=True)
    events = Several(Word(*EVENTS), required=True)
    game = Text(64, required=True, allow_none=True, metadata={"description": "The one game; null for all of yours."})
    reader = Word(*READERS, required=True)
    label = Text(80, required=True)
    active = Truth(required=True)
    stopped = Text(
        40,
        required=True,
        allow_none=True,
        metadata={
            "description": f"Why the service has switched it off, if it has: `{FAILING}`, because nothing was taken until a "
            f"word was given up, or `{GONE}`, because its receiver answered 410. Switch it on again when it is mended."
        },
    )
    made_at = instant("When it was made.")
    old_secret_until = instant("Until when the secret before the present one signs too.", allow_none=True)


@example({**_WEBHOOK, "secret": "whsec_Zr…"})
class WebhookMade(Webhook):
    secret = Text(200, required=True, metadata={"description": "Shown this once: words are signed with it."})


@example({"webhooks": [_WEBHOOK]})
class Webhooks(Reply):
    webhooks = fields.List(fields.Nested(Webhook), required=True)


@example({"secret": "whsec_Qa…", "old_secret_until": MADE_AT})
class SecretMade(Reply):
    secret = Text(200, required=True, metadata={"description": "Shown this once."})
    old_secret_until = instant("Until when the one before signs too.")


@example(_DELIVERY)
class Delivery(Reply):
    id = id_of("Of the word: the same in each try.")
    game = Text(64, required=True, allow_none=True, metadata={"description": "Null for a test."})
    seq = Whole(required=True, allow_none=True, metadata={"description": "The commit that it tells; null for a test."})
    event = Text(40, required=True, metadata={"description": "The most telling of its events, or `test`."})
    at = instant("When it was tried.")
    attempt = Whole(1, required=True, metadata={"description": "The how many-th try it was."})
    state = Word(
        "delivered",
        "failed",
        "dead",
        required=True,
        metadata={"description": "`dead` was the last try: it is not tried again unless you ask for it."},
    )
    reason = Text(
        40,
        required=True,
        metadata={
            "description": "`ok`; `status` where the answer was not 2xx; `forbidden-address`, `no-address`, "
            "`no-connection`, `no-security` (the certificate does not hold), `too-slow`, `bad-answer` where there was none."
        },
    )
    status = Whole(required=True, allow_none=True, metadata={"description": "Of the answer, if there was one."})
    milliseconds = Whole(0, required=True)
    again = instant("When it is tried again, if it is.", allow_none=True)


@example({"deliveries": [_DELIVERY]})
class Deliveries(Reply):
    deliveries = fields.List(fields.Nested(Delivery), required=True, metadata={"description": "The newest first."})


@example({"id": "msg_4f1c2a9be0d37788a1b2c3d4"})
class DeliveryAsked(Reply):
    id = id_of("Of the word, as it will stand among the deliveries.")
