"""Routes for the email address of a player and when emails are sent."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response

from domain.kernel.terms import PlayerId
from service.core.accounts.scopes import ACCOUNT_WRITE
from service.core.http.access.auth import required_caller
from service.core.http.access.ids import new_id
from service.core.http.access.outbox import queue_delivery
from service.core.http.access.ownership import require_unlimited
from service.core.http.context.app import AppContext, current_context
from service.core.http.context.tokens import digest_of
from service.core.http.limits.rates import client_address, count_daily
from service.core.http.problems import Problem, invalid_fields
from service.core.http.reference.routes import documented
from service.core.http.resources.preferences import parse_preferences, preferences_document
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import read_body
from service.core.notifications.game_subscriptions import subscribe_all, unsubscribe_all
from service.core.notifications.kinds import EMAIL
from service.core.notifications.preferences import get_preferences
from service.core.outbound.message import is_addressable
from service.features.email import links
from service.features.email.mailbox import (
    CONFIRM,
    DAILY,
    DAY,
    LATER,
    Mailbox,
    find_mailbox,
    load_mailbox,
    next_daily_email,
)
from service.features.email.schemas import AN_ADDRESS, Email, EmailRequest
from service.store.ports.accounts import Preferences
from service.store.ports.outbox import NO_GAME, Subscription
from service.store.redis.store import Store

blueprint = Blueprint("email", __name__)

ASKED, A_DAY = 5, 24 * 3600
"""Confirmation emails that one account may request, and that one mailbox may get, in so many seconds."""

SAME_DOMAIN = {"googlemail.com": "gmail.com"}
"""Domains that deliver to the mailboxes of another one."""

BUSY = "Another request is changing this address or ending its emails. Try again."

SHOWN = 20
"""Number of emails with a visible result."""

ONLY = {"minutes": LATER, "hour": DAILY}
"""Fields that apply to one kind of `when` only."""


@blueprint.get("/v1/me/email")
@documented(
    "Get my email settings",
    operation="getEmail",
    scope=ACCOUNT_WRITE,
    gives={200: Email},
    problems=("no-email", "email-disabled"),
    auth="required",
    answer="Your address, when emails are sent, and the results of the most recent ones.",
)
def email() -> Response:
    context, player_id = current_context(), required_caller().player
    if not context.settings.letters and find_mailbox(context.store, player_id) is None:
        raise Problem("email-disabled")
    return json_response(_document(_own(player_id)))


@blueprint.put("/v1/me/email")
@documented(
    "Set my email address",
    operation="setEmail",
    scope=ACCOUNT_WRITE,
    text="A new address receives one email that asks for confirmation. No other email is sent until it is "
    "confirmed. Omitted fields are reset to their defaults, except `zone` and `quiet`. Those two are shared "
    "with all other notifications (`/v1/me/preferences`): they change if you include them, and otherwise "
    "keep their values.\n\nValues of `when`: `asked` sends an email at once when you have a pending question. "
    "`later` sends one if you have not answered after `minutes`. `daily` sends one email a day at `hour` in "
    "your `zone`, about everything that waits for you. `off` sends none.\n\nEmails due during `quiet` hours "
    "are sent when the quiet hours end. `reminders` are sent when half and one tenth of the time is left.",
    takes=EmailRequest,
    gives={200: Email},
    problems=("email-disabled", "insufficient-scope", "in-progress", "sign-in-too-recent"),
    auth="required",
    answer="Your address, and when emails are sent.",
)
def set_email() -> Response:
    credential = required_caller()
    require_unlimited(credential)
    context, body = current_context(), read_body(EmailRequest)
    if not context.settings.letters:
        raise Problem("email-disabled")
    preferences = parse_preferences(body, get_preferences(context.store, credential.player))
    wanted = _wanted(body, preferences)
    known = find_mailbox(context.store, credential.player)
    before = None if known is None else Mailbox.from_subscription(known)
    same = before is not None and before.address == wanted.address
    if before is not None and same:
        wanted = dataclasses.replace(wanted, verified=before.verified, leave=before.leave)
    asks = not wanted.verified and _may_ask(context, credential.player, wanted.address)
    if "zone" in body or "quiet" in body:
        context.store.accounts.prefer(credential.player, preferences)
    made = _kept(known, credential.player, wanted, same=same)
    if wanted.verified:
        if not open_or_close(made, wanted):
            raise Problem("in-progress", BUSY)
    elif asks:
        queue_delivery(NO_GAME, made.id, f"{CONFIRM}:{context.store.schedule.now()}")
    return json_response(_document(made))


@blueprint.delete("/v1/me/email")
@documented(
    "Delete my email address",
    operation="deleteEmail",
    scope=ACCOUNT_WRITE,
    gives={204: None},
    problems=("no-email", "sign-in-too-recent"),
    auth="required",
    answer="The address is erased, and no more emails are sent to it.",
)
def remove_email() -> Response:
    credential, store = required_caller(), current_context().store
    require_unlimited(credential)
    _remove(store, _own(credential.player))
    return no_content()


def open_or_close(subscription: Subscription, box: Mailbox) -> bool:
    """Subscribe to games if emails are wanted for their events, and schedule the daily email.

    Returns False, without changes, if the subscription has changed since the caller read it.
    """
    store = current_context().store
    now = dataclasses.replace(subscription, terms=box.terms(), active=box.follows_commits)
    if not store.subscriptions.change(now, subscription):
        return False
    if box.follows_commits:
        subscribe_all(store, now)
    else:
        unsubscribe_all(store, now)
    if box.is_open and box.when == DAILY:
        queue_delivery(NO_GAME, now.id, f"{DAY}:{next_daily_email(box, store.schedule.now())}")
    return True


def reschedule(store: Store, player_id: PlayerId) -> None:
    """Follow the player's preferences: the daily email has another time in another zone."""
    mailbox = find_mailbox(store, player_id)
    if mailbox is not None:
        open_or_close(mailbox, load_mailbox(store, mailbox))


def _own(player_id: PlayerId) -> Subscription:
    found = find_mailbox(current_context().store, player_id)
    if found is None:
        raise Problem("no-email")
    return found


def _wanted(body: Mapping[str, Any], preferences: Preferences) -> Mailbox:
    """The requested settings, ignoring earlier ones. Raises the problem of contradictory fields."""
    for name, when in ONLY.items():
        if name in body and body["when"] != when:
            raise invalid_fields([(f"/{name}", f"Only allowed if `when` is {when!r}.")])
    if not is_addressable(body["address"]):
        raise invalid_fields([("/address", AN_ADDRESS)])
    said = {name: body[name] for name in ("address", "when", "minutes", "hour", "reminders") if name in body}
    return Mailbox(**said, zone=preferences.zone, quiet=preferences.quiet)


def _kept(known: Subscription | None, player_id: PlayerId, box: Mailbox, *, same: bool) -> Subscription:
    """The mailbox as it is stored from now on. A new address gets a new unsubscribe link."""
    store = current_context().store
    if known is not None and same:
        changed = dataclasses.replace(known, terms=box.terms())
        if not store.subscriptions.change(changed, known):
            raise Problem("in-progress", BUSY)
        return changed
    if known is not None:
        _remove(store, known)
    secret = secrets.token_urlsafe(32)
    terms = dataclasses.replace(box, leave=secret).terms()
    made = Subscription(new_id("s"), EMAIL, player_id, None, store.schedule.now(), terms, active=False)
    if not store.subscriptions.add(made, 1):
        raise Problem("in-progress", BUSY)
    links.register_unsubscribe_secret(store, made, secret)
    return made


def _remove(store: Store, subscription: Subscription) -> None:
    store.subscriptions.remove(subscription)
    unsubscribe_all(store, subscription)
    links.revoke_links(store, subscription.owner)


def _may_ask(context: AppContext, player_id: PlayerId, email_address: str) -> bool:
    """Whether one more confirmation email may be sent.

    Raises the problem of an account, a network address or an instance that has sent too many. The limit of the mailbox
    is applied silently: a problem would reveal that others have entered it.
    """
    settings = context.settings
    accounts, detail = context.store.accounts, "{} can send {} confirmation emails a day. Try again later."
    for_address, for_all = settings.confirmation_emails_address_day, settings.confirmation_emails_day
    count_daily(accounts, f"confirm:{player_id}", ASKED, detail.format("An account", ASKED))
    of_client = f"confirm:from:{client_address()}"
    count_daily(accounts, of_client, for_address, detail.format("A network address", for_address))
    mailbox = f"confirm:{digest_of(mailbox_key(email_address))}"
    if not accounts.allow(mailbox, ASKED, ASKED / A_DAY)[0]:
        return False
    count_daily(accounts, "confirm:instance", for_all, detail.format("This service", for_all))
    return True


def mailbox_key(email_address: str) -> str:
    """The same text for all spellings of one mailbox: case, dots, the part after a plus, and domains with two names.

    Some providers do distinguish mailboxes by dots. There, two people share one limit.
    """
    local, _, domain = email_address.lower().rpartition("@")
    plain = local.partition("+")[0].replace(".", "")
    return f"{plain or local}@{SAME_DOMAIN.get(domain, domain)}"


def _document(subscription: Subscription) -> dict[str, Any]:
    box = load_mailbox(current_context().store, subscription)
    noted = current_context().store.subscriptions.noted(subscription.id)[:SHOWN]
    return {
        "address": box.address,
        "verified": box.verified,
        "when": box.when,
        "minutes": box.minutes if box.when == LATER else None,
        "hour": box.hour if box.when == DAILY else None,
        **preferences_document(Preferences(box.zone, box.quiet)),
        "reminders": box.reminders,
        "disabled_reason": box.stopped or None,
        "emails": [dict(each) for each in noted],
    }
