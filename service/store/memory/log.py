"""The log in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from domain import RELEASE
from domain.terms import SYSTEM, GameId, Seat, Seq
from service.store.chain import Chain
from service.store.codec import canonical, plain
from service.store.founding import origin
from service.store.memory.schedule import MemorySchedule, system_document
from service.store.memory.shelf import MINUTE, Kept, ShelfGame
from service.store.packing import Packed
from service.store.ports.commits import Append, Rows, Stored
from service.store.ports.errors import StaleWrite
from service.store.ports.waiting import AHEAD, MOST_WAITING, Receipt, Work


class MemoryLog(MemorySchedule):
    """See `service.store.ports.log.Log`."""

    def submit(
        self,
        game_id: GameId,
        submission: Mapping[str, Any],
        digest: str,
        *,
        refusals: int = 60,
        unasked: int = 0,
        anytime: bool = False,
    ) -> Receipt:
        id_, seat = submission["id"], Seat(submission["seat"])
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            if found is None:
                return Receipt("unknown-game", id_)
            if (known := found.ids.get(id_)) is not None:
                if known.digest != digest:
                    return Receipt("conflict", id_)
                return Receipt("known", id_, known.seq, wake=known.seq is None and found.ready is not None)
            excess = found.refusals_until.get(seat, 0) - self.now() - (refusals - 1) * MINUTE
            if seat != SYSTEM and excess > 0:
                return Receipt("limited", id_, retry_after=-(-excess // 1000))
            if found.lobby.status != "running":
                return Receipt("over" if found.lobby.status == "over" else "not-started", id_)
            mark = self._marks.get(game_id)
            if seat != SYSTEM and mark is not None and mark.holds(RELEASE):
                return Receipt(mark.code, id_)
            seen = found.rows.seen if found.rows is not None else ()
            if submission["expected"] is not None and seat < len(seen) and seen[seat] != submission["expected"]:
                return Receipt("stale", id_, Seq(seen[seat]))
            if seat != SYSTEM and len(found.commands) >= MOST_WAITING:
                return Receipt("full", id_, retry_after=1)
            if seat != SYSTEM and unasked and (anytime or not _is_asked(found, seat)):
                full = max(found.unasked_until.get(seat, 0), self.now())
                excess = full - self.now() - (unasked - 1) * MINUTE
                if excess > 0:
                    return Receipt("unasked", id_, retry_after=-(-excess // 1000))
                found.unasked_until[seat] = full + MINUTE
            document = orjson.loads(canonical(plain(submission)))
            wake = self._shelf.put(found, document, digest)
            if seat != SYSTEM and found.ready is not None:
                found.ready = min(found.ready, self.now() - AHEAD)
            return Receipt("accepted", id_, wake=wake)

    def outcome(self, game_id: GameId, submission_id: str) -> Stored | str | None:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            known = None if found is None else found.ids.get(submission_id)
            if found is None or known is None:
                return None
            if known.seq is not None:
                return replace(found.commits[known.seq - 1], header=b"")
            return "over" if found.lobby.status == "over" else "pending"

    def claim(self, partitions: Sequence[int], limit: int, lease: int) -> Sequence[GameId]:
        wanted = set(partitions)
        with self._shelf.guard:
            ready = [
                game for game in self._shelf.games.values() if game.ready is not None and self._within(game, wanted)
            ]
            ready.sort(key=lambda game: game.ready or 0)
            suspects = [game for game in ready if game.claims]
            chosen = suspects[:1] or ready[:limit]
            for game in chosen:
                game.ready, game.lease, game.claims = None, self.now() + lease, game.claims + 1
                game.lasts = lease
        return [game.lobby.id for game in chosen]

    def work(self, games: Sequence[GameId], limit: int = 32) -> Sequence[Work]:
        with self._shelf.guard:
            return [
                Work(
                    game_id, tuple(found.commands.items())[:limit], max(found.claims, 1), mark=self._marks.get(game_id)
                )
                for game_id in games
                for found in [self._shelf.games[game_id]]
            ]

    def release(self, game_id: GameId, later: int = 0) -> bool:
        with self._shelf.guard:
            found = self._shelf.games[game_id]
            found.claims, found.lease, found.aside = 0, None, bool(later)
            if not found.commands and not later:
                found.ready = None
                return False
            if later:
                found.ready, found.lease, found.lasts = None, self.now() + later, later
                return False
            self._shelf.make_ready(found)
            return True

    def release_all(self, games: Sequence[GameId]) -> Sequence[bool]:
        return [self.release(game_id) for game_id in games]

    def append(self, batch: Sequence[Append]) -> Sequence[Exception | None]:
        outcomes: list[Exception | None] = []
        for each in batch:
            with self._shelf.guard:
                appended = self._append(each, self._shelf.games[each.game_id])
            outcomes.append(None if appended else StaleWrite(each.game_id))
            if appended:
                self._shelf.board.tell(each.game_id)
        return outcomes

    def _append(self, each: Append, found: ShelfGame) -> bool:
        sealed = each.sealed
        previous = found.commits[-1].head if found.commits else origin(found.lobby.setup)
        if len(found.commits) != each.before or previous != sealed.previous:
            return False
        known = found.ids.setdefault(each.submission.id, Kept(""))
        if known.seq is not None:
            return False
        found.commits.append(Stored(sealed.seq, sealed.at, sealed.release, sealed.head, sealed.header, sealed.body))
        known.seq = sealed.seq
        found.claims, found.aside = 0, False
        self._show(each, found)
        if each.snapshot is not None:
            found.snapshots[sealed.seq] = (sealed.release, each.snapshot)
        if each.refused and each.submission.seat != SYSTEM:
            seat = each.submission.seat
            found.refusals_until[seat] = max(found.refusals_until.get(seat, 0), self.now()) + MINUTE
        if each.stalled:
            found.lobby = replace(found.lobby, stalled=True)
        elif each.resumed:
            found.lobby = replace(found.lobby, stalled=False)
        found.due.clear()
        if each.over:
            found.commands.clear()
            found.ready = found.lease = None
            self._marks.pop(each.game_id, None)
            found.lobby = replace(found.lobby, status="over", stalled=False)
            return True
        for entry in [entry for entry in found.commands if _order(entry) <= _order(each.entry)]:
            del found.commands[entry]
        self._schedule(each, found)
        if not found.commands:
            found.ready = None
        elif (found.lease or 0) <= self.now():
            self._shelf.make_ready(found)
        return True

    def _schedule(self, each: Append, found: ShelfGame) -> None:
        now = self.now()
        for asked in each.due:
            due, document = asked, system_document(each.game_id, asked)
            # See append.lua: once the clock was set back, commits are ahead of it.
            ahead = max(0, each.sealed.at - now)
            when = due.when - ahead if due.what == "act" else due.when
            if when > now + (ahead if due.what == "expire" else 0):
                found.due[document["id"]] = replace(due, when=when)
            elif document["id"] not in found.ids:
                self._shelf.put(found, document, asked_at=max(now, each.sealed.at))

    def _show(self, each: Append, found: ShelfGame) -> None:
        sealed, changed = each.sealed, each.rows
        old = found.rows or Rows(Seq(0), "", "")
        status = "over" if each.over else "running"
        found.rows = replace(old, seq=sealed.seq, head=sealed.head, status=status)
        if changed is None:
            return
        _stamp(found.stamps, changed)
        if changed.signature:
            found.signed = (sealed.head, changed.signature, changed.key_id)
            found.rows = replace(found.rows, signature=changed.signature, key_id=changed.key_id)
        found.rows = replace(
            found.rows,
            public=changed.public or found.rows.public,
            private={**found.rows.private, **changed.private},
            seen=changed.seen or found.rows.seen,
            asked=changed.asked or found.rows.asked,
        )

    def rows(self, game_id: GameId, seats: Sequence[Seat] = ()) -> Rows | None:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            if found is None or found.rows is None:
                return None
            names = ["seen", "asked", "public", *(f"private{seat}" for seat in seats)]
            private = {seat: found.rows.private.get(seat, b"null") for seat in seats}
            return replace(found.rows, release=_release(found.stamps, names), private=private)

    def rewrite(self, game_id: GameId, rows: Rows) -> bool:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            if found is None or len(found.commits) != rows.seq:
                return False
            found.rows = rows
            found.stamps.clear()
            _stamp(found.stamps, rows)
            return True

    def asked(self, games: Sequence[GameId]) -> Mapping[GameId, Rows]:
        rows = {}
        with self._shelf.guard:
            for game_id in games:
                found = self._shelf.games.get(game_id)
                if found is not None and found.rows is not None:
                    release = _release(found.stamps, ["seen", "asked"])
                    rows[game_id] = replace(found.rows, release=release, public=b"null", private={})
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


def _is_asked(found: ShelfGame, seat: Seat) -> bool:
    asked = orjson.loads(found.rows.asked) if found.rows is not None else []
    return any(question["seat"] == seat for question in asked)


def _order(entry: str) -> tuple[int, ...]:
    return tuple(map(int, entry.split("-")))


def _stamp(stamps: dict[str, str], rows: Rows) -> None:
    for name in ("seen", "asked", "public"):
        if getattr(rows, name):
            stamps[name] = rows.release
    stamps.update({f"private{seat}": rows.release for seat in rows.private})


def _release(stamps: Mapping[str, str], names: Sequence[str]) -> str:
    releases = {stamps.get(name, "") for name in names}
    return releases.pop() if len(releases) == 1 else ""
