"""The doctor reports the servers of games and queue, and which of their settings can lose play."""

from __future__ import annotations

import re
from contextlib import closing

import pytest
from click.testing import CliRunner

from service.cli import main
from service.ops.doctor.servers import servers
from service.ops.settings import Settings
from service.ops.settings import redis_url as urls
from service.store.redis.cluster.client import open_client, slot_of
from service.store.redis.store import open_store
from service.store.upkeep import topology
from service.store.upkeep.store_identity import named
from tests.cluster.servers import eventually, free_port


def served_once(url):
    """Leave the store as if a service has run on it: the doctor refuses one on which none ever ran."""
    with closing(open_store(url)) as store:
        named(store.wire)


def surveyed(url, replicas=0):
    with closing(open_client(url, replicas)) as wire:
        wire.servers()
        found = topology.surveyed(wire)
    return "\n".join(found.told), found.wrong


def test_primary_is_reported_with_its_replicas_and_their_lag(pair, monkeypatch):
    monkeypatch.setattr(topology, "SILENT", 1000)
    told, wrong = surveyed(pair.primary.url, 1)

    assert f"{pair.primary.url}, which has 1 replica, 1 of them in sync; 1 must have each acknowledged command." in told
    assert re.search(
        rf"{pair.replica.port} follows .*: online, \d+ bytes behind, last contact \d+ s ago; its link is up", told
    )
    assert [] == wrong


def test_silent_replica_and_replica_without_append_only_file_are_reported(pair, monkeypatch):
    monkeypatch.setattr(topology, "SILENT", -1)
    assert (
        f"The replica 127.0.0.1:{pair.replica.port} of {pair.primary.url} has not reported"
        in surveyed(pair.primary.url)[1][0]
    )
    monkeypatch.undo()
    client = pair.replica.client()
    client.config_set("appendonly", "no")
    try:
        assert "has no append-only file, unlike" in "".join(surveyed(pair.primary.url, 1)[1])
        assert [] == surveyed(pair.primary.url)[1], "where nothing is acknowledged by it, it may be as it likes"
    finally:
        client.config_set("appendonly", "yes")
        pair.await_following()


def at_rest(cluster):
    """Return the report about the cluster once all of its replicas follow."""
    told, wrong = surveyed(cluster.url)
    return told.count("its link is up") == 3 == len(wrong) and (told, wrong)


def test_cluster_is_reported_with_its_slots_and_slot_moves(cluster):
    told, wrong = eventually(lambda: at_rest(cluster))
    assert "The games are on a cluster of 3 primaries, which have 16384 of 16384 slots." in told
    assert 3 == told.count("which has 1 replica, 1 of them in sync")
    assert all("all of its replicas are on one host" in each for each in wrong)

    here = cluster.primary_of("{on}a")
    there = next(server for server in cluster.primaries() if server is not here)
    here.client().execute_command("CLUSTER", "SETSLOT", slot_of("{on}a"), "MIGRATING", cluster.id_of(there))
    try:
        moving = f"A slot is being moved: {slot_of('{on}a')} from 127.0.0.1:{here.port} to 127.0.0.1:{there.port}."
        assert moving in surveyed(cluster.url)[0]
    finally:
        here.client().execute_command("CLUSTER", "SETSLOT", slot_of("{on}a"), "STABLE")


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def ran(**environ):
        for name, value in environ.items():
            monkeypatch.setenv(f"ORACLEWHEEL_{name}", value)
        return CliRunner().invoke(main, ["doctor"], catch_exceptions=False)

    return ran


def test_doctor_reports_the_servers_of_a_cluster(run, cluster, redis_url):
    served_once(cluster.url)
    told = run(REDIS_URL=cluster.url, QUEUE_URL=redis_url)

    assert 1 == told.exit_code
    assert "The games are on a cluster of 3 primaries" in told.output
    assert "on one host: its games are lost if that host is lost" in told.output
    assert "No problems found" not in told.output


def test_doctor_reports_too_few_replicas(run, pair):
    served_once(pair.primary.url)
    told = run(REDIS_URL=pair.primary.url, REPLICAS="2")

    assert 1 == told.exit_code
    assert "1 of them in sync; 2 must have each acknowledged command" in told.output
    assert "must reach 2 replicas (ORACLEWHEEL_REPLICAS), but only 1 are online" in told.output
    assert "1 of them in sync; 1 must have" in run(REPLICAS="1").output


def test_unreachable_and_embedded_servers_are_not_reported():
    assert ([], []) == servers(Settings(redis_url=f"redis://127.0.0.1:{free_port()}"))
    assert ([], []) == servers(Settings()), "the embedded one is alone"


def test_url_of_another_server_keeps_the_user_and_options():
    assert "rediss://ann:p%40s@[::1]:7/3?ssl_cert_reqs=none" == urls.elsewhere(
        "rediss://ann:p%40s@one:6379/3?ssl_cert_reqs=none", "::1", 7
    )
    with pytest.raises(ValueError, match="only one server"):
        urls.elsewhere("unix:///run/v.sock", "one", 7)
