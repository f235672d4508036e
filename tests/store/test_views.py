"""Views are stored only for games that are read, and a worker releases a game with its last commit; on a server and in
a cluster."""

from __future__ import annotations

import time
from dataclasses import replace

import orjson

from domain import RELEASE
from service.store.ports import commits
from service.store.redis.store import open_store
from tests.store.pump import Worker, claim_games, command, started, submit


def appended(store, game, *, views: bool, pennies=1, seat=1, done=False):
    """A commit with or without the views that change with it."""
    submit(store, game, command(f"s{store.log.head(game)[0]}", seat, pennies=pennies))
    (append,) = Worker(store, game).appends(1)
    if not views:
        append = replace(append, rows=replace(append.rows, public=b"", private={}))
    assert [None] == list(store.log.append([replace(append, done=done)]))
    return append


def test_views_changed_by_a_commit_that_did_not_write_them_are_missing(store):
    game = started(store)
    assert RELEASE == store.views.rows(game, [1]).release
    appended(store, game, views=False)

    rows = store.views.rows(game, [1])
    assert ("", b"null", b"null") == (rows.release, rows.public, rows.private[1])
    bare = store.views.rows(game, views=False)
    assert (RELEASE, 2, rows.seen) == (bare.release, bare.seq, bare.seen)
    assert orjson.loads(bare.asked)


def test_views_that_a_commit_did_not_change_are_still_served(store):
    game = started(store)
    before = store.views.rows(game, [1, 2])
    append = appended(store, game, views=False, pennies=99)

    after = store.views.rows(game, [1, 2])
    assert append.refused
    assert (2, RELEASE, before.public, before.private) == (after.seq, after.release, after.public, after.private)


def test_views_written_for_one_reader_serve_all_readers(store):
    game = started(store)
    append = appended(store, game, views=False)
    made = replace(append.rows, public=b'{"made":1}', private={1: b'{"own":1}'})
    assert store.views.rewrite(game, made)

    rows = store.views.rows(game, [1])
    assert (RELEASE, made.public, made.private[1]) == (rows.release, rows.public, rows.private[1])
    assert "" == store.views.rows(game, [2]).release, "nobody has made that one"


def test_writing_views_marks_the_game_as_watched_for_a_time(store, monkeypatch):
    game = started(store)
    appended(store, game, views=False)
    assert not store.log.watched(game)
    store.views.rewrite(game, store.views.rows(game, views=False))
    appended(store, game, views=False, seat=2)
    assert not store.log.watched(game), "only how it stands was made anew"

    for module in (commits, __import__("service.store.redis.log.views", fromlist=["x"])):
        monkeypatch.setattr(module, "WATCHED", 60)
    store.views.rewrite(game, store.views.rows(game, views=False), watched=True)
    appended(store, game, views=False, pennies=99)
    assert store.log.watched(game)
    time.sleep(0.08)
    appended(store, game, views=False, pennies=99)
    assert not store.log.watched(game)


def test_a_game_is_released_with_its_last_commit(store):
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    assert [game] == claim_games(store, range(256), 10, 3000)
    (append,) = Worker(store, game).appends()
    store.log.append([replace(append, done=True)])

    assert {"ready": 0, "claimed": 0} == {name: store.schedule.census()[name] for name in ("ready", "claimed")}
    assert [False] == store.claims.release_all([game])
    assert submit(store, game, command("s2", 2, pennies=1)).wake
    assert [game] == claim_games(store, range(256), 10, 3000)


def test_game_with_pending_commands_is_not_released_with_its_last_commit(store):
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    assert [game] == claim_games(store, range(256), 10, 3000)
    (append,) = Worker(store, game).appends()
    submit(store, game, command("s2", 2, pennies=1))
    store.log.append([replace(append, done=True)])

    assert {"ready": 0, "claimed": 1} == {name: store.schedule.census()[name] for name in ("ready", "claimed")}
    assert ["s2"] == [document["id"] for _, document in store.claims.work([game])[0].pending]
    assert [True] == store.claims.release_all([game])


def test_worker_that_lost_its_lease_releases_nothing(redis_store, server):
    game, other = started(redis_store), open_store(server.url)
    submit(redis_store, game, command("s1", 1, pennies=1))
    assert [game] == claim_games(redis_store, range(256), 10, 1)
    (append,) = Worker(redis_store, game).appends()
    time.sleep(0.01)
    assert 1 == redis_store.schedule.sweep(redis_store.schedule.partition(game))
    assert [game] == claim_games(other, range(256), 10, 3000)
    redis_store.log.append([replace(append, done=True)])

    assert 1 == redis_store.schedule.census()["claimed"], "it is another's"
    assert 1 == other.claims.work([game])[0].claims, "with a commit all that came to nothing is forgotten"
    other.close()


def test_summary_stored_for_another_commit_is_ignored(redis_store):
    game = started(redis_store)
    name = redis_store.keys.game(game).meta
    newest = redis_store.wire.one("HGET", name, "newest")
    redis_store.wire.one("HSET", name, "newest", newest.replace(b" 1 ", b" 7 ", 1))

    assert ("", ()) == (redis_store.views.rows(game).release, redis_store.views.rows(game).seen)
    assert "accepted" == submit(redis_store, game, command("s1", 1, pennies=1, expected=77)).status
