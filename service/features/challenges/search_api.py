"""Routes to find players by name, and to be found."""

from __future__ import annotations

from flask import Blueprint, Response, request

from service.core.accounts.names import MAX_NAME_LENGTH
from service.core.accounts.scopes import ACCOUNT_READ, ACCOUNT_WRITE, GAMES_READ
from service.core.http.access.auth import required_caller
from service.core.http.context.app import current_context
from service.core.http.problems import invalid_parameter
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response
from service.core.http.schemas.requests import read_body
from service.features.challenges import creation, offers
from service.features.challenges.schemas import Discovery, DiscoveryRequest, FoundPlayers

blueprint = Blueprint("player_search", __name__)

SHORTEST = 2
"""Minimum number of characters of a name to search for."""

MOST_READ, MOST_FOUND = 60, 20
"""Players that a search looks at, and returns, at most."""


@blueprint.get("/v1/players")
@documented(
    "Find players by name",
    operation="listPlayers",
    scope=GAMES_READ,
    text="Finds players whose name begins with the text; case and accents do not matter. Leaves out yourself, and players "
    "whom you cannot challenge. Returns at most 20 players. To find others, type more of the name.",
    gives={200: FoundPlayers},
    parameters=("name",),
    auth="required",
    answer="The players.",
)
def find() -> Response:
    player_id, context = required_caller().player, current_context()
    name = " ".join(request.args.get("name", "").split())
    if not SHORTEST <= len(name) <= MAX_NAME_LENGTH or "\0" in name:
        raise invalid_parameter("name", f"name must have {SHORTEST} to {MAX_NAME_LENGTH} characters.")
    found = [each for each in context.store.accounts.named(name, MOST_READ) if each.id != player_id]
    ids = [each.id for each in found]
    hidden = creation.find_unavailable(context, player_id, dict.fromkeys(ids, 1))
    hidden |= offers.list_unlisted(context.store, ids)
    shown = [{"id": each.id, "name": each.name} for each in found if each.id not in hidden]
    return json_response({"players": shown[:MOST_FOUND]})


@blueprint.get("/v1/me/discovery")
@documented(
    "Get whether others can find me",
    operation="getDiscovery",
    scope=ACCOUNT_READ,
    gives={200: Discovery},
    auth="required",
    answer="The setting.",
)
def show() -> Response:
    player_id, store = required_caller().player, current_context().store
    return json_response({"findable": not offers.list_unlisted(store, [player_id])})


@blueprint.put("/v1/me/discovery")
@documented(
    "Set whether others can find me",
    operation="setDiscovery",
    scope=ACCOUNT_WRITE,
    takes=DiscoveryRequest,
    gives={200: Discovery},
    auth="required",
    answer="The setting.",
)
def change() -> Response:
    player_id, store = required_caller().player, current_context().store
    listed = read_body(DiscoveryRequest)["findable"]
    offers.set_listed(store, player_id, listed=listed)
    return json_response({"findable": listed})
