"""Reading what stands in the log, in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from domain import RELEASE
from domain.terms import GameId, Seat, Seq
from service.store.chain import Chain
from service.store.founding import origin
from service.store.memory.shelf import Shelf, ShelfGame
from service.store.packing import Packed
from service.store.ports.commits import WATCHED, Rows, Stored


class MemoryHistory:
    """See `service.store.ports.history.History`."""

    _shelf: Shelf

    def rows(self, game_id: GameId, seats: Sequence[Seat] = (), *, views: bool = True) -> Rows | None:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            if found is None or found.rows is None:
                return None
            rows, parts = found.rows, dict(found.views)
        if not views or not rows.release or not rows.seen:
            return rows
        good = {place: part for place, (release, made, part) in parts.items() if _is_good(rows, place, release, made)}
        whole = all(place in good for place in (0, *seats))
        private = {seat: good.get(seat, b"null") for seat in seats}
        return replace(rows, release=rows.release if whole else "", public=good.get(0, b"null"), private=private)

    def rewrite(self, game_id: GameId, rows: Rows, *, watched: bool = False) -> bool:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            if found is None or len(found.commits) != rows.seq:
                return False
            show(found, rows)
            if watched:
                found.watched = self._shelf.now() + WATCHED
            return True

    def asked(self, games: Sequence[GameId], *, archived: bool = True) -> Mapping[GameId, Rows]:  # noqa: ARG002 - there is no archive in memory
        rows = {}
        with self._shelf.guard:
            for game_id in games:
                found = self._shelf.games.get(game_id)
                if found is not None and found.rows is not None:
                    rows[game_id] = replace(found.rows, signature="", key_id="")
        return rows

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
        found, first = self._shelf.games.get(game_id), max(first, 1)
        commits = [] if found is None else found.commits
        chain = Chain(game_id, b"" if found is None else found.seed, first, onto)
        if first > 1:
            chain.after(commits[first - 2].head if first - 2 < len(commits) else None)
        else:
            chain.after(origin(b"" if found is None else found.lobby.setup))
        for stored in commits[first - 1 : last][:limit]:
            header = chain.take(stored.seq, Packed(stored.at, stored.head, stored.release, stored.body))
            yield replace(stored, header=header if headers else b"")

    def head(self, game_id: GameId) -> tuple[Seq, str]:
        found = self._shelf.games.get(game_id)
        if found is None or not found.commits:
            return Seq(0), ""
        return found.commits[-1].seq, found.commits[-1].head

    def heads(self, games: Sequence[GameId]) -> Mapping[GameId, tuple[Seq, str]]:
        return {game_id: self.head(game_id) for game_id in games}

    def signature(self, game_id: GameId) -> tuple[str, str, str] | None:
        found = self._shelf.games.get(game_id)
        return None if found is None else found.signed

    def snapshot(self, game_id: GameId, at_most: int | None = None) -> tuple[Seq, bytes] | None:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            snapshots = sorted(found.snapshots.items(), reverse=True) if found is not None else []
        for seq, (release, document) in snapshots:
            if (at_most is None or seq <= at_most) and release == RELEASE:
                return seq, document
        return None

    def drop_snapshot(self, game_id: GameId, seq: Seq) -> None:
        with self._shelf.guard:
            self._shelf.games[game_id].snapshots.pop(seq, None)

    def seq_at(self, game_id: GameId, at: int) -> Seq:
        found = self._shelf.games.get(game_id)
        return Seq(0 if found is None else sum(stored.at <= at for stored in found.commits))


def show(found: ShelfGame, rows: Rows) -> None:
    """Put how a game stands, and those parts of its views that the rows bring."""
    found.rows = replace(rows, public=b"null", private={})
    for place, part in ((0, rows.public), *rows.private.items()):
        if part:
            found.views[place] = rows.release, rows.seq, part


def _is_good(rows: Rows, place: int, release: str, made: Seq) -> bool:
    since = rows.seen[place] if place < len(rows.seen) else 0
    return release == rows.release and since <= made <= rows.seq
