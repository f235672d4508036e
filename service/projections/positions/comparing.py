"""Whether the present rules decide a game as it was decided by those of another release: the first commit that would differ."""

from __future__ import annotations

import time

from domain.play.record import NO_COMMIT, Position
from domain.terms import Seq
from service.audit.deciding import Deciding
from service.audit.report import Divergence
from service.projections.positions.cache import folded
from service.projections.positions.facts import Facts
from service.store.chain import BrokenLog
from service.store.codec import UnknownEvent
from service.store.ports.log import Log

LEAST = 16
"""Commits that are decided again at a time however long that takes: a game is not played as fast."""


class Comparison:
    """How far the present rules have decided a game's commits again, and where they first came to something else."""

    def __init__(self, facts: Facts, since: Seq = NO_COMMIT) -> None:
        """``facts`` have the present rules; nothing is looked at yet.

        What stands up to the commit ``since`` is folded and not decided again: the players have agreed to go on from it.
        """
        self.facts, self.since = facts, since
        self.divergence: Divergence | None = None
        """The first commit that would differ: what comes after it says nothing."""
        self._deciding = Deciding(facts.rules, facts.chance)
        self._head = ""

    @property
    def seq(self) -> Seq:
        """The last commit that they decide alike."""
        return self._deciding.position.seq

    @property
    def before(self) -> Position:
        """How the game stands after that one, by the present rules."""
        return self._deciding.position

    def go_on(self, log: Log, last: Seq, seconds: float) -> bool:
        """Decide on up to ``last``, for so long and `LEAST` commits; whether all these commits come to the same.

        Raises `WentBack` where the log does not go on from what was decided, and `BrokenLog`.
        """
        until = time.monotonic() + seconds
        if self.divergence is None and self.seq < self.since <= last:
            self._pass_over(log)
        first = self.seq
        if self.divergence is None and self.seq < last:
            for stored in log.commits(self.facts.id, self.seq + 1, last, onto=self._head):
                self.divergence = self._deciding.take(stored.seq, stored.at, stored.release, stored.body)
                if self.divergence is not None:
                    break
                self._head = stored.head
                if stored.seq >= first + LEAST and time.monotonic() > until:
                    break
        return self.divergence is None and self.seq >= last

    def _pass_over(self, log: Log) -> None:
        """Fold what is not decided again."""
        start = self.facts.beginning()
        try:
            position = folded(self.facts.rules, start, log.commits(self.facts.id, 1, self.since))
        except (UnknownEvent, BrokenLog) as error:
            self.divergence = Divergence(
                "AUD-09", f"the present rules cannot read what stands up to it: {error}", self.since
            )
            return
        self._deciding.position, self._head = position, position.head
