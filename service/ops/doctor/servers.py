"""The servers in the settings, as reported by the doctor."""

from __future__ import annotations

from contextlib import closing

from redis.exceptions import RedisError

from service.core.queue import sentinels
from service.ops.instance.embedded import answers
from service.ops.instance.folder import queue_socket
from service.ops.settings import Settings
from service.store.ports.errors import StoreDown
from service.store.redis.cluster.client import open_client
from service.store.upkeep import topology


def servers(settings: Settings) -> tuple[list[str], list[str]]:
    """Sentences about the servers, and about their problems. The embedded server is not included."""
    said, wrong = sentinels.surveyed(settings.queue_url) if settings.queue_url else ([], [])
    if settings.redis_url:
        with closing(open_client(settings.redis_url, settings.replicas)) as wire:
            try:
                found = topology.surveyed(wire)
            except (StoreDown, RedisError):
                return said, wrong  # opening the store reports the error
        return [*found.told, *said], [*found.wrong, *wrong]
    return said, wrong


def queue_url(settings: Settings, games: str) -> str:
    """The URL of the queue. With an embedded server, that of the running embedded queue, otherwise ``games``.

    ``games`` is the URL of the games' server.
    """
    own = queue_socket(settings.data)
    return settings.queue or (f"unix://{own}" if answers(own) else games)
