"""The page that the link in a sign-in email opens. Opening it changes nothing, because mail programs open links too."""

from __future__ import annotations

from html import escape

from flask import Blueprint, Response, g, request

from service.core.accounts.ways import EMAIL
from service.core.http.access.sessions import require_same_site
from service.core.http.access.sign_in import sign_in_browser
from service.core.http.context.app import current_context
from service.core.http.context.tokens import digest_of
from service.core.http.limits.rates import client_address
from service.core.http.pages import html_page, page_redirect
from service.features.email_sign_in import attempts
from service.features.email_sign_in.api import COOKIE

blueprint = Blueprint("email_sign_in_page", __name__)

PATH = "/sign-in/email/<link>"
WRONG = (
    "It works once, within fifteen minutes, and only in the browser in which you asked for it. Open it there, type the "
    'code from the email there, or <a href="/sign-in">ask for another email</a>.'
)


@blueprint.get(PATH)
def ask(link: str) -> Response:
    _count()
    store = current_context().store
    attempt = attempts.find_attempt(store, digest_of(_secret()))
    if attempt is None or attempt.player is None or not attempts.is_link_of(attempt, link):
        return _wrong()
    player = store.accounts.player(attempt.player)
    if player is None:
        return _wrong()
    return html_page("Sign in", f"Do you want to sign in to Oracle Wheel as {escape(player.name)}?", "Sign in")


@blueprint.post(PATH)
def use(link: str) -> Response:
    require_same_site()
    _count()
    store = current_context().store
    player_id = attempts.use_link(store, _secret(), link)
    if player_id is None or store.accounts.player(player_id) is None:
        return _wrong()
    sign_in_browser(player_id, EMAIL)
    response = page_redirect("/")
    response.delete_cookie(COOKIE, path="/")
    return response


def _wrong() -> Response:
    return html_page("This link does not sign in here", WRONG, status=404)


def _secret() -> str:
    return request.cookies.get(COOKIE, "")


def _count() -> None:
    g.limit = current_context().rate_limiter.take(client_address())
