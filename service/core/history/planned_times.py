"""The planned time of events that a calendar caused, which may be long before they happened."""

from __future__ import annotations

import orjson

from domain.kernel.record import Commit
from domain.kernel.terms import SYSTEM, Seq
from service.core.positions.game_config import GameConfig
from service.store.redis.log.log import Log


class PlannedTimes:
    """The planned instants of a game's deadlines and days, while its history is read in order.

    A question's id names the commit that asked it, and that commit holds the deadline. If clocks were paused, the
    commit
    that resumes them holds a new deadline. Only the plan of a calendar is fixed. In other paces deadlines may be
    postponed, and SYSTEM is asked to answer at once.
    """

    def __init__(self, log: Log, config: GameConfig) -> None:
        self._log = log
        self._game = config.id
        self._calendar = config.pace.get("mode") == "calendar"
        self._due: dict[str, int] = {}

    def find_planned_time(self, commit: Commit) -> int | None:
        """The planned instant of a commit, in milliseconds of Unix time; None if no calendar caused it."""
        if not self._calendar:
            return None
        self._due.update(commit.due)
        command = commit.submission.command
        if commit.refusal is not None or commit.submission.seat != SYSTEM or command["type"] != "expire":
            return None
        return self._planned(command["question"], commit.seq)

    def _planned(self, question: str, expired: int) -> int | None:
        if question not in self._due:
            asked = int(question.partition(":")[0])
            for stored in self._log.commits(self._game, Seq(asked), Seq(expired)):
                self._due.update(orjson.loads(stored.body).get("due", ()))
        return self._due.get(question)
