"""Time and care: the clock, what is due, leases, locks, signs of life, and games set aside."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from domain.terms import GameId
from service.store.ports.waiting import Due, Mark, Receipt, Waiting


class Schedule(Protocol):
    """What is due when, who works on what, and which games are left alone."""

    def partition(self, game_id: GameId) -> int:
        """The partition a game belongs to: what `claim`, `sweep` and a wake go by."""

    def now(self) -> int:
        """The store's clock: milliseconds of Unix time. No other clock decides anything."""

    def sweep(self, partition: int) -> int:
        """Re-mark games whose lease ran out and submit what is due now.

        Answers how many games a worker must be woken for: those that became ready, and those whose wake seems lost
        because they have been ready for a second.
        """

    def sweep_all(self, partitions: Sequence[int]) -> Mapping[int, int]:
        """The same for several partitions at once: the answer of each."""

    def clock_back(self, partition: int, by: int) -> int:
        """The clock was set back by so many milliseconds: what bots wait for is brought forward by as much.

        What players were promised stays. Answers how much was brought forward.
        """

    def awaited(self, partitions: Collection[int], within: int) -> Sequence[tuple[GameId, str]]:
        """The questions (`Due.question`) that bots are to have thought over within so many milliseconds from now."""

    def overdue(self, partition: int, since: int) -> Sequence[tuple[GameId, Due]]:
        """Deadlines of players that passed between ``since`` and now and are not yet submitted."""

    def put_off(self, game_id: GameId, question: str, by: int) -> Receipt:
        """Submit ``put_off`` for a deadline, once for each question and outage, instead of its ``expire``."""

    def stalled(self) -> Sequence[GameId]:
        """Games marked ``stalled``."""

    def mark(self, game_id: GameId, mark: Mark | None) -> None:
        """Note that a game is set aside; with None that it is not any more."""

    def marked(self, game_id: GameId) -> Mark | None:
        """Why a game is set aside; None if it is not."""

    def marks(self, near: GameId | None = None) -> Mapping[GameId, Mark]:
        """The games that are set aside; with ``near`` only those of that game's partition."""

    def census(self) -> Mapping[str, int]:
        """How many games are ``ready``, ``claimed`` and ``stalled``, and how many deadlines are ``due`` some time.

        ``overdue`` is for how many milliseconds the oldest of these has been up without being submitted. Besides how many
        games are set aside, by the code of their marks.
        """

    def waiting(self) -> Sequence[Waiting]:
        """The oldest command of games in which some wait, the longest waiting games of each partition among them.

        Games that were put aside (`release` with ``later``) and have had no commit since are left out.
        """

    def lock(self, name: str, milliseconds: int) -> bool:
        """Take a lock that frees itself; True if it was free (or is ours, and is prolonged).

        One that has longer to go than it can last, because the clock was set back, is free.
        """

    def beat(self, name: str) -> int | None:
        """Leave a sign of life; the instant of the previous one, if there was one."""

    def last_beat(self, name: str) -> int | None:
        """The instant of the last sign of life."""

    def keys(self) -> Mapping[str, str]:
        """Every signing key ever used: key id → public key, hex."""

    def add_key(self, key_id: str, public: str) -> None: ...
