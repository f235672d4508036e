"""The log of commands and commits, with its history and its schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from domain.terms import GameId
from service.store.ports.commits import Append, Stored
from service.store.ports.history import History
from service.store.ports.schedule import Schedule
from service.store.ports.waiting import Receipt, Work


class Log(History, Schedule, Protocol):
    """The commands that wait and the commits that stand, per game."""

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
        """Accept a submission document (``asked_at`` is set by the store) into the command stream, once per id.

        In this order: known id (with its body digest), rate of refusals, game running, not set aside for this release
        (players alone; the status is the mark's code), If-Match (``expected`` against the
        seat's seen), how many wait, and rate of what nobody asked for (``unasked``, 0 is no limit): of seats that are asked
        nothing, and of commands that answer nothing (``anytime`` of them). Marks the game ready, and says whether a worker
        must be woken.

        Where the outcome is waited for (`TELL`), it may be lost with the server until its commit is there, or `outcome` has
        said that it is pending: nobody has been told of it till then.

        A whole list (`service.store.shared.lists.first_of`) is known by the list's id, and counts for as many as it holds.
        """

    def outcome(self, game_id: GameId, submission_id: str) -> Stored | str | None:
        """The commit it came to, without its header; ``pending``; ``over`` if the game ended before it; None if unknown.

        ``list`` for the id of a list: `outcomes` tells of its commands. What is said to be pending stays, whatever happens.
        """

    def outcomes(self, game_id: GameId, list_id: str) -> Sequence[Stored | str] | None:
        """As `outcome`, of each command of a list at one moment; None if there is no such list.

        ``left`` is one that was not and will not be tried, ``pending`` also one that waits for those before it.
        """

    def claim(self, partitions: Sequence[int], limit: int, lease: int, entries: int = 32) -> Sequence[Work]:
        """Ready games with what waits in them, leased for ``lease`` milliseconds so that others look elsewhere.

        Leases guard nothing. One can be told from every other of its game, so that `sweep` finds those that have not moved
        for as long as they last, or that lie further ahead than they can last because the clock was set back.
        """

    def work(self, games: Sequence[GameId], limit: int = 32) -> Sequence[Work]:
        """What waits in these games now, in one round trip."""

    def release(self, game_id: GameId, later: int = 0) -> bool:
        """Done with a claimed game for now; True if more commands are waiting and it is ready again at once.

        Nothing happens if the lease has lapsed and somebody else has the game. With ``later`` nobody is given it for so
        many milliseconds, and then somebody is, whether or not anything waits in it.
        """

    def release_all(self, games: Sequence[GameId]) -> Sequence[bool]:
        """`release` them, in one round trip; nothing happens to those that were released with their last append."""

    def watched(self, game_id: GameId) -> bool:
        """Whether somebody had read the game's views lately when this process appended to it last: worth making them."""

    def append(self, batch: Sequence[Append]) -> Sequence[Exception | None]:
        """Append commits in order, in atomic calls of one or several (`Append.joined`), pipelined; for each None or `StaleWrite`.

        `NotAlone`, where a call settles what has never waited: whatever did is to be appended without it.
        After a `StaleWrite` the later ones of the same game are stale too. Publishes the news of each game. What is due
        now is submitted in the same call. Of a game that is over, commands still waiting are given the outcome ``over``.
        """
