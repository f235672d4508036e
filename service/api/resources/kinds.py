"""The games on offer."""

from __future__ import annotations

from functools import lru_cache

import orjson
from flask import Blueprint, Response

from domain.registry import GAMES
from service.api.access.auth import optional_caller
from service.api.context.lobbies import game_of
from service.api.http.answers import answer_bytes
from service.api.reference.routes import documented
from service.api.schemas import replies
from service.projections.kinds import kind, kind_in_full

blueprint = Blueprint("kinds", __name__)
KEPT = {"Cache-Control": "public, max-age=300"}


@blueprint.get("/v1/kinds")
@documented("The games on offer", gives={200: replies.Kinds})
def kinds() -> Response:
    optional_caller()
    return answer_bytes(orjson.dumps({"kinds": [kind(game) for game in GAMES.values()]}), headers=KEPT)


@blueprint.get("/v1/kinds/<key>")
@documented(
    "One of them in full",
    text="With the JSON Schema of every command, every event and the position document; what the table around every "
    "game takes and tells is listed apart.",
    gives={200: replies.KindInFull},
    problems=("unknown-kind",),
)
def kind_of_game(key: str) -> Response:
    optional_caller()
    game_of(key)
    return answer_bytes(_full(key), headers=KEPT)


@lru_cache(maxsize=32)
def _full(key: str) -> bytes:
    return orjson.dumps(kind_in_full(GAMES[key]), option=orjson.OPT_NON_STR_KEYS)
