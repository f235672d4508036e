"""What a store raises."""

from __future__ import annotations


class StaleWrite(Exception):
    """The log has moved on since the position was read: read again."""


class NotAlone(Exception):
    """Something else has come to wait in the game by now: nothing was appended that was to stand before it."""


class StoreDown(Exception):
    """The store does not answer; nothing is known about the call (503 with Retry-After)."""


class NotReplicated(Exception):
    """Too few replicas have a write: it may stay, or be lost in a fail-over."""


class ArchiveDown(StoreDown):
    """A game lies in the archive and cannot be had from there now; the sentence says why."""


class StoreUnusable(RuntimeError):
    """Play could be lost on this store, or it is not the one that is meant; the sentence says why and what to do."""


class LobbyRefusal(Exception):
    """A change to a lobby that cannot be made; ``code`` is the problem's name.

    Codes: ``unknown-game``, ``started``, ``not-started``, ``full``, ``seated-already``, ``not-seated``, ``seat-taken``,
    ``wrong-invitation``, ``not-creator``, ``seats-open``, ``changed``.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
