"""A browser that receives push notifications, stored outside the log as the terms of a subscription."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from domain.kernel.terms import PlayerId
from service.core.notifications.game_subscriptions import unsubscribe_all
from service.core.notifications.kinds import PUSH
from service.core.outbound.addresses import AllowedAddresses
from service.core.outbound.targets import InvalidTarget, Target, parse_target
from service.features.push.push_message import SIGN_IN
from service.store.ports.outbox import NO_GAME, Subscription
from service.store.redis.store import Store

SECRET_BYTES = 16
"""Length in bytes of the browser's secret ``auth``."""

FAILING, REFUSED = "failing", "refused"
"""Why a device was disabled: nothing was accepted for a day, or its push service refuses this service."""


@dataclass(frozen=True, slots=True)
class DeviceTerms:
    """The terms of a push subscription."""

    endpoint: str = field(repr=False)
    """Together with this service's key it permits pushing to the device, so treat it as a secret."""
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)
    """The browser's keys. Notifications are encrypted for them, so that push services cannot read them (RFC 8291)."""
    credential: str
    """The id of the token that enabled the device. When it is revoked, nothing more is sent."""
    label: str = ""
    reminders: bool = True
    """Whether reminders are sent at half and a tenth of the time."""
    stopped: str = ""
    """Why the service disabled the device; empty if it did not."""

    @staticmethod
    def from_subscription(subscription: Subscription) -> DeviceTerms:
        """The device from a subscription's terms. Ignores fields of later releases."""
        known = {each.name for each in dataclasses.fields(DeviceTerms)}
        return DeviceTerms(**{name: value for name, value in subscription.terms.items() if name in known})

    def terms(self) -> Mapping[str, Any]:
        """The terms of the subscription."""
        return dataclasses.asdict(self)


class InvalidDevice(ValueError):
    """Invalid device data. ``name`` is the field; the message says what is valid."""

    def __init__(self, name: str, right: str) -> None:
        super().__init__(right)
        self.name = name


def device_id(endpoint: str) -> str:
    """The device id of an endpoint: a hash, so that a browser finds its own device and two players cannot share one."""
    return "d" + hashlib.sha256(endpoint.encode()).hexdigest()[:24]


def parse_endpoint(endpoint: str, allowed: AllowedAddresses) -> Target:
    """The push target of an endpoint. Raises `InvalidDevice`.

    Push services must use https. http is allowed only for private networks named by the operator.
    """
    try:
        found = parse_target(endpoint, allowed)
    except InvalidTarget as error:
        raise InvalidDevice("endpoint", str(error)) from error
    if ":" in found.host:
        raise InvalidDevice("endpoint", "Must have a host name or an IPv4 address.")
    if not found.secure and not allowed.is_listed(found.host):
        raise InvalidDevice(
            "endpoint", "Must be a URL that begins with https://, as the browser received it from its push service."
        )
    return found


def parse_public_key(p256dh: str) -> ec.EllipticCurvePublicKey:
    """The browser's key. Raises `InvalidDevice` if it is not a point on P-256."""
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _bytes(p256dh, 65))
    except ValueError as error:
        right = "Must be the key `p256dh` of the browser: an uncompressed point of P-256, 65 bytes in base64url."
        raise InvalidDevice("keys/p256dh", right) from error


def parse_auth_secret(auth: str) -> bytes:
    """The browser's secret. Raises `InvalidDevice`."""
    try:
        return _bytes(auth, SECRET_BYTES)
    except ValueError as error:
        raise InvalidDevice(
            "keys/auth", f"Must be the secret `auth` of the browser: {SECRET_BYTES} bytes in base64url."
        ) from error


def _bytes(text: str, size: int) -> bytes:
    try:
        found = base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(text) from error
    if len(found) != size:
        raise ValueError(text)
    return found


def list_devices(store: Store, player: PlayerId) -> Sequence[Subscription]:
    """A player's devices, oldest first. Deletes those whose token no longer exists."""
    found = [each for each in store.subscriptions.of([player]) if each.kind == PUSH and each.owner == player]
    living = [each for each in found if has_valid_token(store, each)]
    delete_devices(store, (each for each in found if each not in living))
    return living


def report_sign_in(store: Store, player: PlayerId, _way: str) -> None:
    """Notify the player's devices that someone has signed in to the account."""
    at = store.schedule.now()
    for each in list_devices(store, player):
        store.outbox.put(NO_GAME, each.id, f"{SIGN_IN}:{at}")


def has_valid_token(store: Store, subscription: Subscription) -> bool:
    """Whether the account and the token that enabled the device still exist."""
    return store.accounts.has_token(subscription.owner, DeviceTerms.from_subscription(subscription).credential)


def delete_devices(store: Store, devices: Iterable[Subscription]) -> None:
    """Delete devices and their registrations with games."""
    for each in devices:
        unsubscribe_all(store, each)
        store.subscriptions.remove(each)
