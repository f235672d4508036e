"""Folding and re-deciding the commits of one game, one after another, until the first whose result differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from domain.errors import RulesFault, Stale
from domain.game import AnyGame
from domain.play.folding import Folding, fold
from domain.play.parts import around
from domain.play.record import Chance, Commit, Position
from domain.play.redecide import redecide
from service.audit.body import difference, is_whole, misattributed, misshapen, submission_id, unknown_sender
from service.audit.lines import CommitLine
from service.audit.report import Divergence
from service.audit.timing import Timing
from service.store.codec import BadDocument, UnknownEvent, canonical, encode_body, plain
from service.store.reading.bodies import read_commit, read_well_formed


@dataclass(frozen=True, slots=True)
class Standing:
    """What the report tells of the position that the deciding has come to, as JSON: processes can tell it to each other."""

    drawn: int
    outcome: Any
    """What stands in the log; None while the game goes on."""
    ruled: Any = None
    """What the rules say of the position; looked up once the game is over, as the faults are."""
    faults: tuple[str, ...] = ()


class Deciding:
    """The game as far as its commits have been found right."""

    def __init__(self, game: AnyGame, chance: Chance, timing: Timing | None = None) -> None:
        self.game = game
        self.chance = chance
        self.timing = timing
        """Checks the instants; None leaves them unchecked, for a comparison of two releases' rules."""
        self.position = Position()
        self.refusals = 0
        self.stale = 0
        self.faults: list[int] = []
        """The commits refused with ``rules-fault``: they are not decided again."""
        self._settled: dict[str, int] = {}
        """The commit of each submission."""

    def lines(
        self, first: int, commits: Iterable[CommitLine], progress: Callable[[int], None] = lambda _seq: None
    ) -> Divergence | None:
        """The next commits, from ``first`` on, as they stand in a file: the first divergence, or None if they are right.

        ``progress`` is told every hundredth commit.
        """
        for seq, line in enumerate(commits, first):
            if self.position.over:
                return Divergence("AUD-13", "the game had ended before this commit", seq)
            divergence = self.take(seq, line.header.at, line.header.release, line.body_bytes)
            if divergence is not None:
                return divergence
            if seq % 100 == 0:
                progress(seq)
        return None

    def expect(self, commits: Iterable[CommitLine]) -> None:
        """Note beforehand which commit of a file settles each submission, for one who does not decide them all."""
        for seq, line in enumerate(commits, 1):
            id_ = submission_id(line.body_bytes)
            if id_ is not None:
                self._settled.setdefault(id_, seq)

    def fold(self, first: int, commits: Iterable[CommitLine]) -> None:
        """Go on over the next commits without deciding them; raises anything where they cannot be folded."""
        folding = Folding(self.game, self.position)
        for seq, line in enumerate(commits, first):
            commit = read_commit(self.game, seq, line.header.at, line.header.release, line.body_bytes)
            folding.take(commit)
            if self.timing is not None:
                self.timing.passed(commit)
        self.position = folding.position()

    def standing(self, *, whole: bool) -> Standing:
        """How the game stands; with ``whole``, all of its commits were right."""
        state, table = self.position.state, self.position.table
        outcome = None if table is None else plain(table.outcome)
        if outcome is None or not whole:
            return Standing(self.position.drawn, outcome)
        assert table is not None
        again, faults = plain(around.outcome(self.game, state, table)), tuple(self.game.faults(state))
        return Standing(self.position.drawn, outcome, again, faults)

    def count_anew(self) -> None:
        """Count refusals, faults and remarks from here on."""
        self.refusals = self.stale = 0
        self.faults = []
        if self.timing is not None:
            self.timing.shifted = []

    def take(self, seq: int, at: int, release: str, written: bytes) -> Divergence | None:
        """The next commit, whose body these bytes are: None if it is right, and then the game stands after it.

        What is right is also JSON in canonical form, since the codec would write it so; of what is not, nobody knows.
        """
        commit: Commit | Divergence | None = None
        try:
            commit = read_well_formed(self.game, seq, at, release, written)
            # What the codec writes of values of the right types, to the last byte, needs no second look.
            same = commit is not None and canonical(encode_body(commit)) == written
        except Exception:  # noqa: BLE001 - whatever it is, the words for it are found by looking closer
            same = False
        if not same:
            commit = self._looked_closer(seq, at, release, written)
        if isinstance(commit, Divergence):
            return commit
        assert commit is not None
        earlier = self._settled.setdefault(commit.submission.id, seq)
        if earlier != seq:
            return Divergence("AUD-09", f"the submission was settled before, by commit {earlier}", seq)
        try:
            divergence = self._compare(commit)
        except Exception as error:  # noqa: BLE001 - a body that no service ever wrote can break anything
            return Divergence("AUD-09", f"it cannot be decided again: {error!r}", seq, rule=self._clause(commit))
        if divergence is None and commit.refusal is not None:
            self.refusals += 1
            self.stale += commit.refusal.code == Stale.code
        return divergence

    def _looked_closer(self, seq: int, at: int, release: str, written: bytes) -> Commit | Divergence:
        """The commit whose body these bytes are, if they are one, though not as this release writes it; else what is wrong."""
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
        wrong = misshapen(body)
        if wrong is not None:
            return Divergence("AUD-09", f"the body is not of the form: {wrong}", seq)
        if not is_whole(commit, body, written):
            return Divergence("AUD-09", "the body has fields that a body does not have, or lacks some", seq)
        return commit

    def _compare(self, commit: Commit) -> Divergence | None:
        before = self.position
        unknown = unknown_sender(before, commit)
        if unknown is not None:
            return Divergence("AUD-09", unknown, commit.seq)
        if commit.refusal is not None and commit.refusal.code == RulesFault.code:
            return self._exempt(commit)
        again, after = redecide(self.game, before, commit, self.chance)
        differs = difference(before, commit, again)
        if differs is not None:
            check, what = differs
            if again.fault is not None:
                what += f" (the rules failed: {again.fault!r})"
            return Divergence(check, what, commit.seq, rule=self._clause(commit, again))
        return self._stands(commit, after)

    def _stands(self, commit: Commit, after: Position) -> Divergence | None:
        """Go on to the position after a commit that is right, unless its instants are not."""
        late = self.timing and (
            self.timing.wrong(self.position, commit, after)
            or self.timing.miscounted(self.game, self.chance, self.position, commit)
        )
        if late:
            return Divergence("AUD-12", late, commit.seq, rule=self._clause(commit))
        self.position = after
        return None

    def _exempt(self, commit: Commit) -> Divergence | None:
        """A command that the rules failed on: only that it has had no effects can be checked."""
        before = self.position
        if commit.events or commit.due or (commit.drawn, commit.rolled) != (before.drawn, before.rolled):
            return Divergence("AUD-09", "a command refused with rules-fault has had effects", commit.seq)
        wrong = misattributed(commit)
        if wrong is not None:
            return Divergence("AUD-09", wrong, commit.seq)
        self.faults.append(commit.seq)
        return self._stands(commit, fold(self.game, before, commit))

    def _clause(self, commit: Commit, again: Commit | None = None) -> str | None:
        """The rule that the commit is about: that of a refusal, or of the question that was answered."""
        for refusal in (commit.refusal, again.refusal if again else None):
            if refusal is not None and refusal.rule is not None:
                return refusal.rule
        return next((a.question.clause for a in self.position.asked if a.question.seat == commit.seat), None)
