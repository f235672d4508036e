"""Random bytes for ids, tokens and invitations. A repeated request draws the same bytes again."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class _DerivedBytes:
    secret: bytes
    drawn: int = 0

    def bytes(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            self.drawn += 1
            found += hmac.digest(self.secret, self.drawn.to_bytes(8, "big"), hashlib.sha256)
        return found[:count]


_derived: ContextVar[_DerivedBytes | None] = ContextVar("derived", default=None)


@contextmanager
def derive_from(secret: bytes) -> Iterator[None]:
    """Derive all draws in the block from a secret.

    A request that is repeated after a crash then creates the same objects again.
    """
    token = _derived.set(_DerivedBytes(secret))
    try:
        yield
    finally:
        _derived.reset(token)


def random_bytes(count: int) -> bytes:
    """Random bytes, or the next derived ones."""
    derived = _derived.get()
    return secrets.token_bytes(count) if derived is None else derived.bytes(count)


def request_key() -> str:
    """A name for a repeatable request, the same each time; empty for any other request."""
    derived = _derived.get()
    return "" if derived is None else hmac.digest(derived.secret, b"name", hashlib.sha256).hex()[:32]
