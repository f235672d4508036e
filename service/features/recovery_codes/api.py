"""Routes for recovery codes, and for signing in with one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response

from service.core.accounts.scopes import ACCOUNT_READ, ACCOUNT_WRITE
from service.core.accounts.ways import RECOVERY_CODE
from service.core.http.access.auth import required_caller
from service.core.http.access.idempotency import idempotent, idempotent_for_any_client
from service.core.http.access.ownership import require_owner
from service.core.http.access.sessions import require_same_site
from service.core.http.access.sign_in import (
    FAILED,
    limit_sign_ins,
    one_at_a_time,
    require_account,
    sign_in,
)
from service.core.http.context.app import current_context
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response
from service.core.http.schemas import replies
from service.core.http.schemas.requests import EmptyRequest, read_body
from service.features.recovery_codes import codes
from service.features.recovery_codes.schemas import CreatedRecoveryCodes, RecoveryCodeRequest, RecoveryCodes
from service.store.ports.accounts import SecretAddress

blueprint = Blueprint("recovery_codes", __name__)


@blueprint.get("/v1/me/recovery-codes")
@documented(
    "Count my recovery codes",
    operation="getRecoveryCodes",
    gives={200: RecoveryCodes},
    auth="required",
    scope=ACCOUNT_READ,
    answer="The number of unused codes.",
)
def recovery_codes() -> Response:
    credential = required_caller()
    return json_response(_document(codes.list_codes(current_context().store, credential.player)))


@blueprint.post("/v1/me/recovery-codes")
@documented(
    "Create recovery codes",
    operation="createRecoveryCodes",
    text="Creates ten codes and revokes all earlier ones. Each code signs in to your account once, without your "
    "name. The codes are shown only once: print them or store them in a password manager.",
    takes=EmptyRequest,
    gives={201: CreatedRecoveryCodes},
    problems=("in-progress", "sign-in-too-recent", "key-reused"),
    parameters=("Idempotency-Key",),
    auth="required",
    scope=ACCOUNT_WRITE,
    answer="The codes.",
)
@idempotent
def make_recovery_codes() -> Response:
    credential, store = required_caller(), current_context().store
    require_owner(credential)
    read_body(EmptyRequest)
    with one_at_a_time(f"recovery-codes:{credential.player}"):
        made = codes.make_codes(store, credential.player)
        return json_response({**_document(codes.list_codes(store, credential.player)), "codes": made}, 201)


@blueprint.post("/v1/sign-in/recovery-code")
@documented(
    "Sign in with a recovery code",
    operation="signInWithRecoveryCode",
    text="The code works once. If you get no response, repeat the request with its `Idempotency-Key`.",
    takes=RecoveryCodeRequest,
    gives={201: replies.SignedIn},
    problems=("sign-in-failed", "suspended", "csrf", "too-many-guesses", "key-reused", "in-progress"),
    parameters=("Idempotency-Key",),
    auth="none",
    answer="The account and its new token, or a session whose cookies the response sets.",
)
@idempotent_for_any_client
def use_recovery_code() -> Response:
    require_same_site()
    body, store = read_body(RecoveryCodeRequest), current_context().store
    with limit_sign_ins():
        code = codes.find_code(store, body["code"])
        if code is None:
            raise Problem(FAILED)
        require_account(code.player)  # the code of a suspended account stays valid
        if not codes.use_code(store, code):
            raise Problem(FAILED)
        return sign_in(code.player, RECOVERY_CODE, session=body["session"])


def _document(known: Sequence[SecretAddress]) -> dict[str, Any]:
    return {"left": len(known), "created_at": max((each.made_at for each in known), default=None)}
