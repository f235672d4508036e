"""What stands in the log: commits, heads, signatures, snapshots."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from redis.exceptions import ResponseError

from domain import RELEASE
from domain.terms import GameId, Seq
from service.store import packing
from service.store.chain import BrokenLog, Chain, WentBack, reading, unpacked
from service.store.founding import origin
from service.store.ports.commits import Stored
from service.store.redis.archive import Archive
from service.store.redis.connect import Script, Wire
from service.store.redis.keys import Keys
from service.store.redis.log.newest import SIGNED, read_signature

SEQ_AT = Script("seq_at")
PROGRESS = ("seq", "head", "status")
PAGE = 256
"""Commits read in one round trip."""


class RedisHistory:
    """The part of the log that looks back."""

    _wire: Wire
    _keys: Keys
    _archive: Archive

    def commits(
        self,
        game_id: GameId,
        first: int = 1,
        last: int | None = None,
        limit: int | None = None,
        *,
        headers: bool = False,
        onto: str = "",
    ) -> Iterator[Stored]:
        """Commits in order, read in pages; their headers only if asked for (who folds has no use for them).

        Each is looked at: raises `chain.BrokenLog` where one is missing, garbled, or does not follow from the one before.
        ``onto`` is the head that the reader holds of the commit before ``first``: raises `chain.WentBack` before anything
        is read where another one stands there, or none.
        """
        names = self._keys.game(game_id)
        first = max(first, 1)
        if limit is not None:
            last = min(first + limit - 1, last if last is not None else first + limit - 1)
        # The head before the first one stands in the commit before it.
        end, start = "+" if last is None else str(last), first - 1
        fields = ("HMGET", names.meta, "seed", "setup", "seq", "head")
        commands = [fields, ("XRANGE", names.commits, start, end, "COUNT", PAGE)]
        (seed, setup, newest, head), page = self._answers(game_id, first, commands)
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
        """The last commit may have been appended since meta was read; if it was not, they do not agree."""
        (newest,) = self._answers(game_id, chain.seq, [("HGET", self._keys.game(game_id).meta, "seq")])
        chain.begun(seq_of(game_id, newest))

    def _answers(self, game_id: GameId, seq: int, commands: Sequence[Sequence[Any]]) -> list[Any]:
        try:
            return self._wire.all(commands)
        except ResponseError as error:
            raise BrokenLog(game_id, seq, f"the store says: {error}") from error

    def must_be_whole(self, game_id: GameId) -> None:
        """Raises `chain.BrokenLog` where something of the game is kept in another form than the store keeps it in."""
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
        """As `head`, of many games in one round trip; without those of which it cannot be read."""
        replies = self._wire.many([self.asked_progress(game_id) for game_id in games])
        replies, found = self._archive.filled(games, PROGRESS, replies), {}
        for game_id, reply in zip(games, replies, strict=True):
            with suppress(BrokenLog):
                seq, head, _ = self.progress_in(game_id, reply)
                found[game_id] = seq, head
        return found

    def asked_progress(self, game_id: GameId) -> tuple[str, ...]:
        """The command to whose reply `progress_in` is put."""
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
            signed = read_signature(self._wire.one("HMGET", self._keys.game(game_id).meta, *SIGNED))
            return self.signature(game_id) if signed is None and self._archive.back(game_id) else signed

    def snapshot(self, game_id: GameId, at_most: int | None = None) -> tuple[Seq, bytes] | None:
        """The newest snapshot of this release whose seq is at most that one, as it was given to `append`.

        One that cannot be unpacked is passed over.
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
        """Throw a snapshot away."""
        with suppress(ResponseError):
            self._wire.one("HDEL", self._keys.game(game_id).snapshots, seq)

    def seq_at(self, game_id: GameId, at: int) -> Seq:
        """The last commit settled at or before an instant; 0 if none."""
        names = self._keys.game(game_id)
        with reading(game_id):
            seq = int(self._wire.call(SEQ_AT, [names.meta, names.commits], [at]))
            return self.seq_at(game_id, at) if not seq and self._archive.back(game_id) else Seq(seq)


def seq_of(game_id: GameId, text: bytes | None) -> Seq:
    """How far a game's log goes, as its meta says; raises `BrokenLog` where that is no number."""
    try:
        return Seq(int(text or 0))
    except ValueError as error:
        raise BrokenLog(game_id, 0, "it does not say how far it goes") from error


def _opened(game_id: GameId, seq: int, entry: tuple[bytes, Sequence[bytes]]) -> tuple[Seq, packing.Packed]:
    """The seq and the commit of an entry; ``seq`` is the one that should stand there."""
    return Seq(int(entry[0].partition(b"-")[0])), unpacked(game_id, seq, entry[1])
