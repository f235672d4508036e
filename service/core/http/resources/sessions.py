"""Routes for the session of a browser."""

from __future__ import annotations

from flask import Blueprint, Response, request

from service.core.accounts.scopes import ACCOUNT_READ
from service.core.http.access import sessions
from service.core.http.access.auth import required_caller
from service.core.http.access.ownership import require_person
from service.core.http.context.app import current_context
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas import replies
from service.store.ports.accounts import SESSION

blueprint = Blueprint("sessions", __name__)


@blueprint.post("/v1/session")
@documented(
    "Start a browser session",
    operation="createSession",
    scope=ACCOUNT_READ,
    text="Exchanges the token of this request for a session: the cookie `oraclewheel_session`, which scripts cannot read. "
    "Requests with the cookie need no token. Those that change something repeat the cookie `oraclewheel_csrf` in the header "
    "`X-CSRF-Token`. The session has the scopes of the token. It ends 180 days after its last request, and when the token expires or is revoked.",
    gives={201: replies.Session},
    auth="required",
    answer="The session. The response sets its cookies.",
)
def start() -> Response:
    credential = required_caller()
    if "Authorization" not in request.headers:
        raise Problem("no-token", "Send the token to exchange in the Authorization header.")
    require_person(credential)
    made = sessions.open_session(
        credential.player, credential.scopes, credential.id, credential.expires_at, credential.limited_until
    )
    return json_response({"token_id": made.id, "scopes": list(made.scopes), "expires_at": made.expires_at}, 201)


@blueprint.delete("/v1/session")
@documented(
    "End my browser session",
    operation="deleteSession",
    scope=ACCOUNT_READ,
    text="Signs this browser out: the session is revoked and the cookies are removed. Tokens created in it stay valid.",
    gives={204: None},
    auth="required",
    answer="The session has ended.",
)
def end() -> Response:
    credential = required_caller()
    if credential.kind != SESSION:
        raise Problem("no-token", "The request has no session. `DELETE /v1/me/tokens/{id}` revokes a token.")
    context = current_context()
    for each in context.store.accounts.revoke(credential.player, credential.id):
        context.tokens.forget(each)
    sessions.drop_session()
    return no_content()
