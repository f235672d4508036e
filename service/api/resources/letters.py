"""What the links in letters lead to: small pages for whoever reads the letter, without a token."""

from __future__ import annotations

import dataclasses
from html import escape

from flask import Blueprint, Response, g, redirect

from service.api.access.auth import READ
from service.api.context.app import current_context
from service.api.context.tokens import digest_of, new_token
from service.api.http.pages import GUARD, HTML, page
from service.api.http.problems import Problem
from service.api.limits.rates import address
from service.api.reference.routes import documented
from service.api.resources.accounts import FIRST_USE
from service.api.resources.email import open_or_close
from service.post.letters import links
from service.post.letters.links import CONFIRM, LEAVE, OPEN, Found
from service.post.letters.mailbox import UNSUBSCRIBED
from service.post.preferences import opened
from service.store.ports.accounts import Credential

blueprint = Blueprint("letters", __name__)

TOO_OLD = "The link is unknown, or too old, or letters do not go to this address any more."


@blueprint.get("/letters/confirm/<secret>")
@documented(
    "Is this address yours?",
    operation="getConfirmation",
    text="A page with one button. Reading it changes nothing, because mail programs look at links before people do.",
    gives={200: HTML},
    problems=("not-found",),
    auth="none",
    answer="The page.",
)
def ask_confirmation(secret: str) -> Response:
    found = _found(secret, CONFIRM)
    if found.box.verified:
        return page("Letters come here.", f"{escape(found.box.address)} gets letters.")
    text = f"Send email to {escape(found.box.address)} when a game waits for you?"
    return page("Confirm your email address", text, "Confirm")


@blueprint.post("/letters/confirm/<secret>")
@documented(
    "Confirm an address",
    operation="confirmEmail",
    gives={200: HTML},
    problems=("not-found",),
    auth="none",
    answer="The address is confirmed: a page that says so.",
)
def confirm(secret: str) -> Response:
    while not (found := _found(secret, CONFIRM)).box.verified:
        box = opened(current_context().store, found.subscription)
        open_or_close(found.subscription, dataclasses.replace(box, verified=True, bounces=0))
    return page("Letters come here.", f"{escape(found.box.address)} gets letters from now on.")


@blueprint.get("/letters/leave/<secret>")
@documented(
    "Do you want no more letters?",
    operation="getLeaving",
    text="A page with one button.",
    gives={200: HTML},
    problems=("not-found",),
    auth="none",
    answer="The page.",
)
def ask_to_leave(secret: str) -> Response:
    found = _found(secret, LEAVE)
    if found.box.stopped == UNSUBSCRIBED:
        return page("No more letters.", f"{escape(found.box.address)} gets no letters.")
    text = f"Shall no more letters come to {escape(found.box.address)}?"
    return page("No more letters?", text, "No more letters")


@blueprint.post("/letters/leave/<secret>")
@documented(
    "Have no more letters",
    operation="leaveLetters",
    text="The one click of RFC 8058, which mail programs offer: what is sent with it is not looked at. Letters come again when "
    "the address is set anew and confirmed.",
    gives={200: HTML},
    problems=("not-found",),
    auth="none",
    answer="No more letters go there: a page that says so.",
)
def leave(secret: str) -> Response:
    while (found := _found(secret, LEAVE)).box.stopped != UNSUBSCRIBED:
        # Who wants no letters is asked once more before any come again.
        open_or_close(found.subscription, dataclasses.replace(found.box, verified=False, stopped=UNSUBSCRIBED))
    return page("No more letters.", f"{escape(found.box.address)} gets no letters any more.")


@blueprint.get("/letters/open/<secret>")
@documented(
    "Open the game of a letter",
    operation="readGameOfLetter",
    text="Leads to what has happened in the game since your last turn, with a ticket that reads this game alone and is good for "
    "a day after each use. The link itself is good for two weeks.",
    gives={303: None},
    problems=("not-found",),
    auth="none",
    answer="It is over there.",
    headers=("Location",),
)
def open_game(secret: str) -> Response:
    found, context = _found(secret, OPEN), current_context()
    game, accounts = found.link.game, context.store.accounts
    tokens = accounts.tokens(found.link.player)
    lobby = None if game is None else context.store.lobbies.get(game)
    if lobby is None or not tokens or not lobby.seats_of(found.link.player):
        raise Problem("not-found", TOO_OLD, GUARD)
    ticket = new_token("k")
    made = Credential(tokens[0].id, found.link.player, (READ,), context.store.log.now(), "letter", lobby.id)
    accounts.add_ticket(made, digest_of(ticket), FIRST_USE)
    where = f"/v1/games/{lobby.id}/events?digest=turn&since=my-last-turn&ticket={ticket}"
    response = redirect(f"{context.settings.public_url}{where}", 303)
    assert isinstance(response, Response)
    response.headers.update(GUARD)
    return response


def _found(secret: str, kind: str) -> Found:
    """What a link leads to; raises the same problem of whatever leads nowhere."""
    context = current_context()
    g.limit = context.limits.take(address())
    found = links.find(context.store, secret, kind)
    if found is None or (kind == CONFIRM and found.box.stopped == UNSUBSCRIBED):  # they are asked anew, by a new letter
        raise Problem("not-found", TOO_OLD, GUARD)
    return found
