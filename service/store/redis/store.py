"""The store on one Redis-compatible server, or on a cluster of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from redis.exceptions import ResponseError

from domain.kernel.terms import GameId
from service.store.ports.accounts import Credential, Held
from service.store.ports.errors import StoreDown, StoreUnusable
from service.store.ports.lobbies import Lobby
from service.store.ports.store import Followed, Progress, Server
from service.store.redis import probe, replication
from service.store.redis.accounts import Accounts, asked_held, held_in
from service.store.redis.archive import Archive
from service.store.redis.client import RedisClient
from service.store.redis.cluster.client import open_client
from service.store.redis.keys import PARTITION_COUNT, Keys
from service.store.redis.lobbies.lobbies import Lobbies
from service.store.redis.lobbies.record import FIELDS, lobby_in
from service.store.redis.log.changes import Changes
from service.store.redis.log.claims import Claims
from service.store.redis.log.log import CHAINED, PROGRESS, Log
from service.store.redis.log.outbox import Outbox, causes
from service.store.redis.log.schedule import Schedule
from service.store.redis.log.subscriptions import Subscriptions
from service.store.redis.log.views import Views
from service.store.redis.news import News
from service.store.redis.side_data.notes import Notes
from service.store.redis.side_data.operator_log import OperatorLog
from service.store.redis.side_data.semaphores import Semaphores
from service.store.redis.side_data.transparency_log import TransparencyLog
from service.store.shared.object_storage import ObjectStorage

COPIES = 64
"""Default MiB for copies from the archive."""


class Store:
    def __init__(self, wire: RedisClient, archive: str = "", copies: int = COPIES) -> None:
        """Send nothing before the first call.

        ``archive``: address of the archive of finished games, or empty; ``copies``: MiB of temporary copies from it.
        """
        self.wire = wire
        self.partitions = PARTITION_COUNT
        self.keys = Keys()
        self.accounts = Accounts(wire)
        self.archive = Archive(wire, self.keys, ObjectStorage(archive) if archive else None, copies << 20)
        self.lobbies = Lobbies(wire, self.keys, self.archive)
        owing: set[int] = set()
        self.outbox = Outbox(wire, self.keys, owing)
        self.schedule = Schedule(wire, self.keys, owing)
        self.claims = Claims(wire, self.keys, self.schedule)
        self.log = Log(wire, self.keys, self.archive, self.claims)
        self.changes = Changes(wire, self.keys)
        self.views = Views(wire, self.keys, self.archive)
        self.subscriptions = Subscriptions(wire)
        self.places = Semaphores(wire)
        self.notes = Notes(wire, self.keys, self.archive)
        self.operators = OperatorLog(wire)
        self.news = News(wire)
        self.ledger = TransparencyLog(wire)

    def check_partitions(self, *, older: bool = False) -> None:
        """Raise `WrongPartitions` if the store has another number of partitions; a new store gets this one.

        Raises `NeedsMigration` for a store of release 0.3.0, unless ``older``.
        """
        probe.check_partitions(self.wire, older=older)

    def standing(self, game_id: GameId, credential: Credential | None) -> tuple[bool, Lobby | None]:
        """Whether account and token still exist (`Accounts.holds`), and the game's lobby, read at once.

        True without a credential. An unchanged lobby is the same object as before while it is cached.
        """
        held = [] if credential is None else [(credential.player, credential.id)]
        alive, lobby = self.standings(game_id, held)
        return len(alive) == len(held), lobby

    def standings(self, game_id: GameId, credentials: Collection[Held]) -> tuple[set[Held], Lobby | None]:
        """As `standing`, for many credentials: those that still exist."""
        asked = [each for held in credentials for each in asked_held(*held)]
        *there, lobby = self.wire.many([*asked, self.lobbies.asked(game_id)])
        return _held(credentials, there), lobby_in(game_id, self.lobbies.there(game_id, lobby))

    def followed(self, game_id: GameId, credentials: Collection[Held]) -> Followed:
        """A game's progress, and then `standings`: read at once, in this order. Raises `BrokenLog`."""
        asked = [each for held in credentials for each in asked_held(*held)]
        asking = [self.log.asked_progress(game_id), *asked, self.lobbies.asked(game_id)]
        stands, *there, lobby = self.wire.many(asking)
        if self.lobbies.there(game_id, lobby) is not lobby:
            stands, *there, lobby = self.wire.many(asking)
        return Followed(*self.log.progress_in(game_id, stands), _held(credentials, there), lobby_in(game_id, lobby))

    def progress(self, game_id: GameId) -> Progress | None:
        """The lobby and the end of its log, read at once with one command; None if there is no such game.

        Raises `BrokenLog`.
        """
        meta = self.keys.game(game_id).meta
        reply = self.lobbies.there(
            game_id, self.wire.many([("HMGET", meta, *FIELDS, *PROGRESS, *CHAINED, "requests")])[0]
        )
        lobby = lobby_in(game_id, reply[: len(FIELDS)] if isinstance(reply, list) else reply)
        if lobby is None:
            return None
        if len(reply) == len(FIELDS):
            return self.progress(game_id)  # a copy of it was just fetched from the archive
        *stands, requests = reply[len(FIELDS) :]
        seq, head, _ = self.log.progress_in(game_id, stands[: len(PROGRESS)])
        return Progress(lobby, seq, head, stands[len(PROGRESS) :], causes(requests))

    def ready(self) -> bool:
        """Whether it responds and accepts writes.

        Writing nothing at the start of a string changes nothing, but is refused whenever a write would be.
        """
        # In a cluster, one key of each partition: any of its primaries may be away.
        tags = [partition.tag for partition in self.keys.partitions] if self.wire.is_cluster else [""]
        try:
            self.wire.all([("SETRANGE", f"{tag}oraclewheel:ready", 0, "") for tag in tags])
        except (StoreDown, ResponseError):
            return False
        return True

    @property
    def replicas(self) -> int:
        """Number of replicas that must have a write before it is acknowledged."""
        return self.wire.wanted_replicas

    @property
    def is_cluster(self) -> bool:
        """Whether different keys may be on different servers."""
        return self.wire.is_cluster

    def noting(self) -> AbstractContextManager[None]:
        """Inside the block, calls that may write return when enough replicas have the write; `hold` reports failures."""
        return replication.required() if self.replicas else nullcontext()

    def hold(self) -> None:
        """Raise `NotReplicated` if too few replicas have a write made inside `noting`."""
        replication.check()

    def warnings(self) -> Sequence[str]:
        """Reasons why play could be lost with the store's set-up, a sentence each."""
        return probe.warnings(self.wire)

    def servers(self) -> Sequence[Server]:
        """The state of each primary that allows INFO. Raises `StoreDown`."""
        return [each._replace(wanted=max(each.wanted, self.replicas)) for each in probe.standings(self.wire)]

    def shelved(self) -> tuple[int, int]:
        """Number of games in the archive, and number of unfinished moves."""
        names = [name for shared in self.keys.partitions for name in (shared.archive, shared.leaving)]
        counted = self.wire.all([("HLEN", name) for name in names])
        return sum(counted[::2]), sum(counted[1::2])

    def close(self) -> None:
        self.news.close()
        self.wire.close()


def _held(credentials: Collection[Held], replies: Sequence[Any]) -> set[Held]:
    for reply in replies:
        if isinstance(reply, ResponseError):
            raise reply
    return held_in(credentials, replies)


def open_store(url: str, archive: str = "", copies: int = COPIES, *, replicas: int = 0) -> Store:
    """The store behind a Redis URL; raises `WrongPartitions` if it was created with another number of partitions.

    ``replicas`` is how many must have a write before it is acknowledged (`Store.hold`).
    """
    store = Store(open_client(url, replicas), archive, copies)
    try:
        store.check_partitions()
    except StoreUnusable:
        store.close()
        raise
    return store
