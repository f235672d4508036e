"""A cluster that is reachable only with TLS: ``rediss+cluster://``."""

from __future__ import annotations

from contextlib import closing

import pytest

from service.store.ports.errors import StoreDown
from service.store.redis.store import open_store
from tests.cluster.cluster import SLOTS
from tests.cluster.servers import Encrypting, Server, certificate, eventually, free_port
from tests.store.pump import command, outcome, pump, started, submit


@pytest.fixture
def doors(tmp_path):
    """Three primaries that announce TLS proxies; the ports of the proxies, and their certificate."""
    files = certificate(tmp_path)
    servers, doors = [], []
    try:
        for number in range(3):
            inner, outer = free_port(), free_port()
            flags = {"cluster_enabled": "yes", "cluster_announce_port": str(outer), "appendonly": "no"}
            servers.append(Server(tmp_path / str(number), port=inner, **flags).start())
            doors.append(Encrypting(inner, files, outer))
        share = SLOTS // 3
        for place, server in enumerate(servers):
            last = SLOTS - 1 if place == 2 else (place + 1) * share - 1
            server.client().execute_command("CLUSTER", "ADDSLOTSRANGE", place * share, last)
            server.client().execute_command("CLUSTER", "SET-CONFIG-EPOCH", place + 1)
        for server in servers[1:]:
            servers[0].client().execute_command("CLUSTER", "MEET", "127.0.0.1", server.port)
        eventually(lambda: all(whole(server) for server in servers))
        yield [door.port for door in doors], files[0]
    finally:
        for each in (*doors, *servers):
            (each.close if isinstance(each, Encrypting) else each.stop)()


def whole(server):
    told = server.client().execute_command("CLUSTER INFO")
    return told["cluster_state"] == "ok" and int(told["cluster_known_nodes"]) == 3


@pytest.mark.soak
def test_games_are_played_on_a_cluster_that_requires_tls(doors):
    ports, trusted = doors
    url = f"rediss+cluster://127.0.0.1:{ports[0]},127.0.0.1:{ports[1]}"
    with closing(open_store(f"{url}?ssl_ca_certs={trusted}")) as store:
        games = [started(store) for _ in range(8)]
        assert sorted(ports) == sorted(int(name.rpartition(":")[2]) for name in store.wire.servers())
        assert {True} == {line.url.startswith("rediss://") for line in store.wire.servers().values()}
        for game in games:
            heard = store.news.subscribe(game)
            assert "accepted" == submit(store, game, command("s1", 1, pennies=1)).status
            assert 2 == pump(store, game).position.seq
            eventually(lambda heard=heard: heard.wait(1))
            assert 2 == outcome(store, game, "s1")
    with pytest.raises(StoreDown):
        open_store(url)  # the certificate is not trusted
