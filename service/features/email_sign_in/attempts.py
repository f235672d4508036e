"""Attempts to sign in by email. Each belongs to one browser, which has its secret in a cookie.

An attempt is stored for fifteen minutes under the digest of that secret, and used once. The request that starts it
does the same for every address. A job finds the account and adds the digests of the link and of the code.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence

import msgspec

from domain.kernel.terms import PlayerId
from service.core.http.context.tokens import digest_of
from service.store import typed
from service.store.ports.side_data import NO_GAME
from service.store.redis.store import Store

LIFETIME_SECONDS = 900

TRIES = 5
"""Codes that can be tried in one attempt. Then it is void."""

_PENDING = "sign-in-emails"
"""Notes: the ids of attempts whose email is not sent, with the instant of the last try."""


class Attempt(msgspec.Struct, frozen=True):
    """An attempt to sign in."""

    made_at: int
    address: str
    """The digest of the address that was typed."""
    player: PlayerId | None = None
    """The account, once its email is written."""
    link: str = ""
    code: str = ""
    """Digests of the secret in the link and of the code in the email."""


_ATTEMPT = typed.decoder(Attempt)


def start_attempt(store: Store, address: str) -> str:
    """Start an attempt for an address, by its digest, and return its secret."""
    secret = secrets.token_urlsafe(32)
    id_ = digest_of(secret)
    packed = msgspec.json.encode(Attempt(store.schedule.now(), address))
    store.accounts.put_one_time(_name(id_), packed, LIFETIME_SECONDS)
    put_pending(store, id_)
    return secret


def put_pending(store: Store, id_: str) -> None:
    """The email of this attempt has still to be sent."""
    store.notes.put(NO_GAME, _PENDING, id_, b"%d" % store.schedule.now())


def list_pending(store: Store) -> Sequence[str]:
    """The ids of attempts whose email is not sent, the longest untried first."""
    found = store.notes.all(NO_GAME, _PENDING)
    return sorted(found, key=lambda id_: int(found[id_]))


def drop_pending(store: Store, id_: str) -> None:
    """The email of this attempt is sent, or is not needed."""
    store.notes.erase(NO_GAME, _PENDING, [id_])


def find_attempt(store: Store, id_: str) -> Attempt | None:
    """The attempt; None if it is unknown, used or expired."""
    packed = store.accounts.one_time(_name(id_))
    return None if packed is None else _valid(store, packed)


def write_secrets(store: Store, id_: str, attempt: Attempt, player_id: PlayerId) -> tuple[str, str]:
    """Make the secret of the link and the code for the email. They replace those of an earlier email."""
    link, code = secrets.token_urlsafe(32), f"{secrets.randbelow(1_000_000):06}"
    written = msgspec.structs.replace(attempt, player=player_id, link=digest_of(link), code=digest_of(code))
    store.accounts.replace_one_time(_name(id_), msgspec.json.encode(written))
    return link, code


def use_link(store: Store, secret: str, link: str) -> PlayerId | None:
    """Use the attempt of a browser by the link of its email. None if it is the link of another attempt, or used."""
    attempt = find_attempt(store, digest_of(secret))
    return _use(store, secret) if attempt is not None and is_link_of(attempt, link) else None


def is_link_of(attempt: Attempt, link: str) -> bool:
    """Whether the link is that of the attempt's email."""
    return attempt.player is not None and hmac.compare_digest(attempt.link, digest_of(link))


def use_code(store: Store, secret: str, code: str) -> PlayerId | None:
    """Use the attempt of a browser by the code in its email. None if the code is wrong. Counts the tries."""
    id_ = digest_of(secret)
    attempt = find_attempt(store, id_)
    # No try comes back before the attempt expires.
    if not store.accounts.allow(f"sign-in-code:{id_}", TRIES, 1 / (LIFETIME_SECONDS + 60))[0]:
        store.accounts.take_one_time(_name(id_))
        return None
    known = "" if attempt is None else attempt.code
    is_right = hmac.compare_digest(known, digest_of(code))
    return _use(store, secret) if is_right else None


def _use(store: Store, secret: str) -> PlayerId | None:
    packed = store.accounts.take_one_time(_name(digest_of(secret)))
    found = None if packed is None else _valid(store, packed)
    return None if found is None else found.player


def _valid(store: Store, packed: bytes) -> Attempt | None:
    found = _ATTEMPT.decode(packed)
    # Redis keeps it too long if the clock is set back.
    return found if 0 <= store.schedule.now() - found.made_at < LIFETIME_SECONDS * 1000 else None


def _name(id_: str) -> str:
    return f"email-sign-in:{id_}"
