"""A device: a browser of a player's to which notices are pushed; it lies beside the log, as the terms of a subscription."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from domain.terms import PlayerId
from service.post.listening import leave_everywhere
from service.post.webhooks.addresses import Reach
from service.post.webhooks.targets import BadTarget, Target, target_of
from service.store.ports.outbox import Subscription
from service.store.redis.store import Store

KIND = "push"
"""What these subscriptions are."""

SECRET = 16
"""Bytes of what a browser calls ``auth``."""

FAILING, REFUSED = "failing", "refused"
"""Why a device was switched off: nothing of it was taken for a day, or its push service does not let this service in."""


@dataclass(frozen=True, slots=True)
class Device:
    """What a subscription of this kind goes by."""

    endpoint: str = field(repr=False)
    """Whoever knows it and the key of this service may push there."""
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)
    """The keys of the browser, by which a notice is sealed so that no push service reads it (RFC 8291)."""
    credential: str
    """The id of the token that it was switched on with: when that is revoked, nothing more goes there."""
    label: str = ""
    reminders: bool = True
    """Whether it is told at half and at a tenth of the time besides."""
    stopped: str = ""
    """Why the service has switched it off, if it has."""

    @staticmethod
    def of(subscription: Subscription) -> Device:
        """What a subscription's terms say; fields of a later release are left out."""
        known = {each.name for each in dataclasses.fields(Device)}
        return Device(**{name: value for name, value in subscription.terms.items() if name in known})

    def terms(self) -> Mapping[str, Any]:
        """As a subscription keeps it."""
        return dataclasses.asdict(self)


class BadDevice(ValueError):
    """No device can have this; ``name`` is the field, the message says what would be right."""

    def __init__(self, name: str, right: str) -> None:
        super().__init__(right)
        self.name = name


def device_id(endpoint: str) -> str:
    """The id of the device behind an endpoint: a hash, so that a browser finds itself, and two players share none."""
    return "d" + hashlib.sha256(endpoint.encode()).hexdigest()[:24]


def target(endpoint: str, reach: Reach) -> Target:
    """Where notices for an endpoint go; raises `BadDevice`.

    Push services are reached over https alone; http is for private networks that the operator has named.
    """
    try:
        found = target_of(endpoint, reach)
    except BadTarget as error:
        raise BadDevice("endpoint", str(error)) from error
    if ":" in found.host:
        raise BadDevice("endpoint", "Must have a host name or an IPv4 address.")
    if not found.secure and not reach.is_own(found.host):
        raise BadDevice(
            "endpoint", "Must be a URL that begins with https://, as the browser received it from its push service."
        )
    return found


def public_key(p256dh: str) -> ec.EllipticCurvePublicKey:
    """The browser's key; raises `BadDevice` for what is no point of P-256."""
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _bytes(p256dh, 65))
    except ValueError as error:
        right = "Must be the key `p256dh` of the browser: an uncompressed point of P-256, 65 bytes in base64url."
        raise BadDevice("keys/p256dh", right) from error


def secret(auth: str) -> bytes:
    """The browser's secret; raises `BadDevice`."""
    try:
        return _bytes(auth, SECRET)
    except ValueError as error:
        raise BadDevice(
            "keys/auth", f"Must be the secret `auth` of the browser: {SECRET} bytes in base64url."
        ) from error


def _bytes(text: str, size: int) -> bytes:
    try:
        found = base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(text) from error
    if len(found) != size:
        raise ValueError(text)
    return found


def devices_of(store: Store, player: PlayerId) -> Sequence[Subscription]:
    """A player's devices, the oldest first; those whose token is gone are taken away."""
    found = [each for each in store.subscriptions.of([player]) if each.kind == KIND and each.owner == player]
    living = [each for each in found if is_living(store, each)]
    forget(store, (each for each in found if each not in living))
    return living


def is_living(store: Store, subscription: Subscription) -> bool:
    """Whether the account is there, and the token that the device was switched on with."""
    return store.accounts.holds(subscription.owner, Device.of(subscription).credential)


def forget(store: Store, devices: Iterable[Subscription]) -> None:
    """Nothing more goes to these devices."""
    for each in devices:
        leave_everywhere(store, each)
        store.subscriptions.remove(each)
