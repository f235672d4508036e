"""The outbox: which subscriptions are owed a word about which games, written down by the append itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from domain.terms import GameId, PlayerId, Seq

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
    newest: Seq
    """How far the game is."""
    until: int
    """When the lease ends; no later lease of the same thing ends then."""
    since: int = 0
    """Since when it was due, as it was claimed."""

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


class Outbox(Protocol):
    """What is owed, by game and subscription. An entry holds no more than these: what is told is made from the log.

    `Log.append` writes an entry for every subscription that its game is told to, in the same call, so that no word is without
    its commit and none is lost. A game that is told to nobody has a field that is not there, and nothing is written.
    """

    def listen(self, games: Sequence[GameId], subscription: str) -> Sequence[bool]:
        """These games are told to a subscription, from their next commit on; one that was listened to goes on as it stood.

        For each whether it is: not where there is no such game, where it is over, or where `MOST_LISTENING` listen already.
        """

    def leave(self, games: Collection[GameId], subscription: str) -> None:
        """These games are told to it no more, and what it was owed of them is dropped."""

    def put(self, game_id: GameId, subscription: str, what: str) -> None:
        """It is owed something besides commits: a text without blanks that its kind of delivery understands."""

    def claim(self, partitions: Iterable[int], limit: int, lease: int) -> Sequence[Owed]:
        """What is due in these partitions, at most so much of each, leased for so many milliseconds."""

    def keep(self, owed: Sequence[Owed], lease: int) -> Sequence[Owed | None]:
        """The same leased for longer, each as it is leased now; None where the lease was lost."""

    def settle(self, owed: Owed, told: Told | None, again: int | None = None) -> bool:
        """Done with it for now: how far it has been told, and when it is to be looked at again though no commit comes.

        Without ``again`` it is owed at once if the game has gone further than that, and else with its next commit. Without
        ``told`` it is dropped. False, and nothing is written, where the lease was lost.
        """

    def caused(self, game_id: GameId, seq: int) -> str:
        """What the request is called that a commit came of, while it is one of the last `CAUSES` that did and are told to anybody; or ''."""

    def owing(self) -> set[int]:
        """Partitions in which somebody has come to be owed something, as far as this process knows: since it was asked last.

        By its own appends, and by its sweeps for what others have left lying.
        """

    def census(self) -> OutboxCensus:
        """How much there is."""

    def due(self) -> Mapping[str, int]:
        """How many entries of each subscription are due, leased, or due within `SOON`; `MOST_COUNTED` of a partition at most."""


class Subscriptions(Protocol):
    """Who wants to be told, and what became of it."""

    def add(self, subscription: Subscription, most: int) -> bool:
        """A new one; False, and nothing is written, where its owner has so many (0: no limit) others of its kind.

        Under an id that stands already it takes its place, if that is its owner's; False where it is somebody else's.
        """

    def get(self, id_: str) -> Subscription | None: ...

    def of(self, players: Iterable[PlayerId]) -> Sequence[Subscription]:
        """Those of these players, oldest first."""

    def change(self, subscription: Subscription, was: Subscription | None = None) -> bool:
        """Put it in place of what stood under its id; False where there is none any more, or (with ``was``) another by now."""

    def remove(self, subscription: Subscription) -> None:
        """It is gone, with all that was noted."""

    def note(self, id_: str, delivery: Mapping[str, Any], *, dead: bool = False) -> None:
        """Note what became of a try, the newest first; the oldest are forgotten. ``dead`` ones have a list of their own too."""

    def noted(self, id_: str, *, dead: bool = False) -> Sequence[Mapping[str, Any]]:
        """What was noted, or only of what is ``dead``; the newest first."""

    def every(self) -> Iterable[Subscription]:
        """All of them, in no order: for what looks after them."""


MOST_NOTED = 100
"""Tries, and besides dead words, that are remembered of a subscription."""
