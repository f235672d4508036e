"""Codes and refresh tokens that lead to a connection, and devices that wait for their player.

Codes and refresh tokens are stored by their SHA-256, and only one request can take each. They also name their connection
and are sealed with its key. One that is sealed but not stored was used before: someone has stolen it, and the connection
ends.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from typing import Literal

import msgspec

from domain.kernel.terms import PlayerId
from service.core.accounts import apps
from service.core.accounts.apps import AppConnection, find_connection
from service.core.http.context.app import current_context
from service.core.http.context.tokens import digest_of
from service.store import typed
from service.store.redis.store import Store

CODE, REFRESH, DEVICE = "code", "refresh", "device"
PREFIXES = {CODE: "owc_", REFRESH: "owr_"}

CODE_SECONDS = 60
DEVICE_SECONDS = 600


class IssuedSecret(msgspec.Struct, frozen=True):
    """What a code or a refresh token leads to, with the methods that Authlib calls."""

    connection: str
    player: PlayerId
    client: str
    scopes: tuple[str, ...]
    redirect_uri: str = ""
    """For a code: the URI that it was sent to."""
    code_challenge: str = ""
    """For a code: the S256 challenge of its client."""

    @property
    def code_challenge_method(self) -> str:
        return "S256"

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return " ".join(self.scopes)

    def check_client(self, client: object) -> bool:
        return getattr(client, "id", None) == self.client


class DeviceAuthorization(msgspec.Struct, frozen=True):
    """A request of a device for access, which waits for its player, with the methods that Authlib calls."""

    client: str
    scopes: tuple[str, ...]
    user_code: str
    ends_at: int
    status: Literal["pending", "denied", "approved"] = "pending"
    player: PlayerId | None = None
    connection: str = ""

    def get_client_id(self) -> str:
        return self.client

    def get_scope(self) -> str:
        return " ".join(self.scopes)

    def get_user_code(self) -> str:
        return self.user_code

    def is_expired(self) -> bool:
        return self.ends_at <= time.time() * 1000


_SECRET, _DEVICE = typed.decoder(IssuedSecret), typed.decoder(DeviceAuthorization)


def end_connection(player_id: PlayerId, id_: str) -> bool:
    """End a connection, at once in this process. Returns whether it existed."""
    context = current_context()
    existed = apps.end_connection(context.store, player_id, id_)
    context.tokens.forget(id_)
    return existed


# -- codes and refresh tokens ------------------------------------------------------------------------------------------


def create_secret(store: Store, kind: str, connection: AppConnection, issued: IssuedSecret, seconds: int) -> str:
    """A new code or refresh token of the connection, valid for some seconds."""
    random = secrets.token_urlsafe(32)
    secret = f"{PREFIXES[kind]}{connection.player}.{connection.id}.{random}.{_seal(connection, kind, random)}"
    store.accounts.put_one_time(_name(kind, secret), msgspec.json.encode(issued), seconds)
    return secret


def find_secret(store: Store, kind: str, secret: str) -> IssuedSecret | None:
    """What an unused code or refresh token leads to; a used one ends its connection."""
    return _issued(store, kind, secret, store.accounts.one_time(_name(kind, secret)))


def take_secret(store: Store, kind: str, secret: str) -> IssuedSecret | None:
    """Use a code or refresh token: of several requests only one gets it, and all others end its connection."""
    return _issued(store, kind, secret, store.accounts.take_one_time(_name(kind, secret)))


def _issued(store: Store, kind: str, secret: str, packed: bytes | None) -> IssuedSecret | None:
    if packed is not None:
        return _SECRET.decode(packed)
    connection = _connection_of(store, kind, secret)
    if connection is not None:  # it was issued and is used up: the app or a thief has a copy
        end_connection(connection.player, connection.id)
    return None


def _connection_of(store: Store, kind: str, secret: str) -> AppConnection | None:
    """The connection that has issued this code or refresh token at any time."""
    parts = secret.removeprefix(PREFIXES[kind]).split(".")
    if not secret.startswith(PREFIXES[kind]) or len(parts) != 4:
        return None
    player_id, id_, random, seal = parts
    connection = find_connection(store, PlayerId(player_id), id_)
    if connection is None or not hmac.compare_digest(seal.encode(), _seal(connection, kind, random).encode()):
        return None
    return connection


def _seal(connection: AppConnection, kind: str, random: str) -> str:
    return hmac.new(connection.seed.encode(), f"{kind} {random}".encode(), hashlib.sha256).hexdigest()[:32]


def _name(kind: str, secret: str) -> str:
    return f"oauth-{kind}:{digest_of(secret)}"


# -- devices -----------------------------------------------------------------------------------------------------------


def put_device(store: Store, device_code: str, request: DeviceAuthorization) -> None:
    seconds = 2 * DEVICE_SECONDS  # so that the device learns that its code has expired
    store.accounts.put_one_time(_name(DEVICE, device_code), msgspec.json.encode(request), seconds)
    store.accounts.put_one_time(_name(DEVICE, f"user {request.user_code}"), digest_of(device_code).encode(), seconds)


def find_device(store: Store, device_code: str) -> DeviceAuthorization | None:
    return _device(store, _name(DEVICE, device_code))


def find_device_by_user(store: Store, user_code: str) -> tuple[str, DeviceAuthorization] | None:
    """The name and the request of a device that waits for its player; None if the code is unknown, used or expired."""
    found = store.accounts.one_time(_name(DEVICE, f"user {user_code}"))
    name = "" if found is None else f"oauth-{DEVICE}:{found.decode()}"
    request = _device(store, name) if name else None
    if request is None or request.status != "pending" or request.ends_at <= store.schedule.now():
        return None
    return name, request


def answer_device(store: Store, name: str, request: DeviceAuthorization) -> bool:
    """Store the player's answer. False if another answer was given first."""
    if store.accounts.take_one_time(_name(DEVICE, f"user {request.user_code}")) is None:
        return False
    store.accounts.replace_one_time(name, msgspec.json.encode(request))
    return True


def take_device(store: Store, device_code: str) -> bool:
    """Use an approved request: of several polls only one gets it."""
    return store.accounts.take_one_time(_name(DEVICE, device_code)) is not None


def _device(store: Store, name: str) -> DeviceAuthorization | None:
    packed = store.accounts.one_time(name)
    return None if packed is None else _DEVICE.decode(packed)
