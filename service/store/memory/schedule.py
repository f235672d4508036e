"""Time in memory: what is due, locks, signs of life, and the keys that sign."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from domain.terms import SYSTEM, GameId
from service.store.memory.shelf import Shelf, ShelfGame
from service.store.ports.waiting import AHEAD, Due, Mark, Receipt, Waiting, counted_marks
from service.store.shared.system import due_submission, question_of_due, seat_of_due


class MemorySchedule:
    """The part of the log that knows the time."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._beats: dict[str, int] = {}
        self._locks: dict[str, int] = {}
        self._keys: dict[str, str] = {}
        self._marks: dict[GameId, Mark] = {}
        self._released: set[GameId] = set()
        """Games whose last append has released them already."""

    def partition(self, game_id: GameId) -> int:
        return self._shelf.partition(game_id)

    def now(self) -> int:
        return self._shelf.now()

    def _within(self, game: ShelfGame, partitions: set[int]) -> bool:
        return self._shelf.partition(game.lobby.id) in partitions

    def sweep(self, partition: int) -> int:
        became = 0
        with self._shelf.guard:
            now = self.now()
            if any(
                due <= now and self._shelf.partition(place[0]) == partition for place, due in self._shelf.owed.items()
            ):
                self._shelf.owing.add(partition)
            for found in [game for game in self._shelf.games.values() if self._within(game, {partition})]:
                became += found.ready is not None and _waits(now - found.ready)
                if found.ready is not None and found.ready > now:
                    found.ready = now
                if found.lease is not None and not now < found.lease <= now + found.lasts:
                    found.lease, found.claims, found.held = None, found.claims + found.held, False
                    became += self._shelf.make_ready(found)
                for id_, due in [(id_, due) for id_, due in found.due.items() if due.when <= now]:
                    del found.due[id_]
                    if id_ not in found.ids:
                        became += self._shelf.put(found, due_submission(found.lobby.id, due))
        return became

    def sweep_all(self, partitions: Sequence[int]) -> Mapping[int, int]:
        return {partition: self.sweep(partition) for partition in partitions}

    def clock_back(self, partition: int, by: int) -> int:
        brought = 0
        with self._shelf.guard:
            now = self.now()
            for place, instant in self._shelf.owed.items():
                if instant > now and self._shelf.partition(place[0]) == partition:
                    self._shelf.owed[place] = max(now, instant - by)
            for found in [game for game in self._shelf.games.values() if self._within(game, {partition})]:
                for id_, due in found.due.items():
                    if due.what != "expire" and due.when > now:
                        found.due[id_] = replace(due, when=max(now, due.when - by))
                        brought += 1
        return brought

    def awaited(self, partitions: Collection[int], within: int) -> Sequence[tuple[GameId, str]]:
        with self._shelf.guard:
            until = self.now() + within
            return [
                (game.lobby.id, due.question)
                for game in self._shelf.games.values()
                if self._within(game, set(partitions))
                for due in game.due.values()
                if due.what == "think" and due.when <= until
            ]

    def overdue(self, partition: int, since: int) -> Sequence[tuple[GameId, Due]]:
        with self._shelf.guard:
            late = [
                (game.lobby.id, due)
                for game in self._shelf.games.values()
                if self._within(game, {partition})
                for due in game.due.values()
                if since <= due.when <= self.now() and due.what == "expire" and seat_of_due(due.question) != SYSTEM
            ]
        return sorted(late, key=lambda pair: pair[1].when)

    def put_off(self, game_id: GameId, question: str, by: int) -> Receipt:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            expire = f"due:{game_id}:{question}"
            if found is None or expire not in found.due or expire in found.ids:
                return Receipt("known", "")
            due = found.due.pop(expire)
            id_ = f"off:{game_id}:{question}@{due.when}"
            if id_ in found.ids:
                return Receipt("known", id_)
            command = {"type": "put_off", "question": question_of_due(question), "by": by}
            document = {"id": id_, "seat": 0, "command": command, "expected": None, "credential": None}
            return Receipt("accepted", id_, wake=self._shelf.put(found, document))

    def stalled(self) -> Sequence[GameId]:
        return sorted(id_ for id_, game in self._shelf.games.items() if game.lobby.stalled)

    def mark(self, game_id: GameId, mark: Mark | None) -> None:
        with self._shelf.guard:
            if mark is None:
                self._marks.pop(game_id, None)
            else:
                self._marks[game_id] = mark

    def must_be_whole(self, game_id: GameId) -> None:
        pass  # nobody else writes here

    def marked(self, game_id: GameId) -> Mark | None:
        return self._marks.get(game_id)

    def marks(self, near: GameId | None = None) -> Mapping[GameId, Mark]:  # noqa: ARG002 - there are never many
        return dict(sorted(self._marks.items()))

    def census(self) -> Mapping[str, int]:
        with self._shelf.guard:
            games = list(self._shelf.games.values())
        due = [due.when for game in games for due in game.due.values()]
        return {
            "ready": sum(game.ready is not None for game in games),
            "claimed": sum(game.lease is not None for game in games),
            "due": len(due),
            "overdue": max(0, self.now() - min(due)) if due else 0,
            "stalled": len(self.stalled()),
            **counted_marks(self._marks),
        }

    def waiting(self) -> Sequence[Waiting]:
        with self._shelf.guard:
            games = [game for game in self._shelf.games.values() if not game.aside and (game.ready or game.lease)]
            oldest = [(game.lobby.id, *next(iter(game.commands.items()))) for game in games if game.commands]
            return [
                Waiting(game_id, entry, max(0, self.now() - document["asked_at"]))
                for game_id, entry, document in oldest
            ]

    def lock(self, name: str, milliseconds: int) -> bool:
        self._locks[name] = self.now() + milliseconds
        return True

    def beat(self, name: str) -> int | None:
        with self._shelf.guard:
            before = self._beats.get(name)
            self._beats[name] = self.now()
        return before

    def last_beat(self, name: str) -> int | None:
        return self._beats.get(name)

    def keys(self) -> Mapping[str, str]:
        return dict(self._keys)

    def add_key(self, key_id: str, public: str) -> None:
        self._keys[key_id] = public


def _waits(ready: int) -> bool:
    """Whether a game has waited for a second; one that a player waits for stands so far ahead."""
    return ready >= 1000 and not AHEAD <= ready < AHEAD + 1000
