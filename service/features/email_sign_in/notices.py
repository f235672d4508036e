"""Emails that report a sign-in by another way than email, so that a theft is noticed."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

import msgspec

from domain.kernel.terms import PlayerId
from service.core.accounts.ways import EMAIL
from service.store import typed
from service.store.ports.side_data import NO_GAME
from service.store.redis.store import Store

LIFETIME = 24 * 3_600_000
"""Milliseconds for which a notice is tried."""

_DRAWER = "sign-in-notices"


class SignInNotice(msgspec.Struct, frozen=True):
    """A sign-in to report."""

    player: PlayerId
    way: str
    at: int
    """Milliseconds of Unix time."""


_NOTICE = typed.decoder(SignInNotice)


def report_sign_in(store: Store, player_id: PlayerId, way: str) -> None:
    """Report a sign-in. A sign-in by email is known from its own email."""
    if way != EMAIL:
        notice = SignInNotice(player_id, way, store.schedule.now())
        store.notes.put(NO_GAME, _DRAWER, secrets.token_hex(8), msgspec.json.encode(notice))


def list_notices(store: Store) -> Mapping[str, SignInNotice]:
    """The notices that have not been sent, by id, oldest first."""
    found = {id_: _NOTICE.decode(note) for id_, note in store.notes.all(NO_GAME, _DRAWER).items()}
    return dict(sorted(found.items(), key=lambda each: each[1].at))


def drop_notice(store: Store, id_: str) -> bool:
    """The notice is sent, or is not needed. Returns whether it existed."""
    return bool(store.notes.erase(NO_GAME, _DRAWER, [id_]))
