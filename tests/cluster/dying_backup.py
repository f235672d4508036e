"""Functions for a process that backs up or restores a cluster and is killed at the worst moment, or at a given line."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path

from service.ops.backup import cluster_snapshot, external_restore
from service.ops.backup.backup import make
from service.store.redis.cluster.client import open_client
from service.store.upkeep import backup_loading
from tests.fatal_line import dying

BACKING_UP = ("copying/moment.py", "cluster/owners.py")
FILLING = ("upkeep/filling.py", "instance/refill.py")


def paused(url, data, to):
    """Back up; die while writes are paused everywhere and no snapshot has begun."""
    cluster_snapshot.asked = lambda _: os.kill(os.getpid(), signal.SIGKILL)
    _made(url, data, to)


def backing_up(url, data, to, at, counted):
    """Back up; die at the ``at``-th line (0: never); put the number of lines into ``counted``."""
    with dying(BACKING_UP, at) as lines:
        _made(url, data, to)
    counted.put(lines[0])


def half_filled(url, source, data, batches):
    """Restore into the store; die after this many batches of keys."""
    backup_loading.TOGETHER, backup_loading.LEASE = 5, 100

    def arriving(_, arrived):
        for place, some in enumerate(arrived):
            if place == batches:
                os.kill(os.getpid(), signal.SIGKILL)
            yield some

    _brought(url, source, data, arriving)


def filling_up(url, source, data, at, counted):
    """Restore into the store, with the arguments of `backing_up`."""
    backup_loading.TOGETHER, backup_loading.LEASE = 5, 100
    with dying(FILLING, at) as lines:
        _brought(url, source, data, lambda _, arrived: arrived)
    counted.put(lines[0])


def _made(url, data, to):
    with closing(open_client(url)) as wire:
        make(Path(data), Path(data, "signing.key"), Path(data, "push.key"), Path(to), iter, wire)


def _brought(url, source, data, arriving):
    with closing(open_client(url)) as wire:
        external_restore.restore_into(Path(source), Path(data), wire, iter, arriving)
