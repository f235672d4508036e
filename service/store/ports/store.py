"""How a game and the servers of the store are, as `Store` reports it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from domain.terms import Seq
from service.store.ports.accounts import Held
from service.store.ports.lobbies import Lobby


class Followed(NamedTuple):
    """How a game stands, and who may follow it."""

    seq: Seq
    head: str
    """The head of its last commit; empty before the first."""
    status: str
    """``over`` after its last commit, and not before."""
    held: set[Held]
    """Those of the credentials asked about that are still there."""
    lobby: Lobby | None


class Progress(NamedTuple):
    """A game's lobby, and how far its log goes at the same moment."""

    lobby: Lobby
    seq: Seq
    head: str
    """The head of its last commit; empty before the first."""
    meta: Sequence[bytes | None]
    """What `Log.commits` would read beside the commits."""
    requests: Mapping[int, str]
    """The requests that its last commits came of, by seq (`Outbox.caused`)."""


class Server(NamedTuple):
    """How a server stands that keeps the games."""

    name: str
    """``store``; in a cluster a primary's host and port."""
    memory: int
    most: int
    """Bytes that it uses, and that it may use; 0 is no limit."""
    disk: bool
    """Whether its last write to disk went well."""
    replicas: int
    wanted: int
    """Replicas that are connected, and without how many it takes no writes, or nothing is answered as taken in."""
