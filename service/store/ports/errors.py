"""Errors of the store."""

from __future__ import annotations


class StaleWrite(Exception):
    """The log has newer commits than the position: read again."""


class NotAlone(Exception):
    """Another command has arrived in the game: nothing was appended, because the commits have to come after it."""


class StoreDown(Exception):
    """The store does not respond; the result of the call is unknown (503 with Retry-After)."""


class NotReplicated(Exception):
    """Too few replicas have a write: it may persist, or be lost in a failover."""


class ArchiveDown(StoreDown):
    """A game is in the archive and cannot be fetched now; the message says why."""


class StoreUnusable(RuntimeError):
    """The store is the wrong one, or is not safe for play; the message says why and what to do."""


class LobbyRefusal(Exception):
    """A change to a lobby was refused; ``code`` is the problem's name.

    Codes: ``unknown-game``, ``started``, ``not-started``, ``full``, ``seated-already``, ``not-seated``, ``seat-taken``,
    ``seat-reserved``, ``unknown-challenge``, ``wrong-invitation``, ``not-creator``, ``seats-open``, ``changed``.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
