"""The outbox: pending deliveries per game and subscription, written by the append itself."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from domain.kernel.terms import GameId, PlayerId

NO_GAME = GameId("-")
"""Replaces the game id for deliveries that concern no game, such as a test."""

MAX_SUBSCRIPTIONS_PER_GAME = 500
"""Maximum number of subscriptions to one game; each adds a few microseconds to every commit."""


MOST_COUNTED, SOON = 1000, 6000
"""Entries of a partition that `Outbox.due` counts at most, and its look-ahead in milliseconds: longer than a lease."""

CAUSES = 8
"""Number of recent commits of a game whose request ids are stored."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription to one game, or to all games of its owner, for one kind of delivery."""

    id: str
    kind: str
    """Name of the kind of delivery (`service.core.notifications.deliveries`)."""
    owner: PlayerId
    game: GameId | None
    """The one game; None for every game that its owner created or has a seat in."""
    made_at: int
    terms: Mapping[str, Any] = field(repr=False)
    """Settings of its kind of delivery, such as an address; a JSON object. May contain secrets."""
    active: bool = True
    """Whether it receives games' events."""
    app: str = ""
    """Id of the connection of the app that created it, which it ends with; empty if the player did."""


@dataclass(frozen=True, slots=True)
class DeliveryCursor:
    """Progress of the deliveries to one subscription for one game."""

    seq: int = 0
    """The last commit that needs no further delivery."""
    tries: int = 0
    """Failed tries of the current delivery."""
    since: int = 0
    """When its first try was; 0 before."""
    note: str = ""
    """A note that its kind of delivery stores; one line."""

    def pack(self) -> str:
        return f"{self.seq} {self.tries} {self.since} {self.note}"

    @staticmethod
    def unpack(text: str) -> DeliveryCursor:
        """The opposite of `packed`; raises `ValueError` for anything else."""
        seq, tries, since, note = text.split(" ", 3)
        return DeliveryCursor(int(seq), int(tries), int(since), note)


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """A pending delivery, leased to one process."""

    game_id: GameId
    subscription: str
    subject: str
    """Empty for the commits after ``cursor.seq``; otherwise the name given to `Outbox.put`."""
    cursor: DeliveryCursor | None
    """None if the subscription no longer receives the game."""
    lease_ends: int
    """When the lease ends; unique among the leases of the same delivery."""
    due_since: int = 0
    """When it became due, as of the claim."""
    claimed_at: int = 0
    """When it was claimed, milliseconds by the store's clock."""
    claimed_monotonic: float = field(default_factory=time.monotonic, compare=False)
    """The time of the claim by this process's monotonic clock, in seconds."""

    def now(self) -> int:
        """The store's current time in milliseconds, from `claimed_at` and the time passed here, without a call."""
        return self.claimed_at + int(1000 * (time.monotonic() - self.claimed_monotonic))

    @property
    def key(self) -> tuple[GameId, str, str]:
        """Identity of the delivery."""
        return self.game_id, self.subscription, self.subject


@dataclass(frozen=True, slots=True)
class OutboxStats:
    pending: int = 0
    """Pending deliveries, including those that wait for another try."""
    oldest: int | None = None
    """Milliseconds since the longest waiting of them was due; None if there are none."""
    dead: int = 0
    """Deliveries that were given up, ever."""


MAX_RECORDED_ATTEMPTS = 100
"""Tries that are stored per subscription, and the same number of dead deliveries."""
