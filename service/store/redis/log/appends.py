"""Appending: one script call for each commit, with everything that becomes true with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson
from redis.exceptions import ResponseError

from domain.terms import SYSTEM, GameId
from service.store.chain import BrokenLog, reading
from service.store.codec import canonical, plain
from service.store.packing import pack, pack_snapshot
from service.store.ports.commits import Append
from service.store.ports.errors import StaleWrite
from service.store.redis import keys
from service.store.redis.connect import Script, Wire
from service.store.redis.keys import Keys
from service.store.redis.log.beside import Beside
from service.store.redis.log.claims import Held
from service.store.redis.log.newest import packed_newest, packed_signature, packed_views

APPEND = Script("append")
RELEASED, READ = 1, 2
"""What append.lua answers: the game was released, somebody has read its views lately."""

_LETTERS = {"expire": "d", "act": "b"}
_UNHELD = Held(b"", clean=False, brief=False, marked=False, until=0.0)


class RedisAppends:
    """The part of the log that workers write to."""

    _wire: Wire
    _keys: Keys
    _held: dict[GameId, Held]
    _released: set[GameId]
    _watched: set[GameId]
    _beside: Beside

    def append(self, batch: Sequence[Append]) -> Sequence[Exception | None]:
        """See `service.store.ports.log.Log.append`."""
        lists = self._lists_of([each.game_id for each in batch if each.over])
        replies = self._wire.tried(APPEND, [self._append(each, lists) for each in batch])
        return [self._came(each, reply) for each, reply in zip(batch, replies, strict=True)]

    def watched(self, game_id: GameId) -> bool:
        """See `service.store.ports.log.Log.watched`."""
        return game_id in self._watched

    def _came(self, each: Append, reply: Any) -> Exception | None:
        """What became of an append, by what its script says."""
        if isinstance(reply, ResponseError):
            return BrokenLog(each.game_id, each.sealed.seq, f"it cannot be appended: {reply}")
        if reply < 0:
            return StaleWrite(each.game_id)
        if reply & RELEASED:
            self._held.pop(each.game_id, None)
            self._released.add(each.game_id)
        if reply & READ and not each.over:
            self._watched.add(each.game_id)
        else:
            self._watched.discard(each.game_id)
        return None

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
        sealed, rows, held = each.sealed, each.rows, self._held.get(each.game_id, _UNHELD)
        player = each.refused and each.submission.seat != SYSTEM
        made, moves = lists.get(each.game_id, (0, []))
        where = [
            names.meta,
            names.commands,
            names.commits,
            names.ids,
            names.rows,
            names.views,
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
        views = [] if rows is None else packed_views(rows)
        beside = self._beside.rows(rows, over=each.over)
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
            packed_newest(rows),
            packed_signature(rows),
            "" if each.follows is None else canonical(plain(each.follows)),
            "" if each.follows is None else keys.id_field(each.game_id, each.follows["id"]),
            each.lapsed,
            each.tell,
            held.lease,
            int(held.clean),
            int(each.done and held.brief),
            len(views),
            len(beside),
            *views,
            *beside,
        ]
        for due in each.due:
            arguments += [_LETTERS[due.what], due.question, due.when]
        return [*where, *moves], arguments
