"""Routes for signing in by email."""

from __future__ import annotations

from flask import Blueprint, Response, g, request
from redis.exceptions import RedisError

from domain.kernel.terms import PlayerId
from service.core.accounts.scopes import ACCOUNT_READ, ACCOUNT_WRITE
from service.core.accounts.ways import EMAIL
from service.core.http.access.auth import required_caller
from service.core.http.access.idempotency import idempotent_for_any_client
from service.core.http.access.ownership import require_owner
from service.core.http.access.sessions import require_same_site, set_cookie
from service.core.http.access.sign_in import FAILED, limit_sign_ins, one_at_a_time, sign_in
from service.core.http.context.app import AppContext, current_context
from service.core.http.context.tokens import digest_of
from service.core.http.limits.rates import client_address, count_hourly, limit_problem
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas import replies
from service.core.http.schemas.requests import EmptyRequest, read_body
from service.core.notifications.email_address import EmailAddress, find_email_address
from service.core.outbound import mail_server
from service.features.email_sign_in import addresses, attempts
from service.features.email_sign_in.attempts import LIFETIME_SECONDS
from service.features.email_sign_in.schemas import EmailCodeRequest, EmailSignIn, EmailSignInRequest, EmailSignInStarted
from service.ops.logging import logger

blueprint = Blueprint("email_sign_in", __name__)

COOKIE = "oraclewheel_sign_in"
"""The cookie with the secret of the browser's attempt."""

BURST, A_DAY = 5, 12
"""Emails that one address can get at once, and how many come back in a day. With five tries each, guessing is hopeless."""

ADDRESS_HOUR = 20
"""Emails that one network address can request in an hour."""

LATE = 3_600_000
"""Milliseconds for which a failure of the mail server makes emails count as late."""

DAY_SECONDS = 24 * 3600

log = logger("email_sign_in")


@blueprint.get("/v1/me/email-sign-in")
@documented(
    "Get my sign-in by email",
    operation="getEmailSignIn",
    gives={200: EmailSignIn},
    auth="required",
    scope=ACCOUNT_READ,
    answer="Whether you can sign in by email.",
)
def email_sign_in() -> Response:
    return _document(required_caller().player)


@blueprint.put("/v1/me/email-sign-in")
@documented(
    "Enable sign-in by email",
    operation="setEmailSignIn",
    text="Lets you sign in with the confirmed address of `/v1/me/email`. If you change that address, enable it again.",
    takes=EmptyRequest,
    gives={200: EmailSignIn},
    problems=(
        "email-disabled",
        "no-email",
        "email-not-confirmed",
        "address-in-use",
        "in-progress",
        "sign-in-too-recent",
    ),
    auth="required",
    scope=ACCOUNT_WRITE,
    answer="You can sign in by email.",
)
def enable_email_sign_in() -> Response:
    credential, context = required_caller(), current_context()
    require_owner(credential)
    read_body(EmptyRequest)
    _require_email(context)
    email = find_email_address(context.store, credential.player)
    if email is None:
        raise Problem("no-email")
    if not email.is_confirmed:
        raise Problem("email-not-confirmed")
    with one_at_a_time(f"email-sign-in:{addresses.address_digest(email.address)}"):
        if not addresses.enable(context.store, email):
            raise Problem("address-in-use")
    return _document(credential.player)


@blueprint.delete("/v1/me/email-sign-in")
@documented(
    "Disable sign-in by email",
    operation="deleteEmailSignIn",
    gives={204: None},
    problems=("sign-in-too-recent",),
    auth="required",
    scope=ACCOUNT_WRITE,
    answer="You cannot sign in by email.",
)
def disable_email_sign_in() -> Response:
    credential = required_caller()
    require_owner(credential)
    addresses.erase_address(current_context().store, credential.player)
    return no_content()


@blueprint.post("/v1/sign-in/email")
@documented(
    "Request a sign-in email",
    operation="sendSignInEmail",
    text="Sends a link and a code to the address if an account can sign in with it. The response is the same for "
    "every address. It sets a cookie: the link and the code work only together with it, for fifteen minutes, once.",
    takes=EmailSignInRequest,
    gives={202: EmailSignInStarted},
    problems=("email-disabled", "csrf"),
    auth="none",
    answer="The request is accepted.",
)
def request_email() -> Response:
    """Does the same work for every address, so that neither the response nor its time shows who has an account."""
    context = current_context()
    require_same_site()
    g.limit = context.rate_limiter.take(client_address())
    body = read_body(EmailSignInRequest)
    _require_email(context)
    digest = addresses.address_digest(body["address"])
    count_hourly(context.store.accounts, f"sign-in-email:from:{client_address()}", ADDRESS_HOUR)
    allowed, _, seconds = context.store.accounts.allow(f"sign-in-email:{digest}", BURST, A_DAY / DAY_SECONDS)
    if not allowed:
        raise limit_problem(seconds, detail="Too many emails for this address. Wait, or sign in another way.")
    secret = attempts.start_attempt(context.store, digest)
    delayed = not _wake(context) or _is_late(context)
    response = json_response({"expires_in": LIFETIME_SECONDS, "delayed": delayed}, 202)
    set_cookie(response, COOKIE, secret, LIFETIME_SECONDS)
    return response


@blueprint.post("/v1/sign-in/email/code")
@documented(
    "Sign in with an email code",
    operation="signInWithEmailCode",
    text="Needs the cookie that `sendSignInEmail` has set. After five wrong codes, request another email.",
    takes=EmailCodeRequest,
    gives={201: replies.SignedIn},
    problems=("sign-in-failed", "suspended", "csrf", "too-many-guesses", "key-reused", "in-progress"),
    parameters=("Idempotency-Key",),
    auth="none",
    answer="The account and its new token, or a session whose cookies the response sets.",
)
@idempotent_for_any_client
def use_code() -> Response:
    require_same_site()
    body, store, secret = read_body(EmailCodeRequest), current_context().store, request.cookies.get(COOKIE, "")
    attempt = attempts.find_attempt(store, digest_of(secret))
    with limit_sign_ins(*(() if attempt is None else (attempt.address,))):
        player_id = attempts.use_code(store, secret, body["code"])
        if player_id is None:
            raise Problem(FAILED)
        response = sign_in(player_id, EMAIL, session=body["session"])
    response.delete_cookie(COOKIE, path="/")
    return response


def _wake(context: AppContext) -> bool:
    """Wake a worker. False if the queue is down: then the job of the next minute sends the email."""
    if context.queue is None:
        return True
    try:
        context.queue.enqueue_side("service.features.email_sign_in.jobs.send_pending")
    except RedisError:
        log.warning("sign_in_email_not_enqueued", exc_info=True)
        return False
    return True


def _is_late(context: AppContext) -> bool:
    """Whether the mail server has failed at its last attempt, for any address."""
    failed = mail_server.list_failures(context.store)
    return bool(failed) and context.store.schedule.now() - failed[0]["at"] < LATE


def _require_email(context: AppContext) -> None:
    if not context.settings.letters:
        raise Problem("email-disabled")


def _document(player_id: PlayerId) -> Response:
    store = current_context().store
    email: EmailAddress | None = find_email_address(store, player_id)
    enabled = email is not None and addresses.is_enabled(store, email)
    address = None if email is None else email.address
    confirmed = email is not None and email.is_confirmed
    return json_response({"enabled": enabled, "address": address, "confirmed": confirmed})
