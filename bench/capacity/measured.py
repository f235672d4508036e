"""The costs that a capacity follows from, measured on this machine: seconds on a core and bytes, of the real service."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import redis

from bench.load.crowd import Asking, crowd
from bench.load.instance import Instance
from bench.load.processes import core_seconds, spent
from bench.load.raw import Connection, request
from bench.load.sparring import Sparring, commits
from bench.parts.log import Tables
from service.instance.embedded import EmbeddedServer
from service.store.ports.lobbies import Lobby
from service.store.redis.store import RedisStore, open_store
from service.store.upkeep.dividing import Division

GAMES, SECONDS = 24, 8.0
DUE = 400
"""Games that are due together where the cost of one is measured."""
DAY = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "UTC"}
SUBSCRIBERS, WORDS = 200, 1000
ROUNDS = 50


def costs() -> dict[str, float]:
    """All of them, by what they are; seconds are seconds on a core."""
    found = _commands() | views()
    with _server() as (url, client):
        found |= _due(url, client)
    with _server() as (url, client):
        found |= _bytes(url, client)
    with _server() as (_, client):
        found |= _told(client)
    return found


@contextmanager
def _server() -> Iterator[tuple[str, redis.Redis]]:
    with (
        tempfile.TemporaryDirectory(prefix="ow-bench-") as folder,
        EmbeddedServer(Path(folder), fsync="no") as server,
        redis.Redis.from_url(server.url) as client,
    ):
        yield server.url, client


def _busy(client: redis.Redis) -> float:
    """Seconds that the server has had on a core."""
    told = client.info("cpu")
    return float(told["used_cpu_user"] + told["used_cpu_sys"])


def _commands() -> dict[str, float]:
    """A player's command over HTTP: what each role takes for it, the turns of the day with it, and what it adds to the file."""
    with Instance(ORACLEWHEEL_APPENDFSYNC="everysec") as instance, redis.Redis.from_url(instance.url) as server:
        sparring = [Sparring(instance.address, number) for number in range(GAMES)]
        server.config_set("auto-aof-rewrite-percentage", 0)
        crowd(sparring, 1)
        settled, size = commits(sparring), server.info("persistence")["aof_current_size"]
        calls = _calls(server)
        before = core_seconds(instance.process)
        done = crowd(sparring, SECONDS)
        cost = spent(before, core_seconds(instance.process))
        settled = commits(sparring) - settled
        grown = server.info("persistence")["aof_current_size"] - size
        calls = _calls(server) - calls
    return {
        "command api": cost["api"] / done.counted,
        "command pump": cost["pump"] / done.counted,
        "command server": cost["server"] / done.counted,
        "commits of a command": settled / done.counted,
        "server calls of a commit": calls / settled,
        "bytes of file of a commit": grown / settled,
    }


def views() -> dict[str, float]:
    """A view that a player reads: what the API takes for it."""
    with Instance(ORACLEWHEEL_APPENDFSYNC="everysec") as instance:
        pair = Sparring(instance.address, 0)
        pair.act()
        asked = request("GET", f"/v1/games/{pair.game}/view", pair.tokens[0])
        clients = [Asking(Connection(*instance.address), asked, 200) for _ in range(8)]
        before = core_seconds(instance.process)
        done = crowd(clients, SECONDS / 2)
        cost = spent(before, core_seconds(instance.process))
    return {"view api": cost["api"] / done.counted, "view server": cost["server"] / done.counted}


def _calls(server: redis.Redis) -> int:
    return sum(told["calls"] for told in server.info("commandstats").values())


def _due(url: str, client: redis.Redis) -> dict[str, float]:
    """A sweep of nothing; what is due in a game, for the sweeper, for the pump that makes a commit of it, and for the server each time."""
    found: dict[str, float] = {}
    for partitions in (64, 1024):
        client.flushall()
        with closing(open_store(url, partitions)) as store:
            _sweep(store)
            before, busy = time.process_time(), _busy(client)
            for _ in range(ROUNDS):
                _sweep(store)
            found[f"sweep {partitions}"] = (time.process_time() - before) / ROUNDS
            found[f"sweep {partitions} server"] = (_busy(client) - busy) / ROUNDS
    client.flushall()
    with closing(open_store(url)) as store:
        tables = _Calendar(store)
        for _ in range(DUE):
            tables.start("ada", "bob")
        _bring_forward(store)
        before, busy = time.process_time(), _busy(client)
        _sweep(store)
        found["due sweeper"] = (time.process_time() - before) / DUE
        found["due sweeper server"] = (_busy(client) - busy) / DUE
        before, busy = time.process_time(), _busy(client)
        tables.settle()
        found["due pump"] = (time.process_time() - before) / DUE
        found["due pump server"] = (_busy(client) - busy) / DUE
    return found


class _Calendar(Tables):
    """Games of Battalia by post, with a day of a real day."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        create = store.lobbies.create
        store.lobbies.create = lambda lobby, seed: create(_by_post(lobby), seed)


def _by_post(lobby: Lobby) -> Lobby:
    return replace(lobby, pace=DAY)


def _sweep(store: RedisStore) -> None:
    for first in range(0, store.partitions, 16):
        store.log.sweep_all(range(first, first + 16))


def _bring_forward(store: RedisStore) -> None:
    """Whatever is due some day is due now."""
    for shared in store.keys.partitions:
        for member in store.wire.one("ZRANGE", shared.due, 0, -1):
            store.wire.one("ZADD", shared.due, "XX", 1, member)


def _bytes(url: str, client: redis.Redis) -> dict[str, float]:
    """What a game takes in memory, lists and all: one that runs, after forty commits, and one that is over; and moving all to other partitions."""
    found: dict[str, float] = {}
    with closing(open_store(url)) as store:
        tables = Tables(store)
        empty = int(client.info("memory")["used_memory"])
        running = [tables.start("ada", "bob") for _ in range(40)]
        for game in running:
            tables.grow(game, 40)
        full = int(client.info("memory")["used_memory"])
        found["bytes of a running game"] = (full - empty) / len(running)
        overs = [tables.whole(2) for _ in range(10)]
        found["bytes of a finished game"] = (int(client.info("memory")["used_memory"]) - full) / len(overs)
        found["commits of a finished game"] = sum(store.log.head(game)[0] for game in overs) / len(overs)
        division = Division(store.wire, 1024)
        division.begin(0)
        began = time.perf_counter()
        carried = sum(division.carry(division.survey()))
        found["games divided a second"] = carried / (time.perf_counter() - began)
    return found


def _told(client: redis.Redis) -> dict[str, float]:
    """A word of news for each process that hears it, and a look at whether a pump lives: seconds of a server."""
    url = client.connection_pool.connection_kwargs["path"]
    subscribers = [redis.Redis(unix_socket_path=url).pubsub() for _ in range(SUBSCRIBERS)]
    for each in subscribers:
        each.subscribe("news")
        each.get_message(timeout=5)
    found = {}
    for heard, name in ((True, "heard"), (False, "unheard")):
        if not heard:
            for each in subscribers:
                each.close()
        busy = _busy(client)
        for place in range(WORDS):
            # Each by itself, as commits come: a pipeline would have the server write once for many of them.
            client.publish("news", "g0123456789abcdef 1234 told")
            for each in subscribers if heard and place % 100 == 99 else ():
                each.connection._sock.recv(1 << 20)  # noqa: SLF001 - redis-py hands it out nowhere
        found[name] = (_busy(client) - busy) / WORDS
    busy = _busy(client)
    for _ in range(20):
        with client.pipeline(transaction=False) as line:
            for slot in range(1000):
                line.pttl(f"oraclewheel:pump:{slot}")
            line.execute()
    return {
        "news heard": (found["heard"] - found["unheard"]) / SUBSCRIBERS,
        "sign of a pump": (_busy(client) - busy) / 20_000,
    }
