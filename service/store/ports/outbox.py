"""The outbox: which subscriptions are owed a word about which games, written down by the append itself."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from domain.terms import GameId, PlayerId

EVERYWHERE = GameId("-")
"""Stands for the game of what a subscription is owed apart from any game, such as a test."""

MOST_LISTENING = 500
"""Subscriptions that one game is told to at most; each of them costs every commit a few microseconds."""


MOST_COUNTED, SOON = 1000, 6000
"""Entries of a partition that `Outbox.due` counts, and the milliseconds ahead that it looks: longer than a lease."""

CAUSES = 8
"""Commits of a game of which it is remembered which request they came of."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """Somebody wants to be told of a game, or of all their games, by some kind of delivery."""

    id: str
    kind: str
    """How its words are delivered (`workers.post.deliveries`)."""
    owner: PlayerId
    game: GameId | None
    """The one game; None for every game that its owner has made or has a seat in."""
    made_at: int
    terms: Mapping[str, Any] = field(repr=False)
    """What its kind of delivery goes by, such as an address; a JSON object. It may hold secrets."""
    active: bool = True
    """Whether games are told to it."""


@dataclass(frozen=True, slots=True)
class Told:
    """How far one subscription has been told of one game."""

    seq: int = 0
    """The last commit that it needs to hear nothing more of."""
    tries: int = 0
    """How often the word after that was tried in vain."""
    since: int = 0
    """When it was tried first; 0 before."""
    note: str = ""
    """What its kind of delivery wants to remember besides; one line."""

    def packed(self) -> str:
        """As one line of text."""
        return f"{self.seq} {self.tries} {self.since} {self.note}"

    @staticmethod
    def unpacked(text: str) -> Told:
        """What was packed; raises `ValueError` for anything else."""
        seq, tries, since, note = text.split(" ", 3)
        return Told(int(seq), int(tries), int(since), note)


@dataclass(frozen=True, slots=True)
class Owed:
    """Something that a subscription is owed, and that nobody else sees to as long as the lease lasts."""

    game_id: GameId
    subscription: str
    what: str
    """Empty for the commits after ``told.seq``; else what was put there by `Outbox.put`."""
    told: Told | None
    """None where the game is not told to it any more."""
    until: int
    """When the lease ends; no later lease of the same thing ends then."""
    since: int = 0
    """Since when it was due, as it was claimed."""
    claimed: int = 0
    """When it was claimed, milliseconds by the store's clock."""
    read: float = field(default_factory=time.monotonic, compare=False)
    """The same by this process's clock, in seconds."""

    def now(self) -> int:
        """The time by the store's clock, without a call to it: when it was claimed, and what has passed here since."""
        return self.claimed + int(1000 * (time.monotonic() - self.read))

    @property
    def place(self) -> tuple[GameId, str, str]:
        """What is owed, apart from how it stands."""
        return self.game_id, self.subscription, self.what


@dataclass(frozen=True, slots=True)
class OutboxCensus:
    """What the outbox holds."""

    owed: int = 0
    """Words that are owed, those among them that wait for another try."""
    oldest: int | None = None
    """For how many milliseconds the longest waiting of them has been due; None where none is."""
    dead: int = 0
    """Words that were given up, ever."""


MOST_NOTED = 100
"""Tries, and besides dead words, that are remembered of a subscription."""
