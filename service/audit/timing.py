"""Checks a game's instants against its own clock and pace: nothing too early, and every deadline correct.

The instants of a calendar depend on the time zone database. The log has those that the service computed with the
database of that time. The rules of zones change, which is not the game's fault. If another offset of the zone explains
the difference, the report has a note, and the check does not fail (docs/audit.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from domain.kernel.game import AnyGame
from domain.kernel.lifecycle import LEFT, DeadlinePutOff
from domain.kernel.record import Chance, Commit, OpenQuestion, Position
from domain.kernel.terms import SYSTEM, Question
from domain.table import features
from domain.table.clocks import clocks
from domain.table.settle import settle
from domain.table.undo import Undone
from service.core.pace.calendar import MINUTE, SECOND, Calendar
from service.core.pace.clock import bot_wait, clock_of, waits_out_outages
from service.core.pace.working import Stop, has_days_off
from service.core.pace.zones import zone_of

ZONE_SHIFTS = tuple(quarter * 15 * MINUTE for quarter in range(-12, 13) if quarter)
"""Possible shifts of an instant by another release of the time zone database: up to three hours, in quarter hours."""
START_TOLERANCE = SECOND
"""Maximum time before ``begin`` was requested at which a game of form 1 may have started.

Its setup line does not have the time of the start.
"""


class Timing:
    """The clock of one game, up to the last confirmed commit."""

    def __init__(self, pace: Mapping[str, Any], started: int | None) -> None:
        self.pace, self.started = pace, started
        self._slack = 0 if started is not None else START_TOLERANCE
        self.shifted: list[int] = []
        """Commits with deadlines that another time zone database would explain."""
        self.unknown_zone = False
        """Whether this release's time zone database lacks the zone of the game's calendar."""
        self._at = [0]
        """The instant of each commit, by its seq."""

    def record(self, commit: Commit) -> None:
        """Record the instant of the next commit; the first one's is the start of a game of form 1."""
        self._at.append(commit.at)
        if self.started is None:
            self.started = commit.submission.asked_at

    def find_fault(self, before: Position, commit: Commit, after: Position) -> str | None:
        """The fault in the instants of the commit between two positions. None if they are right."""
        submission = commit.submission
        self.record(commit)
        if submission.asked_at > commit.at:
            return f"it was settled at {commit.at}, before it was requested at {submission.asked_at}"
        if commit.seq == 1 and self.started is not None and submission.asked_at < self.started:
            return f"it was requested at {submission.asked_at}, before the game started at {self.started}"
        if commit.refusal is not None:
            return None
        try:
            return (
                self._find_early_action(before, commit)
                or self._find_postponement_fault(before, commit)
                or self._find_deadline_fault(before, commit, after)
            )
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            return f"by this pace nothing can be due: {error!r}"

    def _find_early_action(self, before: Position, commit: Commit) -> str | None:
        """The reason if SYSTEM acted too early, else None. A commit is never earlier than its submission."""
        submission = commit.submission
        if submission.seat != SYSTEM or submission.command.get("type") not in ("expire", "act"):
            return None
        asked = before.question(submission.command["question"])
        assert asked is not None
        if submission.command["type"] == "act":
            return self._find_early_bot(commit, asked.acted or int(asked.id.partition(":")[0]))
        if before.table is not None and before.table.controller(asked.question.seat) == LEFT:
            return None  # no player is waited for
        if asked.due is None:
            return f"the question {asked.id} expired, and had no deadline"
        if submission.asked_at < asked.due:
            return f"the question {asked.id} expired at {submission.asked_at}, and was due at {asked.due}"
        return None

    def _find_early_bot(self, commit: Commit, since: int) -> str | None:
        """The reason if the bot answered too early, else None.

        Bots wait by the store's clock; after that is set back, the log's instants do not advance.
        """
        least, asked_at = self._at[since] + bot_wait(self.pace), commit.submission.asked_at
        stood_still = any(self._at[seq] == self._at[seq - 1] for seq in range(since, commit.seq + 1))
        if asked_at >= least or stood_still:
            return None
        return f"the bot answered at {asked_at}, and was to wait until {least}"

    def _find_postponement_fault(self, before: Position, commit: Commit) -> str | None:
        """The fault in a postponed deadline of the commit, else None."""
        for event in commit.events:
            if not isinstance(event, DeadlinePutOff):
                continue
            asked = before.question(event.question)
            if not waits_out_outages(self.pace):
                return "the deadlines of a calendar are not put off"
            if asked is None or asked.due is None:
                return f"the question {event.question} had no deadline that could be put off"
            if event.due <= asked.due:
                return f"the question {event.question} was due at {asked.due}, and is put off to {event.due}"
        return None

    def _find_deadline_fault(self, before: Position, commit: Commit, after: Position) -> str | None:
        """The fault in the deadline of a new question, compared with the pace. None if all are right."""
        if self._zone_is_unknown():
            return None
        if any(isinstance(event, Undone) for event in commit.events):
            return None  # a question asked again has its remaining time: see `miscounted`
        assert after.table is not None
        stops = clocks.stops(after.table)
        for asked in after.asked:
            if before.question(asked.id) is not None or features.is_asking(asked.question):
                continue  # deadlines of a feature's own questions do not depend on the pace; deciding again has computed them
            at, recorded = (commit.at, asked.due) if asked.held is None else (asked.held.since, asked.held.due)
            due = self._compute_deadline(asked.question, at, stops)
            if recorded == due or self._is_right_if_started_earlier(asked, due):
                continue
            if recorded is not None and recorded in self._list_deadlines_in_other_databases(
                asked.question, at, due, stops
            ):
                self.shifted.append(commit.seq)
                continue
            return f"the question {asked.id} is due at {recorded} in the file and at {due} by the pace"
        return None

    def find_miscount(self, game: AnyGame, chance: Chance, before: Position, commit: Commit) -> str | None:
        """The fault in moved deadlines or used reserve time of a commit, compared with the pace.

        None if they are right.
        """
        recorded = _list_counted(commit)
        counts = any(recorded) or clocks.counts(before.table)
        if commit.refusal is not None or not counts or self._zone_is_unknown():
            return None
        assert self.started is not None
        clock = clock_of(self.pace, self.started)
        again, _ = settle(game, before, commit.submission, commit.at, chance, clock, commit)
        if again.events == commit.events and again.due == commit.due:
            return None
        counted = _list_counted(again)
        if self._has_zone and not _is_fixed(self.pace["zone"]) and all(map(_is_zone_shift, recorded, counted)):
            self.shifted.append(commit.seq)
            return None
        return f"its time is not that of the pace: {recorded} in the file and {counted} by the pace"

    def _compute_deadline(self, question: Question, at: int, stops: Sequence[Stop] = (), early: int = 0) -> int | None:
        assert self.started is not None
        return clock_of(self.pace, self.started - early).stood(stops)(question, at)

    def _is_right_if_started_earlier(self, asked: OpenQuestion, due: int | None) -> bool:
        """Whether the deadline is right for a game of form 1 that started up to `START_TOLERANCE` before ``begin`` was requested."""
        least = self._compute_deadline(asked.question, asked.since, early=self._slack)
        return bool(asked.due and least and due and least <= asked.due <= due)

    def _zone_is_unknown(self) -> bool:
        if self._has_zone and not self.unknown_zone:
            try:
                zone_of(self.pace["zone"])
            except ValueError:
                self.unknown_zone = True
        return self.unknown_zone

    @property
    def _has_zone(self) -> bool:
        """Whether the pace's zone affects deadlines."""
        return self.pace.get("mode") == "calendar" or has_days_off(self.pace)

    def _list_deadlines_in_other_databases(
        self, question: Question, at: int, due: int | None, stops: Sequence[Stop]
    ) -> Iterator[int]:
        """The possible deadlines of the question by other time zone databases; none for a zone with a fixed offset.

        ``due`` is the deadline by this one.
        """
        if not self._has_zone or _is_fixed(self.pace["zone"]):
            return
        if self.pace.get("mode") != "calendar":
            if due is not None and question.seat != SYSTEM:
                for shift in ZONE_SHIFTS:
                    # All dates begin earlier or later, or only those from then on.
                    yield from (due + shift, (self._compute_deadline(question, at - shift) or 0) + shift)
            return
        assert self.started is not None
        calendar, day = Calendar.of(self.pace, self.started, stops), question.about["day"]
        day_begins, day_ends = calendar.end(day - 1), calendar.end(day)
        for shift in ZONE_SHIFTS:
            for first, second in ((shift, shift), (shift, 0), (0, shift)):
                # The first day begins when the game starts, in any zone.
                yield calendar.share(question, day_begins + (first if day > 1 else 0), day_ends + second)

    @property
    def note(self) -> str | None:
        """A note for the report if deadlines cannot be proved with this time zone database, else None."""
        database = f"tzdata {version('tzdata')}"
        if self.unknown_zone:
            return f"deadlines are not computed: {database} has no zone {str(self.pace.get('zone'))[:80]!r}"
        if self.shifted:
            zone, seqs = (
                self.pace["zone"],
                ", ".join(map(str, self.shifted[:5])) + (", …" if len(self.shifted) > 5 else ""),
            )
            return f"{len(self.shifted)} deadlines in {zone} are not those of {database}, but may be of another (seq {seqs})"
        return None


def _list_counted(commit: Commit) -> tuple[Mapping[Any, int], ...]:
    """All instants and durations of a commit that the clock counts, except those of new questions."""
    undone = any(isinstance(event, Undone) for event in commit.events)
    return clocks.deadlines(commit.events), clocks.durations(commit.events), dict(commit.due if undone else ())


def _is_zone_shift(recorded: Mapping[Any, int], counted: Mapping[Any, int]) -> bool:
    """Whether another time zone database may explain the difference."""
    return recorded.keys() == counted.keys() and all(
        recorded[each] - counted[each] in (0, *ZONE_SHIFTS) for each in recorded
    )


def _is_fixed(zone: str) -> bool:
    return zone in ("UTC", "GMT", "Zulu", "UCT", "Universal", "Greenwich") or zone.startswith("Etc/")
