"""Routes for accounts: register, get, rename and erase."""

from __future__ import annotations

import hmac

from flask import Blueprint, Response, g

from domain.kernel.terms import PlayerId
from service.core.account_erasure import erase
from service.core.accounts.names import clean_name, is_numbered, is_plain, is_readable
from service.core.accounts.scopes import ACCOUNT_READ, ACCOUNT_WRITE, GAMES_READ, OWNER
from service.core.feature import load
from service.core.history.seating import is_reserved
from service.core.http.access.auth import optional_caller, required_caller
from service.core.http.access.idempotency import idempotent_for_any_client
from service.core.http.access.ids import new_id
from service.core.http.access.ownership import require_owner
from service.core.http.access.quotas import limit_guesses
from service.core.http.access.sessions import new_session
from service.core.http.context.app import current_context
from service.core.http.context.tokens import digest_of, new_token
from service.core.http.limits.rates import client_address, count_registration
from service.core.http.problems import Problem, invalid_fields
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content, revalidation_headers
from service.core.http.schemas import replies
from service.core.http.schemas.requests import EraseAccountRequest, PlayerRequest, RenameAccountRequest, read_body
from service.store.ports.accounts import Credential, Player

blueprint = Blueprint("players", __name__)

RESERVED = "The name could be mistaken for the service, the game, a seat, a bot or a piece. Choose another name."


@blueprint.post("/v1/players")
@documented(
    "Create an account",
    operation="createPlayer",
    text="The token is shown only once. It has the scopes `read`, `play` and `account`, so it owns the account.",
    takes=PlayerRequest,
    gives={201: replies.CreatedPlayer},
    problems=(
        "name-reserved",
        "csrf",
        "key-reused",
        "in-progress",
        "registration-closed",
        "wrong-code",
        "too-many-guesses",
    ),
    parameters=("Idempotency-Key",),
    auth="none",
    answer="The account and its first token.",
    headers=("Location",),
)
@idempotent_for_any_client
def make() -> Response:
    context = current_context()
    body = read_body(PlayerRequest)
    name = valid_name(body)
    if context.settings.registration == "invite":
        with limit_guesses(context, "code", context.settings.rate_wrong_codes, client_address()):
            _may_register(body.get("code", ""))
    else:
        _may_register("")
    count_registration(context.store.accounts, client_address(), context.settings.rate_registrations)
    token = new_token("t")
    player = Player(PlayerId(new_id("p")), name, context.store.schedule.now())
    credential = Credential(new_id("c"), player.id, OWNER, player.made_at, "first", minted_by="")
    if body["session"]:
        credential, token = new_session(player.id, OWNER)
    context.store.accounts.create(player, credential, digest_of(token))
    if body["session"]:
        g.session_token, token = token, ""
    document = {"id": player.id, "name": name, "token": token, "token_id": credential.id}
    return json_response(document, 201, {"Location": "/v1/me"})


def _may_register(code: str) -> None:
    settings = current_context().settings
    if settings.registration == "closed":
        raise Problem("registration-closed")
    known = settings.registration_code.encode()
    if settings.registration == "invite" and not (known and hmac.compare_digest(code.encode(), known)):
        raise Problem("wrong-code")


def valid_name(body: dict[str, str]) -> str:
    """The name as others will read it. Raises the problem of one that is unreadable or misleading."""
    name = clean_name(body["name"])
    if not name or not is_readable(name):
        raise invalid_fields([("/name", "The name must contain visible letters and must not stack combining marks.")])
    if not is_plain(body["name"]):
        raise invalid_fields(
            [("/name", "The name must not contain control characters, text direction marks or invisible characters.")]
        )
    if is_reserved(name):
        raise Problem("name-reserved", RESERVED, pointer="/name")
    if is_numbered(name):
        raise invalid_fields(
            [
                (
                    "/name",
                    (
                        "The name must not end with a number in parentheses, because games use such numbers to distinguish "
                        "equal names."
                    ),
                )
            ]
        )
    return name


@blueprint.get("/v1/players/<player>")
@documented(
    "Get a player",
    operation="getPlayer",
    scope=GAMES_READ,
    text="Includes how reliable the player is. `turns` counts the most recent turns of the player that had a "
    "deadline, at most 100. `in_time` counts those that the player, or the player's sitter, played before "
    "the deadline. The games in which the player acted last are counted first.",
    gives={200: replies.PlayerReply},
    problems=("unknown-player",),
    answer="The player.",
)
def one(player: str) -> Response:
    credential = optional_caller()
    context = current_context()
    found = context.store.accounts.player(PlayerId(player))
    if found is None:
        raise Problem("unknown-player")
    reliability = context.store.lobbies.reliability(found.id)
    told = {"turns": reliability.asked, "in_time": reliability.in_time}
    headers = revalidation_headers(None if credential is None else 0)
    return json_response({"id": found.id, "name": found.name, "reliability": told}, headers=headers)


@blueprint.delete("/v1/me")
@documented(
    "Erase my account",
    operation="deleteMe",
    scope=ACCOUNT_WRITE,
    text="This cannot be undone. Your name, preferences, email address, tokens, devices, webhooks, feeds and "
    "vacations are erased. So are all your chat messages and your reports to the operator. Games remain "
    "complete: your seats show your id, and their names become the side or the seat number. You resign from "
    "running games. Your seats in games that have not started become free. Games that you created and that "
    "have not started are deleted. To confirm, send your name in `name`.",
    takes=EraseAccountRequest,
    gives={204: None},
    problems=("sign-in-too-recent",),
    auth="required",
    answer="The account is erased.",
)
def erase_me() -> Response:
    credential, context = required_caller(), current_context()
    require_owner(credential)
    player = context.store.accounts.player(credential.player)
    if player is None:
        raise Problem("bad-token")
    if read_body(EraseAccountRequest)["name"] != player.name:
        raise invalid_fields([("/name", "Must be the name of your account, as GET /v1/me returns it.")])
    held = context.store.accounts.tokens(player.id)
    erasers = [load(each.erase_account) for each in context.features if each.erase_account]
    erase(context.store, credential, context.wake, erasers)
    for each in held:
        context.tokens.forget(each.id)
    return no_content()


@blueprint.get("/v1/me")
@documented(
    "Get my account",
    operation="getMe",
    scope=ACCOUNT_READ,
    any_game=True,
    gives={200: replies.Me},
    auth="required",
    answer="The account and the token of this request.",
)
def me() -> Response:
    credential = required_caller()
    return _me(credential)


@blueprint.patch("/v1/me")
@documented(
    "Rename my account",
    operation="updateMe",
    scope=ACCOUNT_WRITE,
    takes=RenameAccountRequest,
    gives={200: replies.Me},
    problems=("name-reserved",),
    auth="required",
    answer="The account with its new name.",
)
def rename() -> Response:
    credential = required_caller()
    name = valid_name(read_body(RenameAccountRequest))
    current_context().store.accounts.rename(credential.player, name)
    return _me(credential)


def _me(credential: Credential) -> Response:
    player = current_context().store.accounts.player(credential.player)
    if player is None:
        raise Problem("bad-token")
    return json_response(
        {
            "id": player.id,
            "name": player.name,
            "created_at": player.made_at,
            "token_id": credential.id,
            "scopes": list(credential.scopes),
            "game": credential.game,
            "expires_at": credential.expires_at,
        }
    )
