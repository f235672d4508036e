"""A service in this process with a worker that drains its outbox, and a receiver on loopback."""

from __future__ import annotations

import time

from service.core.notifications.deliveries import DeliveryContext
from service.core.notifications.recent_commits import RecentCommits
from service.core.positions.cache import Positions
from service.features.notifications.dispatcher import Dispatcher
from service.features.webhooks.handler import WebhookHandler
from service.ops.settings import Settings
from tests.core.http.conftest import World
from tests.notifications.receiver import Receiver

OPEN = {"webhook_networks": ("127.0.0.0/8",), "webhook_ports": (), "webhook_seconds": 20}


class Hooked(World):
    """Call `post_out` to send the pending deliveries."""

    def __init__(self, store=None, **settings):
        told = {**OPEN, "webhook_retries": ("0", "0"), **settings}
        super().__init__(store, **told)
        self.receiver = Receiver()
        self.settings = Settings(**told)

    def post_out(self, seconds=20):
        """Deliver until nothing is due."""
        post = DeliveryContext(self.store, self.settings, RecentCommits(self.store, Positions(self.store)))
        until = time.monotonic() + seconds
        with Dispatcher(self.store, {"webhook": WebhookHandler(post)}) as rounds:
            while (
                rounds.claim(range(self.store.partitions))
                or rounds.is_busy
                or self.store.outbox.census().oldest is not None
            ):
                assert time.monotonic() < until
                time.sleep(0.01)

    def hook(self, player, path="/hook", **told):
        """Create a webhook of the player that posts to a path of the receiver."""
        return player.post("/v1/webhooks", {"url": self.receiver.url(path), **told}, want=201).json

    def close(self):
        self.receiver.close()
