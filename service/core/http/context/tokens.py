"""From a token to its credential, cached for five seconds and removed at once when it is revoked."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType

from redis.exceptions import ResponseError

from domain.kernel.terms import PlayerId
from service.core.http.context.entropy import random_bytes
from service.core.http.problems import suspended_problem
from service.core.http.ttl_cache import TtlCache
from service.store.ports.accounts import Credential
from service.store.ports.errors import StoreDown
from service.store.redis.store import Store

CACHE_SECONDS = 5.0
"""Seconds that a cached credential is trusted if the message about its revocation is lost."""

MARK_USED_SECONDS = 600.0
"""Seconds after which a process records again that a token is in use."""

MAX_TOKENS = 20_000
"""Maximum number of cached tokens."""


def new_token(kind: str) -> str:
    """A token that cannot be guessed: ``ow`` and the kind's letter, then 256 random bits."""
    return f"ow{kind}_{base64.urlsafe_b64encode(random_bytes(32)).rstrip(b'=').decode()}"


def digest_of(secret: str) -> str:
    """The stored form of a token or an invitation: its SHA-256, hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _without_expired(credential: Credential | None) -> Credential | None:
    return None if credential is None or credential.has_expired else credential


class TokenCache:
    """The credentials that this process has seen."""

    def __init__(
        self,
        store: Store,
        finders: Mapping[str, Callable[[Store, str], Credential | None]] = MappingProxyType({}),
        contact: str = "",
    ) -> None:
        """``finders`` look up tokens of other kinds, by their prefix. ``contact`` is the operator's email address, or empty."""
        self._store, self._finders, self._contact = store, finders, contact
        self._by_digest: TtlCache[str, Credential] = TtlCache(MAX_TOKENS)
        self._by_id: TtlCache[str, Credential] = TtlCache(MAX_TOKENS)
        """The same by the credentials' ids."""
        self._marked_used: TtlCache[str, bool] = TtlCache(MAX_TOKENS)
        self._is_subscribed = False
        self.revocations = 0
        """Number of revocations this process has received."""
        self.on_forget: list[Callable[[str], None]] = []
        """Called after `forget`, with its argument."""

    def get_cached(self, token: str) -> Credential | None:
        """The token's credential, if it was read in the last `CACHE_SECONDS` seconds and has not expired."""
        return _without_expired(self._by_digest.get(digest_of(token)))

    def find(self, token: str) -> Credential | None:
        """The token's credential. None if it is unknown, revoked or expired. Raises the problem of a suspended account."""
        digest = digest_of(token)
        known = _without_expired(self._by_digest.get(digest))
        if known is not None:
            return known
        self._subscribe()
        before = self.revocations
        finder = next((find for prefix, find in self._finders.items() if token.startswith(prefix)), None)
        found = self._store.accounts.by_token(digest) if finder is None else finder(self._store, token)
        found = _without_expired(found)
        if found is not None and not self.require_active(found.player):
            found = None
        if found is None:
            self._by_digest.remove(digest)
        elif before == self.revocations:  # otherwise it may have been revoked during the read
            self._by_digest.put(digest, found, CACHE_SECONDS)
            if finder is None:  # the others have the id of the token that they are revoked with
                self._by_id.put(found.id, found, CACHE_SECONDS)
                self._mark_used(found)
        return found

    def require_active(self, player_id: PlayerId) -> bool:
        """Raises the problem of a suspended account. Returns whether the account exists. Always reads from the store."""
        exists, suspension = self._store.accounts.status(player_id)
        if suspension is not None:
            raise suspended_problem(suspension, self._contact)
        return exists

    def _mark_used(self, credential: Credential) -> None:
        if self._marked_used.get(credential.id):
            return
        self._marked_used.put(credential.id, True, MARK_USED_SECONDS)
        # A store that takes no writes can still be read.
        with suppress(StoreDown, ResponseError):
            self._store.accounts.mark_used(credential.player, credential.id, self._store.schedule.now())

    def is_cached(self, credential: Credential) -> bool:
        """Whether the credential is valid without a read.

        It was read in the last `CACHE_SECONDS` seconds and not revoked since.
        """
        known = _without_expired(self._by_id.get(credential.id))
        return known is not None and known == credential

    def is_valid(self, credential: Credential) -> bool:
        """Whether the store still has the account, not suspended, and its token (for a ticket, the one that created it)."""
        self._subscribe()
        return self._store.accounts.holds(credential.player, credential.id)

    def forget(self, credential: str) -> None:
        """Remove this credential (``*``: all of them) from the cache: it may be revoked."""
        self.revocations += 1
        for known in (self._by_digest, self._by_id):
            known.remove_where(lambda each: credential in ("*", each.id))
        for forget in self.on_forget:
            forget(credential)

    def _subscribe(self) -> None:
        """Subscribe to revocations at the first request, and so in the serving process."""
        if not self._is_subscribed:
            self._is_subscribed = True
            self._store.news.on_revoked(self.forget)
