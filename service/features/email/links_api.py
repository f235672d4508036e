"""Pages that the links in emails open, without a token."""

from __future__ import annotations

import dataclasses
from html import escape

from flask import Blueprint, Response, g

from service.core.accounts.scopes import GAMES_READ
from service.core.http.context.app import current_context
from service.core.http.context.tokens import digest_of, new_token
from service.core.http.limits.rates import client_address
from service.core.http.pages import HTML, PAGE_HEADERS, html_page, page_redirect
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.resources.tokens import FIRST_USE
from service.features.email import links
from service.features.email.api import open_or_close
from service.features.email.links import CONFIRM, OPEN, UNSUBSCRIBE, LinkTarget
from service.features.email.mailbox import UNSUBSCRIBED, load_mailbox
from service.store.ports.accounts import Credential

blueprint = Blueprint("email_links", __name__)

TOO_OLD = "The link is unknown or has expired, or the address no longer receives email."


@blueprint.get("/letters/confirm/<secret>")
@documented(
    "Get the email confirmation page",
    operation="getEmailConfirmationPage",
    text="A page with a button that confirms the address. A GET request changes nothing, because mail programs open links before people do.",
    gives={200: HTML},
    problems=("not-found",),
    auth="none",
    answer="The page.",
)
def ask_confirmation(secret: str) -> Response:
    found = _found(secret, CONFIRM)
    if found.box.verified:
        return html_page("Your email address is confirmed", f"Oracle Wheel sends email to {escape(found.box.address)}.")
    text = f"Do you want email from Oracle Wheel to {escape(found.box.address)} when it is your turn?"
    return html_page("Confirm your email address", text, "Confirm")


@blueprint.post("/letters/confirm/<secret>")
@documented(
    "Confirm an email address",
    operation="confirmEmail",
    gives={200: HTML},
    problems=("not-found",),
    auth="none",
    answer="A page that says that the address is confirmed.",
)
def confirm(secret: str) -> Response:
    while not (found := _found(secret, CONFIRM)).box.verified:
        box = load_mailbox(current_context().store, found.subscription)
        open_or_close(found.subscription, dataclasses.replace(box, verified=True, bounces=0))
    return html_page(
        "Your email address is confirmed",
        f"Oracle Wheel now sends email to {escape(found.box.address)}. You can close this page.",
    )


@blueprint.get("/letters/leave/<secret>")
@documented(
    "Get the unsubscribe page",
    operation="getUnsubscribePage",
    text="A page with a button that stops the emails. A GET request changes nothing.",
    gives={200: HTML},
    problems=("not-found",),
    auth="none",
    answer="The page.",
)
def ask_to_leave(secret: str) -> Response:
    found = _found(secret, UNSUBSCRIBE)
    if found.box.stopped == UNSUBSCRIBED:
        return html_page("You are unsubscribed", f"Oracle Wheel sends no email to {escape(found.box.address)}.")
    text = f"Do you want to stop all email from Oracle Wheel to {escape(found.box.address)}?"
    return html_page("Unsubscribe from email", text, "Unsubscribe")


@blueprint.post("/letters/leave/<secret>")
@documented(
    "Unsubscribe from email",
    operation="unsubscribe",
    text="One-click unsubscribe (RFC 8058), which mail programs offer. The request body is ignored. To receive "
    "emails again, set the address again and confirm it.",
    gives={200: HTML},
    problems=("not-found",),
    auth="none",
    answer="A page that says that the address receives no more emails.",
)
def leave(secret: str) -> Response:
    while (found := _found(secret, UNSUBSCRIBE)).box.stopped != UNSUBSCRIBED:
        # Unsubscribing resets the confirmation: email needs to be confirmed again before it is resumed.
        open_or_close(found.subscription, dataclasses.replace(found.box, verified=False, stopped=UNSUBSCRIBED))
    return html_page(
        "You are unsubscribed",
        f"Oracle Wheel sends no more email to {escape(found.box.address)}. You can close this page.",
    )


@blueprint.get("/letters/open/<secret>")
@documented(
    "Open a game from email",
    operation="openGameFromEmail",
    text="Redirects to the page of the game, with a token in the fragment of the URL. The token reads and plays this game for the "
    "reader of the email, and can do nothing else. It expires with the link after two weeks, or when the email address changes. "
    "On a service without the website, redirects to the history since your last turn, with a ticket.",
    gives={303: None},
    problems=("not-found",),
    auth="none",
    answer="The URL is in `Location`.",
    headers=("Location",),
)
def open_game(secret: str) -> Response:
    _found(secret, OPEN)
    context = current_context()
    credential = links.find_credential(context.store, secret)
    if credential is None:
        raise Problem("not-found", TOO_OLD, PAGE_HEADERS)
    if context.settings.web != "off":
        return page_redirect(f"{context.settings.public_url}/games/{credential.game}#letter={links.PREFIX}{secret}")
    ticket, now = new_token("k"), context.store.schedule.now()
    made = Credential(credential.id, credential.player, (GAMES_READ,), now, "letter", credential.game)
    context.store.accounts.add_ticket(made, digest_of(ticket), FIRST_USE)
    path = f"/v1/games/{credential.game}/events?digest=turn&since=my-last-turn&ticket={ticket}"
    return page_redirect(f"{context.settings.public_url}{path}")


def _found(secret: str, kind: str) -> LinkTarget:
    """The target of a link. Raises the same problem for every invalid link."""
    context = current_context()
    g.limit = context.rate_limiter.take(client_address())
    found = links.find_link(context.store, secret, kind)
    # After they unsubscribe, they must confirm again, by a new email.
    if found is None or (kind == CONFIRM and found.box.stopped == UNSUBSCRIBED):
        raise Problem("not-found", TOO_OLD, PAGE_HEADERS)
    return found
