"""Auditing exports, including deciding again: several files at once on all cores, as `oraclewheel audit FILE …` does."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

from bench.kept import kept
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
    audited, how = _entry()
    games = kept("audits", _play)
    cores = len(os.sched_getaffinity(0))
    for key, row in ROWS.items():
        files = [(games / f"{key}-{number}.json").read_bytes() for number in range(FILES)]
        commits = json.loads((games / f"{key}-commits.json").read_text())
        audited(files[:2])  # warm up: load everything that is loaded only once
        taken = seconds(lambda files=files: audited(files))
        yield row.got(commits / taken, f"{commits:,} commits of {FILES} games, {how.format(cores=cores)}")


def _play(folder: Path) -> None:
    for key in ROWS:
        plays = [finished(GAMES[key], number) for number in range(FILES)]
        for number, play in enumerate(plays):
            (folder / f"{key}-{number}.json").write_bytes(play.export())
        (folder / f"{key}-commits.json").write_text(json.dumps(sum(len(play.log) for play in plays)))


def _entry() -> tuple[Callable[[Sequence[bytes]], None], str]:
    try:
        several = import_module("service.audit.batch").audited
    except (ImportError, AttributeError):
        return lambda files: [_right(audit(file)) for file in files], "one after the other on one core"
    return lambda files: [_right(report) for report in several(files)], "on {cores} cores"


def _right(report) -> None:
    if not report.is_ok:
        raise RuntimeError(report.verdict)
