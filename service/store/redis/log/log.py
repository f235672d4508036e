"""The log in Redis: commands come in, workers claim games, commits are appended."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from itertools import chain
from secrets import token_hex
from typing import Any

from cachetools import LRUCache

from domain import RELEASE
from domain.terms import GameId
from service.process.child_process import PROCESS
from service.store.chain import reading
from service.store.codec import canonical, plain
from service.store.ports.commits import Stored
from service.store.ports.waiting import AHEAD, MOST_WAITING, Receipt, waiting_for
from service.store.redis import keys
from service.store.redis.archive import Archive
from service.store.redis.connect import Script, Wire
from service.store.redis.keys import Keys
from service.store.redis.log.appends import RedisAppends
from service.store.redis.log.beside import Beside
from service.store.redis.log.claims import RedisClaims
from service.store.redis.log.history import RedisHistory
from service.store.redis.log.post.outbox import Outbox
from service.store.redis.log.rows import REMEMBERED, RedisRows
from service.store.redis.log.schedule import RedisSchedule, submission_in
from service.store.redis.log.watch import Watch
from service.store.shared import lists
from service.store.shared.outcome import stored

SUBMIT, OUTCOME, OUTCOMES, KEEP = Script("submit"), Script("outcome"), Script("outcomes"), Script("keep")

_KEPT = 1024
"""Submissions that a process remembers to be written down."""


class Log(RedisSchedule, RedisClaims, RedisAppends, RedisRows, RedisHistory):
    """The commands that wait and the commits that stand, per game."""

    def __init__(self, wire: Wire, names: Keys, shelf: Archive) -> None:
        self._archive = shelf
        self._wire, self._keys, self._owner = wire, names, os.environ.get(PROCESS) or token_hex(8)
        self._watch = Watch()
        self._held, self._released, self._number = {}, set(), None
        self._watched: set[GameId] = set()
        self._owing: set[int] = set()
        self.outbox = Outbox(wire, names, self._owing)
        self._beside = Beside(wire)
        self._kept: LRUCache[tuple[GameId, str], bool] = LRUCache(_KEPT)
        self._views, self._guard = LRUCache(REMEMBERED), threading.Lock()

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
        """Accept a submission document (``asked_at`` is set by the store) into the command stream, once per id.

        In this order: known id (with its body digest), rate of refusals, game running, not set aside for this release
        (players alone; the status is the mark's code), If-Match (``expected`` against the
        seat's seen), how many wait, and rate of what nobody asked for (``unasked``, 0 is no limit): of seats that are asked
        nothing, and of commands that answer nothing (``anytime`` of them). Marks the game ready, and says whether a worker
        must be woken.

        Where the outcome is waited for (`TELL`), it may be lost with the server until its commit is there, or `outcome` has
        said that it is pending: nobody has been told of it till then.

        A whole list (`service.store.shared.lists.first_of`) is known by the list's id, and counts for as many as it holds.
        """
        names, partition = self._keys.game(game_id), self._keys.partition(game_id)
        expected, list_id = submission["expected"], lists.list_id(submission)
        waits = bool(waiting_for(submission)) and list_id is None
        with reading(game_id):
            status, seq, wake, wait = self._wire.call(
                SUBMIT,
                [
                    *(names.meta, names.commands, names.ids),
                    *(partition.ready, partition.leases, partition.marks),
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
                    int(waits),
                ],
            )
        if status == b"unknown-game" and self._archive.back(game_id):
            limits = {"refusals": refusals, "unasked": unasked, "anytime": anytime}
            return self.submit(game_id, submission, digest, **limits)
        if status == b"accepted" and not waits:
            self._keeps(game_id, list_id or submission["id"])
        return Receipt(status.decode(), list_id or submission["id"], None if seq < 0 else seq, bool(wake), wait)

    def outcome(self, game_id: GameId, submission_id: str) -> Stored | str | None:
        """The commit it came to, without its header; ``pending``; ``over`` if the game ended before it; None if unknown.

        ``list`` for the id of a list: `outcomes` tells of its commands. What is said to be pending stays, whatever happens.
        """
        names = self._keys.game(game_id)
        with reading(game_id):
            field = keys.id_field(game_id, submission_id)
            reply = self._wire.call(OUTCOME, [names.meta, names.commits, names.ids], [field])
            if reply == b"pending" and not self._kept.get((game_id, submission_id)):
                # Whoever is told that it waits may rely on it.
                self._keep(game_id, field)
                self._keeps(game_id, submission_id)
        if reply is None and self._archive.back(game_id):
            return self.outcome(game_id, submission_id)
        if reply is None or isinstance(reply, bytes):
            return None if reply is None else reply.decode()
        return stored(game_id, *reply)

    def _keep(self, game_id: GameId, field: bytes) -> None:
        """Have it written down, and with it all that stands in line with it."""
        names, fields = self._keys.game(game_id), dict[bytes, bytes]()
        where = [names.commands, names.ids, self._keys.partition(game_id).ready]
        # Only here it is known what the field of a command is; meanwhile others may have come.
        while others := self._wire.call(KEEP, where, [field, game_id, *chain.from_iterable(fields.items())]):
            for entry, written in zip(others[::2], others[1::2], strict=True):
                document = submission_in(written)
                fields[entry] = b"" if document is None else keys.id_field(game_id, document["id"])

    def _keeps(self, game_id: GameId, submission_id: str) -> None:
        """It is written down, like everything that is not taken in for a sender who waits."""
        with self._guard:
            self._kept[game_id, submission_id] = True

    def outcomes(self, game_id: GameId, list_id: str) -> Sequence[Stored | str] | None:
        """As `outcome`, of each command of a list at one moment; None if there is no such list.

        ``left`` is one that was not and will not be tried, ``pending`` also one that waits for those before it.
        """
        names = self._keys.game(game_id)
        ids = [list_id, *(lists.place_id(list_id, place) for place in range(lists.MOST_IN_LIST))]
        with reading(game_id):
            reply = self._wire.call(
                OUTCOMES, [names.meta, names.commits, names.ids], [keys.id_field(game_id, id_) for id_ in ids]
            )
        if reply is None:
            return self.outcomes(game_id, list_id) if self._archive.back(game_id) else None
        return [each.decode() if isinstance(each, bytes) else stored(game_id, *each) for each in reply]
