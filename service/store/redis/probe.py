"""Whether a Redis is safe for games: reasons to refuse it at the start, and warnings."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping

from redis.exceptions import AuthenticationError, BusyLoadingError, NoPermissionError, RedisError, ResponseError

from service.ops.settings import redis_url
from service.store.ports.errors import StoreDown, StoreUnusable
from service.store.ports.store import Server
from service.store.redis import keys
from service.store.redis.client import RedisClient, facts
from service.store.redis.cluster.client import open_client

OLDEST = (7, 0)
PATIENCE = 5.0
"""Seconds to wait for a first response of a server."""
LOADING = 300.0
"""Seconds to wait for a server that loads its data."""

_REPLICAS = (
    "The store has replicas but accepts writes without them: a failover loses the writes of a disconnected"
    " primary. Set ORACLEWHEEL_REPLICAS=1, or min-replicas-to-write 1."
)
_TOO_FEW = (
    "Each command must reach {} replicas (ORACLEWHEEL_REPLICAS), but only {} are online. Until there are more, commands get"
    " 503 (not-replicated)."
)
_FORGETS = (
    "Redis {} loses every transaction when it loads its file, and so most of every game, {}. Enable that user with a"
    " password, or use Redis 7.2 or Valkey."
)

Info = Mapping[str, str]


class WrongPartitions(StoreUnusable):
    """The store was created with another number of partitions."""


class NeedsMigration(StoreUnusable):
    def __init__(self) -> None:
        super().__init__(
            "This store was written by release 0.3.0. Nothing was changed. Make a backup, and then run `oraclewheel migrate`."
        )


class HalfRestored(StoreUnusable):
    """The restore of a backup into the store is incomplete."""

    def __init__(self) -> None:
        super().__init__(
            "A restore into this store was interrupted or is still running. Run `oraclewheel restore --into-store` again with the same"
            " backup to finish it, or empty the store. Until then the store cannot be used."
        )


def reach(url: str, *, setting: str, patience: float = PATIENCE, replicas: int = 0) -> RedisClient:
    """A connection to a server that can store games; ``replicas`` of its replicas must confirm each write.

    Raises `StoreUnusable` with a message: not a URL, no response, a wrong password, a cluster, a replica, too old, or a
    server that gives no information about its replicas.
    """
    try:
        wire = open_client(url, replicas)
    except (ValueError, TypeError) as error:
        raise StoreUnusable(f"{setting} is not a valid Redis URL: {error}") from error
    shown = f"{setting} ({redis_url.shown(url)})"
    try:
        for name, told in _first_answer(wire, shown, patience).items():
            if wire.is_cluster:
                _must_take_writes(told, f"{shown}, at {name},")
            else:
                _must_hold_games(told, shown)
        if replicas:
            _must_tell_of_replicas(wire, shown)
    except BaseException:
        wire.close()
        raise
    return wire


def _first_answer(wire: RedisClient, shown: str, patience: float) -> Mapping[str, Info]:
    began = time.monotonic()
    while True:
        try:
            return {name: info(line) for name, line in wire.servers().items()}
        except StoreDown as down:
            cause = down.__cause__
            if "Cluster mode is not enabled" in str(down):
                raise StoreUnusable(
                    f"{shown} is not a cluster, or its user may not call CLUSTER SLOTS. Use redis:// for a single server."
                ) from down
            if isinstance(cause, AuthenticationError):
                raise StoreUnusable(f"{shown} rejects the user name and password: {cause}") from down
            lasted = time.monotonic() - began
            if lasted > (LOADING if isinstance(cause, BusyLoadingError) else patience):
                raise StoreUnusable(f"{shown} does not answer: {down}") from down
        except NoPermissionError:
            return {}  # it responds, but may not be inspected; `warnings` reports that
        except RedisError as error:
            raise StoreUnusable(f"{shown} does not answer like a Redis server: {error}") from error
        time.sleep(0.2)


def _must_hold_games(server_info: Info, shown: str) -> None:
    if server_info.get("cluster_enabled") == "1" or server_info.get("redis_mode") == "cluster":
        raise StoreUnusable(
            f"{shown} is a node of a cluster. Use redis+cluster://, and a separate server for the queue."
        )
    _must_take_writes(server_info, shown)


def _must_take_writes(server_info: Info, shown: str) -> None:
    if server_info.get("role") == "slave":
        raise StoreUnusable(f"{shown} is a replica, which accepts no writes. Use the URL of the primary.")
    version = server_info.get("redis_version", "")
    if version and _release(version) < OLDEST:
        raise StoreUnusable(f"{shown} is Redis {version}; version 7.0 or later is needed.")


def _must_tell_of_replicas(wire: RedisClient, shown: str) -> None:
    for line in wire.servers().values():
        try:
            line.all([("INFO", "replication"), ("WAIT", 0, 1)])
        except NoPermissionError as error:
            raise StoreUnusable(
                f"{shown} does not report on its replicas, which ORACLEWHEEL_REPLICAS needs. Allow its user to call INFO"
                f" and WAIT. The server says: {error}"
            ) from error


def info(wire: RedisClient) -> Info:
    """The server's `INFO`; raises `StoreDown`, or redis-py's errors."""
    return facts(wire.one("INFO"))


def check_partitions(wire: RedisClient, *, older: bool = False) -> None:
    """Check the number of partitions and the form; a new store gets them.

    Raises `WrongPartitions`, `HalfRestored`, and unless ``older`` `NeedsMigration`.
    """
    if wire.one("SET", keys.PARTITIONS, keys.PARTITION_COUNT, "NX"):
        wire.one("SET", keys.FORM, keys.THIS_FORM)
    look_at_partitions(wire)
    if not older and wire.one("GET", keys.FORM) != keys.THIS_FORM.encode():
        raise NeedsMigration


def look_at_partitions(wire: RedisClient) -> None:
    """As `check_partitions`, without writing; a new store passes."""
    found = (wire.one("GET", keys.PARTITIONS) or b"").decode(errors="replace")
    if found.startswith(keys.RESTORING):
        raise HalfRestored
    if found not in ("", str(keys.PARTITION_COUNT)):
        raise WrongPartitions(
            f"This store has {found} partitions. This release supports only {keys.PARTITION_COUNT}. Install release 0.3.0, stop the"
            f" service, run `oraclewheel partitions {keys.PARTITION_COUNT}`, and then start this release."
        )


def stands_alone(wire: RedisClient) -> bool:
    """Whether it is no node of a cluster, so that one script may use any keys; False if unknown."""
    try:
        return not wire.is_cluster and info(wire).get("cluster_enabled") == "0"
    except (StoreDown, RedisError):
        return False


def warnings(wire: RedisClient) -> tuple[str, ...]:
    """Reasons why play could be lost, a sentence each; none if all is well or the store does not respond."""
    try:
        servers = wire.servers()
    except StoreDown:
        return ()
    if not wire.is_cluster:
        return _warnings(wire)
    return tuple(f"At {name}: {warning}" for name, line in servers.items() for warning in _warnings(line))


def _warnings(wire: RedisClient) -> tuple[str, ...]:
    try:
        server_info = info(wire)
    except NoPermissionError:
        return ("The store's settings cannot be checked: its user may not call INFO.",)
    except (StoreDown, RedisError):
        return ()
    return (
        *_of_memory(server_info),
        *_of_disk(server_info, _setting(wire, "save")),
        *_of_replicas(server_info, wire.wanted_replicas),
        *_of_transactions(wire, server_info),
    )


def standings(wire: RedisClient) -> list[Server]:
    """The state of each primary that allows INFO; raises `StoreDown`."""
    found = []
    for name, line in wire.servers().items():
        try:
            told = info(line)
        except RedisError:
            continue
        writes = [told.get(each, "ok") for each in ("aof_last_write_status", "aof_last_bgrewrite_status")]
        if told.get("aof_enabled") == "0":
            writes = [told.get("rdb_last_bgsave_status", "ok")]
        found.append(
            Server(
                name if wire.is_cluster else "store",
                int(told.get("used_memory", 0)),
                int(told.get("maxmemory", 0)),
                {*writes} == {"ok"},
                int(told.get("connected_slaves", 0)),
                int(_setting(line, "min-replicas-to-write") or 0),
            )
        )
    return found


def _of_memory(server_info: Info) -> list[str]:
    policy = server_info.get("maxmemory_policy", "noeviction")
    if policy == "noeviction":
        return []
    return [f"The store deletes games when its memory is full (maxmemory-policy {policy}). Set it to noeviction."]


def _of_disk(server_info: Info, save: str | None) -> list[str]:
    if server_info.get("aof_enabled") == "0":
        if save == "":
            return ["The store writes nothing to disk: every game is lost when it stops. Set appendonly yes."]
        return ["The store has no append-only file: minutes of play are lost if it crashes. Set appendonly yes."]
    if server_info.get("aof_last_write_status", "ok") != "ok":
        return ["The store's last write to its append-only file failed. Check its disk."]
    return []


def _of_replicas(server_info: Info, wanted: int) -> list[str]:
    there = sum(",state=online," in value for name, value in server_info.items() if re.fullmatch(r"slave\d+", name))
    if there < wanted:
        return [_TOO_FEW.format(wanted, there)]
    # the field exists only if min-replicas-to-write and min-replicas-max-lag are set
    if wanted or server_info.get("connected_slaves", "0") == "0" or "min_slaves_good_slaves" in server_info:
        return []
    return [_REPLICAS]


def _of_transactions(wire: RedisClient, server_info: Info) -> list[str]:
    """Redis 7.0 replays its file as the user ``default``: if that user is off, every transaction in the file is skipped."""
    version = server_info.get("redis_version", "")
    if "valkey_version" in server_info or not version or _release(version) != (7, 0):
        return []
    try:
        user = wire.one("ACL", "GETUSER", "default")
    except NoPermissionError:
        return [_FORGETS.format(version, "if the user default is off, which this user may not see")]
    except (StoreDown, ResponseError):
        return []
    fields = dict(zip(user[::2], user[1::2], strict=False)) if user else {}
    if b"off" not in fields.get(b"flags", ()):
        return []
    return [_FORGETS.format(version, "because the user default is off")]


def _setting(wire: RedisClient, name: str) -> str | None:
    try:
        reply = wire.one("CONFIG", "GET", name)
    except (StoreDown, RedisError):
        return None
    return reply[1].decode() if reply else None


def fsync_of(wire: RedisClient) -> str | None:
    """The weakest fsync policy of the servers: ``always``, ``everysec`` or ``no``; None if one of them is unknown."""
    told = {_setting(line, "appendfsync") for line in wire.servers().values()}
    return next((word for word in ("no", "everysec", "always") if word in told), None) if None not in told else None


def _release(version: str) -> tuple[int, int]:
    found = re.match(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else OLDEST
