"""Idempotency: repeated requests create something once. The first response is stored for the holder of token and key.

It is encrypted with a key derived from the caller's token and the Idempotency-Key. The store knows neither. The
response may contain a token that is shown once, and only its requester can read it, even if the store is disclosed.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, TypeVar, cast

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from flask import Response, g, request

from service.api.access.auth import optional_caller
from service.api.context.app import current_context
from service.api.context.entropy import derived_from
from service.api.http.problems import Problem, invalid_parameter
from service.api.http.responses import answer_bytes, idempotency_key
from service.api.limits.rates import address
from service.api.schemas.requests import body_object, request_body
from service.store.codec import canonical
from service.store.ports.errors import NotReplicated

KEPT = 3600
"""Seconds for which a response is stored."""

CLAIMED = 10
"""Seconds after which a request without a response releases its key."""

GUESSED_BY_NOBODY = 32
"""Minimum characters of a key without a token: whoever knows it can read the response."""

_TOLD = ("Location", "Game-Head")
_NONCE = 12

F = TypeVar("F", bound=Callable[..., Response])


def once(view: F) -> F:
    """Decorates a view function that creates something for a caller with a token."""
    return _once(view, anybody=False)


def once_for_anybody(view: F) -> F:
    """Decorates a view function that creates something for any caller. Only the key then protects the stored response."""
    return _once(view, anybody=True)


def _once(view: F, *, anybody: bool) -> F:
    @wraps(view)
    def answered(*args: Any, **kwargs: Any) -> Response:
        key = idempotency_key()
        if key is None:
            return view(*args, **kwargs)
        if anybody and len(key) < GUESSED_BY_NOBODY:
            right = (
                f"Without a token, an Idempotency-Key must have at least {GUESSED_BY_NOBODY} characters and be "
                "as hard to guess as a token."
            )
            raise invalid_parameter("Idempotency-Key", right)
        return _first_or_again(lambda: view(*args, **kwargs), "" if anybody else _token(), key)

    return cast("F", answered)


def _first_or_again(make: Callable[[], Response], token: str, key: str) -> Response:
    store = current_context().store
    name, wanted = _hash("name", token, key).hex(), _digest()
    kept = store.accounts.claim_answer(name, CLAIMED)
    if kept is not None:
        _count(token)
        return _again(kept, wanted, token, key)
    made = False
    try:
        # A request that failed after creating something creates the same thing when it is repeated.
        with derived_from(_hash("make", token, key, wanted)):
            response = make()
        made = response.status_code < 300
    finally:
        if not made:
            store.accounts.drop_answer(name)
    headers = {header: response.headers[header] for header in _TOLD if header in response.headers}
    told = {"digest": wanted, "status": response.status_code, "headers": headers, "body": response.get_data().decode()}
    if store.is_cluster:
        try:
            store.hold()
        except NotReplicated:
            # The created object may be lost with its node while the node of this key survives: create it again.
            store.accounts.drop_answer(name)
            raise
    # On one server the response is written after the data it reports, so replicas with the response have both.
    store.accounts.keep_answer(name, _seal(orjson.dumps(told), token, key), KEPT)
    return response


def _count(token: str) -> None:
    """Count the request, and check that its token is still valid."""
    if token:
        optional_caller()
    else:
        g.limit = current_context().limits.take(address())


def _again(kept: bytes, wanted: str, token: str, key: str) -> Response:
    if not kept:
        raise Problem("in-progress", headers={"Retry-After": "1"})
    try:
        told = orjson.loads(AESGCM(_hash("seal", token, key)).decrypt(kept[:_NONCE], kept[_NONCE:], None))
    except InvalidTag as error:
        raise Problem("key-reused", parameter="Idempotency-Key") from error
    if told["digest"] != wanted:
        raise Problem("key-reused", parameter="Idempotency-Key")
    return answer_bytes(told["body"].encode(), told["status"], told["headers"])


def _seal(told: bytes, token: str, key: str) -> bytes:
    nonce = secrets.token_bytes(_NONCE)
    return nonce + AESGCM(_hash("seal", token, key)).encrypt(nonce, told, None)


def _token() -> str:
    """The caller's token; the view checks it."""
    return request.headers.get("Authorization", "none").partition(" ")[2].strip() or "none"


def _digest() -> str:
    """Digest of the request's body and path."""
    body = request_body()
    with suppress(Problem, orjson.JSONEncodeError):  # the view reports it, and also a body that is nested too deep
        body = canonical(body_object())
    return hashlib.sha256(b"\0".join((request.full_path.encode(), body))).hexdigest()


def _hash(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(("oraclewheel", *parts)).encode()).digest()
