"""Jobs: challenges expire, and names of older accounts are added to the index."""

from __future__ import annotations

from service.core.jobs import worker_context
from service.features.challenges import offers
from service.ops.logging import logger

log = logger("lobbies")


def expire_challenges() -> int:
    """The job: handle challenges that have expired; returns how many creators are notified."""
    context = worker_context()
    owed = offers.expire(context.store)
    if owed:
        context.queue.post({context.store.schedule.partition(each) for each in owed})
    return len(owed)


def index_names() -> int:
    """The job: add missing names to the index; returns how many were missing. Accounts of older releases have none."""
    added = worker_context().store.accounts.index_names()
    if added:
        log.info("names_indexed", count=added)
    return added
