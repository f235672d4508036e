"""Encrypts push notifications for a browser (RFC 8291) and signs them for its push service (RFC 8292)."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from urllib.parse import urlsplit

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from service.core.outbound.targets import Target
from service.features.push.device import DeviceTerms, parse_auth_secret, parse_public_key
from service.ops.settings import Settings

SIGNATURE_SECONDS = 12 * 3600
"""Lifetime of the signature in seconds; RFC 8292 allows one day."""

FALLBACK_CONTACT = "mailto:nobody@localhost.localdomain"
"""Contact if the operator has set none. Some push services then refuse notifications."""


def encode_public_key(key: ec.EllipticCurvePrivateKey) -> str:
    """The public key for browsers (``applicationServerKey``), base64url."""
    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


def encrypt(device: DeviceTerms, body: bytes) -> bytes:
    """The encrypted body. Key and salt are new each time."""
    fresh = ec.generate_private_key(ec.SECP256R1())
    found: bytes = http_ece.encrypt(
        body,
        private_key=fresh,
        dh=parse_public_key(device.p256dh),
        auth_secret=parse_auth_secret(device.auth),
        version="aes128gcm",
    )
    return found


def build_vapid_headers(key: ec.EllipticCurvePrivateKey, target: Target, contact: str, now: int) -> Mapping[str, str]:
    """The headers that identify the sender to the push service. ``now`` is in seconds of Unix time."""
    audience = f"{'https' if target.secure else 'http'}://{target.authority}"
    claims = {"aud": audience, "sub": contact, "exp": now + SIGNATURE_SECONDS}
    found: Mapping[str, str] = Vapid02(key, conf={"no-strict": True}).sign(claims)
    return found


def choose_contact(settings: Settings) -> str:
    """The contact for push services, as a URI."""
    if settings.push_contact:
        return settings.push_contact
    if settings.mail_from:
        return f"mailto:{settings.mail_from.rpartition('<')[2].rstrip('>')}"
    return settings.public_url if urlsplit(settings.public_url).scheme == "https" else FALLBACK_CONTACT
