"""A process that settles commands and requests moves, as a pump does, and is killed at a given line."""

from __future__ import annotations

import os

from service.core.queue import Queue
from service.core.queue.compute import COMPUTE, ComputeQueue
from service.features.search_bots.requests import SearchRequests
from service.ops.processes.child_process import PROCESS
from service.store.redis.store import open_store
from tests.fatal_line import dying
from workers.advance import Advance
from workers.process import listener

NAME = "mortal"
WATCHED = (
    "service/features/search_bots/requests.py",
    "queue/compute.py",
    "commits/thought.py",
    "redis/log/log.py",
)


def queue_of(url):
    return Queue(f"{url}?db=1")


def run(url, at, counted):
    """Run three rounds; die at the `at`-th line (0: never). Puts the number of lines into `counted`."""
    os.environ[PROCESS] = NAME
    store, queue = open_store(url), queue_of(url)
    thinks = ComputeQueue(queue.connection)
    asking = SearchRequests(thinks, store, queue, 600)
    advance = Advance.in_process(store, thinking=asking)
    every = range(store.partitions)
    listener(COMPUTE, queue.connection).register_birth()
    with dying(WATCHED, at) as lines:
        for _ in range(3):
            asking.look(every)
            advance.round(every)
    counted.put(lines[0])
