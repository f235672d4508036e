"""From a token to its credential, cached for five seconds and removed at once when it is revoked."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from contextlib import suppress

from redis.exceptions import ResponseError

from service.api.context.entropy import token_bytes
from service.api.http.ttl_cache import TtlCache
from service.notifications.email import links
from service.store.ports.accounts import Credential
from service.store.ports.errors import StoreDown
from service.store.redis.store import Store

TRUSTED = 5.0
"""Seconds that a cached credential is trusted if the message about its revocation is lost."""

USED = 600.0
"""Seconds after which a process records again that a token is in use."""

MOST = 20_000
"""Maximum number of cached tokens."""


def new_token(kind: str) -> str:
    """A token that cannot be guessed: ``ow`` and the kind's letter, then 256 random bits."""
    return f"ow{kind}_{base64.urlsafe_b64encode(token_bytes(32)).rstrip(b'=').decode()}"


def digest_of(secret: str) -> str:
    """The stored form of a token or an invitation: its SHA-256, hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _unexpired(credential: Credential | None) -> Credential | None:
    return None if credential is None or credential.has_expired else credential


class TokenCache:
    """The credentials that this process has seen."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: TtlCache[str, Credential] = TtlCache(MOST)
        self._by_id: TtlCache[str, Credential] = TtlCache(MOST)
        """The same by the credentials' ids."""
        self._used: TtlCache[str, bool] = TtlCache(MOST)
        self._listening = False
        self.revocations = 0
        """Number of revocations this process has received."""
        self.on_forget: list[Callable[[str], None]] = []
        """Called after `forget`, with its argument."""

    def cached(self, token: str) -> Credential | None:
        """The token's credential, if it was read in the last `TRUSTED` seconds and has not expired."""
        return _unexpired(self._known.get(digest_of(token)))

    def credential(self, token: str) -> Credential | None:
        """The token's credential. None if it is unknown, revoked or expired."""
        digest = digest_of(token)
        known = _unexpired(self._known.get(digest))
        if known is not None:
            return known
        self._listen()
        before = self.revocations
        is_link = token.startswith(links.PREFIX)
        found = links.credential_of(self._store, token) if is_link else self._store.accounts.by_token(digest)
        found = _unexpired(found)
        if found is None:
            self._known.remove(digest)
        elif before == self.revocations:  # otherwise it may have been revoked during the read
            self._known.put(digest, found, TRUSTED)
            if not is_link:  # a link has the id of the token that it is revoked with
                self._by_id.put(found.id, found, TRUSTED)
                self._mark_used(found)
        return found

    def _mark_used(self, credential: Credential) -> None:
        if self._used.get(credential.id):
            return
        self._used.put(credential.id, True, USED)
        # A store that takes no writes can still be read.
        with suppress(StoreDown, ResponseError):
            self._store.accounts.mark_used(credential.player, credential.id, self._store.schedule.now())

    def believes(self, credential: Credential) -> bool:
        """Whether the credential is valid without a read.

        It was read in the last `TRUSTED` seconds and not revoked since.
        """
        known = _unexpired(self._by_id.get(credential.id))
        return known is not None and known == credential

    def is_alive(self, credential: Credential) -> bool:
        """Whether the store still has the account, and its token (for a ticket, the token that created it)."""
        self._listen()
        return self._store.accounts.holds(credential.player, credential.id)

    def forget(self, credential: str) -> None:
        """Remove this credential (``*``: all of them) from the cache: it may be revoked."""
        self.revocations += 1
        for known in (self._known, self._by_id):
            known.remove_where(lambda each: credential in ("*", each.id))
        for forget in self.on_forget:
            forget(credential)

    def _listen(self) -> None:
        """Subscribe to revocations at the first request, and so in the serving process."""
        if not self._listening:
            self._listening = True
            self._store.news.on_revoked(self.forget)
