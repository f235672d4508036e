"""`python -m workers.parent cron side 'settle 0' compute`: imports all that workers need, then forks and restarts them."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import time
from collections.abc import Sequence

from service.ops import logging
from service.ops.processes.child_process import PARENT, UNUSABLE, await_start, end_with_parent
from service.ops.processes.supervisor import Family, Hopeless, fork
from service.ops.settings import Settings

WORKER, PRELOAD = "workers.__main__", "workers.preload"
"""The module that runs a worker, and the one that imports all that workers need."""

SAMPLE = "service.cli.commands.check_release"
"""The module that warns of running games that this release would decide differently."""


def main(workers: Sequence[str]) -> None:
    """Run these workers until SIGTERM. Exits with `UNUSABLE` if one of them can never start."""
    end_with_parent(os.environ.get(PARENT))
    logging.configure(Settings.load().log_level)
    gc.disable()  # imports leave no garbage, and the collector takes a tenth of their time
    importlib.import_module(PRELOAD)
    gc.enable()
    await_start()
    stopping: list[int] = []  # not an Event: `Event.set` deadlocks if a second signal interrupts it
    signal.signal(signal.SIGTERM, lambda number, _: stopping.append(number))
    family = Family()
    for worker in workers:
        family.add(worker.split()[0], fork(WORKER, *worker.split()))
    sample = fork(SAMPLE)(family.environ)
    try:
        while not stopping:
            family.look_after()
            sample.poll()  # to avoid a zombie after its end
            time.sleep(0.05)
    except Hopeless:
        sys.exit(UNUSABLE)  # the worker has printed why
    finally:
        sample.terminate()
        family.stop()
        sample.wait(1)


if __name__ == "__main__":
    main(sys.argv[1:])
