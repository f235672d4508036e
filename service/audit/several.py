"""Auditing several export files at once, a process for each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from domain.game import AnyGame
from domain.registry import GAMES
from service.audit.anchors import Published
from service.audit.auditor import Progress, audit
from service.audit.processes import can_fork, in_order
from service.audit.report import Report
from service.settings import cores


def audited(
    files: Sequence[bytes | Path],
    *,
    games: Mapping[str, AnyGame] = GAMES,
    keys: Collection[str] = (),
    heads: Collection[str] = (),
    log: Published | None = None,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Iterator[Report]:
    """The report of each file (its bytes, or where it lies), in their order, as `service.audit.auditor.audit` gives it.

    One file is decided again on all cores; several are shared out among ``jobs`` processes (as many as there are cores). Of
    several, ``progress`` is told how many files are done. Raises `Inconclusive` where a process is killed.
    """
    jobs = cores() if jobs is None else jobs
    if len(files) == 1:
        yield audit(_bytes(files[0]), games=games, keys=keys, heads=heads, log=log, progress=progress, jobs=jobs)
        return

    def look(file: bytes | Path) -> Report:
        return audit(_bytes(file), games=games, keys=keys, heads=heads, log=log)

    def done(number: int) -> None:
        if progress is not None:
            progress(number, len(files))

    if jobs > 1 and can_fork():
        yield from in_order(files, jobs, look, done)
        return
    for number, file in enumerate(files, 1):
        yield look(file)
        done(number)


def _bytes(file: bytes | Path) -> bytes:
    """Of many large files, those alone are in memory that are audited at the time."""
    return file if isinstance(file, bytes) else file.read_bytes()
