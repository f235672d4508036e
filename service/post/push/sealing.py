"""How a notice travels: sealed for its browser (RFC 8291), with a word to the push service that it is ours (RFC 8292)."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from urllib.parse import urlsplit

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from service.post.push.device import Device, public_key, secret
from service.post.webhooks.targets import Target
from service.settings import Settings

LASTS = 12 * 3600
"""Seconds for which such a word is good; RFC 8292 allows a day."""

NOBODY = "mailto:nobody@localhost.localdomain"
"""Whom a push service may turn to where the operator has named nobody; some take no notices then."""


def public_text(key: ec.EllipticCurvePrivateKey) -> str:
    """The public half, as a browser takes it (``applicationServerKey``): base64url."""
    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


def sealed(device: Device, body: bytes) -> bytes:
    """The body, for nobody but the device; with a key and a salt of its own each time."""
    fresh = ec.generate_private_key(ec.SECP256R1())
    found: bytes = http_ece.encrypt(
        body, private_key=fresh, dh=public_key(device.p256dh), auth_secret=secret(device.auth), version="aes128gcm"
    )
    return found


def vouched(key: ec.EllipticCurvePrivateKey, target: Target, contact: str, now: int) -> Mapping[str, str]:
    """The header by which the push service knows who pushes; ``now`` in seconds of Unix time."""
    audience = f"{'https' if target.secure else 'http'}://{target.authority}"
    claims = {"aud": audience, "sub": contact, "exp": now + LASTS}
    found: Mapping[str, str] = Vapid02(key, conf={"no-strict": True}).sign(claims)
    return found


def contact_of(settings: Settings) -> str:
    """Whom a push service may turn to, as a URI."""
    if settings.push_contact:
        return settings.push_contact
    if settings.mail_from:
        return f"mailto:{settings.mail_from.rpartition('<')[2].rstrip('>')}"
    return settings.public_url if urlsplit(settings.public_url).scheme == "https" else NOBODY
