"""The figures that are read from the store and the queue at the moment of the scrape: how everything stands, whoever did it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from service.post.letters import mail_server
from service.queue import Queue
from service.queue.thinking import thinkers
from service.store.ports.errors import StoreDown
from service.store.ports.store import Store
from service.store.shared.backlog import Backlog
from service.store.upkeep.heads import SIGN

STATES = ("ready", "claimed", "stalled", "quarantined", "needs-release")


class Census(Collector):
    """Gauges of the whole service: every API process of every host tells the same of them."""

    def __init__(self, store: Store, queue: Queue | None, backlog: Backlog) -> None:
        self._store, self._queue, self._backlog = store, queue, backlog

    def collect(self) -> Iterable[Metric]:
        """Those of the store, and those of the queue where there is one; without what does not answer."""
        of_store = (self._games, self._waiting, self._outbox, self._heads, self._archive, self._servers)
        told, up = list[Metric](), True
        try:
            for part in of_store:
                told += part()
        except StoreDown:
            up = False  # and the others are not asked for: each might take long to find that out
        yield GaugeMetricFamily("oraclewheel_store_up", "Whether the store answers.", value=int(up))
        yield from told
        with suppress(RedisError):
            yield from [*self._jobs()]

    def _games(self) -> Iterator[Metric]:
        census = self._store.log.census()
        games = GaugeMetricFamily(
            "oraclewheel_games", "Games with commands waiting, with a worker, stalled, or set aside.", labels=["state"]
        )
        for state in STATES:
            games.add_metric([state], census.get(state, 0))
        yield games
        yield GaugeMetricFamily("oraclewheel_deadlines", "Deadlines to come.", value=census["due"])
        yield GaugeMetricFamily(
            "oraclewheel_overdue_seconds",
            "For how long the oldest of what is due has been up without being submitted.",
            value=census["overdue"] / 1000,
        )
        before = self._store.log.last_beat("pump")
        if before is not None:
            yield GaugeMetricFamily(
                "oraclewheel_pump_sign_seconds",
                "How long ago any pump gave a sign of life; they do every second.",
                value=max(0, self._store.log.now() - before) / 1000,
            )

    def _waiting(self) -> Iterator[Metric]:
        yield GaugeMetricFamily(
            "oraclewheel_waiting_seconds",
            "How long the oldest waiting command has waited.",
            value=self._backlog.seconds(),
        )

    def _outbox(self) -> Iterator[Metric]:
        census = self._store.outbox.census()
        yield GaugeMetricFamily(
            "oraclewheel_outbox",
            "Words that subscriptions are owed, those to be tried again among them.",
            value=census.owed,
        )
        yield GaugeMetricFamily(
            "oraclewheel_outbox_seconds",
            "For how long the oldest of them has been due.",
            value=(census.oldest or 0) / 1000,
        )
        waiting, kinds = self._store.outbox.due(), Counter[str]()
        for subscription, count in waiting.items():
            found = self._store.subscriptions.get(subscription)
            kinds[found.kind if found else "unknown"] += count
        deliveries = GaugeMetricFamily(
            "oraclewheel_deliveries_waiting", "Deliveries that are due or in progress, by kind.", labels=["kind"]
        )
        for kind in ("webhook", "letters", "push", *sorted(kinds.keys() - {"webhook", "letters", "push"})):
            deliveries.add_metric([kind], kinds[kind])
        yield deliveries
        yield GaugeMetricFamily(
            "oraclewheel_email_server_failures",
            "Attempts to send email that failed because of the mail server since it last accepted one (100 at most).",
            value=len(mail_server.failures(self._store)),
        )
        yield CounterMetricFamily("oraclewheel_dead_words", "Words that were given up, ever.", value=census.dead)

    def _heads(self) -> Iterator[Metric]:
        """The log of heads; what has never been kept is not told of."""
        size, _ = self._store.ledger.checkpoint()
        yield GaugeMetricFamily("oraclewheel_log_size", "Heads in the public log of heads.", value=size)
        yield GaugeMetricFamily(
            "oraclewheel_log_waiting",
            "Games that have moved since a head of theirs was logged.",
            value=self._store.ledger.waiting(),
        )
        before = self._store.log.last_beat(SIGN)
        if before is not None:
            yield GaugeMetricFamily(
                "oraclewheel_log_seconds",
                "How long ago the log of heads was last brought up to date.",
                value=max(0, self._store.log.now() - before) / 1000,
            )

    def _archive(self) -> Iterator[Metric]:
        archived, moving = self._store.shelved()
        yield GaugeMetricFamily("oraclewheel_archive_games", "Games that lie in the archive.", value=archived)
        yield GaugeMetricFamily(
            "oraclewheel_archive_moving",
            "Games whose move to the archive was begun and has not come to an end.",
            value=moving,
        )

    def _servers(self) -> Iterator[Metric]:
        gauges = {
            "memory": GaugeMetricFamily(
                "oraclewheel_redis_memory_bytes", "Memory that a server of the store uses.", labels=["server"]
            ),
            "most": GaugeMetricFamily(
                "oraclewheel_redis_memory_limit_bytes",
                "Memory that it may use (maxmemory); 0 is no limit.",
                labels=["server"],
            ),
            "disk": GaugeMetricFamily(
                "oraclewheel_redis_disk_ok",
                "Whether its last write to disk, of the append-only file or of a snapshot, went well.",
                labels=["server"],
            ),
            "replicas": GaugeMetricFamily(
                "oraclewheel_redis_replicas", "Replicas that are connected to it.", labels=["server"]
            ),
            "wanted": GaugeMetricFamily(
                "oraclewheel_redis_replicas_wanted",
                "Replicas without which it takes no writes (min-replicas-to-write), or no answer goes out (ORACLEWHEEL_REPLICAS).",
                labels=["server"],
            ),
        }
        for server in self._store.servers():
            for name, gauge in gauges.items():
                gauge.add_metric([server.name], float(getattr(server, name)))
        yield from gauges.values()

    def _jobs(self) -> Iterator[Metric]:
        if self._queue is None:
            return
        failed = GaugeMetricFamily(
            "oraclewheel_jobs_failed", "Jobs that RQ has given up and none has done since.", labels=["queue"]
        )
        waiting = GaugeMetricFamily("oraclewheel_jobs_waiting", "Jobs that wait.", labels=["queue"])
        for name, ids in self._queue.failed().items():
            failed.add_metric([name], len(ids))
        for name, count in self._queue.waiting().items():
            waiting.add_metric([name], count)
        yield failed
        yield waiting
        yield GaugeMetricFamily(
            "oraclewheel_thinkers",
            "Processes that think for bots and give a sign of life.",
            value=thinkers(self._queue.connection),
        )
        yield GaugeMetricFamily(
            "oraclewheel_pumps",
            "Lanes with a live settle worker, of those that the settings of this process want.",
            value=self._queue.settling(),
        )
        yield GaugeMetricFamily(
            "oraclewheel_pumps_wanted",
            "Settle workers that there should be (ORACLEWHEEL_PUMPS).",
            value=self._queue.lanes.count,
        )
