"""Limits on streams per account and address; readers of long histories take turns."""

from __future__ import annotations

import contextlib
import threading
import time
from types import SimpleNamespace

import pytest

from service.application import create_app
from service.core.http.limits import history_limiter
from service.core.http.limits.history_limiter import HistoryLimiter, HistorySlot
from service.core.http.limits.rates import network_of
from service.core.http.resources import events
from service.core.http.streaming import following, watches
from service.ops.settings import Settings
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.driver import InProcess, Player

SSE = {"Accept": "text/event-stream"}
HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def narrow():
    """A service with few streams."""
    return World(streams_account=3, streams_address=5)


@contextlib.contextmanager
def streams(player, game, count):
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            next(stack.enter_context(player.stream(game)))
        yield


def test_number_of_streams_per_account_is_limited(narrow):
    world = narrow
    game, ash, birk = world.table()

    with streams(ash, game, 3):
        refused = ash.get(f"/v1/games/{game}/events", headers=SSE)
        is_a_problem(refused, 429, "too-many-streams")
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        with streams(birk, game, 2):
            is_a_problem(birk.get(f"/v1/games/{game}/events", headers=SSE), 429, "too-many-streams")
        assert 200 == ash.get(f"/v1/games/{game}/events").status, "a page is no stream"
    with streams(ash, game, 3):
        pass


def test_streams_are_counted_across_processes(narrow):
    world = narrow
    game, ash, _ = world.table()
    settings = Settings(streams_account=3, streams_address=5)
    other = Player(InProcess(create_app(world.store, settings, world.wake)), ash.token)

    with streams(ash, game, 2), streams(other, game, 1):
        for each in (ash, other):
            is_a_problem(each.get(f"/v1/games/{game}/events", headers=SSE), 429, "too-many-streams")


def test_number_of_anonymous_streams_per_address_is_limited(narrow):
    world = narrow
    game, ash, _ = world.table()

    with streams(world.public, game, 5):
        is_a_problem(world.public.get(f"/v1/games/{game}/events", headers=SSE), 429, "too-many-streams")
        is_a_problem(ash.get(f"/v1/games/{game}/events", headers=SSE), 429, "too-many-streams")
    with streams(ash, game, 1):
        pass


def test_downloads_and_waiting_requests_count_as_streams_until_they_end(narrow):
    world = narrow
    game, ash, _ = world.table()

    with streams(ash, game, 3):
        for path, headers in (("export", {}), ("events", {"Accept": "application/x-ndjson"})):
            is_a_problem(ash.get(f"/v1/games/{game}/{path}", headers=headers), 429, "too-many-streams")
        is_a_problem(
            ash.get("/v1/me/turns", headers={"Prefer": "wait=1", "If-None-Match": "*"}), 429, "too-many-streams"
        )
    for _ in range(6):
        ash.get(f"/v1/games/{game}/export", want=200)
        ash.get(f"/v1/games/{game}/events", headers={"Accept": "application/x-ndjson"}, want=200)
        ash.call("HEAD", f"/v1/games/{game}/events", headers=SSE, want=200)
        ash.get("/v1/me/turns", headers={"Prefer": "wait=1"}, want=200)


def test_streams_are_unlimited_if_no_limit_is_set():
    world = World(streams_account=0, streams_address=0)
    game, ash, _ = world.table()

    with streams(ash, game, 20):
        pass


def test_ipv6_addresses_are_counted_by_network():
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1")
    assert network_of("2001:db8::1") != network_of("2001:db8:0:1::1")
    assert "192.0.2.1" == network_of("192.0.2.1") == network_of("::ffff:192.0.2.1")
    assert "" == network_of("")


def test_registrations_are_counted_by_ipv6_network():
    world = World(rate_registrations=1, proxies=1)

    def register(address):
        return world.public.post("/v1/players", {"name": "A"}, headers={"X-Forwarded-For": address}).status

    assert [201, 429, 201] == [register(each) for each in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")]


# -- replays ------------------------------------------------------------------------------------------------------------


def long_game(world, commits=40):
    game, ash, birk = world.table(options={"points": 50})
    while ash.summary(game)["seq"] < commits:
        asked = ash.summary(game)["pending_questions"][0]["seat"]
        player = (ash, birk)[asked - 1]
        player.send(game, {"type": "hide", "pennies": 0}, want=200)
    return game


@pytest.mark.soak
def test_readers_of_history_that_start_together_read_one_page_at_a_time(world, monkeypatch):
    game = long_game(world)
    for module in (events, following):
        monkeypatch.setattr(module, "COMMITS_AT_A_TIME", 4)
    reading, most, real = [], [], events.read_page

    def read(*args):
        reading.append(1)
        most.append(len(reading))
        time.sleep(0.002)
        page = real(*args)
        reading.pop()
        return page

    for module in (events, following):
        monkeypatch.setattr(module, "read_page", read)
    told = []

    def follow():
        with world.public.stream(game) as messages:
            told.append([message.id for message, _ in zip(messages, range(30), strict=False)])

    def download():
        answer = world.public.get(f"/v1/games/{game}/events", headers={"Accept": "application/x-ndjson"}, want=200)
        told.append([0] * answer.body.count(b"\n"))

    readers = [threading.Thread(target=each) for each in (follow, follow, download) * 4]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(120)

    assert 12 == len(told)
    assert all(len(each) >= 30 for each in told)
    assert 100 < len(most)
    assert max(most) <= 1 + 8, "only what is near the end is read without the limiter"
    assert 1 == sorted(most)[len(most) // 2]


def test_stream_that_waits_for_its_turn_sends_heartbeats(world, monkeypatch):
    game = long_game(world)
    for module in (watches, following):
        monkeypatch.setattr(module, "HEARTBEAT_SECONDS", 0.05)
        monkeypatch.setattr(module, "RECHECK_SECONDS", 0.05)
    house = world.app.extensions["oraclewheel"]

    with house.history_limiter.slot("ash"), world.public.stream(game) as messages:
        first = [next(messages) for _ in range(3)]
        assert [None] * 3 == [message.id for message in first]
    with world.public.stream(game) as messages:
        assert 1 == next(message.id for message in messages if message.id)


def test_new_events_do_not_wait_for_readers_of_history(world):
    game = long_game(world)
    house = world.app.extensions["oraclewheel"]
    seq = world.public.summary(game)["seq"]

    with house.history_limiter.slot("ash"), world.public.stream(game, last=seq - 1) as messages:
        assert seq == next(message.id for message in messages if message.id)


def test_history_limiter_admits_one_reader_at_a_time_and_skips_those_who_left():
    limiter = HistoryLimiter()
    slots = [HistorySlot(limiter, who) for who in ("ash", "birch", "cedar", "dogwood")]
    assert slots[0].acquire(0)
    assert not any(slot.acquire(0) for slot in slots[1:])
    slots[1].release()
    slots[0].release()
    assert not slots[3].acquire(0)
    assert slots[2].acquire(0)
    slots[2].release()
    assert slots[3].acquire(0)
    slots[3].release()
    slots[3].release()
    assert slots[0].acquire(0)


def test_reader_pauses_after_a_page_as_long_as_the_page_took_at_most_a_second(monkeypatch):
    now, slept = [100.0], []
    monkeypatch.setattr(history_limiter, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=slept.append))
    limiter = HistoryLimiter()

    with limiter.slot("ash"):
        now[0] += 0.25
    with limiter.slot("ash"):
        now[0] += 100
    with limiter.slot("ash"):
        pass

    assert [0.25, 1.0] == slept
