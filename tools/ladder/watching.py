"""One watched game of a ladder: when it is over for the ladder, and its result."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from domain.kernel.terms import Seat
from tools.simulation.figures import Result

UNSEATED, ABSENT, LATE, RESIGNED, BROKEN_OFF = "unseated", "absent", "late", "resigned", "broken off"
"""Reasons for a forfeit: seat not taken; no command ever; a late answer; resignation; ended by the entrant's own vote."""
FORFEITS: Mapping[str, str] = {
    UNSEATED: "did not take its seat",
    ABSENT: "sent no command",
    LATE: "left a question unanswered for too long",
    RESIGNED: "gave up its seat",
    BROKEN_OFF: "ended the game by a vote",
}
GIVEN_UP = "given up"
"""A game that lasted too long without a forfeit: not counted."""
_ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits, in seconds."""

    answer: float
    """For an entrant's answer to a question."""
    game: float
    """For a whole game."""


@dataclass(slots=True)
class Watched:
    number: int
    id: str
    sitting: Sequence[str]
    """The player of each seat, seat 1 first, by their names on the ladder."""
    entrants: Collection[Seat]
    began: float
    """By `time.monotonic`, as all times here."""
    asked: dict[Seat, tuple[str, float]] = field(default_factory=dict)
    """The pending question of each entrant, and since when."""
    heard: set[Seat] = field(default_factory=set)
    """The entrants that have sent any command, even a refused one."""
    seen: int = 0
    """The newest commit that has been read."""

    def put_off(self, seconds: float) -> None:
        """Do not count the time for which the service was away."""
        self.began += seconds
        self.asked = {seat: (question, since + seconds) for seat, (question, since) in self.asked.items()}

    def unclear(self, summary: Mapping[str, Any]) -> Collection[Seat]:
        """Entrants with the same question although there are new commits: they may have sent commands."""
        if summary["seq"] == self.seen:
            return ()
        return [
            seat for seat, question in self._standing(summary).items() if question == self.asked.get(seat, ("",))[0]
        ]

    def look(
        self, summary: Mapping[str, Any], now: float, limits: Limits, said: Mapping[Seat, bool] = MappingProxyType({})
    ) -> Result | None:
        """The result of the game from its current summary; None while it continues.

        ``said``: those of the `unclear` that have sent commands since, and whether any was accepted.
        """
        given_up = {row["seat"] for row in summary["seats"] if row["seat"] in self.entrants and row["bot"] is not None}
        self._hear(summary, now, said)
        outcome = summary["outcome"]
        if given_up:
            return self._forfeit(RESIGNED, given_up, summary)
        if outcome is not None and outcome["reason"] == _ABORTED:
            return self._forfeit(BROKEN_OFF, set(self.entrants), summary)
        if outcome is not None:
            return self._result(outcome["reason"], outcome["clause"], outcome["winners"], summary)
        if late := {seat for seat, (_, since) in self.asked.items() if now - since > limits.answer}:
            return self._forfeit(LATE if late & self.heard else ABSENT, late, summary)
        if now - self.began > limits.game:
            return self._result(GIVEN_UP, "-", (), summary)
        return None

    def _standing(self, summary: Mapping[str, Any]) -> Mapping[Seat, str]:
        rows = [row for row in summary["pending_questions"] if row["seat"] in self.entrants and row["kind"] != "vote"]
        return {row["seat"]: row["id"] for row in rows}

    def _hear(self, summary: Mapping[str, Any], now: float, said: Mapping[Seat, bool]) -> None:
        standing, self.seen = self._standing(summary), summary["seq"]
        self.heard.update(said)
        for seat, (question, _) in [*self.asked.items()]:
            # A turn is one question, and continues with every accepted command; refused commands are no answer.
            if standing.get(seat) != question or said.get(seat):
                self.heard.add(seat)
                del self.asked[seat]
        for seat, question in standing.items():
            self.asked.setdefault(seat, (question, now))

    def _forfeit(self, why: str, seats: Collection[int], summary: Mapping[str, Any]) -> Result:
        """The result of a game that these seats' players lose and all others win; no winner if all lose."""
        losers = {self.sitting[seat - 1] for seat in seats}
        winners = [seat for seat, name in enumerate(self.sitting, 1) if name not in losers]
        return self._result(why, ", ".join(sorted(losers)), winners, summary)

    def _result(self, reason: str, clause: str, winners: Collection[int], summary: Mapping[str, Any]) -> Result:
        scores = {Seat(int(seat)): points for seat, points in ((summary["outcome"] or {}).get("scores") or {}).items()}
        return Result(self.number, tuple(self.sitting), reason, clause, tuple(winners), scores, summary["seq"], 0.0)


def forfeited_before(number: int, sitting: Sequence[str], losers: Collection[str]) -> Result:
    """The result of a game that did not start: these players lose and all others win."""
    winners = tuple(seat for seat, name in enumerate(sitting, 1) if name not in losers)
    return Result(number, tuple(sitting), UNSEATED, ", ".join(losers), winners, {}, 0, 0.0)


def notes(results: Sequence[Result]) -> list[str]:
    """Sentences for the report, on games that were not finished, and on answers of fallback bots."""
    return [*_by_default(results), *_stood_in(results)]


def _stood_in(results: Sequence[Result]) -> Iterator[str]:
    for name in sorted({name for result in results for name in result.counts}):
        counts = [result.counts[name] for result in results if name in result.counts]
        answers = "1 answer" if sum(counts) == 1 else f"{sum(counts)} answers"
        yield f"{name} was too slow in {_games(len(counts))}: a fallback bot gave {answers}."


def _by_default(results: Sequence[Result]) -> list[str]:
    lines = []
    for why, words in FORFEITS.items():
        for name in sorted({result.clause for result in results if result.reason == why}):
            count = sum((result.reason, result.clause) == (why, name) for result in results)
            lines.append(f"{name} {words} in {_games(count)} and lost.")
    if count := sum(result.reason == GIVEN_UP for result in results):
        lines.append(f"{_games(count)} lasted too long and {'is' if count == 1 else 'are'} not counted.")
    return lines


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"
