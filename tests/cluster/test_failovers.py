"""Four failovers of a cluster during play: every creation settles in time, and no acknowledged command is lost."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import pytest
import requests

from service.store.redis.store import open_store
from tests.cluster.cluster import Cluster
from tests.cluster.servers import eventually
from tests.cluster.stubborn import AWAY, Restless, count, playing
from tests.cluster.test_replicas_served import lost, wrong
from tests.cluster.test_served import served, slot_name
from tests.driver import Player, Remote

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]

FAILOVERS, LONGEST = 4, 15.0
"""The number of failovers, and the seconds within which a creation must settle."""


TOLD = {
    "ORACLEWHEEL_REPLICAS": "1",
    "ORACLEWHEEL_API_WORKERS": "1",
    "ORACLEWHEEL_RATE_REGISTRATIONS": "100000",
    "ORACLEWHEEL_RATE_REQUESTS": "100000",
}


def creations(creators):
    """Count the creations; raise the error of a failed creator."""
    for each in creators:
        if each.failure is not None:
            raise RuntimeError("a creator failed") from each.failure
    return sum(len(each.took) for each in creators)


class Creator(threading.Thread):
    """Creates players and games again and again, each with one idempotency key until it gets an answer."""

    def __init__(self, instance, ended, number):
        super().__init__(daemon=True)
        self.instance, self.ended, self.number = instance, ended, number
        self.took, self.slow, self.failure = [], [], None

    def run(self):
        try:
            while not self.ended.is_set():
                number = f"{self.number}-{len(self.took)}"
                body = {"name": f"Player {number}"}
                made = self.settled(lambda s, b=body, n=number: s.post("/v1/players", b, headers=key("player", n)))
                player = Player(Remote(self.instance.url), made.json["token"], made.json["id"])
                asked = {"kind": "nim", "seats": 2}
                self.settled(lambda _, p=player, a=asked, n=number: p.post("/v1/games", a, headers=key("game", n)))
        except Exception as error:  # noqa: BLE001 - the test raises it
            self.failure = error

    def settled(self, create):
        began, answers = time.monotonic(), []
        while True:
            try:
                answer = create(Player(Remote(self.instance.url)))
                answers.append((answer.status, answer.code if answer.status >= 400 else "created"))
                if answer.status not in (*AWAY, 409):
                    break
            except requests.RequestException as error:
                answers.append((0, str(error)))
            time.sleep(0.1)
        took = time.monotonic() - began
        assert 201 == answer.status, answer.text
        self.took.append(took)
        if took > LONGEST:
            self.slow.append((took, sorted(set(answers))))
        return answer


def key(kind, number):
    return {"Idempotency-Key": f"{kind}-{number}-{'x' * 32}"}


@pytest.fixture
def own_cluster(tmp_path):
    """A cluster of its own, whose failovers take about three seconds."""
    cluster = Cluster(tmp_path / "cluster", appendfsync="everysec")
    try:
        yield cluster.start()
    finally:
        cluster.stop()


def test_creations_settle_within_15_seconds_through_four_failovers(own_cluster, tmp_path):
    ended = threading.Event()
    with served(own_cluster, tmp_path, **TOLD) as instance:
        players = [eventually(lambda number=number: Restless(instance, number)) for number in range(2)]
        creators = [Creator(instance, ended, number) for number in range(3)]
        for each in creators:
            each.start()
        with playing(players):
            for turn in range(FAILOVERS):
                before = count(players), creations(creators)
                eventually(lambda before=before: count(players) >= before[0] + 3)
                eventually(lambda before=before: creations(creators) >= before[1] + 3)
                name = slot_name(players[turn % 2].game)
                victim = own_cluster.primary_of(name)
                victim.kill()
                eventually(lambda name=name, victim=victim: own_cluster.primary_of(name) is not victim)
                victim.start()  # it follows the new primary
                own_cluster.await_whole()
            before = count(players)
            eventually(lambda: count(players) >= before + 3)
        ended.set()
        for each in creators:
            each.join(120)
            assert each.failure is None, each.failure
        took = sorted(second for each in creators for second in each.took)
        slow = [each for creator in creators for each in creator.slow]
        print(f"{len(took)} creations, median {took[len(took) // 2]:.2f} s, slowest {took[-1]:.1f} s")
        assert [] == slow
        with closing(open_store(own_cluster.url)) as store:
            assert [] == list(lost(store, players))
            eventually(lambda: [] == wrong(store, players))
