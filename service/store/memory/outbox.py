"""The outbox and the subscriptions in memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from domain.terms import GameId, PlayerId, Seq
from service.store.memory.shelf import Shelf
from service.store.ports.outbox import (
    MOST_LISTENING,
    MOST_NOTED,
    SOON,
    OutboxCensus,
    Owed,
    Subscription,
    Told,
)


class MemoryOutbox:
    """See `service.store.ports.outbox.Outbox`."""

    def __init__(self, shelf: Shelf, subscriptions: MemorySubscriptions) -> None:
        self._shelf, self._subscriptions = shelf, subscriptions

    def listen(self, games: Sequence[GameId], subscription: str) -> Sequence[bool]:
        with self._shelf.guard:
            return [self._listen(game_id, subscription) for game_id in games]

    def _listen(self, game_id: GameId, subscription: str) -> bool:
        found = self._shelf.games.get(game_id)
        if found is None or found.lobby.status == "over":
            return False
        if subscription not in found.told and len(found.told) >= MOST_LISTENING:
            return False
        found.told.setdefault(subscription, Told(len(found.commits)))
        return True

    def leave(self, games: Collection[GameId], subscription: str) -> None:
        with self._shelf.guard:
            for game_id in games:
                if game_id in self._shelf.games:
                    self._shelf.games[game_id].told.pop(subscription, None)
                self._shelf.owed.pop((game_id, subscription, ""), None)

    def put(self, game_id: GameId, subscription: str, what: str) -> None:
        with self._shelf.guard:
            self._shelf.owed.setdefault((game_id, subscription, what), self._shelf.now())

    def claim(self, partitions: Iterable[int], limit: int, lease: int) -> Sequence[Owed]:
        wanted, counted, claimed = set(partitions), defaultdict[int, int](int), []
        with self._shelf.guard:
            now = self._shelf.now()
            for place, due in sorted(self._shelf.owed.items(), key=lambda item: item[1]):
                partition = self._shelf.partition(place[0])
                if due > now or partition not in wanted or counted[partition] >= limit:
                    continue
                counted[partition] += 1
                self._shelf.owed[place] = now + lease
                found = self._shelf.games.get(place[0])
                told = None if found is None else found.told.get(place[1])
                claimed.append(Owed(*place, told, Seq(len(found.commits) if found else 0), now + lease, due))
        return claimed

    def keep(self, owed: Sequence[Owed], lease: int) -> Sequence[Owed | None]:
        with self._shelf.guard:
            kept: list[Owed | None] = []
            for each in owed:
                held = self._shelf.owed.get(each.place) == each.until
                until = max(self._shelf.now() + lease, each.until + 1)
                if held:
                    self._shelf.owed[each.place] = until
                kept.append(replace(each, until=until) if held else None)
            return kept

    def settle(self, owed: Owed, told: Told | None, again: int | None = None) -> bool:
        with self._shelf.guard:
            if self._shelf.owed.get(owed.place) != owed.until:
                return False
            found = self._shelf.games.get(owed.game_id)
            if owed.what or told is None:
                told = None
            elif found is not None:
                found.told[owed.subscription] = told
            if again is not None:
                self._shelf.owed[owed.place] = again
            elif told is not None and found is not None and len(found.commits) > told.seq:
                self._shelf.owed[owed.place] = self._shelf.now()
            else:
                del self._shelf.owed[owed.place]
            return True

    def caused(self, game_id: GameId, seq: int) -> str:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            return "" if found is None else dict(found.requests).get(seq, "")

    def owing(self) -> set[int]:
        with self._shelf.guard:
            found = set(self._shelf.owing)
            self._shelf.owing.clear()
            return found

    def census(self) -> OutboxCensus:
        with self._shelf.guard:
            due = self._shelf.owed.values()
            waited = self._shelf.now() - min(due) if due else -1
            return OutboxCensus(len(due), waited if waited >= 0 else None, self._subscriptions.given_up)

    def due(self) -> Mapping[str, int]:
        with self._shelf.guard:
            now = self._shelf.now() + SOON
            return Counter(place[1] for place, due in self._shelf.owed.items() if due <= now)


class MemorySubscriptions:
    """See `service.store.ports.outbox.Subscriptions`."""

    def __init__(self, shelf: Shelf) -> None:
        self._guard = shelf.guard
        self._kept: dict[str, Subscription] = {}
        self._noted: dict[tuple[str, bool], list[Mapping[str, Any]]] = defaultdict(list)
        self.given_up = 0

    def add(self, subscription: Subscription, most: int) -> bool:
        with self._guard:
            kind = (subscription.owner, subscription.kind)
            others = [each for each in self._kept.values() if each.id != subscription.id]
            if most and sum((each.owner, each.kind) == kind for each in others) >= most:
                return False
            if self._kept.get(subscription.id, subscription).owner != subscription.owner:
                return False
            self._kept[subscription.id] = subscription
            return True

    def get(self, id_: str) -> Subscription | None:
        return self._kept.get(id_)

    def of(self, players: Iterable[PlayerId]) -> Sequence[Subscription]:
        owners = set(players)
        with self._guard:
            found = [each for each in self._kept.values() if each.owner in owners]
        return sorted(found, key=lambda each: (each.made_at, each.id))

    def change(self, subscription: Subscription, was: Subscription | None = None) -> bool:
        with self._guard:
            known = self._kept.get(subscription.id)
            if known is None or (was is not None and msgspec.json.encode(known) != msgspec.json.encode(was)):
                return False
            self._kept[subscription.id] = subscription
            return True

    def remove(self, subscription: Subscription) -> None:
        with self._guard:
            self._kept.pop(subscription.id, None)
            for dead in (False, True):
                self._noted.pop((subscription.id, dead), None)

    def note(self, id_: str, delivery: Mapping[str, Any], *, dead: bool = False) -> None:
        with self._guard:
            for place in {(id_, False), (id_, dead)}:
                self._noted[place] = [delivery, *self._noted[place]][:MOST_NOTED]
            self.given_up += dead

    def noted(self, id_: str, *, dead: bool = False) -> Sequence[Mapping[str, Any]]:
        with self._guard:
            return list(self._noted.get((id_, dead), ()))

    def every(self) -> Iterable[Subscription]:
        with self._guard:
            return list(self._kept.values())
