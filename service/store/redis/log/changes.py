"""The changes of games: a stream for each partition, to which `append` adds an entry with each call, read by followers.

Followers that read at the same times share a consumer group. A group gets every entry at least once. The stream may be
trimmed or lost at any time: a group that missed entries is told so, and looks at the games of the partition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from redis.exceptions import ResponseError

from domain.kernel.terms import GameId, Seq
from service.store.redis.client import RedisClient
from service.store.redis.keys import Keys

READER = "follower"
"""The only consumer of each group: a partition is followed by one process at a time, and two do no harm."""

LOST_AFTER = 2000
"""Milliseconds after which an entry that was read and not acknowledged is read again."""

_Group = dict[bytes, Any]
"""A group's fields, as `XINFO GROUPS` reports them."""

NEVER = b"0-0"
"""The id that no entry has."""


@dataclass(frozen=True, slots=True)
class Change:
    """Commits that were appended to a game."""

    partition: int
    entry: bytes
    """Its id in the stream."""
    game_id: GameId
    seq: Seq
    """The seq of the last of these commits."""
    count: int
    """How many they are."""
    requests: str = ""
    """The ids of the requests that caused them: lines of seq and id, the newest first."""
    imported: bool = False

    @property
    def number(self) -> int:
        """Entries of a stream are numbered without gaps."""
        return _number(self.entry)


@dataclass(frozen=True, slots=True)
class Appended:
    """A change that this process has just appended."""

    change: Change
    fields: Mapping[str, bytes | None]
    """Fields of the game's meta hash after it."""


@dataclass(slots=True)
class Unread:
    """The changes of some partitions that a group has not acknowledged."""

    changes: list[Change] = field(default_factory=list)
    """In the order of each partition's stream."""
    missed: set[int] = field(default_factory=set)
    """Partitions of which the group missed changes: all their games have to be looked at."""


class Changes:
    def __init__(self, wire: RedisClient, names: Keys) -> None:
        self._wire, self._keys = wire, names

    def read(self, group: str, partitions: Sequence[int], limit: int, lost_after: int = LOST_AFTER) -> Unread:
        """A group's new changes, at most ``limit`` of each partition; of a partition without new ones, those lost.

        A change is lost if it was read ``lost_after`` milliseconds ago and is not acknowledged: its reader was killed,
        or failed.
        """
        found = Unread()
        commands: list[tuple[Any, ...]] = []
        for partition in partitions:
            commands += (("XINFO", "GROUPS", self._key(partition)), self._reading(group, partition, limit))
        replies = self._wire.many(commands)
        empty = []
        for partition, groups, reply in zip(partitions, replies[::2], replies[1::2], strict=True):
            begun = isinstance(reply, ResponseError)
            new = self._changes(partition, self._begin(found, group, partition, limit) if begun else reply)
            found.changes += new
            if not new:
                empty.append(partition)
            elif new[0].number != _last_read(_by_name(groups).get(group)) + 1:
                found.missed.add(partition)
        if empty:
            self._read_lost(found, group, empty, limit, lost_after)
        return found

    def _read_lost(self, found: Unread, group: str, partitions: Sequence[int], limit: int, lost_after: int) -> None:
        claims = [
            ("XAUTOCLAIM", self._key(partition), group, READER, lost_after, NEVER, "COUNT", limit)
            for partition in partitions
        ]
        first = []
        for partition, reply in zip(partitions, self._wire.many(claims), strict=True):
            if isinstance(reply, ResponseError):
                continue  # there is no such stream
            _, entries, deleted = reply
            changes = self._changes(partition, [(b"", entries)])
            found.changes += changes
            if deleted:
                found.missed.add(partition)
            if changes and changes[0].number > 1:
                first.append(changes[0])
        # Its reader may have missed those before it, and was killed before it looked at the games.
        before = [("XRANGE", self._key(each.partition), *2 * (f"0-{each.number - 1}",)) for each in first]
        for change, reply in zip(first, self._wire.many(before), strict=True):
            if not reply:
                found.missed.add(change.partition)

    def acknowledge(self, group: str, changes: Collection[Change]) -> None:
        """The followers of the group are done with these changes."""
        entries: dict[int, list[bytes]] = {}
        for change in changes:
            entries.setdefault(change.partition, []).append(change.entry)
        self._wire.many([("XACK", self._key(partition), group, *ids) for partition, ids in entries.items()])

    def behind(self, group: str, partitions: Sequence[int]) -> Mapping[int, int]:
        """The partitions in which the group has changes left, and how many entries these are."""
        left = {partition: _left(groups.get(group)) for partition, groups in self._groups(partitions)}
        return {partition: count for partition, count in left.items() if count}

    def unseen(self, group: str) -> set[GameId]:
        """The games with changes that the group has not acknowledged."""
        partitions = range(len(self._keys.partitions))
        groups = {partition: groups.get(group) for partition, groups in self._groups(partitions)}
        late = [partition for partition, group in groups.items() if _left(group)]
        first = []
        pending = self._wire.many([("XPENDING", self._key(partition), group) for partition in late])
        for partition, reply in zip(late, pending, strict=True):
            fields = groups[partition]
            oldest = None if isinstance(reply, ResponseError) else reply[1]
            first.append(oldest or ("-" if fields is None else b"(" + fields[b"last-delivered-id"]))
        ranges = [("XRANGE", self._key(partition), start, "+") for partition, start in zip(late, first, strict=True)]
        replies = zip(late, self._wire.many(ranges), strict=True)
        return {
            change.game_id
            for partition, reply in replies
            if not isinstance(reply, ResponseError)
            for change in self._changes(partition, [(b"", reply)])
        }

    def trim(self, partitions: Sequence[int]) -> None:
        """Delete the entries that every group has acknowledged, except the newest of them."""
        trims: list[tuple[Any, ...]] = []
        for partition, groups in self._groups(partitions):
            if groups and not any(group[b"pending"] for group in groups.values()):
                oldest = min((group[b"last-delivered-id"] for group in groups.values()), key=_number)
                trims.append(("XTRIM", self._key(partition), "MINID", oldest))
        self._wire.many(trims)

    def _groups(self, partitions: Sequence[int]) -> Iterator[tuple[int, dict[str, _Group]]]:
        """The groups of each partition that has a stream, and none where something else is in its place."""
        replies = self._wire.many([("XINFO", "GROUPS", self._key(partition)) for partition in partitions])
        for partition, reply in zip(partitions, replies, strict=True):
            if not isinstance(reply, ResponseError) or str(reply).startswith("WRONGTYPE"):
                yield partition, _by_name(reply)

    def _begin(self, unread: Unread, group: str, partition: int, limit: int) -> Any:
        """Create the group at the beginning of the stream, and read it; notes whether anything is missing."""
        key = self._key(partition)
        (created,) = self._wire.many([("XGROUP", "CREATE", key, group, 0)])
        if isinstance(created, ResponseError) and not str(created).startswith("BUSYGROUP"):
            if str(created).startswith("WRONGTYPE"):
                # It contained nothing but changes, which the games contain too.
                self._wire.one("DEL", key)
                unread.missed.add(partition)
            return None  # otherwise no game of the partition has a commit
        reply = self._wire.one(*self._reading(group, partition, limit))
        first: dict[GameId, Change] = {}
        for change in self._changes(partition, reply or ()):
            first.setdefault(change.game_id, change)
        if any(change.seq != change.count for change in first.values()):
            unread.missed.add(partition)  # earlier changes of these games were in a stream that was lost
        return reply

    def _changes(self, partition: int, reply: Any) -> list[Change]:
        found = []
        for entry, written in reply[0][1] if reply else ():
            if written is None:
                continue
            values = dict(zip(written[::2], written[1::2], strict=True))
            if b"g" not in values:
                continue  # not written by `append`, which replaces such a stream
            found.append(
                Change(
                    partition,
                    entry,
                    GameId(values[b"g"].decode()),
                    Seq(int(values[b"s"])),
                    int(values[b"n"]),
                    values.get(b"r", b"").decode(),
                    b"i" in values,
                )
            )
        return found

    def _reading(self, group: str, partition: int, limit: int) -> tuple[Any, ...]:
        return ("XREADGROUP", "GROUP", group, READER, "COUNT", limit, "STREAMS", self._key(partition), ">")

    def _key(self, partition: int) -> str:
        return self._keys.partitions[partition].changes


def _fields(flat: Sequence[Any]) -> dict[bytes, Any]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _left(group: _Group | None) -> int:
    """The number of entries that a group has not acknowledged; at least 1 if that is unknown."""
    if group is None:
        return 1
    # The server does not know the lag of a group if entries were deleted in the middle of its stream.
    return int(group[b"pending"]) + (1 if group[b"lag"] is None else int(group[b"lag"]))


def _by_name(reply: Any) -> dict[str, _Group]:
    """The groups in a reply to `XINFO GROUPS`; none of a stream that does not exist."""
    groups = [] if isinstance(reply, ResponseError) else [_fields(each) for each in reply]
    return {group[b"name"].decode(): group for group in groups}


def _last_read(group: _Group | None) -> int:
    """The number of the last entry that a group has read; 0 before the first."""
    return 0 if group is None else _number(group[b"last-delivered-id"])


def _number(entry: bytes) -> int:
    return int(entry.partition(b"-")[2])
