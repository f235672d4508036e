"""Routes for passkeys, and for signing in with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from flask import Blueprint, Response, g

from domain.kernel.terms import PlayerId
from service.core.accounts.scopes import ACCOUNT_READ, ACCOUNT_WRITE
from service.core.accounts.ways import PASSKEY
from service.core.http.access.auth import required_caller
from service.core.http.access.idempotency import idempotent, idempotent_for_any_client
from service.core.http.access.ownership import require_owner
from service.core.http.access.quotas import LIMIT_RETRY_SECONDS
from service.core.http.access.sessions import require_same_site
from service.core.http.access.sign_in import FAILED, limit_sign_ins, one_at_a_time, sign_in
from service.core.http.context.app import current_context
from service.core.http.limits.rates import client_address, count_hourly, limit_problem
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas import replies
from service.core.http.schemas.requests import EmptyRequest, read_body
from service.features.passkeys import schemas, storage
from service.ops.logging import logger

if TYPE_CHECKING:
    from service.features.passkeys.ceremonies import RelyingParty

blueprint = Blueprint("passkeys", __name__)

MOST = 20
"""Passkeys of an account."""

CHALLENGES_HOUR = 600
"""Challenges that one address can request in an hour. Each is stored for five minutes."""

log = logger("passkeys")


@blueprint.get("/v1/me/passkeys")
@documented(
    "List my passkeys",
    operation="listPasskeys",
    gives={200: schemas.Passkeys},
    auth="required",
    scope=ACCOUNT_READ,
    answer="Your passkeys.",
)
def passkeys() -> Response:
    credential = required_caller()
    known = storage.list_passkeys(current_context().store, credential.player)
    return json_response({"passkeys": [_document(each) for each in known]})


@blueprint.post("/v1/me/passkeys/options")
@documented(
    "Start adding a passkey",
    operation="createPasskeyOptions",
    takes=EmptyRequest,
    gives={200: schemas.PasskeyOptions},
    problems=("passkeys-disabled", "sign-in-too-recent"),
    auth="required",
    scope=ACCOUNT_WRITE,
    answer="Options for `navigator.credentials.create()`.",
)
def passkey_options() -> Response:
    from service.features.passkeys.ceremonies import registration_options

    credential, store = required_caller(), current_context().store
    require_owner(credential)
    read_body(EmptyRequest)
    party, player = _party(), store.accounts.player(credential.player)
    if player is None:
        raise Problem("bad-token")
    _count_challenge()
    challenge, options = registration_options(party, player, storage.list_passkeys(store, player.id))
    storage.put_challenge(store, challenge, player.id)
    return json_response({"publicKey": options})


@blueprint.post("/v1/me/passkeys")
@documented(
    "Add a passkey",
    operation="createPasskey",
    text="Send the browser's response to the options of `createPasskeyOptions`.",
    takes=schemas.PasskeyRequest,
    gives={201: schemas.PasskeyReply},
    problems=(
        "passkeys-disabled",
        "passkey-rejected",
        "too-many-passkeys",
        "in-progress",
        "sign-in-too-recent",
        "key-reused",
    ),
    parameters=("Idempotency-Key",),
    auth="required",
    scope=ACCOUNT_WRITE,
    answer="The passkey.",
    headers=("Location",),
)
@idempotent
def add_passkey() -> Response:
    from service.features.passkeys import ceremonies

    credential, store = required_caller(), current_context().store
    require_owner(credential)
    body, party, player_id = read_body(schemas.PasskeyRequest), _party(), credential.player
    try:
        challenge = ceremonies.challenge_of(body["credential"])
        if not storage.take_challenge(store, challenge, player_id):
            raise ceremonies.InvalidResponse("the challenge is unknown, expired or used")
        made = ceremonies.verify_registration(party, body["credential"], challenge, body["name"], store.schedule.now())
    except ceremonies.InvalidResponse as error:
        log.info("passkey_rejected", reason=str(error))
        raise Problem("passkey-rejected", pointer="/credential") from error
    with one_at_a_time(_lock(player_id)):
        if len(storage.list_passkeys(store, player_id)) >= MOST:
            detail = f"An account can have {MOST} passkeys. Remove one of them."
            raise limit_problem(LIMIT_RETRY_SECONDS, "too-many-passkeys", detail)
        storage.store_passkey(store, player_id, made)
    return json_response(_document(made), 201, {"Location": f"/v1/me/passkeys/{made.id}"})


@blueprint.delete("/v1/me/passkeys/<passkey>")
@documented(
    "Remove a passkey",
    operation="deletePasskey",
    text="It can no longer sign in. Sessions and tokens that it has created stay valid until you revoke them.",
    gives={204: None},
    problems=("unknown-passkey", "in-progress", "sign-in-too-recent"),
    auth="required",
    scope=ACCOUNT_WRITE,
    answer="The passkey is removed.",
)
def remove_passkey(passkey: str) -> Response:
    credential = required_caller()
    require_owner(credential)
    with one_at_a_time(_lock(credential.player)):
        removed = storage.remove_passkey(current_context().store, credential.player, passkey)
    if not removed:
        raise Problem("unknown-passkey")
    return no_content()


@blueprint.post("/v1/sign-in/passkey/options")
@documented(
    "Start signing in with a passkey",
    operation="createPasskeySignInOptions",
    takes=EmptyRequest,
    gives={200: schemas.PasskeyOptions},
    problems=("passkeys-disabled",),
    auth="none",
    answer="Options for `navigator.credentials.get()`. The player chooses the account in the browser.",
)
def sign_in_options() -> Response:
    from service.features.passkeys.ceremonies import authentication_options

    context = current_context()
    g.limit = context.rate_limiter.take(client_address())
    read_body(EmptyRequest)
    party = _party()
    _count_challenge()
    challenge, options = authentication_options(party)
    storage.put_challenge(context.store, challenge, None)
    return json_response({"publicKey": options})


@blueprint.post("/v1/sign-in/passkey")
@documented(
    "Sign in with a passkey",
    operation="signInWithPasskey",
    text="Send the browser's response to the options of `createPasskeySignInOptions`.",
    takes=schemas.PasskeySignInRequest,
    gives={201: replies.SignedIn},
    problems=(
        "passkeys-disabled",
        "sign-in-failed",
        "suspended",
        "csrf",
        "too-many-guesses",
        "in-progress",
        "key-reused",
    ),
    parameters=("Idempotency-Key",),
    auth="none",
    answer="The account and its new token, or a session whose cookies the response sets.",
)
@idempotent_for_any_client
def use_passkey() -> Response:
    from service.features.passkeys.ceremonies import InvalidResponse

    require_same_site()
    body, party = read_body(schemas.PasskeySignInRequest), _party()
    with limit_sign_ins():
        try:
            player_id = _authenticate(party, body["credential"])
        except InvalidResponse as error:
            log.info("passkey_sign_in_failed", reason=str(error))
            raise Problem(FAILED) from error
        return sign_in(player_id, PASSKEY, session=body["session"])


def _authenticate(party: RelyingParty, response: dict[str, Any]) -> PlayerId:
    """The account whose passkey has signed a challenge of this service. Raises `InvalidResponse`."""
    from service.features.passkeys import ceremonies

    store = current_context().store
    challenge = ceremonies.challenge_of(response)
    if not storage.take_challenge(store, challenge, None):
        raise ceremonies.InvalidResponse("the challenge is unknown, expired or used")
    player_id = ceremonies.user_of(response)
    id_ = storage.passkey_id(ceremonies.credential_of(response))
    passkey = storage.find_passkey(store, player_id, id_)
    if passkey is None:
        raise ceremonies.InvalidResponse("the passkey is unknown")
    count = ceremonies.verify_authentication(party, response, challenge, passkey)
    with one_at_a_time(_lock(player_id)):
        # It must not come back if it has just been removed, nor count two signatures as one.
        if storage.find_passkey(store, player_id, id_) != passkey:
            raise ceremonies.InvalidResponse("the passkey was removed or used in the meantime")
        used = msgspec.structs.replace(passkey, sign_count=count, used_at=store.schedule.now())
        storage.store_passkey(store, player_id, used)
    return player_id


def _lock(player_id: PlayerId) -> str:
    return f"passkeys:{player_id}"


def _party() -> RelyingParty:
    """The relying party. Raises the problem of one where browsers offer no passkeys."""
    from service.features.passkeys.ceremonies import RelyingParty

    party = RelyingParty.from_url(current_context().base_url())
    if party is None:
        raise Problem("passkeys-disabled")
    return party


def _count_challenge() -> None:
    count_hourly(current_context().store.accounts, f"passkey-challenges:{client_address()}", CHALLENGES_HOUR)


def _document(passkey: storage.Passkey) -> dict[str, Any]:
    return {
        "id": passkey.id,
        "name": passkey.name,
        "created_at": passkey.made_at,
        "last_used_at": passkey.used_at,
    }
