"""Signing in without a token: limits against guessing, and the new session or token of the account."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flask import Response, g

from domain.kernel.terms import PlayerId
from service.core.accounts.scopes import OWNER
from service.core.accounts.ways import EMAIL
from service.core.feature import load
from service.core.http.access.ids import new_id
from service.core.http.access.ownership import LIMIT_SECONDS
from service.core.http.access.quotas import limit_guesses
from service.core.http.access.sessions import open_session
from service.core.http.context.app import current_context
from service.core.http.context.tokens import digest_of, new_token
from service.core.http.limits.rates import client_address
from service.core.http.problems import Problem
from service.core.http.responses import json_response
from service.ops.logging import logger
from service.store.ports.accounts import Credential, Player
from service.store.ports.errors import StoreDown
from service.store.ports.outbox import NO_GAME

log = logger("sign_in")

FAILED = "sign-in-failed"

BUSY_SECONDS = 10
"""Seconds after which the lock of an interrupted request is released."""


@contextmanager
def limit_sign_ins(*guessed: str) -> Iterator[None]:
    """Wraps an attempt to sign in: counts the request, and failures by network address and by what they ``guessed``."""
    context = current_context()
    g.limit = context.rate_limiter.take(client_address())
    with limit_guesses(context, "sign-in", context.settings.rate_wrong_sign_ins, client_address(), *guessed):
        yield


def sign_in(player_id: PlayerId, way: str, *, session: bool) -> Response:
    """Sign the player in, with a session or with a token that is shown once.

    Raises the problems of an account that has been erased, which is a failed sign-in, or is suspended.
    """
    player, store = require_account(player_id), current_context().store
    document = {"id": player_id, "name": player.name}
    if session:
        document["token_id"] = open_session(player_id, OWNER, limited_until=_limit(way)).id
    else:
        token, now = new_token("t"), store.schedule.now()
        made = Credential(new_id("c"), player_id, OWNER, now, "sign-in", minted_by="", limited_until=_limit(way))
        if not store.accounts.add_token(made, digest_of(token)):
            raise Problem(FAILED)
        document |= {"token_id": made.id, "token": token}
    notify(player_id, way)
    return json_response(document, 201)


def require_account(player_id: PlayerId) -> Player:
    """The account. Raises the problem of a failed sign-in if it has been erased, and the problem of a suspended account."""
    context = current_context()
    player = context.store.accounts.player(player_id)
    if player is None or not context.tokens.require_active(player_id):
        raise Problem(FAILED)
    return player


def sign_in_browser(player_id: PlayerId, way: str) -> None:
    """Sign the player in: the response of the request, whatever it is, sets the cookies. Raises as `sign_in`."""
    require_account(player_id)
    open_session(player_id, OWNER, limited_until=_limit(way))
    notify(player_id, way)


def notify(player_id: PlayerId, way: str) -> None:
    """Let features tell the player that someone has signed in."""
    context = current_context()
    for each in context.features:
        if each.signed_in:
            try:
                load(each.signed_in)(context.store, player_id, way)
            except StoreDown:  # they are signed in nevertheless
                log.warning("sign_in_not_reported", feature=each.name)
    if context.queue is not None:
        context.queue.post([context.store.schedule.partition(NO_GAME)])


def _limit(way: str) -> int | None:
    """Until when a sign-in this way is limited, see `Credential.limited_until`."""
    return current_context().store.schedule.now() + LIMIT_SECONDS * 1000 if way == EMAIL else None


@contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """Wraps a change that must not run twice at once. Raises the problem of one that is in progress."""
    accounts = current_context().store.accounts
    if accounts.claim_answer(name, BUSY_SECONDS) is not None:
        raise Problem("in-progress", "Another request is changing this. Try again.")
    try:
        yield
    finally:
        accounts.drop_answer(name)
