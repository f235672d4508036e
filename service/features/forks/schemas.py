"""Schemas of complete states and forks."""

from __future__ import annotations

from service.core.http.schemas.fields import IntegerField, ListField, example
from service.core.http.schemas.replies.base import Reply, record, seq_of
from service.core.http.schemas.requests import Request


@example({"seq": 40, "dice": [6, 6, 1]})
class ForkRequest(Request):
    seq = IntegerField(1, metadata={"description": "The commit to start from. Default: the newest."})
    dice = ListField(IntegerField(1, 1000), 1000, metadata={"description": "Die rolls, in order."})


@example({"seq": 41, "position": {"round": 3}})
class PositionDocument(Reply):
    seq = seq_of("The commit after which the game was in this state.")
    position = record("The state. The kind of game has its JSON Schema.")
