"""Schemas of requests to create and change webhooks."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from service.core.http.schemas.fields import BooleanField, EnumField, IntegerField, ListField, StringField, example
from service.core.http.schemas.requests import Request
from service.notifications.notification import EVENTS
from service.notifications.webhooks.targets import MAX_URL_LENGTH, URL_REQUIREMENT
from service.notifications.webhooks.webhook import FORMATS, READERS

MOST_HOURS = 168
"""Maximum hours for which the secret before a new one also signs."""


def _url(**kwargs: Any) -> StringField:
    about = "URL that receives the events, at a public address. " + URL_REQUIREMENT
    return StringField(MAX_URL_LENGTH, 1, metadata={"description": about}, **kwargs)


def _format() -> EnumField:
    about = "`json` for programs. `discord`, `slack` and `text` (plain sentences) for chat channels. Default `json`."
    return EnumField(*FORMATS, metadata={"description": about})


def _events() -> fields.Field[Any]:
    about = (
        "Events to send. `game_over`: the game ends. `your_turn`: a seat of yours has a pending question. "
        "`turn`: any player has one. `commit`: the commit shows something to its reader. `game_full`: the "
        "last seat of a game that you created is taken. Default: all that the format supports."
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
