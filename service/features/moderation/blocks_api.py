"""Routes for the list of blocked players."""

from __future__ import annotations

from flask import Blueprint, Response

from domain.kernel.terms import PlayerId
from service.core.accounts.scopes import ACCOUNT_READ, ACCOUNT_WRITE
from service.core.http.access.auth import required_caller
from service.core.http.access.quotas import LIMIT_RETRY_SECONDS
from service.core.http.context.app import current_context
from service.core.http.limits.rates import limit_problem
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import EmptyRequest, read_body
from service.features.moderation import blocks
from service.features.moderation.schemas import BlockedPlayer, BlockedPlayers

blueprint = Blueprint("blocks", __name__)


@blueprint.get("/v1/me/blocks")
@documented(
    "List blocked players",
    operation="listBlocks",
    scope=ACCOUNT_READ,
    gives={200: BlockedPlayers},
    auth="required",
    answer="The players that you have blocked, the oldest block first.",
)
def show() -> Response:
    credential, store = required_caller(), current_context().store
    found = blocks.list_blocks(store, credential.player)
    players = store.accounts.players(list(found))
    listed = [_blocked(players[each].id, players[each].name, since) for each, since in found.items() if each in players]
    return json_response({"blocks": listed})


@blueprint.put("/v1/me/blocks/<player>")
@documented(
    "Block a player",
    operation="createBlock",
    scope=ACCOUNT_WRITE,
    text="Applies in both directions. Neither of you can join a game that the other created, or sit in for the other. Games in "
    "which you both have a seat continue, but neither of you sees new chat messages of the other. The player is not notified.",
    takes=EmptyRequest,
    gives={200: BlockedPlayer},
    problems=("unknown-player", "too-many-blocks"),
    auth="required",
    answer="The blocked player.",
)
def block(player: str) -> Response:
    credential, store = required_caller(), current_context().store
    read_body(EmptyRequest)
    other = store.accounts.player(PlayerId(player))
    if other is None or other.id == credential.player:
        raise Problem("unknown-player")
    since = blocks.block(store, credential.player, other.id)
    if since is None:
        detail = f"An account can block {blocks.MOST} players. Unblock one of them."
        raise limit_problem(LIMIT_RETRY_SECONDS, "too-many-blocks", detail)
    return json_response(_blocked(other.id, other.name, since))


@blueprint.delete("/v1/me/blocks/<player>")
@documented(
    "Unblock a player",
    operation="deleteBlock",
    scope=ACCOUNT_WRITE,
    text="If the player has blocked you too, that block remains.",
    gives={204: None},
    problems=("unknown-block",),
    auth="required",
    answer="The player is unblocked.",
)
def unblock(player: str) -> Response:
    credential = required_caller()
    if not blocks.unblock(current_context().store, credential.player, PlayerId(player)):
        raise Problem("unknown-block")
    return no_content()


def _blocked(player_id: PlayerId, name: str, since: int) -> dict[str, object]:
    return {"player": {"id": player_id, "name": name}, "blocked_at": since}
