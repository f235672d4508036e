"""Reading a log, its snapshots, and the rows that readers are served."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from domain.terms import GameId, Seat, Seq
from service.store.ports.commits import Rows, Stored


class History(Protocol):
    """What stands in the log of each game."""

    def rows(self, game_id: GameId, seats: Sequence[Seat] = (), *, views: bool = True) -> Rows | None:
        """The newest rows, with the public view and the private parts of these seats, untorn; None before commit 1.

        Without ``views`` only how the game stands: nothing has to be made for it but after another release.
        """

    def rewrite(self, game_id: GameId, rows: Rows, *, watched: bool = False) -> bool:
        """Put the rows anew, with the views that are in them, if the log still stands at their seq.

        ``watched`` says that somebody reads the views: for `WATCHED` milliseconds each commit may as well bring them.
        """

    def asked(self, games: Sequence[GameId], *, archived: bool = True) -> Mapping[GameId, Rows]:
        """Questions and seqs of many games in one round trip (no views); unless ``archived``, without those that lie in the archive.

        Nobody is asked anything there.
        """

    def commits(
        self,
        game_id: GameId,
        first: int = 1,
        last: int | None = None,
        limit: int | None = None,
        *,
        headers: bool = False,
        onto: str = "",
    ) -> Iterator[Stored]:
        """Commits in order, read in pages; their headers only if asked for (who folds has no use for them).

        Each is looked at: raises `chain.BrokenLog` where one is missing, garbled, or does not follow from the one before.
        ``onto`` is the head that the reader holds of the commit before ``first``: raises `chain.WentBack` before anything
        is read where another one stands there, or none.
        """

    def head(self, game_id: GameId) -> tuple[Seq, str]:
        """The newest seq and head (0 and '' before commit 1)."""

    def heads(self, games: Sequence[GameId]) -> Mapping[GameId, tuple[Seq, str]]:
        """As `head`, of many games in one round trip; without those of which it cannot be read."""

    def signature(self, game_id: GameId) -> tuple[str, str, str] | None:
        """The newest signed head, its signature, and the key id."""

    def snapshot(self, game_id: GameId, at_most: int | None = None) -> tuple[Seq, bytes] | None:
        """The newest snapshot of this release whose seq is at most that one, as it was given to `append`.

        One that cannot be unpacked is passed over.
        """

    def drop_snapshot(self, game_id: GameId, seq: Seq) -> None:
        """Throw a snapshot away."""

    def seq_at(self, game_id: GameId, at: int) -> Seq:
        """The last commit settled at or before an instant; 0 if none."""

    def must_be_whole(self, game_id: GameId) -> None:
        """Raises `chain.BrokenLog` where something of the game is kept in another form than the store keeps it in."""
