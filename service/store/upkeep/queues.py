"""Entries in a game's queue, or in the set of deadlines, that can never be settled and block later ones."""

from __future__ import annotations

from collections.abc import Iterator

from domain.kernel.terms import GameId
from service.store.redis import keys
from service.store.redis.log.schedule import due_member, submission_in
from service.store.redis.store import Store


def stuck(store: Store, game_id: GameId, *, write: bool) -> Iterator[str]:
    """Descriptions of a game's entries that cannot be settled; removes them from the queue if ``write``."""
    names = store.keys.game(game_id)
    entries = store.wire.one("XRANGE", names.commands, "-", "+")
    if not entries:
        return
    over = store.wire.one("HGET", names.meta, "status") != b"running"
    for entry, fields in entries:
        document = submission_in(fields)
        if over:
            wrong = "is for a game that is not running"
        elif document is None:
            wrong = "is not a command"
        elif _settled(store, game_id, document["id"]):
            wrong = f"was settled before ({document['id']})"
        else:
            continue
        # It may have been settled properly since it was read.
        if not store.wire.one("XRANGE", names.commands, entry, entry):
            continue
        if write:
            store.wire.one("XDEL", names.commands, entry)
        yield f"entry {entry.decode()} of its queue {wrong}" + ("; removed" if write else "")


def _settled(store: Store, game_id: GameId, submission: str) -> bool:
    known = store.wire.one("HGET", store.keys.game(game_id).ids, keys.id_field(game_id, submission))
    return known is not None and not known.endswith(b"p")


def strange_dues(store: Store, *, write: bool) -> Iterator[str]:
    """Descriptions of unreadable deadline entries; removes them if ``write``."""
    for shared in store.keys.partitions:
        for member in _members(store, shared.due):
            game_id = due_member(member)[0]
            if game_id and store.wire.one("EXISTS", store.keys.game(game_id).meta):
                continue
            if write:
                store.wire.one("ZREM", shared.due, member)
            yield f"the deadline entry {member[:80]!r} is invalid" + ("; removed" if write else "")


def _members(store: Store, name: str) -> Iterator[bytes]:
    cursor = b"0"
    while True:
        cursor, found = store.wire.one("ZSCAN", name, cursor, "COUNT", 1000)
        yield from found[::2]
        if cursor == b"0":
            return
