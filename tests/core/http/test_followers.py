"""Followers that are killed at any call of the store, deleted, or rebuilt from the log give the same result."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count

import pytest

from service.core.followers.runner import GROUP
from service.core.positions.cache import Positions
from service.store.redis.client import RedisClient
from tests.core.http.test_reliability import HOURLY, expire
from tests.features.substitutes.test_substitutes import take
from tests.hostile.table import HIDE
from workers.followers import open_followers


class Killed(BaseException):
    """The process ends here."""


class Nobody:
    """Followers that never run: as if each settle worker were killed after its commits."""

    def __init__(self):
        self.ready, self.fields = set(), []

    def note(self, appended, steps):
        pass

    def follow(self, partitions, lost_after=0):
        return set()


class Dying:
    """Followers of a settle worker that is killed in every third round, at the first, the second, … call."""

    def __init__(self, store, monkeypatch):
        self.store, self.monkeypatch = store, monkeypatch
        self.rounds, self.killed, self.ready = count(1), count(1), set()
        self.begin()

    def begin(self):
        self.followers = open_followers(self.store, Positions(self.store))
        self.fields, self.note = self.followers.fields, self.followers.note

    def follow(self, partitions, lost_after=0):
        if next(self.rounds) % 3:
            found = self.followers.follow(partitions, lost_after)
            self.ready |= self.followers.ready
            return found
        try:
            with killed_at(self.monkeypatch, next(self.killed) % 14):
                self.followers.follow(partitions, lost_after)
        except Killed:
            self.begin()
        return set()


@contextmanager
def killed_at(monkeypatch, number):
    """Raise at this call of the store: odd numbers before it is made, even ones after."""
    made = count(1)
    said = RedisClient.said

    def dying(self, commands):
        here = next(made) == (number + 1) // 2
        if here and number % 2:
            raise Killed
        replies = said(self, commands)
        if here:
            raise Killed
        return replies

    with monkeypatch.context() as patch:
        patch.setattr(RedisClient, "said", dying)
        yield


def follow_killed(store, monkeypatch):
    """Follow until nothing is left, in processes that are killed at the first, the second, … call; returns how many."""
    for number in count(1):
        behind = store.changes.behind(GROUP, range(store.partitions))
        if not behind:
            return number - 1
        try:
            with killed_at(monkeypatch, number):
                open_followers(store, Positions(store)).follow(behind, lost_after=0)
        except Killed:
            continue
    raise AssertionError


def follow_once(store, monkeypatch):
    while behind := store.changes.behind(GROUP, range(store.partitions)):
        open_followers(store, Positions(store)).follow(behind, lost_after=0)


def written(store, game):
    """What followers have written about a game."""
    meta = store.wire.one("HGETALL", store.keys.game(game).meta)
    fields = {name.decode(): value.decode(errors="replace") for name, value in zip(meta[::2], meta[1::2], strict=True)}
    kept = {name: value for name, value in fields.items() if name in ("chairs", "listed") or name[:6] == "turns "}
    seating = [line for line in fields.get("seating", "").splitlines() if not line.startswith("rev ")]
    partition = store.keys.partition(game)
    lists = {
        (kind, status)
        for kind in ("pennies", None)
        for status in ("lobby", "running", "over", "vacant")
        if store.wire.one("ZSCORE", store.keys.listing(partition, kind, status), game) is not None
    }
    outbox = sorted(member.decode() for member in store.wire.one("ZRANGE", partition.outbox, 0, -1))
    return kept, sorted(seating), lists, outbox, store.schedule.stalled()


def delete_all(store, game, chairs):
    """Delete what followers have written, and the changes."""
    meta, partition = store.keys.game(game).meta, store.keys.partition(game)
    fields = [name for name in store.wire.one("HKEYS", meta) if name[:6] == b"turns "]
    commands = [("HDEL", meta, "seating", "seated", "turned", "listed", *fields), ("HSET", meta, "chairs", chairs)]
    commands += [("DEL", partition.outbox), ("DEL", partition.stalled), ("DEL", partition.changes)]
    lists = [
        store.keys.listing(partition, kind, status) for kind in ("pennies", None) for status in ("running", "vacant")
    ]
    store.wire.all(commands + [("DEL", name) for name in lists])


@pytest.mark.parametrize("follow", [follow_once, follow_killed, Dying])
def test_followers_killed_at_any_call_and_rebuilt_from_zero_agree(world, monkeypatch, follow):
    store = world.store
    game, ash, birk = world.table(options={"points": 1000}, visibility="public", pace=HOURLY, table={"missed_limit": 1})
    cleo = world.player("Cleo")
    store.outbox.listen([game], "s1")
    chairs = store.wire.one("HGET", store.keys.game(game).meta, "chairs")
    killed = []
    finish = follow_once if follow is Dying else follow

    def work(which):
        while world.worker.round([store.schedule.partition(which)]) or store.changes.behind(
            GROUP, range(store.partitions)
        ):
            killed.append(finish(store, monkeypatch))

    world.worker._followers = Dying(store, monkeypatch) if follow is Dying else Nobody()
    monkeypatch.setattr(world, "work", work)

    ash.send(game, HIDE, want=200)
    expire(world, game, 2)
    assert [2] == list(store.lobbies.get(game).seating.vacant)
    body = {"commands": [HIDE], "then": "wait", "if": "legal"}
    take(cleo, game)
    asked = lambda: {each["seat"] for each in world.public.summary(game)["pending_questions"]}  # noqa: E731
    while 1 in asked():
        ash.send(game, HIDE, want=200)
    ash.call("PUT", f"/v1/games/{game}/plan", body=body, want=200)
    assert {2} == asked()
    cleo.send(game, HIDE, want=200)
    assert "played" == ash.get(f"/v1/games/{game}/plan", want=200).json["status"]

    found = written(store, game)
    assert {("pennies", "running"), (None, "running")} == found[2]
    assert [f"{game} s1"] == found[3]
    assert [birk.id] == [former.player for former in store.lobbies.get(game).seating.was]
    assert cleo.id == store.lobbies.get(game).chairs[1].holder
    assert (1, 0) == tuple(getattr(store.lobbies.reliability(birk.id), name) for name in ("asked", "in_time"))
    if follow is follow_killed:
        assert sum(killed) > 50, "each at another call"

    plans = store.wire.one("HGET", store.keys.game(game).meta, "plans")
    delete_all(store, game, chairs)
    assert found != written(store, game)
    open_followers(store, Positions(store)).rebuild()
    assert found == written(store, game)
    assert plans == store.wire.one("HGET", store.keys.game(game).meta, "plans")


def test_failing_follower_stops_neither_other_games_nor_followers(world, monkeypatch):
    from service.features.reliability.follower import ReliabilityFollower

    one, ash, _ = world.table(visibility="public", pace=HOURLY)
    other, eve, _ = world.table("Eve", "Finn", visibility="public", pace=HOURLY)
    turns = ReliabilityFollower._write

    def failing(self, game, seq, ended):
        if game.game_id == one:
            raise ValueError(game.game_id)
        turns(self, game, seq, ended)

    with monkeypatch.context() as patch:
        patch.setattr(ReliabilityFollower, "_write", failing)
        ash.send(one, HIDE, want=200)
        eve.send(other, HIDE, want=200)
    store = world.store
    assert (0, 1) == (store.lobbies.reliability(ash.id).asked, store.lobbies.reliability(eve.id).asked)
    partition = store.keys.number(one)
    assert partition in store.changes.behind(GROUP, range(store.partitions))
    assert "running" == store.wire.one("HGET", store.keys.game(one).meta, "listed").decode()

    open_followers(store, Positions(store)).follow([partition], lost_after=0)
    assert 1 == store.lobbies.reliability(ash.id).asked

    world.worker.close()
    assert {} == store.changes.behind(GROUP, range(store.partitions))


STRING, HASH, FOREIGN = ("SET", "x"), ("HSET", "x", "y"), ("XADD", "*", "x", "y")


@pytest.mark.parametrize(
    ("command", "is_before"),
    [(STRING, True), (HASH, True), (FOREIGN, True), (STRING, False), (HASH, False)],
    ids=lambda value: value if isinstance(value, bool) else value[0],
)
def test_anything_else_in_place_of_the_changes_is_replaced(world, command, is_before):
    game, ash, birk = world.table(options={"points": 1000})
    ash.send(game, HIDE, want=200)
    ash.call("PUT", f"/v1/games/{game}/plan", body={"commands": [HIDE], "then": "wait", "if": "legal"}, want=200)
    store, followers = world.store, world.worker._followers
    name, partition = store.keys.partition(game).changes, store.keys.number(game)

    def damage():
        store.wire.one("DEL", name)
        store.wire.one(command[0], name, *command[1:])

    if is_before:
        damage()
        assert set() == store.changes.unseen("transparency")
        birk.send(game, HIDE, want=200)
    else:
        world.worker._followers = Nobody()
        birk.send(game, HIDE, want=200)
        world.worker._followers = followers
        damage()
        assert partition in store.changes.behind(GROUP, range(store.partitions))
        assert set() == store.changes.unseen("transparency")
        world.worker.round([partition], woken=[partition])
        world.work(game)

    assert "played" == ash.get(f"/v1/games/{game}/plan", want=200).json["status"]
