"""Views are kept only for who reads them, and a worker gives a game up with its last commit; on a server and in a cluster."""

from __future__ import annotations

import time
from dataclasses import replace

import orjson
import pytest

from domain import RELEASE
from service.store.ports import commits
from service.store.redis import keys
from service.store.redis.log import beside
from service.store.redis.store import open_store
from tests.store.pump import Worker, claim_games, command, pump, started, submit


def appended(store, game, *, views: bool, pennies=1, seat=1, done=False):
    """A commit with the views that change with it, or without."""
    submit(store, game, command(f"s{store.log.head(game)[0]}", seat, pennies=pennies))
    (append,) = Worker(store, game).appends(1)
    if not views:
        append = replace(append, rows=replace(append.rows, public=b"", private={}))
    assert [None] == list(store.log.append([replace(append, done=done)]))
    return append


def test_what_a_commit_did_not_bring_and_changed_is_missing(store):
    game = started(store)
    assert RELEASE == store.views.rows(game, [1]).release
    appended(store, game, views=False)

    rows = store.views.rows(game, [1])
    assert ("", b"null", b"null") == (rows.release, rows.public, rows.private[1])
    bare = store.views.rows(game, views=False)
    assert (RELEASE, 2, rows.seen) == (bare.release, bare.seq, bare.seen)
    assert orjson.loads(bare.asked)


def test_what_a_commit_did_not_change_is_served_on(store):
    game = started(store)
    before = store.views.rows(game, [1, 2])
    append = appended(store, game, views=False, pennies=99)

    after = store.views.rows(game, [1, 2])
    assert append.refused
    assert (2, RELEASE, before.public, before.private) == (after.seq, after.release, after.public, after.private)


def test_views_made_for_one_reader_are_there_for_all(store):
    game = started(store)
    append = appended(store, game, views=False)
    made = replace(append.rows, public=b'{"made":1}', private={1: b'{"own":1}'})
    assert store.views.rewrite(game, made)

    rows = store.views.rows(game, [1])
    assert (RELEASE, made.public, made.private[1]) == (rows.release, rows.public, rows.private[1])
    assert "" == store.views.rows(game, [2]).release, "nobody has made that one"


def test_whoever_has_views_made_watches_for_a_while(store, monkeypatch):
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


def test_a_game_in_which_something_waits_is_kept(store):
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    assert [game] == claim_games(store, range(256), 10, 3000)
    (append,) = Worker(store, game).appends()
    submit(store, game, command("s2", 2, pennies=1))
    store.log.append([replace(append, done=True)])

    assert {"ready": 0, "claimed": 1} == {name: store.schedule.census()[name] for name in ("ready", "claimed")}
    assert ["s2"] == [document["id"] for _, document in store.claims.work([game])[0].pending]
    assert [True] == store.claims.release_all([game])


def test_who_has_lost_its_lease_releases_nothing(redis_store, server):
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


def as_before(store, game):
    """The rows of a game as a release wrote them that wrote every view with each commit; as if it had written this commit."""
    names, rows = store.keys.game(game), store.views.rows(game, [1, 2])
    stamp = RELEASE.encode() + b"\n"
    fields = {
        "seq": rows.seq, "head": rows.head, "status": rows.status, "signature": rows.signature, "key": rows.key_id,
        "seen": stamp + ",".join(map(str, rows.seen)).encode(), "asked": stamp + rows.asked, "public": stamp + rows.public,
    }  # fmt: skip
    store.wire.one("HSET", names.rows, *(part for pair in fields.items() for part in pair))
    store.wire.one("HSET", names.meta, "signed", rows.head, "signature", rows.signature, "key", rows.key_id)
    store.wire.one("DEL", names.views)
    store.wire.one("HDEL", names.meta, "newest", "sealed", "watched")
    return rows


def test_a_store_of_the_release_before_says_who_is_asked(redis_store, server):
    game = started(redis_store)
    before = as_before(redis_store, game)
    store = open_store(server.url)

    assert before.asked == store.views.asked([game])[game].asked
    rows = store.views.rows(game, [1])
    assert (before.seq, before.head, before.seen, before.signature) == (rows.seq, rows.head, rows.seen, rows.signature)
    assert "" == rows.release, "its views are made anew"
    assert (before.head, before.signature, before.key_id) == store.log.signature(game)
    store.close()


def test_a_commit_takes_away_what_the_release_before_would_serve(redis_store):
    game = started(redis_store)
    as_before(redis_store, game)
    submit(redis_store, game, command("s1", 1, pennies=1))
    pump(redis_store, game)

    assert 0 == redis_store.wire.one("EXISTS", redis_store.keys.game(game).rows)
    assert redis_store.log.head(game)[1] == redis_store.log.signature(game)[0]


@pytest.mark.parametrize("signed", ["older", "newest"])
def test_of_two_releases_signatures_that_of_the_newest_head_is_shown(redis_store, signed):
    game = started(redis_store)
    head = redis_store.log.head(game)[1] if signed == "newest" else "ab" * 32
    redis_store.wire.one(
        "HSET", redis_store.keys.game(game).meta, "signed", head, "signature", "cd" * 64, "key", "ef" * 8
    )

    told = redis_store.log.signature(game)
    assert (signed == "newest") == (told[1:] == ("cd" * 64, "ef" * 8))
    assert redis_store.log.head(game)[1] == told[0]


def test_how_it_stood_for_another_commit_is_not_how_it_stands(redis_store):
    game = started(redis_store)
    name = redis_store.keys.game(game).meta
    newest = redis_store.wire.one("HGET", name, "newest")
    redis_store.wire.one("HSET", name, "newest", newest.replace(b" 1 ", b" 7 ", 1))

    assert ("", ()) == (redis_store.views.rows(game).release, redis_store.views.rows(game).seen)
    assert "accepted" == submit(redis_store, game, command("s1", 1, pennies=1, expected=77)).status


@pytest.fixture
def listener(redis_store):
    """An API of a release before: it hears the news, and nothing of what its own commands come to."""
    connection = redis_store.wire.connection()
    connection.send_command("SUBSCRIBE", keys.NEWS, keys.REVOKED)
    for _ in range(2):
        connection.read_response()
    yield connection
    connection.disconnect()


def rows_beside(store, game):
    """The rows that a release before would read."""
    found = store.wire.one("HGETALL", store.keys.game(game).rows)
    return dict(zip(found[::2], found[1::2], strict=True))


def test_an_api_of_the_release_before_finds_who_is_asked_with_each_commit(redis_store, listener):
    game = started(redis_store)
    submit(redis_store, game, command("s1", 1, pennies=1))
    pump(redis_store, game)

    rows, now = rows_beside(redis_store, game), redis_store.views.rows(game)
    assert (now.seq, now.head) == (int(rows[b"seq"]), rows[b"head"].decode())
    assert (b"running", now.signature) == (rows[b"status"], rows[b"signature"].decode())
    stamps = {name: rows[name].partition(b"\n")[0] for name in (b"seen", b"asked", b"public")}
    assert {b"beside"} == set(stamps.values()), "no release takes a view of these for its own"
    assert now.asked == rows[b"asked"].partition(b"\n")[2] != b"[]"
    assert ",".join(map(str, now.seen)).encode() == rows[b"seen"].partition(b"\n")[2]
    assert {"table"} == set(orjson.loads(rows[b"public"].partition(b"\n")[2]))


def test_views_that_it_has_written_are_gone_with_the_next_commit(redis_store, listener):
    game = started(redis_store)
    as_before(redis_store, game)
    redis_store.wire.one("HSET", redis_store.keys.game(game).rows, "private1", f"{RELEASE}\n{{}}")
    submit(redis_store, game, command("s1", 1, pennies=1))
    pump(redis_store, game)

    assert b"private1" not in rows_beside(redis_store, game)


def test_apis_of_this_release_need_no_rows(redis_store, server):
    others = [open_store(server.url) for _ in range(2)]
    for other in others:
        other.news.on_revoked(lambda _: None)
    game = started(redis_store)

    assert {} == rows_beside(redis_store, game)
    for other in others:
        other.close()


def test_when_the_last_api_of_the_release_before_is_gone_its_rows_go(redis_store, listener, monkeypatch):
    monkeypatch.setattr(beside, "LOOK", 0)
    game = started(redis_store)
    assert rows_beside(redis_store, game)
    listener.disconnect()

    for turn in range(20):
        submit(redis_store, game, command(f"s{turn}", 1, pennies=1))
        pump(redis_store, game)
        if not rows_beside(redis_store, game):
            return
        time.sleep(0.1)
    pytest.fail("its rows are written on")


def test_a_game_that_is_over_says_so_to_the_release_before(redis_store, listener):
    game = started(redis_store)
    for turn in range(40):
        if redis_store.views.rows(game).status == "over":
            break
        for seat in (1, 2):
            submit(redis_store, game, command(f"s{turn}.{seat}", seat, pennies=1))
        pump(redis_store, game)

    assert b"over" == rows_beside(redis_store, game)[b"status"]
