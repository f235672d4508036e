"""Logs heads: the newest head of every changed game becomes a leaf of the public log, under a signed checkpoint."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from prometheus_client.core import GaugeMetricFamily, Metric

from domain.kernel.terms import GameId
from service.core.jobs import worker_context
from service.store.redis.log.changes import Change
from service.store.redis.side_data.transparency_log import FOLLOWER, SIGN
from service.store.redis.store import Store
from service.store.seal import Signer
from service.store.transparency.leaves import Leaf, name_of
from service.store.upkeep.log_growth import grow, name_for

LOCK = 30_000
"""Milliseconds after which another process may take over."""

AT_ONCE = 4096
"""Maximum number of changes that are read together, and of leaves per checkpoint, so that no call of the store takes long."""


def log_heads() -> int:
    """Log the new heads of all games, in the log of this service; returns how many."""
    context = worker_context()
    return publish(context.store, context.signer, name_for(context.settings.public_url))


def publish(store: Store, signer: Signer, name: str) -> int:
    """Log the new heads of all games, unless another process does; returns their number.

    ``name`` is the log's if it has none yet. Safe to interrupt and run again: no head is logged twice, and a change is
    acknowledged only when the head is logged.
    """
    count = 0
    for partition in store.changes.behind(FOLLOWER, range(store.partitions)):
        changes: Sequence[Change] | None = None
        while changes is None or changes:
            if not store.schedule.lock("heads", LOCK):
                return count
            unread = store.changes.read(FOLLOWER, [partition], AT_ONCE, lost_after=0)
            changes = unread.changes
            games = {change.game_id for change in changes if not change.imported}
            if unread.missed:
                games.update(_own_games(store, partition))
            logged = _log(store, signer, name, games)
            if logged is None:
                return count
            count += logged
            store.changes.acknowledge(FOLLOWER, changes)
    store.schedule.beat(SIGN)
    return count


def _own_games(store: Store, partition: int) -> Iterator[GameId]:
    """The games of a partition that were played here: the head of an imported one has no signature of this service."""
    for game_id in store.lobbies.every():
        if store.keys.number(game_id) == partition and store.log.signature(game_id) is not None:
            yield game_id


def _log(store: Store, signer: Signer, name: str, games: Collection[GameId]) -> int | None:
    """Log the newest heads of these games; returns how many were new, None if another process is at it."""
    stands = {game_id: head for game_id, head in store.log.heads(sorted(games)).items() if head[1]}
    names = {game_id: name_of(game_id) for game_id in stands}
    known = store.ledger.newest(names.values())
    fresh = [
        Leaf(names[game_id], seq, head)
        for game_id, (seq, head) in sorted(stands.items())
        if seq > known[names[game_id]]
    ]
    for first in range(0, len(fresh), AT_ONCE):
        if not grow(store.ledger, signer, name, fresh[first : first + AT_ONCE], store.schedule.now()):
            return None
    return len(fresh)


def metrics(store: Store) -> Iterator[Metric]:
    """The log of heads; omitted if it has never been kept."""
    size, _ = store.ledger.checkpoint()
    yield GaugeMetricFamily("oraclewheel_transparency_log_entries", "Heads in the transparency log.", value=size)
    yield GaugeMetricFamily(
        "oraclewheel_transparency_log_pending_games",
        "Games whose head is newer than their latest entry in the transparency log.",
        value=len(store.changes.unseen(FOLLOWER)),
    )
    before = store.schedule.last_beat(SIGN)
    if before is not None:
        yield GaugeMetricFamily(
            "oraclewheel_transparency_log_age_seconds",
            "Time since the transparency log was last updated.",
            value=max(0, store.schedule.now() - before) / 1000,
        )
