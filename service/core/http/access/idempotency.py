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

from service.core.http.access.auth import optional_caller
from service.core.http.access.sessions import session_token
from service.core.http.context.app import current_context
from service.core.http.context.entropy import derive_from
from service.core.http.limits.rates import client_address
from service.core.http.problems import Problem, invalid_parameter
from service.core.http.responses import idempotency_key, json_bytes_response
from service.core.http.schemas.requests import body_object, request_body
from service.store.codec import canonical
from service.store.ports.errors import NotReplicated

RESPONSE_SECONDS = 3600
"""Seconds for which a response is stored."""

CLAIM_SECONDS = 10
"""Seconds after which a request without a response releases its key."""

MIN_KEY_LENGTH = 32
"""Minimum characters of a key without a token: whoever knows it can read the response."""

_STORED_HEADERS = ("Location", "Game-Head")
_NONCE = 12

F = TypeVar("F", bound=Callable[..., Response])


def idempotent(view: F) -> F:
    """Decorates a view function that creates something for a caller with a token."""
    return _decorate(view, any_client=False)


def idempotent_for_any_client(view: F) -> F:
    """Decorates a view function that creates something for any caller. Only the key then protects the stored response."""
    return _decorate(view, any_client=True)


def _decorate(view: F, *, any_client: bool) -> F:
    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Response:
        key = idempotency_key()
        if key is None:
            return view(*args, **kwargs)
        if any_client and len(key) < MIN_KEY_LENGTH:
            right = (
                f"Without a token, an Idempotency-Key must have at least {MIN_KEY_LENGTH} characters and be "
                "as hard to guess as a token."
            )
            raise invalid_parameter("Idempotency-Key", right)
        return _execute_or_replay(lambda: view(*args, **kwargs), "" if any_client else _token(), key)

    return cast("F", wrapper)


def _execute_or_replay(make: Callable[[], Response], token: str, key: str) -> Response:
    store = current_context().store
    name, digest = _hash("name", token, key).hex(), _digest()
    sealed = store.accounts.claim_answer(name, CLAIM_SECONDS)
    if sealed is not None:
        _count_request(token)
        return _replay(sealed, digest, token, key)
    made = False
    try:
        # A request that failed after creating something creates the same thing when it is repeated.
        with derive_from(_hash("make", token, key, digest)):
            response = make()
        made = response.status_code < 300
    finally:
        if not made:
            store.accounts.drop_answer(name)
    headers = {header: response.headers[header] for header in _STORED_HEADERS if header in response.headers}
    stored = {
        "digest": digest,
        "status": response.status_code,
        "headers": headers,
        "body": response.get_data().decode(),
        "session": g.get("session_token"),
    }
    if store.is_cluster:
        try:
            store.hold()
        except NotReplicated:
            # The created object may be lost with its node while the node of this key survives: create it again.
            store.accounts.drop_answer(name)
            raise
    # On one server the response is written after the data it reports, so replicas with the response have both.
    store.accounts.keep_answer(name, _seal(orjson.dumps(stored), token, key), RESPONSE_SECONDS)
    return response


def _count_request(token: str) -> None:
    """Count the request, and check that its token is still valid."""
    if token:
        optional_caller()
    else:
        g.limit = current_context().rate_limiter.take(client_address())


def _replay(sealed: bytes, digest: str, token: str, key: str) -> Response:
    if not sealed:
        raise Problem("in-progress", headers={"Retry-After": "1"})
    try:
        stored = orjson.loads(AESGCM(_hash("seal", token, key)).decrypt(sealed[:_NONCE], sealed[_NONCE:], None))
    except InvalidTag as error:
        raise Problem("key-reused", parameter="Idempotency-Key") from error
    if stored["digest"] != digest:
        raise Problem("key-reused", parameter="Idempotency-Key")
    g.session_token = stored.get("session")
    return json_bytes_response(stored["body"].encode(), stored["status"], stored["headers"])


def _seal(stored: bytes, token: str, key: str) -> bytes:
    nonce = secrets.token_bytes(_NONCE)
    return nonce + AESGCM(_hash("seal", token, key)).encrypt(nonce, stored, None)


def _token() -> str:
    """The caller's token; the view checks it."""
    header = request.headers.get("Authorization", "none").partition(" ")[2].strip()
    return header or session_token() or "none"


def _digest() -> str:
    """Digest of the request's body and path."""
    body = request_body()
    with suppress(Problem, orjson.JSONEncodeError):  # the view reports it, and also a body that is nested too deep
        body = canonical(body_object())
    return hashlib.sha256(b"\0".join((request.full_path.encode(), body))).hexdigest()


def _hash(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(("oraclewheel", *parts)).encode()).digest()
