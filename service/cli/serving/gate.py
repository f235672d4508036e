"""What is looked at before anything starts: whether this store, this key and this queue are the right ones."""

from __future__ import annotations

from service.instance.identity import acquaint
from service.instance.signing import signer
from service.settings import Settings
from service.store.ports.errors import StoreUnusable
from service.store.redis.probe import reach
from service.store.redis.store import RedisStore
from service.store.upkeep.standing import Standing

GAMES, QUEUE = "ORACLEWHEEL_REDIS_URL", "ORACLEWHEEL_QUEUE_URL"


def enter(settings: Settings, url: str, *, accept_loss: bool = False) -> tuple[RedisStore, Standing]:
    """The store behind the URL, found to be the data folder's own and to have lost nothing, and its standing.

    Raises `StoreUnusable` with a sentence where play could be lost.
    """
    wire = reach(url, setting=GAMES if settings.redis_url else "The embedded server")
    try:
        known = acquaint(settings.data, wire, accept_loss=accept_loss)
        return RedisStore(wire, settings.partitions), known
    except BaseException:
        wire.close()
        raise


def check_key(settings: Settings, store: RedisStore) -> None:
    """Raises `StoreUnusable` if the signing key cannot be used; where there is none it is made."""
    try:
        signer(settings.key_path, store.log)
    except (ValueError, OSError) as error:
        raise StoreUnusable(
            f"The signing key cannot be used: {error}. Bring the right file back from a back-up, or remove it: a new key is"
            " made then, and what the old one signed stays valid."
        ) from error


def check_queue(settings: Settings) -> None:
    """Raises `StoreUnusable` if RQ's Redis is another one and cannot be used."""
    if settings.queue_url:
        reach(settings.queue_url, setting=QUEUE).close()
