"""Converts a store of release 0.3.0, while no service runs on it. It can be killed at any line and run again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from domain.kernel.terms import GameId
from service.store.chain import BrokenLog
from service.store.redis import keys
from service.store.redis.conditional import set_fields
from service.store.redis.log.schedule import submission_in
from service.store.redis.side_data.transparency_log import FOLLOWER
from service.store.redis.store import Store
from service.store.shared.older_fields import converted, is_older

AT_ONCE = 500
"""Games that are read together."""


@dataclass(slots=True)
class Migrated:
    """What a migration has done."""

    games: int = 0
    """Started games whose chains and heads were checked."""
    converted: int = 0
    broken: list[BrokenLog] = field(default_factory=list)
    """Games that cannot be read. They were left as they are; a settle worker puts them into quarantine."""


def migrate(store: Store, follower: str, tell: Callable[[int], object] = lambda _: None) -> Migrated:
    """Convert every game, and note that the store has the form of this release.

    ``follower``: the consumer group of those that need to see nothing of what is stored already.
    """
    done = Migrated()
    every = store.lobbies.every()
    while games := list(islice(every, AT_ONCE)):
        before = store.log.heads(games)
        for game_id in games:
            try:
                done.converted += _convert(store, game_id)
            except (ValueError, LookupError) as error:
                done.broken.append(BrokenLog(game_id, 0, f"its fields cannot be converted: {error}"))
                continue
            try:
                _verify(store, game_id, before[game_id][1] if game_id in before else "")
            except BrokenLog as error:
                done.broken.append(error)
            done.games += 1
        tell(done.games)
    for partition in range(store.partitions):
        _begin_changes(store, partition, follower)
    store.wire.one("SET", keys.FORM, keys.THIS_FORM)
    return done


def _convert(store: Store, game_id: GameId) -> bool:
    """Convert one game in one step; whether it was in the older form."""
    key = store.keys.game(game_id)
    while True:
        flat = store.wire.one("HGETALL", key.meta)
        meta = dict(zip(flat[::2], flat[1::2], strict=True))
        if not is_older(meta):
            return False
        entries = store.wire.one("XRANGE", key.commands, "-", "+")
        waiting = [document for _, written in entries if (document := submission_in(written)) is not None]
        fields, gone = converted(meta, [document["id"] for document in waiting])
        # Submissions that take a seat contained the player.
        seeks = "".join(
            f"{document['id']} {document['command']['seat']} {document['holder']} {document['asked_at'] // 1000}\n"
            for document in waiting
            if "holder" in document
        )
        if seeks:
            fields["seeks"] = seeks
        before = {name: meta.get(name.encode()) for name in ("seq", "plans", "seating", "chairs")}
        if set_fields(store.wire, key.meta, before, {**dict.fromkeys(gone, b""), **fields}):
            return True


def _verify(store: Store, game_id: GameId, head: str) -> None:
    """Read the whole chain; raises `BrokenLog` if it does not end at this head."""
    last = ""
    for commit in store.log.commits(game_id):
        last = commit.head
    if head and last != head:
        raise BrokenLog(game_id, 0, f"its chain ends at {last or 'nothing'}, not at its head {head}")


def _begin_changes(store: Store, partition: int, follower: str) -> None:
    """Add a change for each head that is not logged yet, and let the other followers begin after these."""
    shared = store.keys.partitions[partition]
    moved, moving = shared.tag + "moved", shared.tag + "moving"
    games = sorted(
        {each.decode() for reply in store.wire.all([("SMEMBERS", moved), ("SMEMBERS", moving)]) for each in reply}
    )
    heads = store.log.heads([GameId(each) for each in games])
    for game_id, (seq, head) in heads.items():
        if head:  # again if a run was killed: a head is logged once
            store.wire.one("XADD", shared.changes, "0-*", "g", game_id, "s", seq, "n", seq)
    # A group that exists stays where it is.
    created = [
        ("XGROUP", "CREATE", shared.changes, FOLLOWER, 0, "MKSTREAM"),
        ("XGROUP", "CREATE", shared.changes, follower, "$"),
    ]
    store.wire.many(created)
    store.wire.all([("DEL", moved, moving)])
