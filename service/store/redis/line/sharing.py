"""Whether the greenlets of a process share one connection, and over what."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import redis


def multiplexed(connect: Callable[[], Any], pool: Any) -> Any:
    """What the greenlets of this process speak over; None where there are none, or where what they say is encrypted.

    Other threads, that have a loop of their own, keep connections each for itself: what stops their work in the middle
    of a reply must not end everybody's.
    """
    monkey = sys.modules.get("gevent.monkey")
    if (
        monkey is None
        or not monkey.is_module_patched("socket")
        or issubclass(pool.connection_class, redis.SSLConnection)
    ):
        return None
    from gevent import get_hub

    from service.store.redis.line.multiplexed import Multiplexed

    return Multiplexed(connect, pool.connection_kwargs["socket_timeout"]) if get_hub().main_hub else None
