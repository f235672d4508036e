"""Routes for the private label of a game."""

from __future__ import annotations

from flask import Blueprint, Response

from domain.kernel.terms import GameId
from service.core.accounts.scopes import GAMES_PLAY
from service.core.http.access.auth import authorize, required_caller
from service.core.http.access.quotas import LIMIT_RETRY_SECONDS
from service.core.http.context.app import current_context
from service.core.http.limits.rates import limit_problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import read_body
from service.core.http.setup import titles
from service.features.labels import labels
from service.features.labels.schemas import GameLabel, LabelRequest

blueprint = Blueprint("labels", __name__)


@blueprint.put("/v1/games/<game>/label")
@documented(
    "Label a game",
    operation="setGameLabel",
    scope=GAMES_PLAY,
    text="Replaces your previous label. No other player sees it. You can label any game that you can read.",
    takes=LabelRequest,
    gives={200: GameLabel},
    problems=("unknown-game", "too-many-labels"),
    auth="required",
    answer="The label.",
)
def put(game_id: GameId) -> Response:
    credential = required_caller()
    access = authorize(game_id, credential)
    label = titles.checked(read_body(LabelRequest)["label"], "/label")
    if not labels.set_label(access.context.store, credential.player, game_id, label):
        detail = f"An account can label {labels.MOST} games. Remove the label of one of them."
        raise limit_problem(LIMIT_RETRY_SECONDS, "too-many-labels", detail)
    return json_response({"game": game_id, "label": label})


@blueprint.delete("/v1/games/<game>/label")
@documented(
    "Remove a label",
    operation="deleteGameLabel",
    scope=GAMES_PLAY,
    text="Also works if the game has been deleted, or if you cannot read it any more.",
    gives={204: None},
    auth="required",
    answer="You have no label for the game.",
)
def remove(game_id: GameId) -> Response:
    credential = required_caller()
    labels.remove_label(current_context().store, credential.player, game_id)
    return no_content()
