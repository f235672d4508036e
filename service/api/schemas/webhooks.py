"""The form of the bodies that make and change webhooks."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from service.api.schemas.fields import Several, Text, Truth, Whole, Word, example
from service.api.schemas.requests import Request
from service.post.webhooks.targets import LONGEST, RIGHT
from service.post.webhooks.webhook import FORMATS, READERS
from service.post.words import EVENTS

MOST_HOURS = 168
"""For so many hours at most the secret before a new one signs too."""


def _url(**kwargs: Any) -> Text:
    about = "Where words are posted to: a public address, http or https. " + RIGHT
    return Text(LONGEST, 1, metadata={"description": about}, **kwargs)


def _format() -> Word:
    about = "`json` for programs; `discord`, `slack` and `text` (plain, in sentences) for channels. If nothing is said, `json`."
    return Word(*FORMATS, metadata={"description": about})


def _events() -> fields.Field[Any]:
    about = (
        "What to hear of: a commit that ends the game (`game_over`), that asks a seat of yours (`your_turn`) or any player's "
        "(`turn`), that shows its reader something (`commit`). If nothing is said, all that the format is used for."
    )
    return Several(Word(*EVENTS), len(EVENTS), 1, metadata={"description": about})


def _reader() -> Word:
    about = (
        "With whose eyes: your `seat`'s, or the `public`'s. If nothing is said, your seat's for `json`, and the public's for "
        "what others read in a channel."
    )
    return Word(*READERS, metadata={"description": about})


def _label() -> Text:
    return Text(80, metadata={"description": "What you call it."})


@example({"url": "https://example.org/hook", "format": "json", "events": ["your_turn", "game_over"]})
class WebhookRequest(Request):
    url = _url(required=True)
    format = _format()
    events = _events()
    game = Text(64, 1, metadata={"description": "The one game to hear of, which is yours; all of yours by default."})
    reader = _reader()
    label = _label()


@example({"active": True})
class WebhookChange(Request):
    url = _url()
    format = _format()
    events = _events()
    reader = _reader()
    label = _label()
    active = Truth(metadata={"description": "Whether anything is sent; what happens meanwhile is not sent later."})


@example({"hours": 24})
class SecretRequest(Request):
    hours = Whole(
        0,
        MOST_HOURS,
        metadata={"description": "For how long the secret before it signs as well, 24 if nothing is said."},
    )
