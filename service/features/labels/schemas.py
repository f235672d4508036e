"""Schemas of labels."""

from __future__ import annotations

from service.core.http.schemas.fields import StringField, example
from service.core.http.schemas.replies.base import GAME_ID, Reply, id_of
from service.core.http.schemas.requests import MAX_TITLE, Request


@example({"label": "Rematch with Birk"})
class LabelRequest(Request):
    label = StringField(MAX_TITLE, 1, required=True, metadata={"description": "The label. Only you see it."})


@example({"game": GAME_ID, "label": "Rematch with Birk"})
class GameLabel(Reply):
    game = id_of()
    label = StringField(MAX_TITLE, required=True)
