"""A service in this process with a worker that drains its outbox, and a receiver on loopback."""

from __future__ import annotations

import time

from service.notifications.recent_commits import News
from service.projections.positions.cache import Positions
from service.settings import Settings
from tests.api.conftest import World
from tests.notifications.receiver import Receiver
from workers.notifications.deliveries import Post
from workers.notifications.dispatcher import Rounds
from workers.notifications.webhooks import WebhookDelivery

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
        post = Post(self.store, self.settings, News(self.store, Positions(self.store)))
        until = time.monotonic() + seconds
        with Rounds(self.store, {"webhook": WebhookDelivery(post)}) as rounds:
            while (
                rounds.look(range(self.store.partitions))
                or rounds.busy
                or self.store.outbox.census().oldest is not None
            ):
                assert time.monotonic() < until
                time.sleep(0.01)

    def hook(self, player, path="/hook", **told):
        """Create a webhook of the player that posts to a path of the receiver."""
        return player.post("/v1/webhooks", {"url": self.receiver.url(path), **told}, want=201).json

    def close(self):
        self.receiver.close()
