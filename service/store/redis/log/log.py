"""The log in Redis: commands come in, workers claim games, commits are appended."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from secrets import token_hex
from typing import Any

import orjson
from redis.exceptions import ResponseError

from domain import RELEASE
from domain.terms import SYSTEM, GameId
from service.child_process import PROCESS
from service.store.chain import BrokenLog, reading
from service.store.codec import canonical, plain
from service.store.packing import pack, pack_snapshot
from service.store.ports.commits import Append, Stored
from service.store.ports.errors import StaleWrite
from service.store.ports.waiting import AHEAD, MOST_WAITING, Receipt, Work
from service.store.redis import keys
from service.store.redis.connect import Script, Wire
from service.store.redis.keys import Keys
from service.store.redis.log.history import RedisHistory
from service.store.redis.log.rows import RedisRows, row_fields
from service.store.redis.log.schedule import RedisSchedule, mark_in, submission_in
from service.store.redis.log.watch import Watch
from service.store.shared import lists
from service.store.shared.outcome import stored

SUBMIT, OUTCOME, OUTCOMES, CLAIM = Script("submit"), Script("outcome"), Script("outcomes"), Script("claim")
GIVE_BACK, GIVE_UP, APPEND = Script("give_back"), Script("release"), Script("append")


class RedisLog(RedisRows, RedisHistory, RedisSchedule):
    """See `service.store.ports.log.Log`."""

    def __init__(self, wire: Wire, names: Keys) -> None:
        self._wire, self._keys, self._owner = wire, names, os.environ.get(PROCESS) or token_hex(8)
        self._numbers: dict[str, int] = {}
        self.wakes: Callable[[int], str] | None = None
        """The list of a partition's wakes, where the queue is on the same server: `submit` then wakes workers itself."""
        self._watch = Watch()

    def submit(
        self,
        game_id: GameId,
        submission: Mapping[str, Any],
        digest: str,
        *,
        refusals: int = 60,
        unasked: int = 0,
        anytime: int = 0,
    ) -> Receipt:
        names, partition, number = self._keys.game(game_id), self._keys.partition(game_id), self._keys.number(game_id)
        expected, list_id = submission["expected"], lists.list_id(submission)
        with reading(game_id):
            status, seq, wake, wait = self._wire.call(
                SUBMIT,
                [
                    *(names.meta, names.commands, names.ids, names.rows),
                    *(partition.ready, partition.leases, partition.marks),
                    *(() if self.wakes is None else (self.wakes(number),)),
                ],
                [
                    keys.id_field(game_id, submission["id"]),
                    keys.id_digest(digest),
                    submission["seat"],
                    "" if expected is None else expected,
                    refusals,
                    MOST_WAITING,
                    game_id,
                    canonical(plain(submission)),
                    unasked,
                    int(anytime),
                    RELEASE,
                    AHEAD,
                    1 + lists.left_in(submission),
                    "" if list_id is None else keys.id_field(game_id, list_id),
                    number,
                ],
            )
        return Receipt(status.decode(), list_id or submission["id"], None if seq < 0 else seq, bool(wake), wait)

    def outcome(self, game_id: GameId, submission_id: str) -> Stored | str | None:
        names = self._keys.game(game_id)
        with reading(game_id):
            reply = self._wire.call(
                OUTCOME, [names.meta, names.commits, names.ids], [keys.id_field(game_id, submission_id)]
            )
        if reply is None or isinstance(reply, bytes):
            return None if reply is None else reply.decode()
        return stored(game_id, *reply)

    def outcomes(self, game_id: GameId, list_id: str) -> Sequence[Stored | str] | None:
        names = self._keys.game(game_id)
        ids = [list_id, *(lists.place_id(list_id, place) for place in range(lists.MOST_IN_LIST))]
        with reading(game_id):
            reply = self._wire.call(
                OUTCOMES, [names.meta, names.commits, names.ids], [keys.id_field(game_id, id_) for id_ in ids]
            )
        if reply is None:
            return None
        return [each.decode() if isinstance(each, bytes) else stored(game_id, *each) for each in reply]

    def claim(self, partitions: Sequence[int], limit: int, lease: int) -> Sequence[GameId]:
        shared = [self._keys.partitions[number] for number in partitions]
        oldest = self._wire.all([("ZRANGE", partition.ready, 0, 0, "WITHSCORES") for partition in shared])
        waiting = sorted((float(reply[1]), number) for number, reply in enumerate(oldest) if reply)[:limit]
        if not waiting:
            return []
        share = limit // len(waiting)
        chosen = [shared[number] for _, number in waiting]
        calls = [
            ([partition.ready, partition.leases, partition.claims, partition.holders], [share, lease, self.holder])
            for partition in chosen
        ]
        claimed = []
        for reply in self._wire.calls(CLAIM, calls):
            for game, times, held in zip(reply[::3], reply[1::3], reply[2::3], strict=True):
                claimed.append((game.decode(), times))
                self._numbers[game.decode()] = held
        # One that was claimed before goes alone, and what was claimed beside it goes back.
        suspects = [game for game, times in claimed if times > 1]
        keep = suspects[:1] or [game for game, _ in claimed]
        self._give_back([game for game, _ in claimed if game not in keep])
        return keep

    def _give_back(self, games: Sequence[GameId]) -> None:
        shared = [(game_id, self._keys.partition(game_id)) for game_id in games]
        calls = [
            ([p.ready, p.leases, p.claims, p.holders], [game_id, self._numbers.pop(game_id, "")])
            for game_id, p in shared
        ]
        self._wire.calls(GIVE_BACK, calls)

    def work(self, games: Sequence[GameId], limit: int = 32) -> Sequence[Work]:
        commands: list[Sequence[Any]] = []
        for game_id in games:
            commands.append(("XRANGE", self._keys.game(game_id).commands, "-", "+", "COUNT", limit))
            commands.append(("HGET", self._keys.partition(game_id).claims, game_id))
            commands.append(("HGET", self._keys.partition(game_id).marks, game_id))
        replies = self._wire.many(commands)
        works = []
        for game_id, entries, claims, marked in zip(games, replies[::3], replies[1::3], replies[2::3], strict=True):
            mark = None if marked is None else mark_in(marked)
            if isinstance(entries, ResponseError):  # no stream at all
                works.append(Work(game_id, (), 1, True, mark))
                continue
            pending = list(takewhile(lambda each: each[1], (_pending(*entry) for entry in entries)))
            works.append(Work(game_id, tuple(pending), int(claims or 1), len(pending) < len(entries), mark))
        return works

    def release(self, game_id: GameId, later: int = 0) -> bool:
        return bool(self._wire.call(GIVE_UP, self._claimed(game_id), [game_id, later, self._numbers.pop(game_id, "")]))

    def release_all(self, games: Sequence[GameId]) -> Sequence[bool]:
        return [
            bool(reply)
            for reply in self._wire.calls(
                GIVE_UP, [(self._claimed(game_id), [game_id, 0, self._numbers.pop(game_id, "")]) for game_id in games]
            )
        ]

    def _claimed(self, game_id: GameId) -> Sequence[str]:
        partition = self._keys.partition(game_id)
        shared = [partition.ready, partition.leases, partition.claims, partition.holders, partition.aside]
        return [self._keys.game(game_id).commands, *shared]

    def append(self, batch: Sequence[Append]) -> Sequence[Exception | None]:
        lists = self._lists_of([each.game_id for each in batch if each.over])
        replies = self._wire.tried(APPEND, [self._append(each, lists) for each in batch])
        return [_came(each, reply) for each, reply in zip(batch, replies, strict=True)]

    def _lists_of(self, games: Sequence[GameId]) -> Mapping[GameId, tuple[int, list[str]]]:
        """Of public games about to end: when they were made, and the lists they leave and enter."""
        replies = self._wire.many([("HGET", self._keys.game(game_id).meta, "lobby") for game_id in games])
        found = {}
        for game_id, reply in zip(games, replies, strict=True):
            # One whose lobby cannot be read: what is appended fails of itself, or `doctor` sets the lists right.
            with suppress(BrokenLog), reading(game_id):
                lobby = orjson.loads(reply or b"{}")
                if lobby.get("visibility") == "public":
                    moves = [self._keys.listings(game_id, lobby["kind"], status) for status in ("running", "over")]
                    found[game_id] = (lobby["made_at"], [*moves[0], *moves[1]])
        return found

    def _append(
        self, each: Append, lists: Mapping[GameId, tuple[int, list[str]]]
    ) -> tuple[Sequence[str], Sequence[Any]]:
        names, partition = self._keys.game(each.game_id), self._keys.partition(each.game_id)
        sealed, rows = each.sealed, each.rows
        player = each.refused and each.submission.seat != SYSTEM
        made, moves = lists.get(each.game_id, (0, []))
        shared = [
            names.meta,
            names.commands,
            names.commits,
            names.ids,
            names.rows,
            names.snapshots,
            partition.ready,
            partition.leases,
            partition.claims,
            partition.due,
            partition.stalled,
            partition.holders,
            partition.aside,
            partition.marks,
        ]
        fields = row_fields(each)
        arguments = [
            each.game_id,
            each.before,
            sealed.previous,
            each.entry,
            keys.id_field(each.game_id, each.submission.id),
            pack(sealed),
            sealed.head,
            sealed.at,
            each.submission.seat if player else 0,
            int(each.over),
            1 if each.stalled else 2 if each.resumed else 0,
            b"" if each.snapshot is None else pack_snapshot(sealed.release, each.snapshot),
            made,
            keys.NEWS,
            "" if rows is None else rows.signature,
            "" if rows is None else rows.key_id,
            "" if each.follows is None else canonical(plain(each.follows)),
            "" if each.follows is None else keys.id_field(each.game_id, each.follows["id"]),
            each.lapsed,
            each.tell,
            len(fields),
            *fields,
        ]
        for due in each.due:
            arguments += [_LETTERS[due.what], due.question, due.when]
        return [*shared, *moves], arguments


_LETTERS = {"expire": "d", "act": "b"}


def _came(each: Append, reply: Any) -> Exception | None:
    if isinstance(reply, ResponseError):
        return BrokenLog(each.game_id, each.sealed.seq, f"it cannot be appended: {reply}")
    return None if reply == 1 else StaleWrite(each.game_id)


def _pending(entry: bytes, fields: Sequence[bytes]) -> tuple[str, Mapping[str, Any]]:
    """The entry and its document; none for what no release has written."""
    return entry.decode(), submission_in(fields) or {}
