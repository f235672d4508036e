"""Auditing exports, re-deciding included: several files at once on all cores, as `oraclewheel audit FILE …` does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module

from bench.load.whole import finished
from bench.measure import Row, Sample, seconds
from domain.registry import GAMES
from service.audit.auditor import audit

FILES = 8
LIMITS = {"battalia": 10_000, "fronela": 15_000}
ROWS = {
    key: Row(f"audit of {FILES} exports, re-deciding included: {key}", limit, "commits/s", at_least=True)
    for key, limit in LIMITS.items()
}


def measure() -> Iterator[Sample]:
    """Every row once: whole games of random players."""
    audited, how = _entry()
    for key, row in ROWS.items():
        plays = [finished(GAMES[key], number) for number in range(FILES)]
        files = [play.export() for play in plays]
        audited(files[:2])  # what is loaded once is loaded
        taken = seconds(lambda files=files: audited(files))
        commits = sum(len(play.log) for play in plays)
        cores = len(os.sched_getaffinity(0))
        yield row.got(commits / taken, f"{commits:,} commits of {FILES} games, {how.format(cores=cores)}")


def _entry() -> tuple[Callable[[Sequence[bytes]], None], str]:
    """What audits several files at once, where the release has that; else one after the other."""
    try:
        several = import_module("service.audit.several").audited
    except (ImportError, AttributeError):
        return lambda files: [_right(audit(file)) for file in files], "one after the other on one core"
    return lambda files: [_right(report) for report in several(files)], "on {cores} cores"


def _right(report) -> None:
    if not report.ok:
        raise RuntimeError(report.verdict)
