"""Streams of one game share one reader: each commit is rendered once per audience, and each stream gets only its own secrets."""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from domain.kernel.dice import Dice
from domain.kernel.terms import Seat
from service.core.history import lines
from service.core.http.streaming import connections, messages, watch, watches
from service.core.http.streaming.listeners import Listener as Joined
from service.core.http.streaming.listeners import LogPosition
from service.core.positions.cache import Positions
from service.store.ports.errors import StoreDown
from tests.core.http.conftest import World
from tests.driver import Player, play_out
from tests.hostile.table import HIDE, SECRET, Listener, hurried, types
from tests.workers.crew import eventually


@pytest.fixture
def table(world):
    """A game after some rounds that continues for long."""
    game, ash, birk = world.table(options={"points": 1000})
    rounds(game, ash, birk)
    return world, game, ash, birk


@pytest.fixture
def stack(world):
    """Keep streams open until the test ends, and end them before the exit: their readers wait in threads."""
    with ExitStack() as opened:
        yield opened
        quiet = 0
        while quiet < 5:
            time.sleep(0.02)
            listening = [own for own in list(hub(world)._watches.values()) if own._audiences]
            for own in listening:
                own._remove_all("ended")
            quiet = 0 if listening else quiet + 1


def rounds(game, ash, birk, count=1, command=HIDE):
    for _ in range(count):
        for player in (ash, birk):
            player.send(game, command, want=200)


def hub(world):
    return world.app.extensions[watches.WATCHES]


class Crowd:
    """Readers in threads that each keep the messages they receive."""

    def __init__(self, stack, world, game, readers):
        self.world, self.game, last = world, game, world.store.log.head(game)[0]
        self.heard = [Listener(stack.enter_context(reader.stream(game, last=last))) for reader in readers]
        eventually(lambda: self.listening() == len(readers))

    def listening(self):
        own = hub(self.world)._watches.get(self.game)
        return 0 if own is None else sum(len(each.listeners) for each in list(own._audiences.values()))

    def ids(self):
        return [[message.id for message in each.told if message.id] for each in self.heard]

    def all_have(self, seq):
        eventually(lambda: all(own and own[-1] == seq for own in self.ids()))


def test_commit_is_rendered_once_per_audience(table, monkeypatch, stack):
    world, game, ash, birk = table
    told, real = Counter(), lines.build_entry
    crowd = Crowd(stack, world, game, [ash, birk, world.public, world.player()] * 3)
    last = world.store.log.head(game)[0]

    def entry(game, commit, head, reader, narrator):
        told[commit.seq, reader.seat] += 1
        return real(game, commit, head, reader, narrator)

    monkeypatch.setattr(lines, "build_entry", entry)
    world.asleep = True  # the response to its sender would render it too
    ash.send(game, HIDE, wait=None, want=202)
    world.work(game)
    crowd.all_have(last + 1)

    assert {(last + 1, None): 1, (last + 1, 1): 1, (last + 1, 2): 1} == told
    assert 1 == len({id(hub(world)._watches[game])})


def test_each_stream_sends_exactly_what_the_pages_of_its_reader_contain(table, stack):
    world, game, ash, birk = table
    readers = [ash, birk, world.public, ash, world.player(), birk]
    first = world.store.log.head(game)[0]
    crowd = Crowd(stack, world, game, readers)
    for pennies in (2, 3, 0):
        rounds(game, ash, birk, command={"type": "hide", "pennies": pennies})
    ash.send(game, {"type": "hide", "pennies": 100}, want=409)
    rounds(game, ash, birk)
    crowd.all_have(world.store.log.head(game)[0])

    for reader, heard in zip(readers, crowd.heard, strict=True):
        assert reader.events(game, after=first) == [message.data for message in heard.told if message.data]
    secrets = [
        {
            line["seat"]
            for message in heard.told
            if message.data
            for line in message.data["lines"]
            if line["type"] == SECRET
        }
        for heard in crowd.heard
    ]
    assert [{1}, {2}, set(), {1}, set(), {2}] == secrets
    refused = [any("refusal" in (message.data or {}) for message in heard.told) for heard in crowd.heard]
    assert [True, False, False, True, False, False] == refused


@pytest.mark.parametrize("others", [0, 2])
def test_commit_between_reading_and_joining_is_neither_lost_nor_duplicated(table, monkeypatch, others, stack):
    world, game, ash, birk = table
    before = [Listener(stack.enter_context(world.public.stream(game))) for _ in range(others)]
    if others:
        eventually(lambda: len(hub(world)._watches[game]._audiences) == 1)
    join, done = watch.GameWatch.join, threading.Event()

    def late(self, listener):
        if not done.is_set() and listener.audience.token is not None:  # the reader has caught up; now something happens
            rounds(game, ash, birk)
            time.sleep(0.05)
            done.set()
        return join(self, listener)

    monkeypatch.setattr(watch.GameWatch, "join", late)
    heard = Listener(stack.enter_context(ash.stream(game, last=2)))
    assert done.wait(10)
    rounds(game, ash, birk)
    last = world.store.log.head(game)[0]
    for each in (heard, *before):
        eventually(lambda each=each: each.told and each.told[-1].id == last)

    assert [entry["seq"] for entry in ash.events(game, after=2)] == [m.id for m in heard.told if m.id]
    for each in before:
        assert [entry["seq"] for entry in world.public.events(game)] == [m.id for m in each.told if m.id]


def test_slow_reader_queues_only_few_chunks_and_misses_nothing(table, monkeypatch, stack):
    monkeypatch.setattr(connections, "MAX_QUEUED_CHUNKS", 3)
    world, game, ash, birk = table
    first = world.store.log.head(game)[0]
    most = []
    write = connections.QueuedOutput.write

    def counted(self, chunk):
        keeps_up = write(self, chunk)
        most.append(len(self._chunks))
        return keeps_up

    monkeypatch.setattr(connections.QueuedOutput, "write", counted)
    heard = Crowd(stack, world, game, [birk])
    slow, told = stack.enter_context(ash.stream(game, last=first)), []
    taker = threading.Thread(target=lambda: told.append(next(slow)))
    taker.start()
    eventually(lambda: heard.listening() == 2)
    rounds(game, ash, birk, 6)
    heard.all_have(world.store.log.head(game)[0])
    taker.join(10)
    for _ in range(2):
        while told[-1].id != world.store.log.head(game)[0]:
            told.append(next(slow))
        rounds(game, ash, birk)
    while told[-1].id != world.store.log.head(game)[0]:
        told.append(next(slow))

    assert [entry["seq"] for entry in ash.events(game, after=first)] == [each.id for each in told if each.id]
    assert max(most) <= 3


def test_shared_stream_sends_nothing_that_happened_after_the_rights_check(table, monkeypatch, stack):
    world, game, ash, birk = table
    made = birk.post("/v1/me/tokens", {"label": "other", "scopes": ["read"]}, want=201).json
    followed, known = world.store.followed, []
    crowd = Crowd(stack, world, game, [Player(birk.site, made["token"]), ash])

    def between(game_id, credentials):
        found = followed(game_id, credentials)
        if len(credentials) == 2 and not known:  # all may read; now one token is revoked, and then something happens
            known.append(world.store.log.head(game)[0])
            birk.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
            birk.send(game, HIDE, want=200)
        return found

    monkeypatch.setattr(world.store, "followed", between)
    ash.send(game, HIDE, want=200)

    assert crowd.heard[0].ended()
    eventually(lambda: crowd.ids()[1][-1:] == [world.store.log.head(game)[0]])
    assert all(seq <= known[0] for seq in crowd.ids()[0])
    assert SECRET not in types(crowd.heard[0].told)


def test_listener_that_joins_during_a_rights_check_reads_for_itself(table, monkeypatch, stack):
    world, game, ash, birk = table
    crowd = Crowd(stack, world, game, [ash])
    (audience,) = hub(world)._watches[game]._audiences.values()
    credential = audience.access.context.tokens.find(birk.token)
    other = replace(audience.access, credential=credential, seat=Seat(2))
    late, out, real = [], connections.QueuedOutput(), watch.render_commits

    def told(*args):
        news = real(*args)
        if not late:  # the rights of the others are being checked, and the news is already read
            late.append(Joined(other, args[4], out))
            assert hub(world)._watches[game].join(late[0])
        return news

    monkeypatch.setattr(watch, "render_commits", told)
    ash.send(game, HIDE, want=200)
    crowd.all_have(world.store.log.head(game)[0])

    assert "behind" == late[0].state
    assert [] == [*out.drain()]


def test_listener_ahead_of_the_others_gets_only_the_rest(table, monkeypatch, stack):
    world, game, ash, birk = table
    crowd = Crowd(stack, world, game, [ash])
    (audience,) = hub(world)._watches[game]._audiences.values()
    ahead, outs, real = [], [connections.QueuedOutput(), connections.QueuedOutput()], watch.render_commits

    def told(*args):
        news = real(*args)
        if not ahead:  # two more join, who have read the first new commit: one of them in another history
            seq = args[4].seq + 1
            for head, out in zip((news.heads[seq], "another"), outs, strict=True):
                ahead.append(Joined(audience.access, LogPosition(seq, head), out))
                assert hub(world)._watches[game].join(ahead[-1])
        return news

    monkeypatch.setattr(watch, "render_commits", told)
    world.asleep = True
    for player in (ash, birk):
        player.send(game, HIDE, wait=None, want=202)
    world.work(game)
    crowd.all_have(world.store.log.head(game)[0])

    parts = b"".join(outs[0].drain())
    assert ["listening", "behind"] == [each.state for each in ahead]
    wanted = [entry["seq"] for entry in ash.events(game) if entry["seq"] > crowd.ids()[0][0]]
    assert wanted
    assert wanted == [int(line[4:]) for line in parts.split(b"\n") if line.startswith(b"id: ")]
    assert [] == [*outs[1].drain()]


def test_streams_survive_a_short_store_outage_but_end_after_a_long_one(table, monkeypatch, stack):
    world, game, ash, birk = table
    monkeypatch.setattr(watch, "RETRY_SECONDS", 0.05)
    crowd = Crowd(stack, world, game, [ash, world.public])
    away, real = [3], world.store.followed

    def followed(*args):
        if away[0]:
            away[0] -= 1
            raise StoreDown("away")
        return real(*args)

    monkeypatch.setattr(world.store, "followed", followed)
    rounds(game, ash, birk)
    crowd.all_have(world.store.log.head(game)[0])

    monkeypatch.setattr(watch, "OUTAGE_SECONDS", 0.2)
    away[0] = 10_000
    ash.send(game, HIDE, want=200)
    assert all(heard.ended() for heard in crowd.heard)


def test_unexpected_error_is_logged_and_ends_the_streams(table, monkeypatch, stack):
    world, game, ash, _ = table
    crowd = Crowd(stack, world, game, [ash, world.public])

    def broken(*_):
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(watch, "render_commits", broken)
    with capture_logs() as logs:
        ash.send(game, HIDE, want=200)
        assert all(heard.ended() for heard in crowd.heard)

    assert [("stream_reader_failed", "error", game)] == [
        (each["event"], each["log_level"], each["game"]) for each in logs if each["event"].startswith("stream_")
    ]


def test_void_token_ends_its_idle_streams_without_a_notification(table, monkeypatch, stack):
    hurried(monkeypatch)
    world, game, ash, birk = table
    made = birk.post("/v1/me/tokens", {"label": "other", "scopes": ["read"]}, want=201).json
    world.app.extensions["oraclewheel"].tokens._is_subscribed = True  # and so it misses every notification
    crowd = Crowd(stack, world, game, [Player(birk.site, made["token"]), ash])
    other = World(world.store)
    Player(other.site, birk.token).call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)

    assert crowd.heard[0].ended(10)
    assert not crowd.heard[1].ended(0.5)


def test_lost_notification_is_recovered_by_polling(table, monkeypatch, stack):
    hurried(monkeypatch)
    world, game, ash, _ = table
    crowd = Crowd(stack, world, game, [ash, world.public])
    hub(world)._watches[game]._news._board.leave(game, hub(world)._watches[game]._news)
    ash.send(game, HIDE, want=200)

    crowd.all_have(world.store.log.head(game)[0])


def test_idle_streams_ask_the_store_with_one_call_for_all_games(world, monkeypatch, stack):
    hurried(monkeypatch)
    tables = [world.table(options={"points": 1000}) for _ in range(6)]
    for game, ash, birk in tables:
        for reader in (ash, birk, world.public) * 2:
            Listener(stack.enter_context(reader.stream(game)))
    eventually(lambda: len(hub(world)._watches) == 6)
    eventually(lambda: all(own.position.seq == 1 for own in list(hub(world)._watches.values())))
    log, views, calls = world.store.log, world.store.views, []
    heads, asked = log.heads, views.asked
    monkeypatch.setattr(log, "heads", lambda games: calls.append(len(games)) or heads(games))
    monkeypatch.setattr(views, "asked", lambda games: calls.append("asked") or asked(games))
    time.sleep(1)

    assert "asked" not in calls
    assert 3 <= len([count for count in calls if count]) <= 25
    assert sum(calls) <= 6 * 1.0 / 0.2 + 6


@pytest.mark.soak
def test_heartbeat_comments_are_spread_over_time(world, monkeypatch, stack):
    monkeypatch.setattr(watches, "TICK_SECONDS", 0.05)
    monkeypatch.setattr(watches, "HEARTBEAT_SECONDS", 0.5)
    game, ash, _ = world.table(options={"points": 1000})
    heard = [Listener(stack.enter_context(ash.stream(game, last=1))) for _ in range(20)]
    eventually(lambda: sum(map(len, hub(world)._wheel)) == 20)
    assert [2] * 10 == [len(slot) for slot in hub(world)._wheel]
    time.sleep(1.6)
    counts = [len([each for each in one.told if each.id is None]) for one in heard]
    assert all(2 <= count <= 4 for count in counts), counts


def test_watches_and_their_threads_end_with_the_last_reader(world, monkeypatch):
    monkeypatch.setattr(watches, "TICK_SECONDS", 0.05)
    game, ash, _ = world.table(options={"points": 1000})
    for _ in range(50):
        with ash.stream(game) as messages:
            assert 1 == next(messages).id
    with ash.stream(game, last=1) as messages:
        heard = Listener(messages)
        eventually(lambda: game in hub(world)._watches and hub(world)._watches[game]._audiences)
        hub(world)._watches[game]._remove_all("ended")
        assert heard.ended()
    eventually(lambda: not [t for t in threading.enumerate() if t.name.startswith("stream-") and t.is_alive()], 10)

    assert {} == hub(world)._watches
    assert {} == world.store.news._board._waiters


def test_all_streams_end_after_the_last_commit_of_the_game(world, stack):
    game, ash, birk = world.table(options={"points": 1})
    heard = [Listener(stack.enter_context(reader.stream(game))) for reader in (ash, birk, world.public) * 2]
    play_out([ash, birk], game, Dice(b"2" * 32))
    assert all(each.ended() for each in heard)

    last = world.store.log.head(game)[0]
    assert [last] * 6 == [each.told[-1].id for each in heard]


def test_rendering_at_once_is_chosen_only_if_it_needs_little_reading(table):
    world, game, _, birk = table
    rows, positions = world.store.log.head(game)[0], Positions(world.store)
    facts, players = positions.get_config(game), [None, Seat(1), Seat(2)]

    def at_once(seats, upto=rows):
        return messages._can_render_in_place(positions, game, seats, upto)

    assert at_once([None])
    assert not at_once(players)  # the game would have to be loaded
    positions.read_newest(facts)
    assert at_once(players)
    assert at_once(players, rows + messages.IN_PLACE_COMMITS)
    assert not at_once(players, rows + messages.IN_PLACE_COMMITS + 1)
    birk.send(game, {"type": "resign"}, want=200)
    positions.read_newest(facts)
    assert [True, False] == [at_once(seats, world.store.log.head(game)[0]) for seats in ([Seat(1)], players)]
