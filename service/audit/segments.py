"""Decides one file again on all cores. Each process folds the log, and decides the segments assigned to it.

Folding a commit takes a small part of the time of deciding it, so processes compute the position at the start of a
segment themselves. The result of a segment counts only if every earlier segment was correct. Up to the first commit
that is decided differently, folding and deciding lead to the same positions. Later results are ignored, and folding may
fail there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from service.audit.lines import CommitLine
from service.audit.processes import Inconclusive, ProcessFailure, Tell, WorkAllocator, run_processes
from service.audit.report import Divergence
from service.audit.verifier import CommitVerifier, GameStatus

SEGMENT_SIZE = 64
"""Commits: enough to make the exchange of results cheap, few enough that no process waits long for the last one."""


@dataclass(frozen=True, slots=True)
class SegmentResult:
    """The result of one segment."""

    number: int
    divergence: Divergence | None
    refusals: int
    stale: int
    faults: Sequence[int]
    shifted: Sequence[int]
    unknown_zone: bool
    status: GameStatus | None
    """The standing after it, if it is the last one; before the divergence, if there is one."""


def verify_segments(
    verifier: CommitVerifier, commits: Sequence[CommitLine], jobs: int, progress: Callable[[int], None]
) -> tuple[Divergence | None, GameStatus]:
    """Decide all commits again in ``jobs`` processes.

    Returns the first divergence, and the standing before it or at the end.

    ``verifier`` then has the same counts as if it had decided them itself. ``progress`` gets the number of finished
    commits. Raises `Inconclusive` if a process ended early for a reason that is not in the file.
    """
    segments = [range(first, min(first + SEGMENT_SIZE, len(commits))) for first in range(0, len(commits), SEGMENT_SIZE)]
    verifier.register_submissions(commits)

    def work(allocator: WorkAllocator, tell: Tell) -> None:
        _run_process(verifier, commits, segments, allocator, tell)

    found: dict[int, SegmentResult] = {}
    reached, done, why = 0, 0, "it is not known why"
    with closing(run_processes(min(jobs, len(segments)), work)) as messages:
        for message in messages:
            if isinstance(message, ProcessFailure):
                why = message.reason
                continue
            found[message.number] = message
            done += len(segments[message.number])
            progress(done)
            while reached in found:
                result = found.pop(reached)
                _add_result(verifier, result)
                if result.status is not None:
                    return result.divergence, result.status
                reached += 1
    raise Inconclusive(why)


def _run_process(
    verifier: CommitVerifier,
    commits: Sequence[CommitLine],
    segments: Sequence[range],
    allocator: WorkAllocator,
    tell: Tell,
) -> None:
    """The work of one process: decide its own segments and report each; fold the others."""
    for number, segment in enumerate(segments):
        lines = [commits[place] for place in segment]
        if not allocator.claim(number):
            try:
                verifier.fold(segment.start + 1, lines)
            except Exception:  # noqa: BLE001 - the process that decides this segment finds the reason
                return
            continue
        result = _verify_segment(verifier, number, segment.start + 1, lines, last=segment is segments[-1])
        tell(result)
        if result.divergence is not None:
            return


def _verify_segment(
    verifier: CommitVerifier, number: int, first: int, lines: Sequence[CommitLine], *, last: bool
) -> SegmentResult:
    verifier.reset_counts()
    divergence = verifier.verify_lines(first, lines)
    timing = verifier.timing
    return SegmentResult(
        number,
        divergence,
        verifier.refusals,
        verifier.stale,
        verifier.faults,
        () if timing is None else timing.shifted,
        unknown_zone=timing is not None and timing.unknown_zone,
        status=verifier.get_status(whole=divergence is None) if last or divergence is not None else None,
    )


def _add_result(verifier: CommitVerifier, result: SegmentResult) -> None:
    verifier.refusals += result.refusals
    verifier.stale += result.stale
    verifier.faults += result.faults
    if verifier.timing is not None:
        verifier.timing.shifted += result.shifted
        verifier.timing.unknown_zone |= result.unknown_zone
