"""The audit of one export file: all checks in order, and the first fault of each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from domain import RELEASE
from domain.kernel.dice import dice_key
from domain.kernel.game import AnyGame
from domain.kernel.record import Chance
from domain.registry import GAMES
from service.audit.anchors import PublishedLog, TrustAnchors, verify_anchors
from service.audit.lines import Export
from service.audit.parser import SEED, InvalidLine, get_signed_bytes, parse_export, parse_outline
from service.audit.processes import can_fork
from service.audit.report import AFTER_THE_END, CHECKS, AuditReport, Divergence, Status
from service.audit.segments import SEGMENT_SIZE, verify_segments
from service.audit.timing import Timing
from service.audit.verifier import CommitVerifier, GameStatus
from service.store.codec import canonical, plain
from service.store.seal import commitment, digest, head_of, key_id, salt, verify

ProgressCallback = Callable[[int, int], None]
"""Called about every hundred commits with the number done and the total."""

MIN_PARALLEL_COMMITS = 8 * SEGMENT_SIZE
"""Commits. A shorter game is replayed faster than processes start."""


def audit(
    data: bytes,
    *,
    games: Mapping[str, AnyGame] = GAMES,
    keys: Collection[str] = (),
    heads: Collection[str] = (),
    log: PublishedLog | None = None,
    progress: ProgressCallback | None = None,
    jobs: int = 1,
) -> AuditReport:
    """Check the bytes of an export file.

    ``keys`` are public keys and ``heads`` are heads of this game from an independent source, hex. ``log`` is the
    caller's evidence about the log of heads. Without any of these, a file can be found self-consistent, but not
    authentic.

    A long game is decided again in ``jobs`` processes; the result does not depend on their number. Raises nothing for
    any bytes, and `service.audit.processes.Inconclusive` if one of its own processes is killed.
    """
    try:
        audited = _Audit(parse_outline(data), games, progress, jobs)
        audited.check(data, TrustAnchors(frozenset(keys), frozenset(heads), log))
        if not audited.is_confirmed:
            parse_export(data)  # some bodies were not checked
    except InvalidLine as error:
        return AuditReport(
            {id_: "failed" if id_ == "AUD-01" else "skipped" for id_ in CHECKS},
            (Divergence("AUD-01", error.what, error.seq, error.number),),
        )
    return audited.report()


def find_fault(data: bytes, export: Export) -> Divergence | None:
    """The first fault of an export that can be found without deciding commits again."""
    audited = _Audit(export, {}, None, 1)
    audited.check_alone(data)
    return next(iter(audited.divergences), None)


class _Audit:
    def __init__(
        self, export: Export, games: Mapping[str, AnyGame], progress: ProgressCallback | None, jobs: int
    ) -> None:
        self.export = export
        self.game = games.get(export.setup.kind)
        self.jobs = jobs
        self.progress = progress or (lambda _done, _all: None)
        self.divergences: list[Divergence] = []
        self.notes: dict[str, str] = {}
        self.skipped: set[str] = set()
        self.unvouched: list[str] = []
        self.heads: list[str] = []
        self.authenticated = False
        self.verifier: CommitVerifier | None = None
        self.status: GameStatus | None = None
        self.is_confirmed = export.seed is None
        """Whether all bodies of the file, if any, were confirmed by deciding them again."""

    def check(self, data: bytes, trust: TrustAnchors) -> None:
        """Run all checks in order; raises nothing."""
        self.check_alone(data)
        if self.export.seed is not None:
            self.redecide()
        self.check_anchors(trust)

    def check_alone(self, data: bytes) -> None:
        """Run the checks that need neither the rules nor independent evidence."""
        self.check_file(data)
        self.check_chain()
        self.check_signatures()
        if self.export.seed is not None:
            self.check_setup()
            self.check_chance()
            self.check_bodies()

    def fail(self, check: str, what: str, seq: int | None = None, line: int | None = None) -> None:
        if all(divergence.check != check for divergence in self.divergences):
            self.divergences.append(Divergence(check, what, seq, line))

    @property
    def _events(self) -> list[Any]:
        """The events of commit 1, not validated."""
        events = (self.export.commits[0].body or {}).get("events")
        return events if isinstance(events, list) else []

    @property
    def begin_event(self) -> Mapping[str, Any]:
        """The ``game_begun`` event of commit 1; an empty object if commit 1 has no events."""
        return next((event for event in self._events[:1] if isinstance(event, dict)), {})

    # -- checks without secrets --------------------------------------------------------------------------------------

    def check_file(self, data: bytes) -> None:
        last = self.export.lines
        if hashlib.sha256(get_signed_bytes(data)).hexdigest() != self.export.end.sha256:
            self.fail("AUD-02", "the bytes before the last line have another SHA-256", line=last)
        if self.export.end.commits != len(self.export.commits):
            found = f"the last line counts {self.export.end.commits} commits, there are {len(self.export.commits)}"
            self.fail("AUD-02", found, line=last)

    def check_chain(self) -> None:
        setup = self.export.setup
        origin = "64 zeros" if setup.form == 1 else "the digest of the set-up line"
        previous, at = setup.origin, setup.started or 0
        for seq, commit in enumerate(self.export.commits, 1):
            header = commit.header
            if header.game != setup.game:
                self.fail("AUD-03", f"the header names another game, {header.game[:80]!r}", seq)
            if header.seq != seq:
                self.fail("AUD-03", f"here the header {seq} is due, not {header.seq}", seq)
            if header.previous != previous:
                before = "that of the header before it" if seq > 1 else origin
                self.fail("AUD-03", f"the head before it is not {before}", seq)
            if header.at < at:
                self.fail("AUD-03", f"it was settled at {header.at}, before the commit before it", seq)
            previous, at = head_of(commit.header_bytes), header.at
            self.heads.append(previous)
        if self.export.end.head != previous:
            self.fail("AUD-03", "the last line names another head than that of the last header", len(self.heads))

    def check_signatures(self) -> None:
        end = self.export.end
        for signature in end.signatures:
            over = {"head": end.head, "file": end.sha256}[signature.of]
            if key_id(bytes.fromhex(signature.public)) != signature.key:
                self.fail("AUD-04", f"the key id {signature.key} is not that of the key beside it")
            if not verify(bytes.fromhex(signature.public), over, signature.signature):
                self.fail("AUD-04", f"the signature of the {signature.of} is not that of the key beside it")
        if not end.signatures:
            self.notes["AUD-04"] = "the file has none"

    def check_anchors(self, trust: TrustAnchors) -> None:
        found = verify_anchors(self.export, self.heads, trust)
        for divergence in found.divergences:
            self.fail(*divergence)
        self.notes |= found.notes
        self.skipped |= found.skipped
        self.authenticated = found.authenticated
        self.unvouched = found.unvouched

    # -- checks after the end of the game ----------------------------------------------------------------------------

    def check_setup(self) -> None:
        setup, begun = self.export.setup, self.begin_event
        names = ("game", "kind", "ruleset", "options", "modules", "controllers", "pace", "commitment", "sandbox")
        for name in names:
            if canonical(plain(getattr(setup, name))) != canonical(begun.get(name)):
                self.fail("AUD-05", f"commit 1 has another {name!r} than the set-up", 1)
        types = [event.get("type") for event in self._events if isinstance(event, dict)]
        if "position_set" in types and not setup.sandbox:
            self.fail("AUD-05", "it begins from a given position, which only a sandbox may", 1)

    def check_chance(self) -> None:
        line, begun = self.export.seed, self.begin_event
        assert line is not None
        seed, last = bytes.fromhex(line.seed), len(self.export.commits)
        if commitment(seed) != begun.get("commitment"):
            self.fail("AUD-06", "the seed is not the one that commit 1 holds the digest of", 1)
        entropy = begun.get("entropy")
        if not isinstance(entropy, list) or [*map(tuple, line.entropy)] != [*enumerate(entropy, 1)]:
            self.fail("AUD-06", "commit 1 holds other entropy than the seed line", 1)
        if dice_key(seed, self.export.setup.game, line.entropy).hex() != line.key:
            self.fail("AUD-06", "the dice key does not follow from seed, game and entropy", line=last + 2)
        if self.export.dice is not None and not self.export.setup.sandbox:
            self.fail("AUD-06", "there are scripted dice, which only a sandbox may have", line=last + 2)
        for seq, commit in enumerate(self.export.commits, 1):
            body = (commit.body or {}) if SEED in commit.body_bytes else {}
            if body.get("seed") != line.seed if seq == last else "seed" in body:
                self.fail("AUD-06", "the seed must be in the body of the last commit, and in no other", seq)

    def check_bodies(self) -> None:
        assert self.export.seed is not None
        seed = bytes.fromhex(self.export.seed.seed)
        for seq, commit in enumerate(self.export.commits, 1):
            salt_ = salt(seed, seq)
            if salt_.hex() != commit.salt:
                self.fail("AUD-07", "the salt does not follow from the seed", seq)
            if digest(salt_, commit.body_bytes) != commit.header.digest:
                self.fail("AUD-07", "salt and body have another digest than the header says", seq)

    def redecide(self) -> None:
        setup, line = self.export.setup, self.export.seed
        assert line is not None
        if self.game is None:
            self.fail("AUD-09", f"this release does not know the game {setup.kind[:80]!r}")
        if self.game is None or any(divergence.check in ("AUD-05", "AUD-06") for divergence in self.divergences):
            self.skipped.update(_REDECIDING_CHECKS)
            return
        chance, timing = Chance(bytes.fromhex(line.key), self.export.dice), Timing(setup.pace, setup.started)
        self.verifier = CommitVerifier(self.game, chance, timing)
        divergence, self.status = self._verify_commits(self.verifier)
        if divergence is not None:
            self.divergences.append(divergence)
            self.skipped.update(_REDECIDING_CHECKS)
            return
        self.is_confirmed = True
        self._check_outcome(self.status)
        if timing.note is not None:
            self.notes["AUD-12"] = timing.note
            self.skipped.add("AUD-12")

    def _verify_commits(self, verifier: CommitVerifier) -> tuple[Divergence | None, GameStatus]:
        """The first commit that is decided differently, and the standing before it.

        None and the final standing if all commits agree.
        """
        commits = self.export.commits
        whole = len(commits)
        if self.jobs > 1 and whole >= MIN_PARALLEL_COMMITS and can_fork():
            return verify_segments(verifier, commits, self.jobs, lambda done: self.progress(done, whole))
        divergence = verifier.verify_lines(1, commits, lambda done: self.progress(done, whole))
        if divergence is None:
            self.progress(whole, whole)
        return divergence, verifier.get_status(whole=divergence is None)

    def _check_outcome(self, standing: GameStatus) -> None:
        last = len(self.export.commits)
        if standing.outcome is None:
            return self.fail("AUD-13", "the game has not ended", last)
        for fault in standing.faults:
            self.fail("AUD-10", f"the last position cannot be: {fault}", last)
        if canonical(standing.expected_outcome) != canonical(standing.outcome):
            self.fail("AUD-13", f"the rules say {standing.expected_outcome} of the last position", last)
        return None

    def report(self) -> AuditReport:
        failed = {divergence.check for divergence in self.divergences}
        statuses: dict[str, Status] = {}
        for check in CHECKS:
            if check in failed:
                statuses[check] = "failed"
            elif self.export.seed is None and check in AFTER_THE_END:
                statuses[check] = "open"
            else:
                statuses[check] = "skipped" if check in self.skipped else "ok"
        setup, verifier = self.export.setup, self.verifier
        if verifier is not None and (note := "; ".join(self._describe_redeciding(verifier))):
            self.notes["AUD-09"] = note
        facts: dict[str, Any] = {
            "game": setup.game,
            "kind": setup.kind,
            "ruleset": setup.ruleset,
            "form": setup.form,
            "status": self.export.status,
            "sandbox": setup.sandbox,
            "commits": len(self.export.commits),
            "head": self.export.end.head,
        }
        if verifier is not None:
            assert self.status is not None
            facts |= {
                "refusals": verifier.refusals,
                "stale": verifier.stale,
                "faults": len(verifier.faults),
                "draws": self.status.drawn,
                "outcome": self.status.outcome,
            }
        return AuditReport(
            statuses,
            tuple(self.divergences),
            self.notes,
            self.authenticated and not failed,
            facts,
            tuple(self.unvouched),
        )

    def _describe_redeciding(self, verifier: CommitVerifier) -> Iterator[str]:
        named = {commit.header.release for commit in self.export.commits} - {RELEASE}
        if named:
            yield f"decided again by release {RELEASE}; recorded by {', '.join(sorted(named))[:80]}"
        if verifier.faults:
            yield f"not decided again, for the rules had failed on them: {verifier.faults}"


_REDECIDING_CHECKS = ("AUD-08", "AUD-09", "AUD-10", "AUD-11", "AUD-12", "AUD-13")
"""The checks that need commits to be decided again; skipped if that is impossible."""
