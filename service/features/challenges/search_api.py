"""Routes to find players by name, and to be found."""

from __future__ import annotations

import base64
from contextlib import suppress

from flask import Blueprint, Response, request

from domain.kernel.terms import PlayerId
from service.core.accounts.names import MAX_NAME_LENGTH
from service.core.accounts.scopes import ACCOUNT_READ, ACCOUNT_WRITE, GAMES_READ
from service.core.feature import load
from service.core.http.access.auth import required_caller
from service.core.http.context.app import AppContext, current_context
from service.core.http.problems import invalid_parameter
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, next_page_header
from service.core.http.schemas.requests import read_body
from service.features.challenges import creation, offers
from service.features.challenges.schemas import Discovery, DiscoveryRequest, FoundPlayers
from service.store.ports.accounts import Player
from service.store.redis.accounts import fold_name

blueprint = Blueprint("player_search", __name__)

SHORTEST = 2
"""Minimum number of characters of a name to search for."""

MOST_FOUND, MOST_KNOWN = 20, 10
"""Players on a page, and favorites and recent opponents among them, at most."""


@blueprint.get("/v1/players")
@documented(
    "Find players by name",
    operation="listPlayers",
    scope=GAMES_READ,
    text="Finds players whose name begins with the text; case and accents do not matter. Leaves out yourself, and players "
    "whom you cannot challenge. Exact names come first. The first page has your favorites and recent opponents before others of "
    "its players. A page has at most 20 players, and can have fewer although there are more: follow the `Link` header.",
    gives={200: FoundPlayers},
    parameters=("name", "cursor"),
    auth="required",
    answer="A page of players.",
    headers=("Link",),
)
def find() -> Response:
    player_id, context = required_caller().player, current_context()
    name = " ".join(request.args.get("name", "").split())
    if not SHORTEST <= len(name) <= MAX_NAME_LENGTH or "\0" in name:
        raise invalid_parameter("name", f"name must have {SHORTEST} to {MAX_NAME_LENGTH} characters.")
    cursor, folded = request.args.get("cursor"), fold_name(name)
    known = _find_known(context, player_id, folded)
    left = MOST_FOUND - (len(known) if cursor is None else 0)
    page, last = context.store.accounts.named(name, left, b"" if cursor is None else _parse_cursor(cursor, folded))
    found = [each for each in page if each.id != player_id and each not in known]
    if cursor is None:
        found = sorted([*known, *found], key=lambda each: fold_name(each.name) != folded)
    ids = [each.id for each in found]
    hidden = creation.find_unavailable(context, player_id, dict.fromkeys(ids, 1))
    hidden |= offers.list_unlisted(context.store, ids)
    shown = [{"id": each.id, "name": each.name} for each in found if each.id not in hidden]
    following = base64.urlsafe_b64encode(last).decode() or None
    headers = {} if following is None else next_page_header(cursor=following)
    return json_response({"players": shown, "next": following}, headers=headers)


def _parse_cursor(cursor: str, folded: str) -> bytes:
    """The entry of the index of names after which the page begins. Raises the problem of a bad cursor."""
    with suppress(ValueError):
        entry = base64.urlsafe_b64decode(cursor)
        if entry.startswith(folded.encode()) and b"\0" in entry:
            return entry
    raise invalid_parameter("cursor", "The cursor is invalid. Use the Link header of the previous page.")


def _find_known(context: AppContext, player_id: PlayerId, folded: str) -> list[Player]:
    """Favorites and recent opponents whose names begin with the text, exact names first; at most `MOST_KNOWN`."""
    finders = [load(each.find_known) for each in context.features if each.find_known]
    ids = {each for find_known in finders for each in find_known(context.store, player_id)}
    named = [(fold_name(each.name), each.id, each) for each in context.store.accounts.players(sorted(ids)).values()]
    return [each for name, _, each in sorted(named) if name.startswith(folded)][:MOST_KNOWN]


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
