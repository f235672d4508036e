"""Signatures as in Standard Webhooks: with the secret, a receiver verifies origin, integrity and age."""

from __future__ import annotations

import base64
import hmac
import secrets
from collections.abc import Iterable, Mapping

PREFIX = "whsec_"
_BYTES = 32


def generate_secret() -> str:
    """A new secret, in the form shown to its owner."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def compute_signature(secret: str, id_: str, timestamp: int, body: bytes) -> str:
    """One signature: ``v1,`` and the HMAC-SHA256 of id, seconds of Unix time, and body."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return "v1," + base64.b64encode(hmac.digest(key, f"{id_}.{timestamp}.".encode() + body, "sha256")).decode()


def build_signature_headers(keys: Iterable[str], id_: str, timestamp: int, body: bytes) -> Mapping[str, str]:
    """The headers of a request, with one signature per secret. Any one of them is enough."""
    return {
        "webhook-id": id_,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(compute_signature(key, id_, timestamp, body) for key in keys),
    }
