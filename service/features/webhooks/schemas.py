"""Schemas of webhooks, their deliveries, and the events that are sent to them."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from service.core.http.schemas.fields import BooleanField, EnumField, IntegerField, ListField, StringField, example
from service.core.http.schemas.replies.accounts import Opponent, QuestionReply
from service.core.http.schemas.replies.base import GAME_ID, MADE_AT, Reply, id_of, instant, record
from service.core.http.schemas.replies.games import GameOutcome
from service.core.http.schemas.replies.play import HistoryEntry
from service.core.http.schemas.requests import Request
from service.core.notifications.notification import EVENTS
from service.core.outbound.targets import MAX_URL_LENGTH, URL_REQUIREMENT
from service.features.webhooks.formats import FORMATS
from service.features.webhooks.webhook import FAILING, GONE, READERS

MOST_HOURS = 168
"""Maximum hours for which the secret before a new one also signs."""


def _url(**kwargs: Any) -> StringField:
    about = "URL that receives the events, at a public address. " + URL_REQUIREMENT
    return StringField(MAX_URL_LENGTH, 1, metadata={"description": about}, **kwargs)


def _format() -> EnumField:
    default, *channels = (f"`{name}`" for name in FORMATS)
    about = f"{default} for programs, or for chat channels: {', '.join(channels)}. Default {default}."
    return EnumField(*FORMATS, metadata={"description": about})


def _events() -> fields.Field[Any]:
    about = (
        "Events to send. `game_over`: the game ends. `your_turn`: a seat of yours has a pending question. "
        "`turn`: any player has one. `commit`: the commit shows something to its reader. `game_full`: all "
        "seats of your game are taken. `challenge`: a seat is reserved for you. `challenge_declined`, `challenge_expired`: "
        "a player did not take a seat that you reserved. Default: all that the format supports."
    )
    return ListField(EnumField(*EVENTS), len(EVENTS), 1, metadata={"description": about})


def _reader() -> EnumField:
    about = (
        "The view that events are based on: your `seat`, or the `public`. Default: your seat for `json`, "
        "the public for chat channels."
    )
    return EnumField(*READERS, metadata={"description": about})


def _label() -> StringField:
    return StringField(80, metadata={"description": "Name of the webhook."})


@example({"url": "https://example.org/hook", "format": "json", "events": ["your_turn", "game_over"]})
class WebhookRequest(Request):
    url = _url(required=True)
    format = _format()
    events = _events()
    game = StringField(64, 1, metadata={"description": "The id of one of your games. Default: all your games."})
    reader = _reader()
    label = _label()


@example({"active": True})
class WebhookUpdate(Request):
    url = _url()
    format = _format()
    events = _events()
    reader = _reader()
    label = _label()
    active = BooleanField(metadata={"description": "False to stop sending. Events of that time are not sent later."})


@example({"hours": 24})
class WebhookSecretRequest(Request):
    hours = IntegerField(
        0,
        MOST_HOURS,
        metadata={"description": "Hours for which the previous secret remains valid. Default 24."},
    )


_WEBHOOK = {
    "id": "w7d2k9s4h1q8z3xn",
    "url": "https://example.org/hook",
    "format": "json",
    "events": ["game_over", "your_turn"],
    "game": None,
    "reader": "seat",
    "label": "my bot",
    "active": True,
    "disabled_reason": None,
    "created_at": MADE_AT,
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
    "next_attempt_at": None,
}


@example(_WEBHOOK)
class Webhook(Reply):
    id = id_of()
    url = StringField(1000, required=True)
    format = EnumField(*FORMATS, required=True)
    events = ListField(EnumField(*EVENTS), required=True)
    game = StringField(
        64,
        required=True,
        allow_none=True,
        metadata={"description": "The only game that it sends events of. Null for all your games."},
    )
    reader = EnumField(*READERS, required=True)
    label = StringField(80, required=True)
    active = BooleanField(required=True)
    disabled_reason = StringField(
        40,
        required=True,
        allow_none=True,
        metadata={
            "description": f"Why the service disabled the webhook: `{FAILING}` if an event was given up after all attempts "
            f"failed, `{GONE}` if the receiver responded with 410. Null otherwise. Enable the webhook again "
            "after you fix the receiver."
        },
    )
    created_at = instant("When the webhook was created.")
    old_secret_until = instant(
        "Until when the previous secret remains valid. Null without a previous secret.", allow_none=True
    )


@example({**_WEBHOOK, "secret": "whsec_Zr…"})
class CreatedWebhook(Webhook):
    secret = StringField(200, required=True, metadata={"description": "The secret that signs events. Shown only once."})


@example({"webhooks": [_WEBHOOK], "formats": {"json": FORMATS["json"].title}})
class Webhooks(Reply):
    webhooks = fields.List(fields.Nested(Webhook), required=True)
    formats = record("The formats that a webhook can have: names, and titles.", values=fields.String())


@example({"secret": "whsec_Qa…", "old_secret_until": MADE_AT})
class WebhookSecret(Reply):
    secret = StringField(200, required=True, metadata={"description": "The new secret. Shown only once."})
    old_secret_until = instant("Until when the previous secret remains valid.")


@example(_DELIVERY)
class Delivery(Reply):
    id = id_of("The id of the event, the same for each attempt.")
    game = StringField(
        64, required=True, allow_none=True, metadata={"description": "The game of the event. Null for a test."}
    )
    seq = IntegerField(
        required=True, allow_none=True, metadata={"description": "The commit that the event reports. Null for a test."}
    )
    event = StringField(
        40, required=True, metadata={"description": "The most important event of the commit, or `test`."}
    )
    at = instant("Time of the attempt.")
    attempt = IntegerField(1, required=True, metadata={"description": "Number of the attempt, counted from 1."})
    state = EnumField(
        *("delivered", "failed", "dead"),
        required=True,
        metadata={"description": "`dead` was the last attempt. The event is sent again only if you redeliver it."},
    )
    reason = StringField(
        40,
        required=True,
        metadata={
            "description": "`ok`, or `status` if the response was not 2xx. Without a response: `forbidden-address`, "
            "`no-address`, `no-connection`, `no-security` (invalid certificate), `too-slow` or `bad-answer`."
        },
    )
    status = IntegerField(
        required=True, allow_none=True, metadata={"description": "HTTP status of the response. Null if there was none."}
    )
    milliseconds = IntegerField(0, required=True)
    next_attempt_at = instant("Time of the next attempt. Null if no attempt follows.", allow_none=True)


@example({"deliveries": [_DELIVERY]})
class Deliveries(Reply):
    deliveries = fields.List(fields.Nested(Delivery), required=True, metadata={"description": "Newest first."})


@example({"id": "msg_4f1c2a9be0d37788a1b2c3d4"})
class QueuedDelivery(Reply):
    id = id_of("The id of the event, as it will appear in the list of deliveries.")


# -- what is posted to a webhook ---------------------------------------------------------------------------------------


class EventQuestion(QuestionReply):
    text = StringField(4000, required=True, metadata={"description": "The question as a sentence."})


class WebhookEventData(Reply):
    game = StringField(
        64, metadata={"description": "The id of the game. Only `text` and `webhook` are sent for a test."}
    )
    game_kind = StringField(40)
    title = StringField(60)
    opponents = fields.List(fields.Nested(Opponent))
    seq = IntegerField(0, metadata={"description": "The seq of the commit. 0 before the start."})
    at = instant("When the commit was settled.", required=False)
    seat = IntegerField(1, allow_none=True, metadata={"description": "The seat that reads it. Null for the public."})
    events = ListField(EnumField(*EVENTS), metadata={"description": "All events that match the webhook."})
    entry = fields.Nested(
        HistoryEntry,
        allow_none=True,
        metadata={"description": "The commit as `listEvents` returns it. Null if its reader sees only a question."},
    )
    questions = fields.List(
        fields.Nested(EventQuestion), metadata={"description": "The questions that the commit asks."}
    )
    outcome = fields.Nested(
        GameOutcome, allow_none=True, metadata={"description": "The result of the game. Null unless it is over."}
    )
    webhook = StringField(64, metadata={"description": "The id of the webhook. Only for a test."})
    text = StringField(100_000, required=True, metadata={"description": "The event as sentences."})


@example(
    {
        "type": "your_turn",
        "timestamp": "2030-01-01T00:00:00.000Z",
        "data": {
            "game": GAME_ID,
            "game_kind": "battalia",
            "title": "Amber Harbor",
            "opponents": [{"seat": 1, "name": "Ash"}],
            "seq": 42,
            "at": MADE_AT,
            "seat": 2,
            "events": ["your_turn"],
            "entry": HistoryEntry.example,
            "questions": [{**QuestionReply.example, "seat": 2, "text": "It is your turn."}],
            "outcome": None,
            "text": "Ash ends the turn. It is your turn.",
        },
    }
)
class WebhookEvent(Reply):
    type = EnumField(
        *EVENTS, "test", required=True, metadata={"description": "The most important event of the commit, or `test`."}
    )
    timestamp = fields.String(
        required=True,
        metadata={"format": "date-time", "description": "When the commit was settled."},
    )
    data = fields.Nested(WebhookEventData, required=True)
