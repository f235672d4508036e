"""Call every store operation, so that each script runs once."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from domain.kernel.terms import Seat
from service.audit.auditor import audit
from service.cli.commands.imports import imported
from service.features.archive.mover import move
from service.features.plans.store import Plans
from service.store.ports.accounts import Credential, Player, Suspension
from service.store.ports.lobbies import NOTHING_CHANGED, Reservation
from service.store.ports.outbox import DeliveryCursor, Subscription
from service.store.ports.side_data import Grown
from service.store.ports.waiting import TELL, Plan
from service.store.redis.side_data.transparency_log import FOLLOWER
from service.store.redis.store import open_store
from service.store.upkeep.repair import repair
from service.store.upkeep.store_identity import named, raised
from tests.store.pump import claim_games, command, opened, outcome, pump, started, submit
from tests.store.test_append import finish
from tests.store.test_due import timed

RECORDED = Path(__file__).parents[1] / "recordings" / "pennies-undo.ndjson"


def call_everything(store, folder):
    """The archive is created in ``folder``."""
    _archived(store, folder)
    _lobby(store)
    _play(store)
    _people(store)
    _beside(store)
    _sandbox(store)
    raised(store.wire, named(store.wire).id)
    assert repair(store, write=True)["games"] >= 3


def _lobby(store):
    made = opened(store, "ann", None, None)
    store.lobbies.join(made.id, "bob", "00", None)
    store.lobbies.seat_bot(made.id, "ann", "greedy")
    store.lobbies.start(made.id, "ann", "begin")
    pump(store, made.id)
    offered = opened(store, "ann", None, reserved=(Reservation(Seat(2), "bob", 10**15),))
    store.lobbies.decline(offered.id, "bob")
    lobby = store.lobbies.get(made.id)
    assert store.lobbies.reseat(lobby, NOTHING_CHANGED)
    store.lobbies.delete(opened(store, "cy", None).id, "cy")


def _play(store):
    late, past, game = timed(store, 60_000), timed(store, 60_000), started(store)
    finish(store, started(store))
    submit(store, game, command("s1", 1, pennies=1))
    store.wire.one("ZADD", store.keys.partition(past).due, "XX", 1, f"{past} d 1:0:1")
    assert "accepted" == store.schedule.put_off(late, "1:0:1", 60_000).status
    store.schedule.sweep_all(range(store.partitions))
    assert "pending" == outcome(store, game, "s1")
    assert store.schedule.waiting()
    while batch := claim_games(store, range(256), 32, 1000):
        store.claims._give_back([batch[0]])
        for claimed in claim_games(store, [store.schedule.partition(batch[0])], 32, 1000):
            pump(store, claimed)
        for claimed in batch:
            pump(store, claimed)
            store.claims.release(claimed)
    store.log.outcomes(game, "s1")
    other = open_store(store.wire.url)
    submit(store, game, {**command("s3", 2, pennies=1), TELL: "oraclewheel:told:x"})
    assert "pending" == outcome(other, game, "s3")  # a read by another store object makes the waiting command durable
    other.close()
    plan = Plan("p1", Seat(1), "ann", ({"type": "hide", "pennies": 1},), 1, ("*",), "legal", "wait", 0, "cred")
    Plans(store).lay(game, plan, "digest", store.log.head(game)[0])
    assert store.views.rewrite(game, store.views.rows(game, [1, 2]))
    assert store.log.seq_at(game, store.schedule.now()) == store.log.head(game)[0]
    assert store.schedule.lock("l", 100)
    store.schedule.clock_back(0, 1)
    store.schedule.beat("x")


def _sandbox(store):
    sandbox = started(store, sandbox={})
    finish(store, sandbox)
    assert store.lobbies.expire_sandbox(sandbox)
    assert store.lobbies.get(sandbox) is None
    assert store.lobbies.delete_running_sandbox(started(store, sandbox={}))


def _people(store):
    store.accounts.create(Player("p1", "Ann", 1), Credential("c1", "p1", ("play",), 1), "digest")
    assert store.accounts.allow("b", 1, 1)[0]
    store.accounts.suspend("p1", Suspension("Insults.", 1))
    assert "Insults." == store.accounts.suspension("p1").reason
    assert store.accounts.restore("p1")
    assert "Ann" in [each.name for each in store.accounts.every()]
    store.accounts.rename("p1", "Änne")
    assert ["Änne"] == [each.name for each in store.accounts.named("ann", 9)[0]]
    assert 0 == store.accounts.index_names()
    store.operators.append("root", "account.suspend", "p1", "Insults.")
    assert ["account.suspend"] == [each.action for each in store.operators.newest(1, "p1")]
    assert store.places.hold("x", "me", 1, 5)[0]


def _archived(store, folder):
    data = RECORDED.read_bytes()
    with closing(open_store(store.wire.url, archive=f"file://{folder}")) as shelf:
        report = audit(data)
        for _ in imported(shelf, data, report):
            pass
        game = report.facts["game"]
        assert "moved" == move(shelf, game).word
        shelf.archive.forget(game)
        assert not shelf.wire.one("EXISTS", *shelf.keys.whole(game))
    with closing(open_store(store.wire.url, archive=f"file://{folder}")) as shelf:
        assert shelf.lobbies.get(game).id == game
        assert shelf.log.head(game)[0] > 0, "it is copied back"
    with closing(open_store(store.wire.url, archive=f"file://{folder}")) as shelf:
        shelf.archive.keep(game)
        assert [] == list(shelf.archive.index()), "and taken back for good"


def _beside(store):
    game = started(store)
    told = Subscription("s1", "webhook", "p1", None, 1, {})
    assert store.subscriptions.add(told, 3)
    assert store.subscriptions.change(told, told)
    assert [True] == store.outbox.listen([game], "s1")
    submit(store, game, command("s2", 1, pennies=1))
    pump(store, game)
    for owed in store.outbox.claim(range(256), 9, 1000):
        store.outbox.settle(owed, DeliveryCursor(2))
    store.outbox.leave([game], "s1")
    assert store.changes.unseen(FOLLOWER)
    for partition in store.changes.behind(FOLLOWER, range(store.partitions)):
        unread = store.changes.read(FOLLOWER, [partition], 10)
        store.changes.acknowledge(FOLLOWER, unread.changes)
        store.changes.trim([partition])
    assert store.ledger.grow(Grown(0, [], [], b"checkpoint", "2026-01-31"))
