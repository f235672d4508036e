"""Decides one file again on all cores. Each process folds the log, and decides the stretches assigned to it.

Folding a commit takes a small part of the time of deciding it, so processes compute the position at the start of a
stretch themselves. The result of a stretch counts only if every earlier stretch was correct. Up to the first commit
that is decided differently, folding and deciding lead to the same positions. Later results are ignored, and folding may
fail there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from service.audit.deciding import Deciding, Standing
from service.audit.lines import CommitLine
from service.audit.processes import BrokeOff, Inconclusive, Tell, Turns, spread
from service.audit.report import Divergence

STRETCH = 64
"""Commits: enough to make the exchange of results cheap, few enough that no process waits long for the last one."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The result of one stretch."""

    number: int
    divergence: Divergence | None
    refusals: int
    stale: int
    faults: Sequence[int]
    shifted: Sequence[int]
    unknown_zone: bool
    standing: Standing | None
    """The standing after it, if it is the last one; before the divergence, if there is one."""


def decide(
    deciding: Deciding, commits: Sequence[CommitLine], jobs: int, progress: Callable[[int], None]
) -> tuple[Divergence | None, Standing]:
    """Decide all commits again in ``jobs`` processes.

    Returns the first divergence, and the standing before it or at the end.

    ``deciding`` then has the same counts as if it had decided them itself. ``progress`` gets the number of finished
    commits. Raises `Inconclusive` if a process ended early for a reason that is not in the file.
    """
    stretches = [range(first, min(first + STRETCH, len(commits))) for first in range(0, len(commits), STRETCH)]
    deciding.expect(commits)

    def work(turns: Turns, tell: Tell) -> None:
        _walk(deciding, commits, stretches, turns, tell)

    found: dict[int, Decided] = {}
    reached, done, why = 0, 0, "it is not known why"
    with closing(spread(min(jobs, len(stretches)), work)) as heard:
        for told in heard:
            if isinstance(told, BrokeOff):
                why = told.why
                continue
            found[told.number] = told
            done += len(stretches[told.number])
            progress(done)
            while reached in found:
                decided = found.pop(reached)
                _add(deciding, decided)
                if decided.standing is not None:
                    return decided.divergence, decided.standing
                reached += 1
    raise Inconclusive(why)


def _walk(
    deciding: Deciding, commits: Sequence[CommitLine], stretches: Sequence[range], turns: Turns, tell: Tell
) -> None:
    """The work of one process: decide its own stretches and report each; fold the others."""
    for number, stretch in enumerate(stretches):
        lines = [commits[place] for place in stretch]
        if not turns.mine(number):
            try:
                deciding.fold(stretch.start + 1, lines)
            except Exception:  # noqa: BLE001 - the process that decides this stretch finds the reason
                return
            continue
        decided = _decide(deciding, number, stretch.start + 1, lines, last=stretch is stretches[-1])
        tell(decided)
        if decided.divergence is not None:
            return


def _decide(deciding: Deciding, number: int, first: int, lines: Sequence[CommitLine], *, last: bool) -> Decided:
    deciding.count_anew()
    divergence = deciding.lines(first, lines)
    timing = deciding.timing
    return Decided(
        number,
        divergence,
        deciding.refusals,
        deciding.stale,
        deciding.faults,
        () if timing is None else timing.shifted,
        unknown_zone=timing is not None and timing.unknown_zone,
        standing=deciding.standing(whole=divergence is None) if last or divergence is not None else None,
    )


def _add(deciding: Deciding, decided: Decided) -> None:
    deciding.refusals += decided.refusals
    deciding.stale += decided.stale
    deciding.faults += decided.faults
    if deciding.timing is not None:
        deciding.timing.shifted += decided.shifted
        deciding.timing.unknown_zone |= decided.unknown_zone
