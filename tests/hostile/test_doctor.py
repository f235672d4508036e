"""The doctor trusts no unverified log, hides no damage, and raises no false alarm."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from click.testing import CliRunner

from domain.kernel.terms import PlayerId
from domain.registry import GAMES
from service.cli import main
from service.core.notifications.game_subscriptions import subscribe_all
from service.core.outbound import mail_server
from service.core.outbound.smtp import SendResult
from service.core.positions.cache import Positions
from service.core.positions.rows import load_current_rows
from service.core.queue import CRON, Queue
from service.store import packing
from service.store.founding import origin
from service.store.ports.outbox import Subscription
from service.store.seal import Sealed, head_of
from service.store.upkeep.backlog import Backlog
from tests.pennies import PENNIES
from tests.soaking import sample, soak
from tests.workers.conftest import Tables
from tests.workers.test_advance import settle
from workers.advance import Advance


@pytest.fixture
def doctor(redis_url, monkeypatch, tmp_path):
    """Run the doctor: its exit status and output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)

    def call(*arguments):
        result = CliRunner().invoke(main, ["doctor", *arguments], catch_exceptions=False)
        return result.exit_code, result.output

    return call


@pytest.fixture
def played(redis_store, doctor):
    """Games that were played for a while, one of them to its end."""
    tables, advance = Tables(redis_store), Advance.in_process(redis_store)
    games = [tables.start(points=1000), tables.start(), tables.start("bot:greedy", "bot:random")]
    for game in games[:2]:
        for number in range(34):
            tables.hide(game, 1 + number % 2, number % 2)
            settle(redis_store, advance)
    settle(redis_store, advance)
    assert redis_store.log.snapshot(games[0]) is not None
    return games


def views_of(store, game):
    return store.wire.one("HGETALL", store.keys.game(game).views)


def lose_commit(store, game):
    store.wire.one("XDEL", store.keys.game(game).commits, "3-0")


def lose_last(store, game):
    store.wire.one("XDEL", store.keys.game(game).commits, f"{store.log.head(game)[0]}-0")


def change_commit(store, game, change):
    """Replace the third commit and keep all others."""
    name = store.keys.game(game).commits
    entries = store.wire.one("XRANGE", name, "-", "+")
    store.wire.one("DEL", name)
    for entry, fields in entries:
        store.wire.one("XADD", name, entry, "c", change(fields[1]) if entry == b"3-0" else fields[1])


def change_body(store, game):
    def changed(packed):
        read = packing.unpack(packed)
        body = read.body.replace(b'"pennies":1', b'"pennies":0')
        assert body != read.body
        return packing.pack(Sealed(3, read.at, read.release, b"", body, read.head, ""))

    change_commit(store, game, changed)


def garble_commit(store, game):
    change_commit(store, game, lambda packed: packed[:-5] + b"xxxxx")


def change_head(store, game):
    change_commit(store, game, lambda packed: packed[:7] + bytes(32) + packed[39:])


def change_meta_head(store, game):
    store.wire.one("HSET", store.keys.game(game).meta, "head", "ab" * 32)


def change_seq(store, game):
    store.wire.one("HSET", store.keys.game(game).meta, "seq", 3)


def change_seed(store, game):
    store.wire.one("HSET", store.keys.game(game).meta, "seed", b"5" * 32)


def change_signature(store, game):
    name = store.keys.game(game).meta
    sealed = store.wire.one("HGET", name, "sealed")
    store.wire.one("HSET", name, "sealed", sealed[:32] + b"\xab" * 64 + sealed[96:])


def turn_back_time(store, game):
    """Seal every commit again with the game's seed and drop the signature, as a forger would."""
    names, lobby = store.keys.game(game), store.lobbies.get(game)
    seed, previous = store.lobbies.seed(game), origin(lobby.setup)
    entries = store.wire.one("XRANGE", names.commits, "-", "+")
    store.wire.one("DEL", names.commits)
    for seq, (entry, fields) in enumerate(entries, 1):
        read = packing.unpack(fields[1])
        read = replace(read, at=read.at - 60_000 * (seq == 3))
        head = head_of(packing.header(game, seq, read, previous, seed))
        packed = packing.pack(Sealed(seq, read.at, read.release, b"", read.body, head, ""))
        store.wire.one("XADD", names.commits, entry, "c", packed)
        previous = head
    store.wire.one("HSET", names.meta, "head", previous)
    store.wire.one("HDEL", names.meta, "sealed")


DAMAGES = [
    turn_back_time,
    lose_commit,
    lose_last,
    change_body,
    garble_commit,
    change_head,
    change_meta_head,
    change_seq,
    change_seed,
    change_signature,
]


@pytest.mark.parametrize("damage", sample(DAMAGES, 4))
def test_damage_is_reported_until_a_restore_and_views_are_not_rebuilt_from_it(doctor, played, redis_store, damage):
    game = played[0]
    damage(redis_store, game)
    redis_store.wire.one("HSET", redis_store.keys.game(game).views, 0, b"something else")
    before = views_of(redis_store, game)

    for arguments in (("--repair",), ("--repair",), ()):
        status, told = doctor(*arguments)
        assert 1 == status, "it is wrong until somebody restores it"
        assert f"{game} is damaged" in told
        assert "restore the data folder from a backup" in told
    assert before == views_of(redis_store, game)
    assert not [other for other in played[1:] if other in told]


def test_doctor_finds_no_problem_in_a_sound_store(doctor, played):
    assert (0, "No problems found.") == (doctor()[0], doctor("--repair")[1].splitlines()[-1])


def test_repair_writes_what_followers_have_missed(doctor, played, redis_store):
    meta = redis_store.keys.game(played[0]).meta
    listed = redis_store.wire.one("HGET", meta, "listed")
    redis_store.wire.all([("HDEL", meta, "listed"), ("DEL", redis_store.keys.partition(played[0]).changes)])
    doctor()
    assert redis_store.wire.one("HGET", meta, "listed") is None
    doctor("--repair")
    assert listed == redis_store.wire.one("HGET", meta, "listed") == b"running"


def test_readable_but_wrong_snapshot_is_reported_and_removed_by_repair(doctor, played, redis_store):
    game = played[0]
    name = redis_store.keys.game(game).snapshots
    seq, _ = redis_store.log.snapshot(game)
    packed = redis_store.wire.one("HGET", name, seq)
    document = packing.unpack_snapshot(packed)
    wrong = packing.pack_snapshot(packing.snapshot_release(packed), document.replace(b'"acted":0', b'"acted":7'))
    assert packing.unpack_snapshot(wrong) != document
    redis_store.wire.one("HSET", name, seq, wrong)

    status, told = doctor()
    assert (1, True) == (status, f"{game}: the snapshot {seq}" in told)
    assert 0 == doctor("--repair")[0]
    assert not redis_store.wire.one("HEXISTS", name, seq)
    assert 0 == doctor()[0]


def test_repair_removes_a_settled_command_and_the_queue_continues(doctor, played, redis_store):
    game, tables, advance = played[0], Tables(redis_store), Advance.in_process(redis_store)
    name = redis_store.keys.game(game).commands
    tables.hide(game, 1, 0, id_="twice")
    ((_, fields),) = redis_store.wire.one("XRANGE", name, "-", "+")
    settle(redis_store, advance)
    redis_store.wire.one("XADD", name, "*", *fields)
    tables.hide(game, 2, 0, id_="behind")

    status, told = doctor()
    assert (1, True) == (status, "was settled before (twice)" in told)
    assert "twice" in doctor("--repair")[1]
    settle(redis_store, advance)
    assert isinstance(redis_store.log.outcome(game, "behind").seq, int)
    assert 0 == doctor()[0]


@pytest.mark.parametrize(
    "garbage",
    [
        ("d", "{", "t", "1"),
        *(
            pytest.param(each, marks=pytest.mark.soak)
            for each in (("x", "y"), ("d", '{"id":1}', "t", "5"), ("d", "[]", "t", "5"))
        ),
    ],
)
def test_garbage_in_a_command_queue_is_reported_and_removed_by_repair(doctor, played, redis_store, garbage):
    redis_store.wire.one("XADD", redis_store.keys.game(played[0]).commands, "*", *garbage)
    assert "is not a command" in doctor()[1]
    assert 0 == doctor("--repair")[0]
    assert 0 == doctor()[0]


def test_garbage_in_one_command_queue_does_not_block_other_games(played, redis_store):
    tables, advance = Tables(redis_store), Advance.in_process(redis_store)
    first, other = played[0], tables.start()
    tables.hide(first, 1, 0, id_="before")
    redis_store.wire.one("XADD", redis_store.keys.game(first).commands, "*", "x", "y")
    settle(redis_store, advance)

    assert isinstance(redis_store.log.outcome(first, "before").seq, int)
    assert 1 == redis_store.log.head(other)[0]
    assert 0 == Backlog(redis_store).seconds(), "it is put aside, and makes the service no less ready"


@pytest.mark.parametrize("member", ["a b c d", *soak("x", b"\xff\xfe d 1:0:1")])
def test_garbage_among_the_deadlines_is_removed_and_blocks_no_others(doctor, played, redis_store, member):
    for shared in redis_store.keys.partitions:
        redis_store.wire.one("ZADD", shared.due, 1, member)
    for partition in range(redis_store.partitions):
        redis_store.schedule.sweep(partition)
        redis_store.schedule.overdue(partition, 0)
    assert "the deadline entry" in doctor()[1]
    assert 0 == doctor("--repair")[0]
    assert 0 == doctor()[0]


def test_doctor_ignores_rows_of_another_release_failed_settle_jobs_and_idle_workers(
    doctor, played, redis_store, redis_url, monkeypatch
):
    game = played[0]
    rows = load_current_rows(redis_store, Positions(redis_store), game, (1, 2))
    redis_store.views.rewrite(game, replace(rows, release="0.0.1", public=b'{"as":"it was"}'))
    Tables(redis_store).hide(game, 1, 0)  # it waits, because no worker runs
    monkeypatch.setattr(Queue, "failed", lambda self: {CRON: ["one"], "settle:0": ["two"]})
    assert 0 == doctor()[0]


def test_repair_rebuilds_garbled_view_rows(doctor, played, redis_store):
    game = played[0]
    before = load_current_rows(redis_store, Positions(redis_store), game, (1, 2))
    names = redis_store.keys.game(game)
    redis_store.wire.one("HSET", names.views, 0, b"garbage")
    redis_store.wire.one("HSET", names.meta, "newest", b"garbage")
    assert 0 == doctor("--repair")[0]
    assert before == redis_store.views.rows(game, (1, 2))


@pytest.mark.soak
def test_doctor_reports_missing_settle_workers_of_a_running_service(
    doctor, played, redis_store, redis_url, monkeypatch
):
    monkeypatch.setenv("ORACLEWHEEL_READY_WAIT_SECONDS", "1")
    Tables(redis_store).hide(played[0], 1, 0)
    time.sleep(1.2)
    assert 0 == doctor()[0]

    Queue(redis_url).report_serving()
    status, told = doctor()
    assert (1, True, True) == (status, "has been waiting for" in told, "2 of 2 settle workers are not running" in told)
    assert 1 == doctor("--repair")[0], "that is nothing a repair sets right"


@pytest.mark.soak
def test_doctor_reports_overdue_deliveries_and_repair_rebuilds_a_lost_outbox(
    doctor, played, redis_store, redis_url, monkeypatch
):
    monkeypatch.setenv("ORACLEWHEEL_READY_WAIT_SECONDS", "1")
    store, game, advance = redis_store, played[0], Advance.in_process(redis_store)
    store.subscriptions.add(Subscription("s1", "webhook", PlayerId("ada"), None, 1, {}), 0)
    subscribe_all(store, store.subscriptions.get("s1"))
    Tables(store).hide(game, 1, 0)
    settle(store, advance)
    time.sleep(1.2)
    assert 0 == doctor()[0], "nobody works, and that is no fault"

    Queue(redis_url).report_serving()
    assert "pending deliveries has been due for" in doctor()[1]
    assert Queue(redis_url).waiting()["side"], "somebody was asked to see to it"

    store.subscriptions.note("s1", {"id": "msg_1"}, dead=True)
    store.wire.one("DEL", store.keys.partition(game).outbox)
    _, told = doctor()
    assert ("1 deliveries were abandoned" in told, "pending deliveries" in told) == (True, False)
    assert 0 == store.outbox.census().pending
    doctor("--repair")
    assert 1 == store.outbox.census().pending


def test_mail_server_that_refuses_email_is_reported(doctor, played, redis_store):
    for number in range(2):
        mail_server.record_result(redis_store, f"s{number}", SendResult(False, reason="recipient-refused 554 5.7.1"))
    assert 0 == doctor()[0], "a server may refuse a first attempt, to see whether it is repeated"

    mail_server.record_result(redis_store, "s0", SendResult(False, reason="recipient-refused 554 5.7.1"))
    status, told = doctor()
    assert 1 == status
    assert "refused the last 3 emails, to 2 mailboxes: recipient-refused 554 5.7.1" in told

    mail_server.record_result(redis_store, "s1", SendResult(is_accepted=True))
    assert 0 == doctor()[0]
