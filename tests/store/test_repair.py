"""Indexes can be lost: they are rebuilt from the games."""

from __future__ import annotations

import time

from domain import RELEASE
from service.store.redis import keys
from service.store.redis.store import open_store
from service.store.upkeep.repair import games_of, repair
from tests.store.pump import command, opened, pump, started, submit
from tests.store.test_due import timed

NOTHING_WRONG = {"lists": 0, "players": 0, "wakes": 0, "deadlines": 0}


def a_world(store):
    games = [
        opened(store, "ann", None, tags=("fast", "slow")).id,
        opened(store, "bob", None, visibility="private", invitation_digest="x", tags=("fast",)).id,
        opened(store, "ann", "bot:random", kind="marbles").id,
        started(store, "ann", "bob"),
        timed(store, 60_000),
        started(store, "bob", "cid"),
    ]
    submit(store, games[-1], command("s1", 1, pennies=1))
    return games


def everything(store):
    """The content of every key, except when a game became ready."""
    found = {}
    for name in store.wire.one("KEYS", "*"):
        kind = store.wire.one("TYPE", name)
        if name.endswith((b"ready", b"beat:")):
            found[name] = store.wire.one("ZRANGE", name, 0, -1) if kind == b"zset" else None
        elif kind == b"zset":
            found[name] = store.wire.one("ZRANGE", name, 0, -1, "WITHSCORES")
        elif kind == b"hash":
            pairs = store.wire.one("HGETALL", name)
            found[name] = dict(zip(pairs[::2], pairs[1::2], strict=True))
        elif kind == b"stream":
            found[name] = store.wire.one("XRANGE", name, "-", "+")
        elif kind == b"set":
            found[name] = set(store.wire.one("SMEMBERS", name))
    return found


def test_repair_of_a_consistent_store_changes_nothing(redis_store):
    games = a_world(redis_store)

    assert sorted(games) == sorted(games_of(redis_store))
    before = everything(redis_store)
    assert {"games": 6, **NOTHING_WRONG} == repair(redis_store, write=True)
    assert before == everything(redis_store)


def test_repair_restores_all_indexes(redis_store):
    a_world(redis_store)
    before = everything(redis_store)
    for name in before:
        if b"games:" in name or name.endswith((b":games", b"}ready", b"}due", b"}leases", b"}claims")):
            redis_store.wire.one("DEL", name)

    looked = repair(redis_store, write=False)
    assert looked == repair(redis_store, write=True)
    assert all(looked[name] for name in ("lists", "players", "wakes", "deadlines"))
    assert before == everything(redis_store)
    assert {"games": 6, **NOTHING_WRONG} == repair(redis_store, write=False)


def test_repair_removes_wrong_entries_from_lists_and_sets(redis_store):
    games = a_world(redis_store)
    before = everything(redis_store)
    shared = redis_store.keys.partition(games[0])
    for kind, status in ((None, "over"), ("pennies", "running"), (None, "lobby")):
        redis_store.wire.one("ZADD", redis_store.keys.listing(shared, kind, status), 5, "ghost")
    redis_store.wire.one("ZADD", redis_store.keys.listing(shared, None, "over"), 5, games[0])
    redis_store.wire.one("ZADD", redis_store.keys.tagged(shared, "fast"), 5, "ghost")
    redis_store.wire.one("ZADD", keys.player_games("ann"), 5, "ghost", 6, games[1])

    assert {"games": 6, **NOTHING_WRONG, "lists": 5, "players": 2} == repair(redis_store, write=True)
    assert before == everything(redis_store)


def test_repair_does_not_restore_a_postponed_or_submitted_deadline(redis_store):
    game = timed(redis_store, 20)
    time.sleep(0.04)
    redis_store.schedule.put_off(game, "1:0:1", 60_000)
    redis_store.schedule.sweep(redis_store.schedule.partition(game))

    assert 0 == repair(redis_store, write=True)["deadlines"]
    assert 0 == redis_store.schedule.census()["due"]


def test_rows_are_served_without_views_and_snapshots(redis_store, server):
    game = started(redis_store)
    names, before = redis_store.keys.game(game), redis_store.views.rows(game, [1, 2])
    redis_store.wire.one("DEL", names.views, names.snapshots)
    other = open_store(server.url)  # this one caches no views yet

    lost = other.views.rows(game, [1, 2])
    assert (before.seq, before.head, before.signature, "") == (lost.seq, lost.head, lost.signature, lost.release)
    assert (before.seen, before.asked, RELEASE) == (lost.seen, lost.asked, other.views.rows(game, views=False).release)
    redis_store.wire.one("HDEL", names.meta, "newest")
    assert (1, "", ()) == (other.views.rows(game).seq, other.views.rows(game).release, other.views.rows(game).seen)
    assert redis_store.views.asked([game])[game].seq == 1
    assert "accepted" == submit(redis_store, game, command("s1", 1, pennies=1, expected=77)).status
    pump(redis_store, game)
    # The refused command changed no views, so they are still missing, and the release says so.
    rows = redis_store.views.rows(game, [1, 2])
    assert (2, "") == (rows.seq, rows.release)
    other.close()
