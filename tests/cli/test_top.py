"""`oraclewheel top` shows the state of a real store, workers' reports and problems, but no secrets."""

from __future__ import annotations

import io
import itertools
import time
from types import SimpleNamespace

import pytest
import redis
from rich.console import Console

from domain.registry import GAMES
from service.cli import status_screen as drawn
from service.cli.commands import top
from service.core.http.limits import streams
from service.core.queue import Queue
from service.ops.metrics.slowest import MOST, SLOWEST, SlowCommand
from service.ops.metrics.slowest import SlowestCommands as Kept
from service.ops.status.reading import read_status
from service.ops.status.slow import RecentSlowest
from service.store.ports.errors import StoreDown
from service.store.ports.waiting import Mark
from service.store.upkeep.store_identity import named
from tests.core.http.conftest import World
from tests.pennies import PENNIES
from tests.workers.conftest import Tables
from tests.workers.test_advance import settle
from workers.advance import Advance
from workers.process import listener
from workers.settle import SettleLane, SettleStats

TOLD = {"process": "here:7", "settling": 0.25, "waiting": 0.7, "games": 12.5}


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


@pytest.fixture
def queue(redis_url):
    return Queue(redis_url)


def shown(seen, patience=30, *, colours=False):
    console = Console(
        file=io.StringIO(), width=120, force_terminal=colours, color_system="standard" if colours else None
    )
    console.print(drawn.screen(seen, seen.settled, patience))
    return console.file.getvalue()


def red(text):
    """The parts in bold red."""
    return [part.partition("\x1b[0m")[0] for part in text.split("\x1b[1;31m")[1:]]


def line(text, name):
    """The words after this name in the first line that contains it."""
    return next(line.split(name, 1)[1] for line in text.splitlines() if name in line).split()


def test_games_and_waiting_commands_are_counted_and_the_oldest_is_named(redis_store, queue):
    tables = Tables(redis_store)
    idle, busy = tables.start(), tables.start()
    settle(redis_store, Advance.in_process(redis_store))
    tables.hide(busy, 1, 1)
    named(redis_store.wire)
    text = shown(read_status(redis_store, queue))

    assert "2" == line(text, "created in total")[0]
    assert "1" == line(text, "commands waiting in")[0]
    assert "for" == line(text, "game")[0]
    assert line(text, busy)
    assert idle not in text
    assert "0 of 2 alive; no host keeps workers running" in text


def test_only_problems_for_an_operator_are_red(redis_store, queue, monkeypatch):
    tables = Tables(redis_store)
    games = [tables.start() for _ in range(3)]
    settle(redis_store, Advance.in_process(redis_store))
    assert [] == red(shown(read_status(redis_store, queue), colours=True))

    redis_store.schedule.mark(games[0], Mark("quarantined", "0", "because"))
    redis_store.wire.one("SADD", redis_store.keys.partition(games[1]).stalled, games[1])
    tables.hide(games[2], 1, 1)
    queue.report_serving()
    clock = redis_store.schedule.now
    monkeypatch.setattr(redis_store.schedule, "now", lambda: clock() + 61_000)
    seen = read_status(redis_store, queue)
    found = red(shown(seen, colours=True))

    assert "0 of 2 alive" in found
    assert ["1", "1", "1"] == [each.strip() for each in found if each.strip() == "1"]
    assert any(each.strip().startswith("61.") for each in found)


def test_late_and_upcoming_deadlines_are_counted_separately(redis_store, queue):
    now = redis_store.schedule.now()
    for number, after in enumerate((-90_000, -1, 55_000, 1_800_000, 9_000_000)):
        redis_store.wire.one("ZADD", redis_store.keys.partitions[number].due, now + after, f"g{number} d 1:0:1")
    due = read_status(redis_store, queue).due

    assert (2, 1, 2, 5) == (due.late, due.minute, due.hour, due.all)
    assert 90_000 <= due.latest < 90_000 + 60_000


def test_settle_job_statistics_and_slow_commands_are_shown(redis_store, queue):
    game = Tables(redis_store).start()
    now = redis_store.schedule.now()
    slow = [SlowCommand(milliseconds, now, game, seq, "hide", "player") for seq, milliseconds in ((2, 40), (3, 4000))]
    queue.lanes.publish(0, {**TOLD, "slow": [vars_of(each) for each in slow]})
    listener("settle:1", queue.connection).register_birth()
    seen = read_status(redis_store, queue)
    text = shown(seen)

    assert "1 of 2 alive" in text
    assert ["25", "%", "70", "%", "12.5"] == line(text, "here:7")
    assert [4000, 40] == [each.slow.milliseconds for each in seen.settled]
    assert ["pennies", "hide", "player", game, "3"] == line(text, "4.0 s")[:5]


def vars_of(slow):
    return {name: getattr(slow, name) for name in SlowCommand.__slots__}


def test_settle_job_publishes_its_statistics(redis_store, redis_url, monkeypatch):
    queue, told = Queue(redis_url, 1), []
    monkeypatch.setattr(queue.lanes, "publish", lambda lane, stats: told.append((lane, stats)))
    SLOWEST.taken()
    game = Tables(redis_store).start()
    assert queue.lanes.take(0, "mine")
    queue.wake(redis_store.schedule.partition(game))
    SettleLane(redis_store, queue, queue.lanes, Advance.in_process(redis_store), 0, "mine", lambda: False).run(60)

    assert {0} == {lane for lane, _ in told}
    assert any("settling" in stats for _, stats in told)
    assert all(0 <= stats.get(name, 0) <= 1 for _, stats in told for name in ("settling", "waiting"))
    slow = [each for _, stats in told for each in stats["slow"]]
    assert (game, 1, "begin", "system") == tuple(slow[0][name] for name in ("game_id", "seq", "type", "by"))


def test_slowest_commands_are_kept_until_they_are_reported():
    kept = Kept()
    for milliseconds in (*range(50), *range(49, -1, -1)):
        kept.note(SlowCommand(milliseconds, 1, "g", milliseconds, "take", "player"))
    assert [49, 49, 48, 48, 47] == [each.milliseconds for each in kept.taken()]
    assert MOST == 5
    assert [] == kept.taken()


def test_statistics_start_again_with_each_snapshot():
    stats = SettleStats()
    stats.count(3)
    with stats.spent("settling"):
        pass
    assert stats.snapshot()["games"] > 0
    again = stats.snapshot()
    assert (0, False) == (again["games"], "settling" in again)


def test_slow_commands_are_remembered_for_a_minute(redis_store):
    slowest = RecentSlowest()
    first, second = (
        drawn.SettledCommand(SlowCommand(ms, at, "g", at, "take", "player"), "nim")
        for ms, at in ((50, 1000), (90, 50_000))
    )
    assert [first] == slowest.with_those([first], 1000)
    assert [second, first] == slowest.with_those([second, second], 50_000)
    assert [second] == slowest.with_those([], 61_001)


def test_streams_of_all_processes_are_counted(redis_store, queue, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(streams.time, "monotonic", lambda: now[0])
    one, other = (streams.StreamLimiter(redis_store.places, 0, 0) for _ in range(2))
    for process, count in ((one, 3), (other, 2)):
        opened = [process.open(None, "here") for _ in range(count)]
        process.renew()
    assert 5 == read_status(redis_store, queue).streams
    other.close(opened[0])
    other.renew()
    assert 5 == read_status(redis_store, queue).streams, "it was told a moment ago"
    now[0] += streams.REPORT_INTERVAL
    other.renew()
    assert 4 == read_status(redis_store, queue).streams


@pytest.mark.soak
def test_every_primary_of_a_cluster_is_shown(cluster_store, queue):
    seen = read_status(cluster_store, queue)
    assert 3 == len(seen.servers)
    assert all(each.replicas == 1 and each.memory > 0 for each in seen.servers)
    text = shown(seen)
    assert all(each.name in text for each in seen.servers)


def test_unavailable_queue_hides_nothing_else(redis_store, tmp_path):
    text = shown(read_status(redis_store, Queue(f"unix://{tmp_path}/none.sock")))
    assert "The queue does not answer." in text
    assert "created in total" in text


@pytest.fixture
def served(redis_url, monkeypatch):
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)


def test_once_prints_plain_text_without_seeds(served, redis_store, oraclewheel):
    game = Tables(redis_store).start()
    status, told = oraclewheel("top", "--once")

    assert 0 == status
    assert "\x1b" not in told
    assert redis_store.wire.one("HGET", redis_store.keys.game(game).meta, "seed").hex() not in told
    assert "Slowest recent commands" in told


def test_live_display_runs_until_interrupted_and_waits_for_the_store(served, redis_store, oraclewheel, monkeypatch):
    named(redis_store.wire)
    looks, sleeps, real = itertools.count(1), itertools.count(1), top.read_status

    def look(*told):
        if next(looks) == 2:
            raise StoreDown("it is away")
        return real(*told)

    def sleep(_):
        if next(sleeps) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(top, "read_status", look)
    # Patched only here, because a thread left by an earlier test may sleep too.
    monkeypatch.setattr(top, "time", SimpleNamespace(sleep=sleep))
    assert 0 == oraclewheel("top")[0]
    assert 4 == next(looks)


def test_open_stream_of_a_service_is_counted(redis_store, queue):
    world = World(redis_store)
    game, ash, _ = world.table()
    with ash.stream(game) as messages:
        next(messages)
        until = time.monotonic() + 60
        while not (found := read_status(redis_store, queue).streams) and time.monotonic() < until:
            time.sleep(0.05)
    assert 1 == found


def test_top_without_a_service_creates_no_data_folder(tmp_path, oraclewheel, monkeypatch):
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path / "data"))
    status, told = oraclewheel("top", "--once")

    assert 1 == status
    assert f"No service runs on the folder {tmp_path / 'data'}" in told
    assert not (tmp_path / "data").exists()


def test_top_writes_nothing_into_a_store_without_a_service(redis_url, oraclewheel, monkeypatch):
    """The address may be wrong."""
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)
    status, told = oraclewheel("top", "--once")
    assert (1, True) == (status, "No service has ever run on this store" in told), told
    with redis.Redis.from_url(redis_url) as client:
        assert [] == client.keys()
