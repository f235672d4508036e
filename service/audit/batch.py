"""Audits several export files at once, one process for each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from domain.kernel.game import AnyGame
from domain.registry import GAMES
from service.audit.anchors import PublishedLog
from service.audit.auditor import ProgressCallback, audit
from service.audit.files import read_file
from service.audit.processes import can_fork, map_in_order
from service.audit.report import AuditReport
from service.ops.settings import cores


def audit_files(
    files: Sequence[bytes | Path],
    *,
    games: Mapping[str, AnyGame] = GAMES,
    keys: Collection[str] = (),
    heads: Collection[str] = (),
    log: PublishedLog | None = None,
    progress: ProgressCallback | None = None,
    jobs: int | None = None,
) -> Iterator[AuditReport]:
    """The report of each file (its bytes, or its path), in order, as from `service.audit.auditor.audit`.

    A single file is decided on all cores. Several files are shared among ``jobs`` processes (by default one per core);
    ``progress`` then gets the number of finished files. Raises `Inconclusive` if a process is killed, and `OSError` if a single
    file cannot be read.
    """
    jobs = cores() if jobs is None else jobs
    if len(files) == 1:
        yield audit(_read(files[0]), games=games, keys=keys, heads=heads, log=log, progress=progress, jobs=jobs)
        return

    def look(file: bytes | Path) -> AuditReport:
        return audit(_read(file), games=games, keys=keys, heads=heads, log=log)

    def done(number: int) -> None:
        if progress is not None:
            progress(number, len(files))

    if jobs > 1 and can_fork():
        yield from map_in_order(files, jobs, look, done)
        return
    for number, file in enumerate(files, 1):
        yield look(file)
        done(number)


def _read(file: bytes | Path) -> bytes:
    """Reads a file only when it is audited, to save memory."""
    return file if isinstance(file, bytes) else read_file(file)
