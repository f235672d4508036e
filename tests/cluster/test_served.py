"""The whole service on a real cluster: games are played over REST to their end while slots move and servers fail."""

from __future__ import annotations

import threading
from contextlib import closing, contextmanager

import pytest

from domain.kernel.dice import Dice
from service.audit.auditor import audit
from service.store.redis.cluster.client import open_client
from service.store.redis.keys import Keys
from service.store.upkeep.topology import surveyed
from tests.cluster.cluster import Cluster
from tests.cluster.servers import LONG, eventually, running
from tests.cluster.stubborn import Stubborn, count, playing
from tests.driver import Player, Remote, play_out
from tests.workers.test_serve import Instance

pytestmark = pytest.mark.timeout(1800)


@contextmanager
def served(cluster, folder, **environ):
    """Run the service on the cluster, with its queue on a separate server."""
    with running(folder / "queue") as queue:
        told = {
            "ORACLEWHEEL_REDIS_URL": cluster.url,
            "ORACLEWHEEL_QUEUE_URL": queue.url,
            "ORACLEWHEEL_SETTLE_WORKERS": "1",
            **environ,
        }
        instance = Instance(folder / "service", **told)
        instance.patience = LONG
        try:
            yield instance.start()
        finally:
            if instance.process is not None and instance.process.poll() is None:
                instance.stop()


def slot_name(game):
    return Keys().game(game).meta


class Movements:
    """The slots of games move from node to node until the block ends."""

    def __init__(self, cluster, games, pause=1.0):
        self._cluster, self._games, self._pause = cluster, games, pause
        self._ended, self.count, self.failure = threading.Event(), 0, None
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        try:
            while not self._ended.is_set() or not self.count:
                self._cluster.move(slot_name(self._games[self.count % len(self._games)]))
                self.count += 1
                self._ended.wait(self._pause)
        except Exception as error:  # noqa: BLE001 - raised below
            self.failure = error

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()
        if self.failure is not None:
            raise self.failure


def table(site, kind, seats, **told):
    """Create and start a game of this kind; return its players and its id."""
    players = [Player.register(site) for _ in range(seats)]
    made = players[0].make_game(kind, seats, **told)
    for player in players[1:]:
        player.join(made["id"], made["invitation"])
    players[0].start(made["id"])
    return players, made["id"]


def proven(site, game, summary):
    """The export of the game passes the audit and has the head of the game that was played."""
    report = audit(Player(site).get(f"/v1/games/{game}/export", want=200).body, heads=[summary["head"]])
    assert report.is_ok, report.verdict
    assert "authenticated" == report.verdict


SHORT = {"battalia": (2, {"options": {"max_weeks": 1}}), "nim": (2, {})}


@pytest.mark.parametrize("kind", SHORT)
@pytest.mark.soak
def test_whole_game_is_played_over_rest_while_its_slot_moves(cluster, tmp_path, kind):
    seats, told = SHORT[kind]
    with served(cluster, tmp_path) as instance:
        site = Remote(instance.url)
        players, game = table(site, kind, seats, **told)
        with Movements(cluster, [game]) as moving:
            summary = play_out(players, game, Dice(b"c" * 32), seconds=900)
        proven(site, game, summary)
        assert moving.count
        assert "Traceback" not in instance.told()


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", ["battalia", "fronela"])
def test_four_clients_finish_a_game_on_a_cluster_while_its_slot_moves(cluster, tmp_path, kind):
    with served(cluster, tmp_path) as instance:
        site = Remote(instance.url)
        players, game = table(site, kind, 4)
        with Movements(cluster, [game], pause=5.0):
            summary = play_out(players, game, Dice(b"c" * 32), most=100_000, seconds=6000)
        proven(site, game, summary)


@pytest.fixture
def own_cluster(tmp_path):
    """A cluster that a test may break."""
    cluster = Cluster(tmp_path / "cluster")
    try:
        yield cluster.start()
    finally:
        cluster.stop()


@pytest.mark.soak
def test_play_continues_when_a_primary_is_killed_under_load(own_cluster, tmp_path):
    with served(own_cluster, tmp_path, ORACLEWHEEL_API_WORKERS="1") as instance:
        stubborn = [Stubborn(instance, number) for number in range(4)]
        with playing(stubborn):
            eventually(lambda: count(stubborn) >= 4)
            victim = own_cluster.primary_of(slot_name(stubborn[0].game))
            victim.kill()
            eventually(lambda: own_cluster.primary_of(slot_name(stubborn[0].game)) is not victim)
            eventually(instance.ready)
            eventually(lambda: after_the_loss(own_cluster, victim, slot_name(stubborn[0].game)))
            before = {each: len(each.answered) for each in stubborn}
            eventually(lambda: all(moved_on(each, before[each]) for each in stubborn))
        victim.start()
        own_cluster.await_whole()
        for each in stubborn:
            assert not each.refused - {"over", "nothing-asked", "out-of-turn"}
        assert "MovedError" not in instance.told()


def after_the_loss(cluster, victim, name):
    """Check what the doctor reports after a replica has replaced its primary."""
    with closing(open_client(cluster.url)) as wire:
        found = surveyed(wire)
    alone = (
        f"The primary 127.0.0.1:{cluster.primary_of(name).port} has no replica: its games are lost if its disk is lost."
    )
    assert f"The node 127.0.0.1:{victim.port} of the cluster is failing (fail, master)." in found.wrong
    assert alone in found.wrong
    assert "16384 of 16384 slots" in found.told[0]
    return True


def moved_on(each, before):
    """Return whether a player has got an answer since, or their game is over."""
    return len(each.answered) > before or each.player.summary(each.game)["status"] == "over"
