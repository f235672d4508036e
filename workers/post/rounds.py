"""Seeing to what is owed, many receivers at once and each of them one word at a time: none holds up another."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from service.process.figures.catalogue import DELIVERED, FAILED, TOLD
from service.process.logs import logger
from service.store.chain import BrokenLog
from service.store.codec import UnknownEvent
from service.store.ports.errors import StoreDown
from service.store.ports.outbox import Owed, Told
from service.store.ports.store import Store
from workers.post.deliveries import Delivery, Verdict

LEASE = 5000
"""Milliseconds that others leave alone what is being seen to; it is prolonged every second as long as we live."""

AT_A_TIME = 64
"""What is claimed of a partition at a time."""

IN_HAND = 16
"""Words of one subscription that wait here for the one before them; what is more waits in the outbox."""

LATER = 1000
"""Milliseconds until what waits in the outbox is looked at again, and until the next word to a receiver that has failed."""

STRANGE = 60_000
"""Milliseconds until what this release cannot do is tried again."""

QUICK, SLOW = 32, 16
"""How many receivers are spoken to at a time: those that took the last word, and those that did not."""

log = logger("post")


class Rounds:
    """What is in hand; safe to use from its own threads, of which each speaks to one receiver."""

    def __init__(self, store: Store, deliveries: Mapping[str, Delivery], quick: int = QUICK, slow: int = SLOW) -> None:
        self._store, self._deliveries = store, deliveries
        self._guard = threading.Lock()
        self._leases = threading.Lock()
        """Held while a lease is prolonged or given up: both go by how it stood."""
        self._held: dict[tuple[str, str, str], Owed] = {}
        self._in_hand: dict[str, deque[Owed]] = {}
        """What each subscription that is being told is to be told next."""
        self._failing: set[str] = set()
        self._closing = False
        self._pools = (ThreadPoolExecutor(quick, "post"), ThreadPoolExecutor(slow, "post-slow"))
        self.seen_to = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for pool in self._pools:
            pool.shutdown()

    @property
    def busy(self) -> bool:
        """Whether anything is in hand."""
        return bool(self._in_hand)

    def look(self, partitions: Iterable[int]) -> int:
        """Take what is due in these partitions in hand; how much it was. Raises `StoreDown`."""
        claimed = self._store.outbox.claim(sorted(partitions), AT_A_TIME, LEASE)
        taken = 0
        for owed in claimed:
            with self._guard:
                line = self._in_hand.get(owed.subscription)
                room = not self._closing and (line is None or len(line) < IN_HAND)
                if room:
                    self._held[owed.place] = owed
                    self._in_hand.setdefault(owed.subscription, deque()).append(owed)
            if not room:
                later = 0 if self._closing else LATER
                self._store.outbox.settle(owed, owed.told, self._store.log.now() + later)
                continue
            taken += 1
            if line is None:
                slow = owed.subscription in self._failing or bool(owed.told and owed.told.tries)
                self._pools[slow].submit(self._speak, owed.subscription)
        return taken

    def keep(self, lease: int) -> None:
        """Prolong the leases of all that is in hand. Raises `StoreDown`."""
        with self._leases:
            with self._guard:
                held = list(self._held.values())
            kept = self._store.outbox.keep(held, lease) if held else ()
            with self._guard:
                for before, now in zip(held, kept, strict=True):
                    if now is not None and before.place in self._held:
                        self._held[before.place] = now

    def finish(self, lease: int) -> None:
        """Begin nothing more, and come to an end with what has been begun."""
        with self._guard:
            self._closing = True
        while self.busy:
            time.sleep(0.05)
            try:
                self.keep(lease)
            except StoreDown:
                continue

    def left(self) -> set[int]:
        """Partitions in which something is due that was not taken in hand."""
        return set(range(self._store.partitions)) if self._store.outbox.census().oldest is not None else set()

    # -- in threads -------------------------------------------------------------------------------------------------------

    def _speak(self, subscription: str) -> None:
        """Tell a subscription what is in hand for it, until that is done or its receiver fails."""
        while True:
            with self._guard:
                line = self._in_hand[subscription]
                if not line:
                    del self._in_hand[subscription]
                    return
                owed = line.popleft()
                closing = self._closing
            failed = False
            try:
                failed = not closing and self._see_to(owed)
                if closing:
                    self._settle(owed, owed.told, self._store.log.now())
            except StoreDown:
                self._let_go(owed)  # the lease lapses
            self._go_on(subscription, owed, failed=failed)

    def _go_on(self, subscription: str, owed: Owed, *, failed: bool) -> None:
        """After a word: what else there is in the game; after a failure, what is in hand waits."""
        try:
            if not failed:
                self._failing.discard(subscription)
                if not self._closing:
                    self.look([self._store.log.partition(owed.game_id)])
                return
            self._failing.add(subscription)
            with self._guard:
                line = self._in_hand[subscription]
                waiting = list(line)
                line.clear()
            for each in waiting:
                # The one that failed may be due again, and in hand again, by now: when it is tried has been said.
                later = 0 if each.place == owed.place else LATER
                self._settle(each, each.told, self._store.log.now() + later)
        except StoreDown:
            pass

    def _see_to(self, owed: Owed) -> bool:
        """See to one thing; whether its receiver has failed."""
        self.seen_to += 1
        subscription = self._store.subscriptions.get(owed.subscription)
        if subscription is None or (not owed.what and (owed.told is None or not subscription.active)):
            if owed.what:
                self._settle(owed, None, None)
            else:
                self._let_go(owed)
                self._store.outbox.leave([owed.game_id], owed.subscription)
            return False
        delivery = self._deliveries.get(subscription.kind)
        try:
            if delivery is None:
                raise UnknownEvent(f"a subscription of the kind {subscription.kind!r}")
            verdict = delivery.deliver(owed, owed.told or Told(), subscription)
        except StoreDown:
            raise
        except (BrokenLog, UnknownEvent) as error:
            log.warning("a game cannot be told of", game=owed.game_id, why=str(error))
            verdict = Verdict(owed.told, self._store.log.now() + STRANGE)
        except Exception:  # whatever is wrong with one game, the others are told
            log.exception("a word cannot be told", game=owed.game_id, subscription=owed.subscription)
            verdict = Verdict(owed.told, self._store.log.now() + STRANGE)
        self._settle(owed, verdict.told, verdict.again)
        waited = max(0, self._store.log.now() - owed.since) / 1000
        TOLD.note(waited, subscription.kind, FAILED if verdict.failed else DELIVERED)
        return verdict.failed

    def _settle(self, owed: Owed, told: Told | None, again: int | None) -> None:
        with self._leases:
            # Before it can be due again: whoever looks then takes the same place in hand anew.
            self._store.outbox.settle(self._let_go(owed), told, again)

    def _let_go(self, owed: Owed) -> Owed:
        """It is not in hand any more; as it was leased last."""
        with self._guard:
            return self._held.pop(owed.place, owed)
