"""The figures of all processes of one host, read as one: each writes its own into files of a folder that they share.

The files of a process that is gone are added to those of all the gone and removed, so that sums never fall and the folder never grows.
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

from service.process.child_process import is_alive
from service.process.figures.noted import REGISTRY, count_all

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""In the environment: the folder, which `serve` makes and gives to every process that it starts."""

GONE = "gone"
"""What stands in the name of a file in the place of a process id that is no more."""

_PAUSE = 0.01


def gathered(folder: str | None = None) -> bytes:
    """The figures of all processes in the text format of Prometheus; without a folder, given or in the environment, this one's."""
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
    """Add up the files of processes that are gone, where nobody may read the metrics for long."""
    folder = os.environ.get(FOLDER)
    if folder:
        with _alone(Path(folder)):
            bury(Path(folder))


def bury(folder: Path) -> None:
    """Add the files of processes that are gone to those of all the gone."""
    for file in folder.glob("*_*.db"):
        kind, _, pid = file.stem.rpartition("_")
        if not pid.isdecimal() or is_alive(int(pid)):
            continue
        if not file.stat().st_size:
            file.unlink()  # it was killed before it had begun
            continue
        sums = MmapedDict(str(folder / f"{kind}_{GONE}.db"))  # type: ignore[no-untyped-call]
        for key, value, stamp, _ in MmapedDict.read_all_values_from_file(str(file)):  # type: ignore[no-untyped-call]
            before, _ = sums.read_value(key)  # type: ignore[no-untyped-call]
            sums.write_value(key, before + value, stamp)  # type: ignore[no-untyped-call]
        sums.close()  # type: ignore[no-untyped-call]
        file.unlink()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """While others wait: between the two steps of a burial somebody would read a sum twice."""
    with (folder / "lock").open("ab") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(_PAUSE)  # and not in the system, where the greenlets of this process would wait as well
        yield
