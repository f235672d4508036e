"""Auditing several export files at once, a process for each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from domain.game import AnyGame
from domain.registry import GAMES
from service.audit.auditor import Progress, audit
from service.audit.processes import BrokeOff, Tell, Turns, can_fork, cores, spread
from service.audit.report import Report
from service.audit.stretches import Inconclusive


def audited(
    files: Sequence[bytes | Path],
    *,
    games: Mapping[str, AnyGame] = GAMES,
    keys: Collection[str] = (),
    heads: Collection[str] = (),
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Iterator[Report]:
    """The report of each file (its bytes, or where it lies), in their order, as `service.audit.auditor.audit` gives it.

    One file is decided again on all cores; several are shared out among ``jobs`` processes (as many as there are cores). Of
    several, ``progress`` is told how many files are done. Raises `Inconclusive` where a process is killed.
    """
    jobs = cores() if jobs is None else jobs
    if jobs == 1 or len(files) == 1 or not can_fork():
        for file in files:
            yield audit(_bytes(file), games=games, keys=keys, heads=heads, progress=progress, jobs=jobs)
        return

    def work(turns: Turns, tell: Tell) -> None:
        for number, file in enumerate(files):
            if turns.mine(number):
                tell((number, audit(_bytes(file), games=games, keys=keys, heads=heads)))

    found: dict[int, Report] = {}
    reached, why = 0, "it is not known why"
    with closing(spread(min(jobs, len(files)), work)) as heard:
        for told in heard:
            if isinstance(told, BrokeOff):
                why = told.why
                continue
            number, report = told
            found[number] = report
            if progress is not None:
                progress(reached + len(found), len(files))
            while reached in found:
                yield found.pop(reached)
                reached += 1
    if reached < len(files):
        raise Inconclusive(why)


def _bytes(file: bytes | Path) -> bytes:
    """Of many large files, those alone are in memory that are audited at the time."""
    return file if isinstance(file, bytes) else file.read_bytes()
