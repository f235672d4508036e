"""The games on offer."""

from __future__ import annotations

from functools import lru_cache

import orjson
from flask import Blueprint, Response

from domain.registry import GAMES
from service.api.access.auth import anyone
from service.api.context.lobbies import game_of
from service.api.http.answers import raw
from service.api.reference.routes import told
from service.api.schemas import replies
from service.projections.kinds import kind, kind_in_full

blueprint = Blueprint("kinds", __name__)
KEPT = {"Cache-Control": "public, max-age=300"}


@blueprint.get("/v1/kinds")
@told("The games on offer", gives={200: replies.Kinds})
def kinds() -> Response:
    anyone()
    return raw(orjson.dumps({"kinds": [kind(game) for game in GAMES.values()]}), headers=KEPT)


@blueprint.get("/v1/kinds/<key>")
@told(
    "One of them in full",
    text="With the JSON Schema of every command, every event and the position document; what the table around every "
    "game takes and tells is listed apart.",
    gives={200: replies.KindInFull},
    problems=("unknown-kind",),
)
def kind_of_game(key: str) -> Response:
    anyone()
    game_of(key)
    return raw(_full(key), headers=KEPT)


@lru_cache(maxsize=32)
def _full(key: str) -> bytes:
    return orjson.dumps(kind_in_full(GAMES[key]), option=orjson.OPT_NON_STR_KEYS)
