"""Dividing the games anew: into how many partitions, who may do it when, and how far it has come.

While it lasts, the store says so where the number of partitions stands, so that nobody starts on it: not a release before
this one either, which expects a number there. Where a game belongs follows from its id and that number alone; so whoever
goes on after a stop looks for what is not where it belongs, and needs no other note of how far it had come.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from service.store.ports.errors import StoreUnusable
from service.store.redis import keys
from service.store.redis.connect import Script, Wire
from service.store.redis.keys import Keys
from service.store.redis.probe import HalfDivided, divided
from service.store.upkeep.carrying import Carrier, Survey, surveyed

LOCK, SWAP = Script("lock"), Script("swap")

QUIET = 15.0
"""Seconds without a sign of life after which no service runs on a store: one leaves signs every ten."""
LEASE = 20_000
"""Milliseconds after which somebody else may go on where this process says nothing any more."""
LONGEST = 60.0
"""Seconds that are waited for whoever divides the same games."""

_POLL = 0.2
OVERTAKEN = "This was held up for so long that somebody else goes on with it, or has divided the games since."


class ServiceAlive(StoreUnusable):
    """Somebody plays on the store, or divides its games, while they are to be divided."""


class HeldUp(StoreUnusable):
    """Somebody else took this process for dead, and has gone on with what it did."""


@dataclass(slots=True)
class Division:
    """One attempt to divide the games of a store into ``to`` partitions."""

    wire: Wire
    to: int
    lag: float = 0.0
    """See `service.store.upkeep.carrying.Carrier`."""
    lease: int = LEASE
    _owner: str = ""
    _shut: str = ""

    def begin(self, quiet: float = QUIET, waiting: Callable[[], object] = lambda: None) -> bool:
        """Shut the store for everybody else; False where it is divided so already.

        ``quiet`` is for how many seconds nobody may have left a sign of life; ``waiting`` is called before that is waited for.
        Raises `ServiceAlive` where somebody has, or has divided them otherwise since we looked; `HalfDivided` where another
        division was begun and must be ended first; `HeldUp`.
        """
        seen = self._seen()
        if seen == (self.to, None):
            return False
        self._take()
        before, going = now = self._seen()
        if now == (self.to, None):
            return False
        if before is None:
            if not self.wire.one("SET", keys.PARTITIONS, self.to, "NX"):
                raise HeldUp(OVERTAKEN)
            return False
        if going is None and now != seen:
            raise ServiceAlive(
                f"Somebody else has divided the games of this store into {before} partitions at this moment, and nothing was"
                f" changed after that. Call this again if it shall be {self.to} all the same."
            )
        self._shut = f"{before}>{self.to}"
        if going is None:
            self._written(str(before), self._shut)
        try:
            self._must_be_quiet(quiet, waiting)
        except ServiceAlive:
            # Who began before us has carried games already, and only the end of that can open the store again.
            if going is None:
                self._go_on()
                self._written(self._shut, str(before))
            raise
        return True

    def survey(self) -> Survey:
        """What has to be carried. Raises `Unknown`."""
        return surveyed(self.wire, Keys(self.to))

    def carry(self, survey: Survey) -> Iterator[int]:
        """Carry it; how many games have arrived each time that some have. Raises `Differs`, `StoreUnusable`, `StoreDown`."""
        carrier = Carrier(self.wire, Keys(self.to), self.lag)
        for _ in carrier.shared(survey.shared):
            self._go_on()
        for arrived in carrier.games(survey.games):
            self._go_on()
            yield arrived

    def end(self) -> None:
        """Open the store again, divided anew; raises `StoreUnusable` where something lies where it does not belong."""
        left = self.survey()
        carrier = Carrier(self.wire, Keys(self.to))
        if left.games or any(carrier.is_strange(name) for name in left.shared):
            raise StoreUnusable(
                "Something came in while the games were divided: stop whatever did that, and call it again."
            )
        self._go_on()
        self._written(self._shut, str(self.to))

    def leave(self) -> None:
        """Whoever goes on need not wait until this process is believed to be gone."""
        if self._owner and self._locked():
            self.wire.one("DEL", keys.lock("partitions"))

    def _seen(self) -> tuple[int | None, int | None]:
        """How the games are divided; raises `HalfDivided` where somebody has begun to divide them otherwise than we would."""
        before, going = divided(self.wire)
        if going not in (None, self.to):
            raise HalfDivided(before, going)
        return before, going

    def _written(self, before: str, after: str) -> None:
        """Write how they are divided, in place of what we know. A lock that ran out between two words of ours does no harm so."""
        if not self.wire.call(SWAP, [keys.PARTITIONS], [before, after]):
            raise HeldUp(OVERTAKEN)

    # -- who else -----------------------------------------------------------------------------------------------------

    def _must_be_quiet(self, quiet: float, waiting: Callable[[], object]) -> None:
        before = self._signs()
        ago = (self.wire.now() - max(before)) / 1000
        until = time.monotonic() + quiet - min(quiet, max(0.0, ago))
        if time.monotonic() < until:
            waiting()
        while time.monotonic() < until:
            time.sleep(_POLL)
            self._go_on()
            if self._signs() != before:
                raise ServiceAlive(
                    "The service runs on this store: stop all of it, on every host, and call this again. Nothing was changed."
                )

    def _signs(self) -> tuple[int, int]:
        """When a service, and when a pump, has left its last sign of life: milliseconds."""
        marked, beat = self.wire.one("HGET", keys.STORE, "at"), self.wire.one("GET", keys.beat("pump"))
        return int(marked or 0), int(beat or 0)

    def _take(self) -> None:
        self._owner = f"{os.getpid()}-{secrets.token_hex(8)}"
        until = time.monotonic() + LONGEST
        while not self._locked():
            if time.monotonic() > until:
                raise ServiceAlive("Somebody else divides the games of this store at this moment.")
            time.sleep(_POLL)
            self._seen()

    def _go_on(self) -> None:
        """Say that we are still at it. Raises `HeldUp` where somebody else is by now, or was, since we said so last."""
        if not self._locked() or self.wire.one("GET", keys.PARTITIONS) != self._shut.encode():
            raise HeldUp(OVERTAKEN)

    def _locked(self) -> bool:
        return bool(self.wire.call(LOCK, [keys.lock("partitions")], [self._owner, self.lease]))
