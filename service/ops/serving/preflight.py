"""Checks before the service starts: whether store, keys and queue are the right ones."""

from __future__ import annotations

from contextlib import closing

from redis.exceptions import RedisError

from service.core.queue import Queue
from service.ops.instance.identity import acquaint
from service.ops.keys.push_key import push_key
from service.ops.keys.signing import UnknownKey, signer
from service.ops.settings import Settings, redis_url
from service.store.ports.errors import StoreUnusable
from service.store.redis.client import RedisClient
from service.store.redis.probe import look_at_partitions, reach
from service.store.redis.store import Store
from service.store.upkeep.store_identity import StoreIdentity, is_empty, standing

GAMES, QUEUE = "ORACLEWHEEL_REDIS_URL", "ORACLEWHEEL_QUEUE_URL"


def enter(
    settings: Settings, url: str, *, accept_loss: bool = False, older: bool = False
) -> tuple[Store, StoreIdentity]:
    """The store at the URL and its identity, after checking that it belongs to the data folder and has lost nothing.

    Raises `StoreUnusable` if games could be lost, and unless ``older`` for a store of release 0.3.0.
    """
    wire, stands = _introduced(settings, url, accept_loss=accept_loss)
    try:
        store = Store(wire, settings.archive, settings.archive_cache_mib)
        store.check_partitions(older=older)
    except BaseException:
        wire.close()
        raise
    return store, stands


def must_have_served(settings: Settings, url: str) -> None:
    """Raises `StoreUnusable` for a store on which no service ever ran, so that a read-only command does not initialize it."""
    with closing(reach(url, setting=GAMES, replicas=settings.replicas)) as wire:
        if standing(wire) is None and is_empty(wire):
            raise StoreUnusable(
                "No service has ever run on this store, so there is nothing to show. Nothing was written. Check the URL of the store."
            )


def known(settings: Settings, url: str) -> RedisClient:
    """A connection to the store at the URL, which must be that of the data folder. Raises `StoreUnusable` as `enter` does."""
    return _introduced(settings, url, accept_loss=False)[0]


def _introduced(settings: Settings, url: str, *, accept_loss: bool) -> tuple[RedisClient, StoreIdentity]:
    setting = GAMES if settings.redis_url else "The embedded server"
    wire = reach(url, setting=setting, replicas=settings.replicas)
    try:
        look_at_partitions(wire)  # an interrupted restore is reported before anything is written into the folder
        return wire, acquaint(settings.data, wire, accept_loss=accept_loss)
    except BaseException:
        wire.close()
        raise


def check_key(settings: Settings, store: Store, *, accept_new: bool, signs: bool = True) -> None:
    """Raises `StoreUnusable` if the signing key or the push key cannot be used. Missing keys are created.

    A role that does not sign needs no signing key. If its data folder has one, the store must know it.
    """
    try:
        if signs or settings.key_path.exists():
            signer(settings.key_path, store.log, accept_new=accept_new)
    except UnknownKey as error:
        raise StoreUnusable(
            f"The signing key has changed: {error}. Bring the right file back from a backup, or correct"
            " ORACLEWHEEL_SIGNING_KEY. If the old key is lost, `oraclewheel serve --accept-new-key` starts with a new one;"
            " then send its public key to witnesses and auditors."
        ) from error
    except PermissionError as error:
        raise StoreUnusable(
            f"The signing key cannot be read: {error}. Allow the user that runs the service to read the file."
        ) from error
    except (ValueError, OSError) as error:
        raise StoreUnusable(
            f"The signing key cannot be used: {error}. Bring the right file back from a backup. If the key is lost, remove the file"
            " and run `oraclewheel serve --accept-new-key`: a new key is created, and old signatures stay valid."
        ) from error
    if settings.push == "off":
        return
    try:
        push_key(settings.push_key_path)
    except PermissionError as error:
        raise StoreUnusable(
            f"The push key cannot be read: {error}. Allow the user that runs the service to read the file."
        ) from error
    except (ValueError, OSError) as error:
        raise StoreUnusable(
            f"The push key cannot be used: {error}. Bring the right file back from a backup, or remove it: then a new key is"
            " created, and players must enable push again on their devices. ORACLEWHEEL_PUSH=off disables push."
        ) from error


def check_queue(settings: Settings) -> None:
    """Raises `StoreUnusable` if RQ has a separate Redis that cannot be used."""
    if not settings.queue_url:
        return
    if redis_url.read(settings.queue_url).form != "sentinel":
        reach(settings.queue_url, setting=QUEUE).close()
        return
    try:
        Queue(settings.queue_url).connection.ping()
    except RedisError as error:
        shown = redis_url.shown(settings.queue_url)
        raise StoreUnusable(f"{QUEUE} ({shown}): no Sentinel names a server that answers: {error}") from error
