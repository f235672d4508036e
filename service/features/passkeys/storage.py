"""Stored passkeys of an account, and the challenges that its browser has to sign."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from domain.kernel.terms import PlayerId
from service.store import typed
from service.store.ports.side_data import NO_GAME
from service.store.redis.store import Store

CHALLENGE_SECONDS = 300


class Passkey(msgspec.Struct, frozen=True):
    """A passkey. Its private key never leaves the authenticator."""

    credential_id: bytes
    public_key: bytes
    """As COSE."""
    sign_count: int
    """Of the last signature. Stays 0 for synced passkeys."""
    name: str
    made_at: int
    used_at: int | None = None
    transports: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Its id in the API; an authenticator's own id can have 1,023 bytes."""
        return passkey_id(self.credential_id)


class Challenge(msgspec.Struct, frozen=True):
    """A challenge that was given to a browser."""

    made_at: int
    player: PlayerId | None
    """The account that registers a passkey. None for a sign-in."""


_PASSKEY, _CHALLENGE = typed.decoder(Passkey), typed.decoder(Challenge)


def passkey_id(credential_id: bytes) -> str:
    return "k" + hashlib.sha256(credential_id).hexdigest()[:32]


def list_passkeys(store: Store, player_id: PlayerId) -> Sequence[Passkey]:
    """The passkeys of an account, oldest first."""
    found = [_PASSKEY.decode(note) for note in store.notes.all(NO_GAME, _drawer(player_id)).values()]
    return sorted(found, key=lambda each: (each.made_at, each.id))


def find_passkey(store: Store, player_id: PlayerId, id_: str) -> Passkey | None:
    note = store.notes.read(NO_GAME, _drawer(player_id), [id_]).get(id_)
    return None if note is None else _PASSKEY.decode(note)


def store_passkey(store: Store, player_id: PlayerId, passkey: Passkey) -> None:
    """Store a passkey, or what has changed about it."""
    store.notes.put(NO_GAME, _drawer(player_id), passkey.id, msgspec.json.encode(passkey))


def remove_passkey(store: Store, player_id: PlayerId, id_: str) -> bool:
    """Remove a passkey. Returns whether it existed."""
    return bool(store.notes.erase(NO_GAME, _drawer(player_id), [id_]))


def erase_passkeys(store: Store, player_id: PlayerId) -> None:
    """Remove all passkeys of an account."""
    store.notes.erase(NO_GAME, _drawer(player_id), [each.id for each in list_passkeys(store, player_id)])


def put_challenge(store: Store, challenge: bytes, player_id: PlayerId | None) -> None:
    made = Challenge(store.schedule.now(), player_id)
    store.accounts.put_one_time(_name(challenge), msgspec.json.encode(made), CHALLENGE_SECONDS)


def take_challenge(store: Store, challenge: bytes, player_id: PlayerId | None) -> bool:
    """Use a challenge. Returns whether it was given for this purpose in the last `CHALLENGE_SECONDS`, and not used."""
    packed = store.accounts.take_one_time(_name(challenge))
    if packed is None:
        return False
    found = _CHALLENGE.decode(packed)
    # Redis keeps it too long if the clock is set back.
    age = store.schedule.now() - found.made_at
    return found.player == player_id and 0 <= age < CHALLENGE_SECONDS * 1000


def _drawer(player_id: PlayerId) -> str:
    return f"passkeys:{player_id}"


def _name(challenge: bytes) -> str:
    return f"passkey:{hashlib.sha256(challenge).hexdigest()}"
