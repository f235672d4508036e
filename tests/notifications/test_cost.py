"""The number of Redis commands per delivery."""

from __future__ import annotations

import time

import pytest

from service.core.notifications.deliveries import DeliveryContext
from service.core.notifications.recent_commits import RecentCommits
from service.core.positions.cache import Positions
from service.features.notifications.dispatcher import Dispatcher
from service.features.webhooks.handler import WebhookHandler
from tests.notifications.hooked import Hooked

COMMITS = 7


def calls(store):
    """Count the commands executed by the server, including those of scripts."""
    lines = store.wire.one("INFO", "commandstats").decode().splitlines()
    return sum(int(line.partition("calls=")[2].partition(",")[0]) for line in lines if line.startswith("cmdstat_"))


@pytest.mark.parametrize(("webhooks", "most"), [(1, 15), (4, 12)])
def test_a_delivery_takes_few_redis_commands(webhooks, most):
    world = Hooked()
    try:
        ash, birk = world.player("Ash"), world.player("Birk")
        game = ash.make_game("nim", 2, options={"heaps": COMMITS + 1}, visibility="public")["id"]
        birk.join(game)
        ash.start(game)
        for number in range(webhooks):
            world.hook((ash, birk)[number % 2], f"/{number}", events=["commit"])
        news = RecentCommits(world.store, Positions(world.store))
        partition = [world.store.schedule.partition(game)]
        delivery = WebhookHandler(DeliveryContext(world.store, world.settings, news))
        taken = 0
        with Dispatcher(world.store, {"webhook": delivery}) as rounds:
            for number in range(COMMITS + 1):
                seat = ash.summary(game)["pending_questions"][0]["seat"]
                (ash, birk)[seat - 1].send(game, {"type": "take", "heap": number + 1, "objects": 1}, wait=5)
                before = calls(world.store)
                rounds.claim(partition)
                while rounds.is_busy:
                    time.sleep(0.002)
                if number:  # the first one reads the game
                    taken += calls(world.store) - before - 1  # INFO
        assert [COMMITS + 1] * webhooks == [len(world.receiver.got[f"/{number}"]) for number in range(webhooks)]
        assert taken / (COMMITS * webhooks) <= most
    finally:
        world.close()
