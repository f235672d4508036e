"""The job is killed before or after any of its calls of the store, and a later job completes its work exactly once."""

from __future__ import annotations

from itertools import count

import pytest

from service.features.profiles import storage as profiles
from service.features.ratings import storage
from service.features.ratings.follower import PENDING, note_finished
from service.features.ratings.jobs import add_pending
from service.features.ratings.publication import LEAF, list_days, log_published, publish_day, read_day
from service.store.redis.client import RedisClient
from service.store.transparency.leaves import unpacked
from tests.features.ratings import rated
from tests.store.pump import SIGNER


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def die(monkeypatch):
    """Kill the process at a call of the store (0: never): before it, or after it has been executed."""
    state = {"calls": 0, "at": 0, "after": False}

    def mortal(original):
        def called(wire, *told, **named):
            state["calls"] += 1
            is_last = state["calls"] == state["at"]
            if is_last and not state["after"]:
                raise Killed
            found = original(wire, *told, **named)
            if is_last:
                raise Killed
            return found

        return called

    for name in ("one", "all", "many", "call"):
        monkeypatch.setattr(RedisClient, name, mortal(getattr(RedisClient, name)))

    def at(call, *, after=False):
        state.update(calls=0, at=call, after=after)

    return at


def killed_at_each_call(die, prepare, work, *, after):
    """Yields after each time that the work was killed at another call and then done again, until it was not killed."""
    for call in count(1):
        die(0)
        prepare()
        die(call, after=after)
        try:
            work()
        except Killed:
            die(0)
            work()
            yield call
        else:
            die(0)
            return


def clear(world, games):
    """As if the games had just ended."""
    wire = world.store.wire
    for name in (*wire.one("KEYS", "{ratings}*"), *wire.one("KEYS", "{heads}*")):
        wire.one("DEL", name)
    for game in games:
        note_finished(world.store, game)


def work(world):
    add_pending(world.store)
    publish_day(world.store)
    log_published(world.store, SIGNER, "https://games.example.org")


def found(world):
    store = world.store
    (day,) = list_days(store)
    document = read_day(store, day.day)
    assert [(0, 1)] == list(store.ledger.of(LEAF))
    assert [day.sha256] == [each.head for each in unpacked(store.ledger.leaves(0))]
    assert 0 == store.wire.one("ZCARD", PENDING)
    return storage.all_ratings(store, "nim:2:players"), document[
        document.index(b'"lists"') : document.index(b'"number"')
    ]


@pytest.mark.parametrize("after", [False, True])
def test_a_job_killed_at_any_call_is_completed_exactly_once(world, die, after):
    ash, birk = world.player(), world.player()
    games = [rated.finish(rated.start(ash, birk, kind="nim"), ash, birk) for _ in range(2)]
    clear(world, games)
    work(world)
    expected = found(world)

    calls = 0
    for calls in killed_at_each_call(die, lambda: clear(world, games), lambda: work(world), after=after):
        assert expected == found(world), calls
    assert calls > 20


@pytest.mark.parametrize("after", [False, True])
def test_a_follower_killed_at_any_call_counts_a_game_once(world, die, after):
    ash, birk = world.player(), world.player()
    game = rated.finish(rated.start(ash, birk, kind="nim"), ash, birk)

    def forget():
        meta = world.store.keys.game(game).meta
        world.store.wire.one("HDEL", meta, "rated", "profiled")
        for player in (ash, birk):
            profiles.erase_profile(world.store, player.id)
        world.store.wire.one("DEL", PENDING)

    calls = 0
    for calls in killed_at_each_call(die, forget, world.worker._followers.rebuild, after=after):
        assert [game] == storage.pending(world.store, 9), calls
        for player in (ash, birk):
            assert 1 == profiles.count_games(world.store, player.id)
            assert [1] == [each.games for each in profiles.list_counts(world.store, player.id)]
            (met,) = profiles.list_opponents(world.store, player.id, 9)
            assert 1 == met.won + met.lost
    assert calls > 10
