"""Signatures after Standard Webhooks: whoever has the secret sees that a word comes from here and is whole and new."""

from __future__ import annotations

import base64
import hmac
import secrets
from collections.abc import Iterable, Mapping

PREFIX = "whsec_"
_BYTES = 32


def new_secret() -> str:
    """A secret, as its owner is shown it."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def signature(secret: str, id_: str, timestamp: int, body: bytes) -> str:
    """One signature: ``v1,`` and the HMAC-SHA256 of id, seconds of Unix time, and body."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return "v1," + base64.b64encode(hmac.digest(key, f"{id_}.{timestamp}.".encode() + body, "sha256")).decode()


def signed(keys: Iterable[str], id_: str, timestamp: int, body: bytes) -> Mapping[str, str]:
    """The headers of a word, with a signature by each of these secrets: any of them proves it."""
    return {
        "webhook-id": id_,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signature(key, id_, timestamp, body) for key in keys),
    }
