"""The month without failures: everything in this process, on a store whose clock does not move."""

from __future__ import annotations

import time

from service.application import create_app
from service.audit.auditor import audit
from service.audit.export import export_lines
from service.core.notifications.deliveries import DeliveryContext
from service.core.notifications.recent_commits import RecentCommits
from service.core.positions.cache import Positions
from service.features.notifications.dispatcher import Dispatcher
from service.features.notifications.drain import HANDLERS
from service.ops.settings import Settings
from service.store.ports.outbox import OutboxEntry
from tests.driver import InProcess
from tests.month.founding import found
from tests.month.people import People
from tests.month.simulated import GRAIN, blank
from tests.stores import new_store
from tests.workers.almanac import Almanac

UNLIMITED = {
    "rate_requests": 0,
    "unrequested_burst": 0,
    "rate_talk": 0,
    "rate_feeds": 0,
    "rate_webhooks": 0,
    "refusal_burst": 10_000,
}


class Quiet:
    """A service that completes everything due before the next action."""

    def __init__(self, monkeypatch, receiver, mail, games, start):
        self.games = games
        monkeypatch.setattr("service.features.email.content.render_png", blank)
        # The clock does not move for deliveries either, however long they take on a busy machine.
        monkeypatch.setattr(OutboxEntry, "now", lambda owed: owed.claimed_at)
        self.almanac = Almanac(monkeypatch, new_store(), start)
        self.store = self.almanac.store
        self.settings = Settings(
            **UNLIMITED,
            webhook_networks=("127.0.0.0/8",),
            webhook_ports=(),
            smtp_url=mail.url,
            mail_from="post@games.example.org",
            public_url="https://games.example.org",
        )
        app = create_app(self.store, self.settings, lambda _: self.almanac.work())
        self.people = People(InProcess(app))
        post = DeliveryContext(self.store, self.settings, RecentCommits(self.store, Positions(self.store)))
        self.rounds = Dispatcher(self.store, {kind: made(post) for kind, made in HANDLERS.items()})
        found(self.store, receiver.url(""), games)

    @property
    def now(self):
        return self.almanac.now

    def upcoming(self):
        """The next instant at which something is due by itself."""
        return min([*self.almanac.due(), *(when for _, when in self.owed())], default=None)

    def owed(self):
        """Pending deliveries, and when they are due."""
        names = [partition.outbox for partition in self.store.keys.partitions]
        found = self.store.wire.all([("ZRANGE", name, 0, -1, "WITHSCORES") for name in names])
        return [
            (name.decode(), int(float(when)))
            for each in found
            for name, when in zip(each[::2], each[1::2], strict=True)
        ]

    def to(self, instant):
        assert instant % GRAIN == 0
        self.almanac.now = instant
        self.store.schedule.beat("pump")

    def rest(self):
        """Wait until nothing is left to do."""
        self.almanac.work()
        while (
            self.rounds.claim(range(self.store.partitions))
            or self.rounds.is_busy
            or self.store.outbox.census().oldest is not None
        ):
            time.sleep(0.001)
        assert not [name for name, _ in self.owed() if name.count(" ") == 1], "a word cannot be told"

    def reading(self, of):
        """Read from the store."""
        return of(self.store)

    def export(self, game):
        return b"".join(export_lines(self.store, self.store.lobbies.get(game)))

    def audited(self, game):
        return audit(self.export(game), keys=list(self.store.log.keys().values()))

    def close(self):
        self.rounds.__exit__()
