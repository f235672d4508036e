"""The log in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

from domain import RELEASE
from domain.terms import SYSTEM, GameId, Seat, Seq
from service.store.codec import canonical, plain
from service.store.founding import origin
from service.store.memory import plans
from service.store.memory.history import MemoryHistory, show
from service.store.memory.schedule import MemorySchedule
from service.store.memory.shelf import HERE, MINUTE, Kept, ShelfGame
from service.store.ports.commits import BROUGHT_IN, Append, Rows, Stored, calls_of
from service.store.ports.errors import NotAlone, StaleWrite
from service.store.ports.lobbies import MOST_TURNS
from service.store.ports.news import seats_changed
from service.store.ports.waiting import AHEAD, MOST_WAITING, Receipt, Work
from service.store.shared import lists
from service.store.shared.system import due_submission


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
        for call in calls_of(batch):
            with self._shelf.guard:
                found = self._shelf.games[call[0].game_id]
                error = self._hindrance(call, found)
                if error is None:
                    self._append(call, found)
            outcomes += [error] * len(call)
            if error is None:
                self._tell(call)
        return outcomes

    def _tell(self, call: Sequence[Append]) -> None:
        board = self._shelf.board
        game_id = call[0].game_id
        if any(each.reseated for each in call):
            board.revoked(seats_changed(game_id, self._shelf.games[game_id].lobby.seating.revision))
        for each in call:
            if each.tell == HERE:
                commit = replace(_stored(each), header=b"")
                board.tell_of((each.game_id, each.submission.id), partial(_told, commit), last=each.follows is None)
        board.tell(game_id, directly=True)

    def _hindrance(self, call: Sequence[Append], found: ShelfGame) -> Exception | None:
        """Why these commits cannot be appended, if they cannot."""
        first, last = call[0], call[-1]
        previous = found.commits[-1].head if found.commits else origin(found.lobby.setup)
        if len(found.commits) != first.before or previous != first.sealed.previous:
            return StaleWrite(first.game_id)
        known = [(each.entry, found.ids.get(each.submission.id)) for each in call]
        if any(entry and kept is not None and kept.seq is not None for entry, kept in known):
            return StaleWrite(first.game_id)
        if any(entry not in ("", BROUGHT_IN) and entry not in found.commands for entry, _ in known):
            return StaleWrite(first.game_id)
        ahead = [kept for entry, kept in known if not entry]
        if any(ahead) or (ahead and tuple(found.commands) != last.waited):
            return NotAlone(first.game_id)
        return None

    def _append(self, call: Sequence[Append], found: ShelfGame) -> None:
        for each in call:
            found.commits.append(_stored(each))
            found.ids.setdefault(each.submission.id, Kept("")).seq = each.sealed.seq
            found.commands.pop(each.entry, None)
            self._note(each, found)
            for seat, in_time in each.turns:
                _, known = found.turns.get(seat, (0, ""))
                found.turns[seat] = (each.sealed.at, (known + str(int(in_time)))[-MOST_TURNS:])
            for change in each.reseated:
                found.reseat(change)
        last = call[-1]
        found.remember([(each.sealed.seq, each.request) for each in reversed(call) if each.request])
        for subscription in found.told:
            if (last.game_id, subscription, "") not in self._shelf.owed:
                self._shelf.owed[last.game_id, subscription, ""] = self.now()
                self._shelf.owing.add(self.partition(last.game_id))
        if call[0].entry != BROUGHT_IN:
            self._shelf.moved.add(last.game_id)
        found.claims, found.aside = 0, False
        self._show(last, found)
        found.due.clear()
        plans.forget(found, [seat for each in call for seat in each.vacated])
        if last.over:
            plans.forget_waiting(found)
            found.commands.clear()
            found.ready, found.lease, found.held = None, None, False
            self._released.add(last.game_id)
            self._marks.pop(last.game_id, None)
            found.ids.update({each["id"]: Kept("") for each in last.left if each["seat"] != SYSTEM})
            found.lobby = replace(found.lobby, status="over", stalled=False)
            return
        at = max(self.now(), last.sealed.at)
        after = plans.planning(found, last)
        for said in (each for each in last.left if each["seat"] == SYSTEM):
            if said["id"] not in found.ids and not plans.comes_after(said, after):
                self._shelf.put(found, said, asked_at=at)
        self._schedule(last, found, after)
        nexts = [each for each in last.left if each["seat"] != SYSTEM]
        for following in nexts if last.follows is None else (*nexts, last.follows):
            self._shelf.put(found, following, asked_at=at)
        if plans.play(self._shelf, found, last, at):
            self._schedule(last, found, plans.planning(found, last))
        if not found.commands:
            if not found.held:  # as long as a lease is one's own, whoever takes it away says what becomes of the game
                found.ready = None
            if last.done and found.held and (found.lease or 0) > self.now():
                found.lease, found.held = None, False
                self._released.add(last.game_id)
        elif (found.lease or 0) <= self.now():
            self._shelf.make_ready(found)

    def _note(self, each: Append, found: ShelfGame) -> None:
        """What a commit leaves whatever follows on it: a snapshot, a refusal that counts, a mark."""
        sealed = each.sealed
        if each.snapshot is not None:
            found.snapshots[sealed.seq] = (sealed.release, each.snapshot)
        if each.refused and each.submission.seat != SYSTEM:
            seat = each.submission.seat
            found.refusals_until[seat] = max(found.refusals_until.get(seat, 0), self.now()) + MINUTE
        if each.stalled:
            found.lobby = replace(found.lobby, stalled=True)
        elif each.resumed:
            found.lobby = replace(found.lobby, stalled=False)

    def _schedule(self, each: Append, found: ShelfGame, after: Collection[Seat]) -> None:
        now = self.now()
        for asked in each.due:
            due, document = asked, due_submission(each.game_id, asked)
            # See append.lua: once the clock was set back, commits are ahead of it.
            ahead = max(0, each.sealed.at - now)
            when = due.when - ahead if due.what != "expire" else due.when
            if when > now + (ahead if due.what == "expire" else 0):
                found.due[document["id"]] = replace(due, when=when)
            elif document["id"] not in found.ids and not plans.comes_after(document, after):
                self._shelf.put(found, document, asked_at=max(now, each.sealed.at))

    def _show(self, each: Append, found: ShelfGame) -> None:
        sealed, status = each.sealed, "over" if each.over else "running"
        if each.rows is not None and each.rows.signature:
            found.signed = (sealed.head, each.rows.signature, each.rows.key_id)
        if each.rows is not None and each.rows.asked:
            show(found, replace(each.rows, seq=sealed.seq, head=sealed.head, status=status))
        else:
            show(found, Rows(sealed.seq, sealed.head, "", b"", status=status))


def _told(commit: Stored, _: GameId) -> Stored:
    return commit


def _stored(each: Append) -> Stored:
    sealed = each.sealed
    return Stored(sealed.seq, sealed.at, sealed.release, sealed.head, sealed.header, sealed.body)


def _outcome(found: ShelfGame, known: Kept) -> Stored | str:
    if known.count:
        return "list"
    if known.seq is not None:
        return replace(found.commits[known.seq - 1], header=b"")
    return "over" if found.lobby.status == "over" else "pending"


def _is_asked(found: ShelfGame, seat: Seat) -> bool:
    asked = orjson.loads(found.rows.asked) if found.rows is not None else []
    return any(question["seat"] == seat for question in asked)
