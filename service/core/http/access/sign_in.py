"""Signing in without a token: limits against guessing, and the new credential of the account."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flask import Response, g

from domain.kernel.terms import PlayerId
from service.core.accounts.scopes import OWNER
from service.core.http.access.ids import new_id
from service.core.http.access.quotas import limit_guesses
from service.core.http.context.app import current_context
from service.core.http.context.tokens import digest_of, new_token
from service.core.http.limits.rates import client_address
from service.core.http.problems import Problem
from service.core.http.responses import json_response
from service.store.ports.accounts import Credential

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


def sign_in(player_id: PlayerId, label: str) -> Response:
    """A new token for the account. Raises the problem of a failed sign-in if the account has been erased."""
    context = current_context()
    if context.store.accounts.player(player_id) is None:
        raise Problem(FAILED)
    token = new_token("t")
    made = Credential(new_id("c"), player_id, OWNER, context.store.schedule.now(), label, minted_by="")
    context.store.accounts.add_token(made, digest_of(token))
    return json_response({"id": player_id, "token": token, "token_id": made.id}, 201)


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
