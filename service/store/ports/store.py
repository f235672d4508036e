"""Everything that is kept, as one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from domain.terms import GameId, Seq
from service.store.ports.accounts import Accounts, Credential, Held
from service.store.ports.beside import Ledger, Notes, Places
from service.store.ports.lobbies import Lobbies, Lobby
from service.store.ports.log import Log
from service.store.ports.news import News
from service.store.ports.outbox import Outbox, Subscriptions
from service.store.ports.waiting import Plans


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


class Store(Protocol):
    """Everything that is kept."""

    @property
    def accounts(self) -> Accounts: ...

    @property
    def lobbies(self) -> Lobbies: ...

    @property
    def log(self) -> Log: ...

    @property
    def plans(self) -> Plans: ...

    @property
    def news(self) -> News: ...

    @property
    def outbox(self) -> Outbox: ...

    @property
    def subscriptions(self) -> Subscriptions: ...

    @property
    def places(self) -> Places: ...

    @property
    def notes(self) -> Notes: ...

    @property
    def ledger(self) -> Ledger: ...

    @property
    def partitions(self) -> int: ...

    def standing(self, game_id: GameId, credential: Credential | None) -> tuple[bool, Lobby | None]:
        """Whether account and token are still there (`Accounts.holds`; True without any), and the game's lobby, read at once.

        Of a lobby in which nothing has changed it is the same object as before, as far as it is remembered.
        """

    def standings(self, game_id: GameId, credentials: Collection[Held]) -> tuple[set[Held], Lobby | None]:
        """As `standing`, of many credentials: those that are still there."""

    def followed(self, game_id: GameId, credentials: Collection[Held]) -> Followed:
        """How far a game is, and then `standings`: read at once, in this order. Raises `BrokenLog`."""

    def ready(self) -> bool:
        """Whether it answers and accepts writes; nothing is written to find out."""

    def warnings(self) -> Sequence[str]:
        """By what play could be lost as the store is set up, a sentence each."""

    def servers(self) -> Sequence[Server]:
        """How the servers stand that take writes; without those of which this may not be asked. Raises `StoreDown`."""

    def shelved(self) -> tuple[int, int]:
        """How many games lie in the archive, and how many moves there were begun and have not come to an end."""

    @property
    def replicas(self) -> int:
        """How many replicas must hold what is acknowledged."""

    @property
    def is_cluster(self) -> bool:
        """Whether different keys may be on different servers."""

    def noting(self) -> AbstractContextManager[None]:
        """Inside the block, calls that may write return when enough replicas have the write; `hold` reports failures."""

    def hold(self) -> None:
        """Raise `NotReplicated` if too few replicas have a write made inside `noting`."""

    def close(self) -> None: ...
