"""States of a game and of the store's servers, as `Store` reports them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from domain.kernel.terms import Seq
from service.store.ports.accounts import Held
from service.store.ports.lobbies import Lobby


class Followed(NamedTuple):
    """A game's progress, and which credentials may follow it."""

    seq: Seq
    head: str
    """The head of its last commit; empty before the first."""
    status: str
    """``over`` only after its last commit."""
    held: set[Held]
    """Those of the given credentials that still exist."""
    lobby: Lobby | None


class Progress(NamedTuple):
    """A game's lobby, and the end of its log at the same moment."""

    lobby: Lobby
    seq: Seq
    head: str
    """The head of its last commit; empty before the first."""
    meta: Sequence[bytes | None]
    """Fields that `Log.commits` would read in addition to the commits."""
    requests: Mapping[int, str]
    """Request ids of its last commits, by seq (`Outbox.caused`)."""


class Server(NamedTuple):
    name: str
    """``store``; in a cluster a primary's host and port."""
    memory: int
    most: int
    """Used and maximum memory in bytes; a maximum of 0 is no limit."""
    disk: bool
    """Whether its last write to disk succeeded."""
    replicas: int
    wanted: int
    """Connected replicas, and the number without which it takes no writes or confirms none."""
