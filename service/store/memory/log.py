"""The log in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from domain import RELEASE
from domain.terms import SYSTEM, GameId, Seat, Seq
from service.store.codec import canonical, plain
from service.store.founding import origin
from service.store.memory.history import MemoryHistory, show
from service.store.memory.inbox import MemoryInbox
from service.store.memory.schedule import MemorySchedule, system_document
from service.store.memory.shelf import HERE, MINUTE, Kept, ShelfGame
from service.store.ports.commits import Append, Rows, Stored
from service.store.ports.errors import StaleWrite
from service.store.ports.waiting import AHEAD, MOST_WAITING, Receipt, Work
from service.store.shared import lists


class MemoryLog(MemoryHistory, MemorySchedule):
    """See `service.store.ports.log.Log`."""

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
        id_, seat = lists.list_id(submission) or submission["id"], Seat(submission["seat"])
        count = 1 + lists.left_in(submission)
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
            waiting = sum(1 + lists.left_in(document) for document in found.commands.values())
            if seat != SYSTEM and waiting + count > MOST_WAITING:
                return Receipt("full", id_, retry_after=1)
            cost = anytime if _is_asked(found, seat) else count
            if seat != SYSTEM and unasked and cost:
                full = max(found.unasked_until.get(seat, 0), self.now())
                excess = full - self.now() - (unasked - cost) * MINUTE
                if excess > 0:
                    return Receipt("unasked", id_, retry_after=-(-excess // 1000))
                found.unasked_until[seat] = full + cost * MINUTE
            document = orjson.loads(canonical(plain(submission)))
            if lists.LIST in submission:
                found.ids[id_] = Kept(digest, count=count)
            wake = self._shelf.put(found, document, digest)
            if seat != SYSTEM and found.ready is not None:
                found.ready = min(found.ready, self.now() - AHEAD)
            return Receipt("accepted", id_, wake=wake)

    def outcome(self, game_id: GameId, submission_id: str) -> Stored | str | None:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            known = None if found is None else found.ids.get(submission_id)
            return None if found is None or known is None else _outcome(found, known)

    def outcomes(self, game_id: GameId, list_id: str) -> Sequence[Stored | str] | None:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            known = None if found is None else found.ids.get(list_id)
            if found is None or known is None or not known.count:
                return None
            tried = [found.ids.get(lists.place_id(list_id, place)) for place in range(known.count)]
            came = [_outcome(found, each) for each in tried if each is not None]
            rest = came[-1] if came[-1] in ("pending", "over") else lists.LEFT
            return [*came, *[rest] * (known.count - len(came))]

    def inbox(self) -> MemoryInbox:
        return MemoryInbox()

    def claim(self, partitions: Sequence[int], limit: int, lease: int, entries: int = 32) -> Sequence[Work]:
        wanted = set(partitions)
        with self._shelf.guard:
            ready = [
                game for game in self._shelf.games.values() if game.ready is not None and self._within(game, wanted)
            ]
            ready.sort(key=lambda game: game.ready or 0)
            suspects = [game for game in ready if game.claims]
            chosen = suspects[:1] or ready[:limit]
            for game in chosen:
                game.ready, game.lease, game.held, game.lasts = None, self.now() + lease, True, lease
                self._released.discard(game.lobby.id)
            return self.work([game.lobby.id for game in chosen], entries)

    def work(self, games: Sequence[GameId], limit: int = 32) -> Sequence[Work]:
        with self._shelf.guard:
            return [
                Work(
                    game_id,
                    tuple(found.commands.items())[:limit],
                    found.claims + 1,
                    mark=self._marks.get(game_id),
                    at=self.now(),
                )
                for game_id in games
                for found in [self._shelf.games[game_id]]
            ]

    def release(self, game_id: GameId, later: int = 0) -> bool:
        with self._shelf.guard:
            found = self._shelf.games[game_id]
            found.claims, found.lease, found.held, found.aside = 0, None, False, bool(later)
            if not found.commands and not later:
                found.ready = None
                return False
            if later:
                found.ready, found.lease, found.lasts = None, self.now() + later, later
                return False
            self._shelf.make_ready(found)
            return True

    def release_all(self, games: Sequence[GameId]) -> Sequence[bool]:
        again = [game_id not in self._released and self.release(game_id) for game_id in games]
        self._released.difference_update(games)
        return again

    def watched(self, game_id: GameId) -> bool:
        return self._shelf.games[game_id].watched > self.now()

    def append(self, batch: Sequence[Append]) -> Sequence[Exception | None]:
        outcomes: list[Exception | None] = []
        for each in batch:
            with self._shelf.guard:
                appended = self._append(each, self._shelf.games[each.game_id])
            outcomes.append(None if appended else StaleWrite(each.game_id))
            if appended:
                self._tell(each)
        return outcomes

    def _tell(self, each: Append) -> None:
        board, sealed = self._shelf.board, each.sealed
        if each.tell == HERE:
            commit = Stored(sealed.seq, sealed.at, sealed.release, sealed.head, b"", sealed.body)
            board.tell_of((each.game_id, each.submission.id), lambda _: commit, last=each.follows is None)
        board.tell(each.game_id, directly=True)

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
            found.ready, found.lease, found.held = None, None, False
            self._released.add(each.game_id)
            self._marks.pop(each.game_id, None)
            found.lobby = replace(found.lobby, status="over", stalled=False)
            return True
        found.commands.pop(each.entry, None)
        self._schedule(each, found)
        if each.follows is not None:
            self._shelf.put(found, each.follows, asked_at=max(self.now(), sealed.at))
        if not found.commands:
            found.ready = None
            if each.done and found.held and (found.lease or 0) > self.now():
                found.lease, found.held = None, False
                self._released.add(each.game_id)
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
        sealed, status = each.sealed, "over" if each.over else "running"
        if each.rows is not None and each.rows.signature:
            found.signed = (sealed.head, each.rows.signature, each.rows.key_id)
        if each.rows is not None and each.rows.asked:
            show(found, replace(each.rows, seq=sealed.seq, head=sealed.head, status=status))
        else:
            show(found, Rows(sealed.seq, sealed.head, "", b"", status=status))


def _outcome(found: ShelfGame, known: Kept) -> Stored | str:
    if known.count:
        return "list"
    if known.seq is not None:
        return replace(found.commits[known.seq - 1], header=b"")
    return "over" if found.lobby.status == "over" else "pending"


def _is_asked(found: ShelfGame, seat: Seat) -> bool:
    asked = orjson.loads(found.rows.asked) if found.rows is not None else []
    return any(question["seat"] == seat for question in asked)
