"""Commands acknowledged by the whole service survive the loss of a primary and its disk, because a replica has them."""

from __future__ import annotations

import shutil
from contextlib import closing

import pytest

from service.ops.doctor.games import examined
from service.store.redis.store import open_store
from tests.cluster.cluster import Cluster
from tests.cluster.replicated import Pair
from tests.cluster.servers import LONG, eventually
from tests.cluster.stubborn import Restless, count, playing
from tests.cluster.test_served import served, slot_name
from tests.workers.test_serve import Instance

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture
def own_pair(tmp_path):
    """A primary and its replica that a test may stop."""
    pair = Pair(tmp_path / "pair")
    try:
        yield pair.start()
    finally:
        pair.stop()


def lost(store, players):
    """Find acknowledged commands that are missing in the store, or different from the answer."""
    for each in players:
        for game, id_, seq, head in each.told:
            came = store.log.outcome(game, id_)
            if came is None or (seq and (came == "pending" or (came.seq, came.head) != (seq, head))):
                yield game, id_, seq


def wrong(store, players):
    """Return the findings of the doctor about their games."""
    return [found for each in players for game in each.games for found in examined(store, game, write=False)]


@pytest.mark.soak
def test_no_acknowledged_command_is_lost_with_a_primary_and_its_disk(own_pair, tmp_path):
    told = {
        "ORACLEWHEEL_REDIS_URL": own_pair.primary.url,
        "ORACLEWHEEL_REPLICAS": "1",
        "ORACLEWHEEL_SETTLE_WORKERS": "1",
    }
    instance = Instance(tmp_path / "service", **told)
    instance.patience = LONG
    try:
        instance.start()
        players = [eventually(lambda number=number: Restless(instance, number)) for number in range(3)]
        with playing(players):
            eventually(lambda: count(players) >= 12)
            own_pair.cut()  # later writes reach no replica
            away = sum(each.away for each in players)
            eventually(lambda: sum(each.away for each in players) >= away + 3)
            own_pair.primary.kill()
            shutil.rmtree(own_pair.primary.folder)
        assert "not replicated" in instance.told()
    finally:
        if instance.process is not None and instance.process.poll() is None:
            instance.stop()
    own_pair.replica.client().replicaof("NO", "ONE")
    with closing(open_store(own_pair.replica.url)) as store:
        assert [] == list(lost(store, players))
        assert [] == wrong(store, players)
        assert sum(len(each.told) for each in players) >= 12


@pytest.fixture
def own_cluster(tmp_path):
    """A cluster that a test may break, with synchronous writes to disk."""
    cluster = Cluster(tmp_path / "cluster", appendfsync="always")
    try:
        yield cluster.start()
    finally:
        cluster.stop()


@pytest.mark.soak
def test_no_acknowledged_command_is_lost_when_a_cluster_loses_a_primary_and_its_disk(own_cluster, tmp_path):
    told = {"ORACLEWHEEL_API_WORKERS": "1", "ORACLEWHEEL_REPLICAS": "1"}
    with served(own_cluster, tmp_path, **told) as instance:
        players = [eventually(lambda number=number: Restless(instance, number)) for number in range(4)]
        with playing(players):
            eventually(lambda: count(players) >= 20)
            name = slot_name(players[0].game)
            victim = own_cluster.primary_of(name)
            victim.kill()
            shutil.rmtree(victim.folder)
            eventually(lambda: own_cluster.primary_of(name) is not victim)
            joined(own_cluster, victim, own_cluster.primary_of(name))
            before = count(players)
            eventually(lambda: count(players) >= before + 12)
        with closing(open_store(own_cluster.url)) as store:
            assert [] == list(lost(store, players))
            eventually(lambda: [] == wrong(store, players))


def joined(cluster, victim, primary):
    """Start the killed server without data, as a replica of the new primary."""
    victim.folder.mkdir()
    victim.start()
    primary.client().execute_command("CLUSTER", "MEET", "127.0.0.1", victim.port)
    id_ = cluster.id_of(primary)
    eventually(lambda: id_ in {node["node_id"] for node in victim.client().execute_command("CLUSTER NODES").values()})
    eventually(lambda: victim.client().execute_command("CLUSTER", "REPLICATE", id_))
