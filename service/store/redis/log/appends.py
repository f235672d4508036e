"""Appending: one script call for the commits of a game, with everything that becomes true with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson
from redis.exceptions import ResponseError

from domain.terms import SYSTEM, GameId
from service.process.figures.catalogue import PLAYER, SETTLED
from service.process.figures.catalogue import SYSTEM as OURS
from service.process.figures.slowest import SLOWEST, Slow
from service.store.chain import BrokenLog, reading
from service.store.codec import canonical, plain
from service.store.packing import pack, pack_snapshot
from service.store.ports.commits import BROUGHT_IN, Append, Pause, calls_of
from service.store.ports.errors import NotAlone, StaleWrite
from service.store.redis import keys
from service.store.redis.connect import Script, Wire
from service.store.redis.keys import Keys
from service.store.redis.log.beside import Beside
from service.store.redis.log.claims import Held
from service.store.redis.log.newest import packed_newest, packed_signature, packed_views
from service.store.shared.lists import LIST

APPEND = Script("append")
RELEASED, READ, OWED, STALE = 1, 2, 4, -1
"""What append.lua answers: the game was released, somebody has read its views lately, a subscription is owed something now;
its log stands elsewhere."""

_LETTERS = {"expire": "d", "act": "b", "think": "t"}
_UNHELD = Held(b"", clean=False, brief=False, marked=False, until=0.0)


class RedisAppends:
    """The part of the log that workers write to."""

    _wire: Wire
    _keys: Keys
    _held: dict[GameId, Held]
    _released: set[GameId]
    _watched: set[GameId]
    _beside: Beside
    _owing: set[int]
    """Partitions in which something is owed that nobody may know of."""

    def append(self, batch: Sequence[Append]) -> Sequence[Exception | None]:
        """Append commits in order, in atomic calls of one or several (`Append.joined`), pipelined; for each None or `StaleWrite`.

        `NotAlone`, where a call settles what has never waited: whatever did is to be appended without it.
        After a `StaleWrite` the later ones of the same game are stale too. Publishes the news of each game. What is due
        now is submitted in the same call. Of a game that is over, commands still waiting are given the outcome ``over``.
        """
        lists = self._lists_of({each.game_id: each.over for each in batch if each.over or each.reseated})
        calls = calls_of(batch)
        replies = self._wire.tried(APPEND, [self._append(call, lists) for call in calls])
        errors = [self._came(call, reply) for call, reply in zip(calls, replies, strict=True)]
        return [error for call, error in zip(calls, errors, strict=True) for _ in call]

    def watched(self, game_id: GameId) -> bool:
        """Whether somebody had read the game's views lately when this process appended to it last: worth making them."""
        return game_id in self._watched

    def _came(self, call: Sequence[Append], reply: Any) -> Exception | None:
        """What became of a call of these commits, by what its script says."""
        each = call[-1]
        if isinstance(reply, ResponseError):
            return BrokenLog(each.game_id, each.sealed.seq, f"it cannot be appended: {reply}")
        if isinstance(reply, int):
            return StaleWrite(each.game_id) if reply == STALE else NotAlone(each.game_id)
        reply, now = reply
        _note_settled(call, now)
        if reply & RELEASED:
            self._held.pop(each.game_id, None)
            self._released.add(each.game_id)
        if reply & OWED:
            self._owing.add(self._keys.number(each.game_id))
        if reply & READ and not each.over:
            self._watched.add(each.game_id)
        else:
            self._watched.discard(each.game_id)
        return None

    def _lists_of(self, games: Mapping[GameId, bool]) -> Mapping[GameId, tuple[int, list[str]]]:
        """Of public games: when they were made, their lists of seats on offer, and those that they leave and enter if they end."""
        replies = self._wire.many([("HGET", self._keys.game(game_id).meta, "lobby") for game_id in games])
        found = {}
        for (game_id, over), reply in zip(games.items(), replies, strict=True):
            # One whose lobby cannot be read: what is appended fails of itself, or `doctor` sets the lists right.
            with suppress(BrokenLog), reading(game_id):
                lobby = orjson.loads(reply or b"{}")
                if lobby.get("visibility") == "public":
                    statuses = ("vacant", "running", "over") if over else ("vacant",)
                    moves = [self._keys.listings(game_id, lobby["kind"], status) for status in statuses]
                    found[game_id] = (lobby["made_at"], [name for names in moves for name in names])
        return found

    def _append(
        self, call: Sequence[Append], lists: Mapping[GameId, tuple[int, list[str]]]
    ) -> tuple[Sequence[str], Sequence[Any]]:
        """Keys and arguments of the script."""
        first, last = call[0], call[-1]
        names, partition = self._keys.game(last.game_id), self._keys.partition(last.game_id)
        rows, held = last.rows, self._held.get(last.game_id, _UNHELD)
        refused = [each.submission.seat for each in call if each.refused and each.submission.seat != SYSTEM]
        stall = [1 if each.stalled else 2 for each in call if each.stalled or each.resumed]
        made, moves = lists.get(last.game_id, (0, []))
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
            partition.outbox,
            partition.moved,
        ]
        views = [] if rows is None else packed_views(rows)
        beside = self._beside.rows(rows, over=last.over)
        said, nexts = _left(last)
        pauses = [
            argument for each in call if each.pauses is not None for argument in _paused(each.game_id, each.pauses)
        ]
        arguments = [
            last.game_id,
            first.before,
            first.sealed.previous,
            last.sealed.head,
            last.sealed.at,
            refused[0] if refused else 0,
            int(last.over),
            stall[-1] if stall else 0,
            made,
            self._wire.sharded(keys.NEWS, partition.tag),
            packed_newest(rows),
            packed_signature(rows),
            sum(each.lapsed + (each.follows is not None) for each in call),
            held.lease,
            int(held.clean),
            int(last.done and held.brief),
            len(last.waited),
            last.waited[-1] if last.waited else "",
            *map(len, (call, views, beside, said, nexts)),
            "".join(f" {seat}:{kind} " for seat, kind in last.asked),
            ",".join(str(seat) for each in call for seat in each.vacated),
            "".join(f"{r.how} {r.seat} {r.seq} {r.holder}\n" for each in call for r in each.reseated),
            self._wire.sharded(keys.REVOKED, partition.tag),
            "".join(f"{seat}{int(in_time)} " for each in call for seat, in_time in each.turns),
            "".join(f"{each.sealed.seq} {each.request}\n" for each in reversed(call) if each.request),
            last.on_turn or 0,
            int(any(each.undoes for each in call)),
            len(pauses),
        ]
        for each in call:
            arguments += _one(each, self._wire.sharded(each.tell, partition.tag) if each.tell else "")
        arguments += (*views, *beside, *said, *nexts, *pauses)
        for due in last.due:
            arguments += [_LETTERS[due.what], due.question, due.when]
        return [*where, *moves], arguments


def _note_settled(call: Sequence[Append], now: int) -> None:
    """What stood in the stream has its commit now; what never did has waited for nobody."""
    for each in call:
        if each.entry not in ("", BROUGHT_IN):
            by = OURS if each.submission.seat == SYSTEM else PLAYER
            waited = max(0, now - each.submission.asked_at)
            SETTLED.note(waited / 1000, by)
            SLOWEST.note(Slow(waited, now, each.game_id, each.before + 1, each.submission.command["type"], by))


def _one(each: Append, tell: str) -> Sequence[Any]:
    """What a commit says of itself alone."""
    return (
        each.entry,
        keys.id_field(each.game_id, each.submission.id),
        pack(each.sealed),
        b"" if each.snapshot is None else pack_snapshot(each.sealed.release, each.snapshot),
        tell,
        "." if each.follows is None else "+",
    )


def _paused(game_id: GameId, pause: Pause) -> Sequence[Any]:
    """The rest of a plan that waits: its seat, the kinds of questions, and what stands in the game's meta (plan.lua)."""
    document = pause.document
    field, count = keys.id_field(game_id, document["id"]), 1 + len(document[LIST]["rest"])
    return document["seat"], ",".join(pause.kinds), field + b"%d\n" % count + canonical(plain(document))


def _left(last: Append) -> tuple[list[Any], list[Any]]:
    """What is to be submitted after these commits: letters and questions of what is due by now, fields and documents of lists."""
    said: list[Any] = []
    nexts: list[Any] = []
    for document in last.left if last.follows is None else (*last.left, last.follows):
        if document["seat"] == SYSTEM:
            field = keys.id_field(last.game_id, document["id"])
            said += [field[:1], field[1:]]
        else:
            nexts += [keys.id_field(last.game_id, document["id"]), canonical(plain(document))]
    return said, nexts
