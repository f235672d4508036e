"""Merges the metrics of all processes of one host: each writes its own into files of a shared folder.

The files of ended processes are merged into common ones and removed, so that counters never decrease and the folder
does not grow.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector

from service.ops.metrics.buffered import REGISTRY, count_all
from service.ops.processes.child_process import is_alive

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable: the folder, which `serve` creates and passes to every process that it starts."""

GONE = "gone"
"""Replaces the process id in the names of the common files of ended processes."""

_PAUSE = 0.01


def gathered(folder: str | None = None) -> bytes:
    """The metrics of all processes in the text format of Prometheus; without a folder, those of this process."""
    count_all()
    folder = folder or os.environ.get(FOLDER)
    if not folder:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    with _alone(Path(folder)):
        bury(Path(folder))
        MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def tidy() -> None:
    """Merge the files of ended processes, in case metrics are not read for a long time."""
    folder = os.environ.get(FOLDER)
    if folder:
        with _alone(Path(folder)):
            bury(Path(folder))


def bury(folder: Path) -> None:
    """Merge the files of ended processes into the common ones."""
    for file in folder.glob("*_*.db"):
        kind, _, pid = file.stem.rpartition("_")
        if not pid.isdecimal() or is_alive(int(pid)):
            continue
        if not file.stat().st_size:
            file.unlink()  # the process was killed before it had begun
            continue
        sums = MmapedDict(str(folder / f"{kind}_{GONE}.db"))  # type: ignore[no-untyped-call]
        for key, value, stamp, _ in MmapedDict.read_all_values_from_file(str(file)):  # type: ignore[no-untyped-call]
            before, _ = sums.read_value(key)  # type: ignore[no-untyped-call]
            sums.write_value(key, before + value, stamp)  # type: ignore[no-untyped-call]
        sums.close()  # type: ignore[no-untyped-call]
        file.unlink()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Acquire the folder's lock: a reader between the two steps of `bury` would count values twice."""
    with (folder / "lock").open("ab") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(_PAUSE)  # not in a blocking call, which would block all greenlets of this process
        yield
