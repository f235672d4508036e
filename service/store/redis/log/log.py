"""The log of every game in Redis: clients submit commands, workers append commits, readers read them."""

from __future__ import annotations

import re
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import orjson
from cachetools import LRUCache
from redis.exceptions import ResponseError

from domain import RELEASE
from domain.kernel.terms import SYSTEM, GameId, Seq
from service.ops.metrics.catalogue import PLAYER, SETTLED
from service.ops.metrics.catalogue import SYSTEM as OURS
from service.ops.metrics.slowest import SLOWEST, SlowCommand
from service.store import packing
from service.store.chain import BrokenLog, Chain, WentBack, reading, seq_of, unpacked
from service.store.codec import canonical, plain
from service.store.founding import origin
from service.store.ports.commits import BROUGHT_IN, Append, Stored, calls_of
from service.store.ports.errors import NotAlone, StaleWrite
from service.store.ports.waiting import AHEAD, MOST_WAITING, Receipt, waiting_for
from service.store.redis import keys
from service.store.redis.archive import Archive
from service.store.redis.client import RedisClient, Script
from service.store.redis.conditional import set_fields
from service.store.redis.keys import Keys
from service.store.redis.log.changes import Appended, Change
from service.store.redis.log.claims import Claims
from service.store.redis.log.newest import packed_newest, packed_signature, packed_views, read_signature
from service.store.redis.log.schedule import submission_in
from service.store.shared import lists
from service.store.shared.outcome import stored

SUBMIT, APPEND, KEEP = Script("submit"), Script("append"), Script("keep")
OUTCOME, OUTCOMES = Script("outcome"), Script("outcomes")
RELEASED, READ, STALE = 1, 2, -1
"""Bits of append.lua's reply: the game was released, its views were read lately.

`STALE`: the log is at another commit.
"""

_BUCKET = re.compile(rb"(\d+) (\d+)")
"""A seat's refusals: when its bucket is full again, and when that was written, milliseconds of Unix time."""

NO_LIMIT = 10**6
"""A number of refusals that no bucket reaches."""

REFUSAL_COST = 60_000
"""Milliseconds after which a seat may have one more command refused."""

PROGRESS = ("seq", "head", "status")
CHAINED = ("seed", "setup", "seq", "head")
"""The fields of the meta hash that `Log.commits` reads."""
PAGE = 256
"""Commits read in one round trip."""
PROBES = 16
"""Commits read in one round trip of a search by time."""
_KEPT = 1024
"""Submissions that a process remembers as durable."""
_LETTERS = {"expire": "d", "act": "b", "think": "t"}


class Log:
    def __init__(self, wire: RedisClient, names: Keys, archive: Archive, claims: Claims) -> None:
        self._wire, self._keys, self._archive, self._claims = wire, names, archive, claims
        self._watched: set[GameId] = set()
        self._kept: LRUCache[tuple[GameId, str], bool] = LRUCache(_KEPT)
        self._guard = threading.Lock()

    # -- commands -----------------------------------------------------------------------------------------------------

    def submit(
        self,
        game_id: GameId,
        submission: Mapping[str, Any],
        digest: str,
        *,
        refusals: int = 60,
        unasked: int = 0,
        anytime: int = 0,
        checked: bool = True,
    ) -> Receipt:
        """Accept a submission document (``asked_at`` is set by the store) into the command stream, once per id.

        Checks in this order: known id (with its body digest), rate of refusals, game running, not quarantined for this
        release (players only; the status is the mark's code), If-Match (``expected`` against the seat's seen), number
        of waiting commands, and rate of unsolicited commands (``unasked``, 0 is no limit): from seats with no pending
        question, and commands that answer none (``anytime`` is their number). Marks the game ready, and says whether a
        worker must be woken.
        If a client waits for the outcome (`TELL`), the submission may be lost with the server until its commit is
        stored or `outcome` has reported it as pending: until then no one was informed of it.
        With ``checked`` False, If-Match and the rate of refusals are left to the settlement.
        A whole list (`service.store.shared.lists.first_of`) has the list's id, and counts for its number of commands.
        """
        names, partition = self._keys.game(game_id), self._keys.partition(game_id)
        expected = submission["expected"] if checked else None
        list_id = None if lists.goes_on(submission) else lists.list_id(submission)
        waits = bool(waiting_for(submission)) and list_id is None
        limits = {
            "game": game_id,
            "seat": submission["seat"],
            **({} if expected is None else {"expected": expected}),
            "count": 1 + lists.left_in(submission),
            "anytime": int(anytime),
            "most": MOST_WAITING,
            "refusals": refusals if checked else NO_LIMIT,
            "unasked": unasked,
            "ahead": AHEAD,
            "release": RELEASE,
            "waits": waits,
        }
        with reading(game_id):
            status, seq, wake, wait = self._wire.call(
                SUBMIT,
                [
                    *(names.meta, names.commands, names.ids),
                    *(partition.ready, partition.leases, partition.marks),
                ],
                [
                    orjson.dumps(limits),
                    canonical(plain(submission)),
                    keys.id_field(game_id, submission["id"]),
                    # The value of a later command of a list has no digest: that of the list is compared.
                    b"" if lists.goes_on(submission) else keys.id_digest(digest),
                    "" if list_id is None else keys.id_field(game_id, list_id),
                ],
            )
        if status == b"unknown-game" and self._archive.back(game_id):
            again = {"refusals": refusals, "unasked": unasked, "anytime": anytime}
            return self.submit(game_id, submission, digest, **again, checked=checked)
        if status == b"accepted" and not waits:
            self._keeps(game_id, list_id or submission["id"])
        return Receipt(status.decode(), list_id or submission["id"], None if seq < 0 else seq, bool(wake), wait)

    def outcome(self, game_id: GameId, submission_id: str) -> Stored | str | None:
        """The commit that settled it, without its header, or its state.

        ``pending``; ``over`` if the game ended before it; ``list`` for the id of a list (see `outcomes` for its
        commands); None if unknown. A submission reported as pending is made durable first.
        """
        names = self._keys.game(game_id)
        with reading(game_id):
            field = keys.id_field(game_id, submission_id)
            reply = self._wire.call(OUTCOME, [names.meta, names.commits, names.ids], [field])
            if reply == b"pending" and not self._kept.get((game_id, submission_id)):
                # A client that gets `pending` may rely on it.
                self._keep(game_id, field)
                self._keeps(game_id, submission_id)
        if reply is None and self._archive.back(game_id):
            return self.outcome(game_id, submission_id)
        if reply is None or isinstance(reply, bytes):
            return None if reply is None else reply.decode()
        return stored(game_id, *reply)

    def _keep(self, game_id: GameId, field: bytes) -> None:
        """Make it durable, and with it every submission before it in the stream."""
        names, fields = self._keys.game(game_id), dict[bytes, bytes]()
        where = [names.commands, names.ids, self._keys.partition(game_id).ready]
        # keep.lua cannot compute the field of a command; in the meantime others may have arrived.
        while others := self._wire.call(KEEP, where, [field, game_id, *chain.from_iterable(fields.items())]):
            for entry, written in zip(others[::2], others[1::2], strict=True):
                document = submission_in(written)
                fields[entry] = b"" if document is None else keys.id_field(game_id, document["id"])

    def _keeps(self, game_id: GameId, submission_id: str) -> None:
        with self._guard:
            self._kept[game_id, submission_id] = True

    def outcomes(self, game_id: GameId, list_id: str) -> Sequence[Stored | str] | None:
        """As `outcome`, for each command of a list at one moment; None if there is no such list.

        ``left`` is one that was not and will not be tried; ``pending`` includes those that wait for earlier ones.
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

    def announce(self, game_id: GameId, submission_id: str) -> None:
        """Report a submission as pending before it is submitted."""
        self._wire.one("HSETNX", self._keys.game(game_id).ids, keys.id_field(game_id, submission_id), "p")

    def withdraw(self, game_id: GameId, submission_id: str) -> None:
        """Take back an announced submission."""
        field = keys.id_field(game_id, submission_id)
        set_fields(self._wire, self._keys.game(game_id).ids, {field: b"p"}, {field: b""})

    # -- appending ----------------------------------------------------------------------------------------------------

    def append(self, batch: Sequence[Append]) -> Sequence[Exception | None]:
        """Append commits in order, in atomic calls of one or several (`Append.joined`), pipelined.

        For each None, `StaleWrite`, or `NotAlone` if a call settles a submission that was never in the stream and
        others have arrived: append those first. After a `StaleWrite` the later ones of the same game are stale too.
        Publishes the news of each game. Commands that are due now are submitted in the same call. When a game ends,
        waiting commands get the outcome ``over``.
        """
        results = zip(calls_of(batch), self.append_and_read(batch, ()), strict=True)
        return [result if isinstance(result, Exception) else None for call, result in results for _ in call]

    def append_and_read(self, batch: Sequence[Append], fields: Sequence[str]) -> Sequence[Appended | Exception]:
        """As `append`, with a result for each call: its change, and these fields of the game's meta hash."""
        calls = calls_of(batch)
        replies = self._wire.tried(APPEND, [self._append(call, fields) for call in calls])
        self._charge(calls, replies)
        return [self._result(call, fields, reply) for call, reply in zip(calls, replies, strict=True)]

    def watched(self, game_id: GameId) -> bool:
        """Whether the game's views had been read lately at this process's last append: then compute them with each commit."""
        return game_id in self._watched

    def _result(self, call: Sequence[Append], names: Sequence[str], reply: Any) -> Appended | Exception:
        each = call[-1]
        if isinstance(reply, ResponseError):
            return BrokenLog(each.game_id, each.sealed.seq, f"it cannot be appended: {reply}")
        if isinstance(reply, int):
            return StaleWrite(each.game_id) if reply == STALE else NotAlone(each.game_id)
        bits, now, entry, values = reply
        _note_settled(call, now)
        if bits & RELEASED:
            self._claims.has_released(each.game_id)
        if bits & READ and not each.over:
            self._watched.add(each.game_id)
        else:
            self._watched.discard(each.game_id)
        sealed, partition = each.sealed, self._keys.number(each.game_id)
        change = Change(
            partition, entry, each.game_id, sealed.seq, len(call), _requests(call), call[0].entry == BROUGHT_IN
        )
        written = {"seq": sealed.seq, "head": sealed.head, **_state(call)}
        found = dict(zip(names, values, strict=True))
        return Appended(change, found | {name: str(value).encode() for name, value in written.items()})

    def _charge(self, calls: Sequence[Sequence[Append]], replies: Sequence[Any]) -> None:
        """Count refusals of players' commands; submit.lua refuses more when a seat's bucket is full."""
        refused: Counter[tuple[GameId, str]] = Counter()
        now = 0
        for call, reply in zip(calls, replies, strict=True):
            seats = [each.submission.seat for each in call if each.refused and each.submission.seat != SYSTEM]
            if seats and isinstance(reply, list):
                refused[call[0].game_id, f"r{seats[0]}"] += 1  # a list counts as one
                now = reply[1]
        found = self._wire.many([("HGET", self._keys.game(game_id).meta, name) for game_id, name in refused])
        charges: list[tuple[Any, ...]] = []
        for ((game_id, name), count), reply in zip(refused.items(), found, strict=True):
            # When it is full again, and when that was written: if the clock was set back since, the rest stays the same.
            bucket = _BUCKET.fullmatch(reply) if isinstance(reply, bytes) else None
            full, written = map(int, bucket.groups()) if bucket else (now, now)
            full = max(full - max(0, written - now), now) + count * REFUSAL_COST
            charges.append(("HSET", self._keys.game(game_id).meta, name, f"{full} {now}"))
        self._wire.many(charges)

    def _append(self, call: Sequence[Append], asked: Sequence[str]) -> tuple[Sequence[str], Sequence[Any]]:
        first, last = call[0], call[-1]
        game_id, rows, held = last.game_id, last.rows, self._claims.held(last.game_id)
        names, partition = self._keys.game(game_id), self._keys.partition(game_id)
        where = [
            *(names.meta, names.commands, names.commits, names.ids, names.views, names.snapshots),
            *(partition.ready, partition.leases, partition.claims, partition.due),
            *(partition.holders, partition.aside, partition.marks, partition.changes),
        ]
        values: list[Any] = []

        def place(value: Any) -> int:
            """Where a binary value is among the script's arguments, the first of which is the document."""
            values.append(value)
            return len(values) + 1

        fields: dict[str, Any] = {"newest": packed_newest(rows), **_state(call)}
        if signature := packed_signature(rows):
            fields["sealed"] = signature
        say, follow = _left(last)
        views = [] if rows is None else packed_views(rows)
        document = {
            "game": game_id,
            "before": first.before,
            "previous": first.sealed.previous,
            "head": last.sealed.head,
            "at": last.sealed.at,
            "commits": [_one(each, place) for each in call],
            "fields": {name: place(value) for name, value in fields.items()},
            "views": {str(name): place(view) for name, view in zip(views[::2], views[1::2], strict=True)},
            "over": last.over,
            "waited": len(last.waited),
            "latest": last.waited[-1] if last.waited else "",
            "say": say,
            "follow": [
                {"field": place(keys.id_field(game_id, each["id"])), "document": place(canonical(plain(each)))}
                | {"count": 1 + lists.left_in(each)}
                for each in follow
            ],
            "timers": [(_LETTERS[due.what], due.question, due.when) for due in last.due],
            "lease": held.lease.decode(),
            "clean": held.clean,
            "done": last.done and held.brief,
            "news": keys.NEWS,
            "requests": _requests(call),
            "asked": asked,
        }
        return where, [orjson.dumps(document), *values]

    # -- reading ------------------------------------------------------------------------------------------------------

    def commits(
        self,
        game_id: GameId,
        first: int = 1,
        last: int | None = None,
        limit: int | None = None,
        *,
        headers: bool = False,
        onto: str = "",
        meta: Sequence[bytes | None] = (),
    ) -> Iterator[Stored]:
        """Commits in order, read in pages; headers only if requested (folding does not need them).

        Checks each commit: raises `chain.BrokenLog` if one is missing, garbled, or does not follow from the one before.
        ``onto`` is the reader's head of the commit before ``first``: raises `chain.WentBack` before anything is read if
        the log has another one or none. ``meta`` is `Progress.meta` if it was read just now.
        """
        names = self._keys.game(game_id)
        first = max(first, 1)
        if limit is not None:
            last = min(first + limit - 1, last if last is not None else first + limit - 1)
        # The head before the first one is stored in the preceding commit.
        end, start = "+" if last is None else str(last), first - 1
        asked: list[tuple[Any, ...]] = [("XRANGE", names.commits, start, end, "COUNT", PAGE)]
        if not meta:
            asked.insert(0, ("HMGET", names.meta, *CHAINED))
        *read, page = self._answers(game_id, first, asked)
        seed, setup, newest, head = read[0] if read else meta
        if seed is None:
            if self._archive.back(game_id):
                yield from self.commits(game_id, first, last, headers=headers, onto=onto)
                return
            if onto:
                raise WentBack(game_id, first - 1, onto)
            return
        chain, stands = Chain(game_id, seed, first, onto), seq_of(game_id, newest)
        chain.stands(stands, (head or b"").decode(errors="replace"))
        if first == 1:
            chain.after(origin(setup or b""))
            full = len(page) == PAGE
        else:
            seq, packed = _opened(game_id, first - 1, page[0]) if page else (0, None)
            chain.after(None if packed is None or seq != first - 1 else packed.head)
            if stands < first - 1:
                if packed is not None:
                    self._must_know(game_id, chain)
                return
            if seq != first - 1 or packed is None:
                raise BrokenLog(game_id, first - 1, "it is missing")
            page, start, full = page[1:], first, len(page) == PAGE
        while True:
            for entry in page:
                seq, packed = _opened(game_id, start, entry)
                header = chain.take(seq, packed)
                yield Stored(seq, packed.at, packed.release, packed.head, header if headers else b"", packed.body)
                start = seq + 1
            if not full:
                chain.end(stands if last is None else min(last, stands))
                if chain.seq > stands:
                    self._must_know(game_id, chain)
                return
            (page,) = self._answers(game_id, start, [("XRANGE", names.commits, start, end, "COUNT", PAGE)])
            full = len(page) == PAGE

    def _must_know(self, game_id: GameId, chain: Chain) -> None:
        """The last commit may have been appended since meta was read; otherwise the two disagree."""
        (newest,) = self._answers(game_id, chain.seq, [("HGET", self._keys.game(game_id).meta, "seq")])
        chain.begun(seq_of(game_id, newest))

    def _answers(self, game_id: GameId, seq: int, commands: Sequence[Sequence[Any]]) -> list[Any]:
        try:
            return self._wire.all(commands)
        except ResponseError as error:
            raise BrokenLog(game_id, seq, f"the store returned an error: {error}") from error

    def must_be_whole(self, game_id: GameId) -> None:
        """Raise `chain.BrokenLog` if a key of the game has the wrong Redis type."""
        names = self._keys.game(game_id)
        wanted = {names.meta: (b"hash",), names.ids: (b"hash", b"none")}
        wanted |= dict.fromkeys((names.commands, names.commits), (b"stream", b"none"))
        found = self._wire.all([("TYPE", name) for name in wanted])
        for name, type_, forms in zip(wanted, found, wanted.values(), strict=True):
            if type_ not in forms:
                raise BrokenLog(game_id, 0, f"{name.rpartition(':')[2]} is a {type_.decode()}")

    def head(self, game_id: GameId) -> tuple[Seq, str]:
        """The newest seq and head (0 and '' before commit 1)."""
        with reading(game_id):
            status, seq, head = self._wire.one("HMGET", self._keys.game(game_id).meta, "status", "seq", "head")
            if status is None and self._archive.back(game_id):
                return self.head(game_id)
            return (Seq(0), "") if seq is None else (seq_of(game_id, seq), (head or b"").decode(errors="replace"))

    def heads(self, games: Sequence[GameId]) -> Mapping[GameId, tuple[Seq, str]]:
        """As `head`, for many games in one round trip; leaves out those that cannot be read."""
        replies = self._wire.many([self.asked_progress(game_id) for game_id in games])
        replies, found = self._archive.filled(games, PROGRESS, replies), {}
        for game_id, reply in zip(games, replies, strict=True):
            with suppress(BrokenLog):
                seq, head, _ = self.progress_in(game_id, reply)
                found[game_id] = seq, head
        return found

    def asked_progress(self, game_id: GameId) -> tuple[str, ...]:
        """The command whose reply `progress_in` decodes."""
        return ("HMGET", self._keys.game(game_id).meta, *PROGRESS)

    def progress_in(self, game_id: GameId, reply: Any) -> tuple[Seq, str, str]:
        """Seq, head and status of a game at one moment; ``lobby`` before the first commit. Raises `BrokenLog`."""
        with reading(game_id):
            if isinstance(reply, ResponseError):
                raise reply
            seq, head, status = reply
            if not seq:
                return seq_of(game_id, seq), "", "lobby"
            return (
                seq_of(game_id, seq),
                (head or b"").decode(errors="replace"),
                (status or b"").decode(errors="replace"),
            )

    def signature(self, game_id: GameId) -> tuple[str, str, str] | None:
        """The newest signed head, its signature, and the key id."""
        with reading(game_id):
            signed = read_signature(self._wire.one("HGET", self._keys.game(game_id).meta, "sealed"))
            return self.signature(game_id) if signed is None and self._archive.back(game_id) else signed

    def snapshot(self, game_id: GameId, at_most: int | None = None) -> tuple[Seq, bytes] | None:
        """The newest snapshot of this release whose seq is at most ``at_most``, as it was given to `append`.

        Skips snapshots that cannot be unpacked.
        """
        name = self._keys.game(game_id).snapshots
        try:
            seqs = sorted((Seq(int(seq)) for seq in self._wire.one("HKEYS", name) if seq.isdigit()), reverse=True)
        except ResponseError:
            return None
        for seq in seqs:
            if at_most is None or seq <= at_most:
                packed = self._wire.one("HGET", name, seq)
                with suppress(ValueError, zlib.error):
                    if packed is not None and packing.snapshot_release(packed) == RELEASE:
                        return seq, packing.unpack_snapshot(packed)
        return None

    def drop_snapshot(self, game_id: GameId, seq: Seq) -> None:
        with suppress(ResponseError):
            self._wire.one("HDEL", self._keys.game(game_id).snapshots, seq)

    def seq_at(self, game_id: GameId, at: int) -> Seq:
        """The last commit settled at or before an instant; 0 if none."""
        names = self._keys.game(game_id)
        with reading(game_id):
            low, high = 0, int(self._wire.one("HGET", names.meta, "seq") or 0)
            while low < high:  # commits are numbered without gaps, and never earlier than the preceding one
                probes = range(low + 1, high + 1, max(1, (high - low) // PROBES))
                replies = self._wire.all([("XRANGE", names.commits, seq, seq) for seq in probes])
                later = [
                    seq
                    for seq, ((_, fields),) in zip(probes, replies, strict=True)
                    if packing.settled_at(fields[1]) > at
                ]
                low = max((seq for seq in probes if not later or seq < later[0]), default=low)
                high = later[0] - 1 if later else high
            return self.seq_at(game_id, at) if not low and self._archive.back(game_id) else Seq(low)

    # -- signing keys -------------------------------------------------------------------------------------------------

    def keys(self) -> Mapping[str, str]:
        """Every signing key ever used: key id → public key, hex."""
        reply = self._wire.one("HGETALL", keys.SIGNING_KEYS)
        return {key.decode(): public.decode() for key, public in zip(reply[::2], reply[1::2], strict=True)}

    def add_key(self, key_id: str, public: str) -> None:
        self._wire.one("HSET", keys.SIGNING_KEYS, key_id, public)


def _note_settled(call: Sequence[Append], now: int) -> None:
    """Record the latency of submissions from the stream; those that were never in it did not wait."""
    for each in call:
        if each.entry not in ("", BROUGHT_IN):
            by = OURS if each.submission.seat == SYSTEM else PLAYER
            waited = max(0, now - each.submission.asked_at)
            SETTLED.note(waited / 1000, by)
            SLOWEST.note(SlowCommand(waited, now, each.game_id, each.before + 1, each.submission.command["type"], by))


def _one(each: Append, place: Callable[[Any], int]) -> dict[str, Any]:
    """A commit, as append.lua takes it."""
    commit: dict[str, Any] = {
        "entry": each.entry,
        "field": place(keys.id_field(each.game_id, each.submission.id)),
        "packed": place(packing.pack(each.sealed)),
        "more": "." if each.follows is None else "+",
    }
    if each.snapshot is not None:
        commit["snapshot"] = place(packing.pack_snapshot(each.sealed.release, each.snapshot))
    if each.tell:
        commit["tell"] = each.tell
    return commit


def _state(call: Sequence[Append]) -> dict[str, Any]:
    """The fields that list a game: only those that a call changes."""
    if call[-1].over:
        return {"status": "over", "stalled": 0}
    stalls = [1 if each.stalled else 0 for each in call if each.stalled or each.resumed]
    return {"stalled": stalls[-1]} if stalls else {}


def _requests(call: Sequence[Append]) -> str:
    """As `Change.requests`."""
    return "".join(f"{each.sealed.seq} {each.request}\n" for each in reversed(call) if each.request)


def _left(last: Append) -> tuple[list[tuple[str, str]], list[Mapping[str, Any]]]:
    """Submissions to add after these commits: letters and questions of what is due, and the next commands of lists."""
    say, follow = [], []
    for document in last.left if last.follows is None else (*last.left, last.follows):
        if document["seat"] == SYSTEM:
            field = keys.id_field(last.game_id, document["id"]).decode()
            say.append((field[:1], field[1:]))
        else:
            follow.append(document)
    return say, follow


def _opened(game_id: GameId, seq: int, entry: tuple[bytes, Sequence[bytes]]) -> tuple[Seq, packing.Packed]:
    """The seq and the commit of an entry; ``seq`` is the expected one, for errors."""
    return Seq(int(entry[0].partition(b"-")[0])), unpacked(game_id, seq, entry[1])
