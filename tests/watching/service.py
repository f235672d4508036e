"""A service on a real store; its metrics are scraped before and after an incident."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

from rq import Queue as JobQueue
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer

from domain.registry import GAMES
from service.core.feature import load
from service.core.http.context.app import EXTENSION
from service.core.http.store_metrics import StoreMetrics
from service.core.outbound import mail_server
from service.core.outbound.smtp import SendResult
from service.core.queue import SIDE, Queue
from service.features import FEATURES
from service.features.archive.mover import _left
from service.ops.metrics import catalogue
from service.store.ports.errors import StoreDown
from service.store.ports.store import Server
from service.store.ports.waiting import Mark
from service.store.upkeep.backlog import Backlog
from tests.core.http.conftest import World
from tests.pennies import PENNIES, PenniesRules
from tests.watching.figures import read
from tests.watching.promql import Scrapes

HIDE = {"type": "hide", "pennies": 1}
APART = 60.0
"""Seconds between two scrapes, in the time that the rules see."""


class Watched:
    """The service, a running game of two players, and the scrapes."""

    def __init__(self, store, url, monkeypatch):
        self.store, self.queue, self.monkeypatch = store, Queue(url), monkeypatch
        monkeypatch.setitem(GAMES, "pennies", PENNIES)
        self.world = World(store)
        self.now, self.settling = 0.0, self.queue.lanes.count
        monkeypatch.setattr(self.queue, "settling", lambda: self.settling)
        self.backlog = Backlog(store, lambda: self.now)
        self.scrapes = Scrapes()
        store.schedule.beat("pump")
        store.schedule.beat("heads")
        self.game, self.ash, self.birk = self.world.table()

    def text(self):
        """The answer that `/metrics` would give."""
        metrics = StoreMetrics(
            self.store, self.queue, self.backlog, [load(each.metrics) for each in FEATURES if each.metrics]
        )
        return self.world.app.extensions[EXTENSION].request_metrics.render(metrics).decode()

    def scrape(self):
        self.scrapes.take(self.now, read(self.text()))
        self.now += APART
        return self.scrapes

    def play(self):
        """Play a round of the game."""
        for player in (self.ash, self.birk):
            player.send(self.game, HIDE, wait=10)

    def after(self, happening):
        """Scrape before the incident, directly after it, and again later."""
        self.scrape()
        self.play()
        self.scrape()
        with happening(self) or nothing():
            self.scrape()
            return self.scrape()


@contextmanager
def nothing():
    yield


def ago(watched, name, seconds):
    """Set the last heartbeat of this name to so many seconds ago."""
    watched.store.wire.one("SET", f"beat:{name}", watched.store.schedule.now() - 1000 * seconds)


def service_down(watched):
    watched.scrapes.take(watched.now, None)
    watched.monkeypatch.setattr(watched, "scrape", lambda: watched.scrapes)


def store_down(watched):
    def away():
        raise StoreDown("away")

    watched.monkeypatch.setattr(watched.store.schedule, "census", away)


def no_sweeps(watched):
    ago(watched, "pump", 60)


def settle_workers_missing(watched):
    watched.settling -= 1


def settle_workers_busy(watched):
    for seconds, doing in ((9.8, "settling"), (0.2, "waiting")):
        catalogue.SETTLE_TIME.note(100 * seconds, doing)


def commands_wait(watched):
    watched.world.asleep = True
    watched.ash.send(watched.game, HIDE, wait=None, want=202)


def settle_slow(watched):
    watched.world.asleep = True
    watched.ash.send(watched.game, HIDE, wait=None, want=202)
    name = watched.store.keys.game(watched.game).commands
    ((entry, fields),) = watched.store.wire.one("XRANGE", name, "-", "+")
    watched.store.wire.one("DEL", name)
    watched.store.wire.one("XADD", name, entry, *fields[:3], int(fields[3]) - 40_000)
    watched.world.work(watched.game)


def due_late(watched):
    due = watched.store.keys.partition(watched.game).due
    watched.store.wire.one("ZADD", due, watched.store.schedule.now() - 60_000, f"{watched.game} d 1:0:1")


def stand_ins_answer(watched):
    for _ in range(2):
        catalogue.THOUGHT.note(0.0, catalogue.BY_STAND_IN)
        watched.scrape()  # a new series needs two scrapes before it has a rate


def outbox_old(watched):
    outbox = watched.store.keys.partition(watched.game).outbox
    watched.store.wire.one("ZADD", outbox, watched.store.schedule.now() - 600_000, f"{watched.game} s1")


def deliveries_fail(watched):
    for came in ("failed", "failed", "delivered"):
        catalogue.TOLD.note(2.0, "webhook", came)
    watched.scrape()  # a new series needs two scrapes before it has a rate
    for came in ("failed", "failed", "delivered"):
        catalogue.TOLD.note(2.0, "webhook", came)


def email_fails(watched):
    for _ in range(3):
        mail_server.record_result(watched.store, "s1", SendResult(False, reason="recipient-refused 554 5.7.1"))


def game_stalled(watched):
    game = watched.ash.make_game(sandbox={"dice": []})["id"]
    watched.ash.join(game)
    watched.ash.start(game)
    for seat in (1, 2):
        watched.ash.send(game, HIDE, seat=seat, want=200)


def game_set_aside(watched):
    watched.store.schedule.mark(watched.game, Mark("quarantined", "", "of a test"))


def rules_fault(watched):
    def broken(*_):
        raise RuntimeError("a fault of a test")

    watched.monkeypatch.setattr(PenniesRules, "decide", broken)
    watched.ash.send(watched.game, HIDE, wait=None, want=409)


def jobs_failed(watched):
    jobs = JobQueue(SIDE, connection=watched.queue.connection, serializer=JSONSerializer)
    job = jobs.enqueue("workers.nothing")
    FailedJobRegistry(queue=jobs).add(job, ttl=60, exc_string="of a test")


def disk_fails(watched):
    watched.monkeypatch.setattr(watched.store, "servers", lambda: [Server("store", 1, 0, False, 0, 0)])


def memory_short(watched):
    return configured(watched, "maxmemory", lambda: watched.store.servers()[0].memory * 11 // 10, 0)


def replicas_missing(watched):
    return configured(watched, "min-replicas-to-write", lambda: 1, 0)


@contextmanager
def configured(watched, name, value, before):
    """Change a setting of the server while the block runs."""
    watched.store.wire.one("CONFIG", "SET", name, value())
    try:
        yield
    finally:
        watched.store.wire.one("CONFIG", "SET", name, before)


def log_of_heads_still(watched):
    ago(watched, "heads", 3600)


def archive_fails(watched):
    _left(watched.game, "it is one of a test")


def server_errors(watched):
    def away(*_, **__):
        raise StoreDown("away")

    watched.monkeypatch.setattr(watched.store.log, "submit", away)
    for _ in range(2):
        watched.ash.send(watched.game, HIDE, wait=None, want=503)
        watched.scrape()  # a new series needs two scrapes before it has a rate


HAPPENINGS = SimpleNamespace(
    ServiceDown=service_down,
    StoreDown=store_down,
    NoSweeps=no_sweeps,
    SettleWorkersMissing=settle_workers_missing,
    SettleWorkersBusy=settle_workers_busy,
    CommandsWait=commands_wait,
    SettleSlow=settle_slow,
    DueLate=due_late,
    StandInsAnswer=stand_ins_answer,
    OutboxOld=outbox_old,
    DeliveriesFail=deliveries_fail,
    EmailFails=email_fails,
    GameStalled=game_stalled,
    GameSetAside=game_set_aside,
    RulesFault=rules_fault,
    JobsFailed=jobs_failed,
    DiskFails=disk_fails,
    MemoryShort=memory_short,
    ReplicasMissing=replicas_missing,
    LogOfHeadsStill=log_of_heads_still,
    ArchiveFails=archive_fails,
    ServerErrors=server_errors,
)
