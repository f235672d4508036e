"""Folds and decides again the commits of one game, in order, until the first one with a different result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from domain.kernel.errors import RulesFault, StaleSubmission
from domain.kernel.game import AnyGame
from domain.kernel.record import Chance, Commit, Position
from domain.table import features
from domain.table.folding import Folding, fold
from domain.table.redecide import redecide
from service.audit.body import (
    find_difference,
    find_misattribution,
    find_type_error,
    find_unknown_sender,
    is_complete,
    read_submission_id,
)
from service.audit.lines import CommitLine
from service.audit.report import Divergence
from service.audit.timing import Timing
from service.store.codec import BadDocument, UnknownEvent, canonical, encode_body, plain
from service.store.reading.bodies import read_commit, read_well_formed


@dataclass(frozen=True, slots=True)
class GameStatus:
    """The report's data about the current position, as JSON, so that processes can exchange it."""

    drawn: int
    outcome: Any
    """The outcome in the log. None while the game continues."""
    expected_outcome: Any = None
    """The outcome by the rules. Computed once the game is over, like the faults."""
    faults: tuple[str, ...] = ()


class CommitVerifier:
    """The game up to the last confirmed commit."""

    def __init__(self, game: AnyGame, chance: Chance, timing: Timing | None = None) -> None:
        self.game = game
        self.chance = chance
        self.timing = timing
        """Checks the instants. None skips this, for comparing the rules of two releases."""
        self.position = Position()
        self.refusals = 0
        self.stale = 0
        self.faults: list[int] = []
        """Commits refused with ``rules-fault``, which are not decided again."""
        self._settled: dict[str, int] = {}
        """The commit of each submission."""

    def verify_lines(
        self, first: int, commits: Iterable[CommitLine], progress: Callable[[int], None] = lambda _seq: None
    ) -> Divergence | None:
        """Check the next commits of a file, from ``first`` on. Returns the first divergence, or None.

        ``progress`` is called for every hundredth commit.
        """
        for seq, line in enumerate(commits, first):
            if self.position.over:
                return Divergence("AUD-13", "the game had ended before this commit", seq)
            divergence = self.verify(seq, line.header.at, line.header.release, line.body_bytes)
            if divergence is not None:
                return divergence
            if seq % 100 == 0:
                progress(seq)
        return None

    def register_submissions(self, commits: Iterable[CommitLine]) -> None:
        """Register which commit of a file settles each submission, for a caller that does not decide them all."""
        for seq, line in enumerate(commits, 1):
            id_ = read_submission_id(line.body_bytes)
            if id_ is not None:
                self._settled.setdefault(id_, seq)

    def fold(self, first: int, commits: Iterable[CommitLine]) -> None:
        """Advance over the next commits without deciding them. Raises any exception if they cannot be folded."""
        folding = Folding(self.game, self.position)
        for seq, line in enumerate(commits, first):
            commit = read_commit(self.game, seq, line.header.at, line.header.release, line.body_bytes)
            folding.take(commit)
            if self.timing is not None:
                self.timing.record(commit)
        self.position = folding.position()

    def get_status(self, *, whole: bool) -> GameStatus:
        """The current standing; ``whole`` if all commits of the game were confirmed."""
        state, table = self.position.state, self.position.table
        outcome = None if table is None else plain(table.outcome)
        if outcome is None or not whole:
            return GameStatus(self.position.drawn, outcome)
        assert table is not None
        again, faults = plain(features.outcome(self.game, state, table)), tuple(self.game.rules.faults(state))
        return GameStatus(self.position.drawn, outcome, again, faults)

    def reset_counts(self) -> None:
        """Reset the counts of refusals, faults and remarks."""
        self.refusals = self.stale = 0
        self.faults = []
        if self.timing is not None:
            self.timing.shifted = []

    def verify(self, seq: int, at: int, release: str, written: bytes) -> Divergence | None:
        """Check the next commit, given the bytes of its body. Returns None if it is correct, and advances.

        A correct body is also canonical JSON, because the codec would write it like that. For an incorrect one this is
        unknown.
        """
        commit: Commit | Divergence | None = None
        try:
            commit = read_well_formed(self.game, seq, at, release, written)
            # A body that equals the codec's output byte for byte needs no further check.
            same = commit is not None and canonical(encode_body(commit)) == written
        except Exception:  # noqa: BLE001 - the closer check below finds the reason
            same = False
        if not same:
            commit = self._parse_strictly(seq, at, release, written)
        if isinstance(commit, Divergence):
            return commit
        assert commit is not None
        earlier = self._settled.setdefault(commit.submission.id, seq)
        if earlier != seq:
            return Divergence("AUD-09", f"the submission was settled before, by commit {earlier}", seq)
        try:
            divergence = self._compare(commit)
        except Exception as error:  # noqa: BLE001 - an invalid body can raise anything
            return Divergence("AUD-09", f"it cannot be decided again: {error!r}", seq, rule=self._find_clause(commit))
        if divergence is None and commit.refusal is not None:
            self.refusals += 1
            self.stale += commit.refusal.code == StaleSubmission.code
        return divergence

    def _parse_strictly(self, seq: int, at: int, release: str, written: bytes) -> Commit | Divergence:
        """The commit with this body, if it is valid though not as this release writes it; otherwise the divergence."""
        try:
            body = orjson.loads(written)
            if canonical(body) != written:
                return Divergence("AUD-09", "the body is not of the form: it is not canonical", seq)
            commit = read_commit(self.game, seq, at, release, written)
        except UnknownEvent as error:
            return Divergence("AUD-09", f"this release knows no event {error}", seq)
        except BadDocument as error:
            return Divergence("AUD-09", f"the body is not of the form: {error}", seq)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            return Divergence("AUD-09", f"the body is not of the form: {error!r}", seq)
        wrong = find_type_error(body)
        if wrong is not None:
            return Divergence("AUD-09", f"the body is not of the form: {wrong}", seq)
        if not is_complete(commit, body, written):
            return Divergence("AUD-09", "the body has fields that a body does not have, or lacks some", seq)
        return commit

    def _compare(self, commit: Commit) -> Divergence | None:
        before = self.position
        unknown = find_unknown_sender(before, commit)
        if unknown is not None:
            return Divergence("AUD-09", unknown, commit.seq)
        if commit.refusal is not None and commit.refusal.code == RulesFault.code:
            return self._verify_rules_fault(commit)
        again, after = redecide(self.game, before, commit, self.chance)
        differs = find_difference(before, commit, again)
        if differs is not None:
            check, what = differs
            if again.fault is not None:
                what += f" (the rules failed: {again.fault!r})"
            return Divergence(check, what, commit.seq, rule=self._find_clause(commit, again))
        return self._accept(commit, after)

    def _accept(self, commit: Commit, after: Position) -> Divergence | None:
        """Advance to the position after a correct commit, unless its instants are wrong."""
        late = self.timing and (
            self.timing.find_fault(self.position, commit, after)
            or self.timing.find_miscount(self.game, self.chance, self.position, commit)
        )
        if late:
            return Divergence("AUD-12", late, commit.seq, rule=self._find_clause(commit))
        self.position = after
        return None

    def _verify_rules_fault(self, commit: Commit) -> Divergence | None:
        """Checks a commit with a rules fault: only that it had no effect can be checked."""
        before = self.position
        if commit.events or commit.due or (commit.drawn, commit.rolled) != (before.drawn, before.rolled):
            return Divergence("AUD-09", "a command refused with rules-fault has had effects", commit.seq)
        wrong = find_misattribution(commit)
        if wrong is not None:
            return Divergence("AUD-09", wrong, commit.seq)
        self.faults.append(commit.seq)
        return self._accept(commit, fold(self.game, before, commit))

    def _find_clause(self, commit: Commit, again: Commit | None = None) -> str | None:
        """The clause of the commit: that of its refusal, or of the question that was answered."""
        for refusal in (commit.refusal, again.refusal if again else None):
            if refusal is not None and refusal.rule is not None:
                return refusal.rule
        return next((a.question.clause for a in self.position.asked if a.question.seat == commit.seat), None)
