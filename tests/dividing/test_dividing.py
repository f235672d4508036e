"""The games of a store go to other partitions: killed at any line, on one server and on a cluster, and nobody notices."""

from __future__ import annotations

import multiprocessing
from contextlib import closing

import pytest

from domain.dice import Dice
from domain.registry import GAMES
from service.instance.identity import Marker
from service.store.redis import keys
from service.store.redis.cluster.wire import open_wire
from service.store.redis.probe import HalfDivided
from service.store.redis.store import open_store
from service.store.upkeep import carrying, dividing
from service.store.upkeep.carrying import Carrier, Differs, Unknown
from service.store.upkeep.dividing import Division, HeldUp, ServiceAlive
from service.store.upkeep.repair import repair
from service.store.upkeep.standing import named
from tests.api.conftest import World
from tests.dividing import mover
from tests.dividing.house import asked, divided, furnished, pictured
from tests.driver import Player, play_out
from tests.pennies import PENNIES

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.dividing.mover"])

pytestmark = pytest.mark.timeout(3600)


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    """The tiny game is on offer."""
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


@pytest.fixture
def archive(tmp_path):
    return f"file://{tmp_path}/archive"


@pytest.fixture
def wire(redis_url):
    with closing(open_wire(redis_url)) as wire:
        yield wire


def carried(wire, to, **told):
    """Divide the games; how many had to be carried."""
    division = Division(wire, to, **told)
    if not division.begin(0):
        return None
    games = sum(division.carry(division.survey()))
    division.end()
    division.leave()
    return games


def stable(picture):
    """Without what tells of this very moment."""
    return {name: held for name, held in picture.items() if not name.startswith((b"lock:", b"bucket:"))}


def test_every_route_about_every_game_answers_as_before_with_1024_partitions_and_with_64_again(
    redis_url, wire, archive
):
    house = furnished(redis_url, archive)
    before = asked(redis_url, 64, archive, house)
    assert sum(status == 200 for status, *_ in before.values()) > len(before) / 2
    assert not [request for request, (status, *_) in before.items() if status >= 500 and "aside" not in request]
    for to in (1024, 64):
        picture = stable(pictured(wire))
        assert carried(wire, to) >= 12
        assert divided(picture, to) == stable(pictured(wire))
        now = asked(redis_url, to, archive, house, ("Ash", "Birk", "public") if to == 1024 else ("Ash",))
        assert [] == [request for request, answer in now.items() if answer != before[request]]


@pytest.mark.parametrize("readers", [(), pytest.param(("Ash", "Birk", "public"), marks=pytest.mark.soak)])
def test_on_a_cluster_the_keys_go_to_other_servers_and_are_the_same_there(cluster, archive, readers):
    house = furnished(cluster.url, archive)
    before = asked(cluster.url, 64, archive, house, readers)
    with closing(open_wire(cluster.url)) as wire:
        for to in (1024, 64) if readers else (1024,):
            picture = stable(pictured(wire))
            assert carried(wire, to, lag=0.2) >= 12
            assert divided(picture, to) == stable(pictured(wire))
            assert before == asked(cluster.url, to, archive, house, readers)


def test_games_that_went_elsewhere_are_played_to_their_end(redis_url, wire, archive):
    house = furnished(redis_url, archive)
    with closing(open_store(redis_url, archive=archive)) as store:
        found = repair(store, write=False)
    carried(wire, 1024)
    with closing(open_store(redis_url, 1024, archive=archive)) as store:
        assert found == repair(store, write=False), "the doctor finds what it found before"
        world = World(store, sides=0)
        ash, birk = (Player(world.site, house.tokens[name], house.ids[name]) for name in ("Ash", "Birk"))
        world.work(house.games["waiting"])
        for name in ("nim", "waiting"):
            play_out([ash, birk], house.games[name], Dice(b"e" * 32))
            assert "over" == ash.summary(house.games[name])["status"]


@pytest.mark.parametrize("kills", [8, pytest.param(250, marks=pytest.mark.soak)])
def test_whoever_is_killed_at_any_line_loses_nothing_and_is_gone_on_from(redis_url, wire, archive, kills):
    """At hundreds of lines in the soak, at some in the gate; each time from the same store to the same store."""
    furnished(redis_url, archive)
    for name in wire.scan("{p*"):
        if wire.one("PEXPIRETIME", name) > 0:
            wire.one("DEL", name)  # a copy from the archive goes by itself, in the middle of all this
    names = sorted(wire.scan("*"))
    dumps = wire.all([("DUMP", name) for name in names])
    goes = wire.all([("PEXPIRETIME", name) for name in names])
    before = stable(pictured(wire))
    counted = PROCESSES.SimpleQueue()
    whole = PROCESSES.Process(target=mover.run, args=(redis_url, 1024, 0, counted))
    whole.start()
    lines = counted.get()
    whole.join()
    assert lines > 1000
    wanted = divided(before, 1024)
    assert wanted == stable(pictured(wire))

    for at in range(lines // kills or 1, lines + 1, lines // kills or 1):
        wire.one("FLUSHALL")
        each = zip(names, dumps, goes, strict=True)
        wire.all([("RESTORE", name, max(0, end), dump, "ABSTTL") for name, dump, end in each if dump])
        killed = PROCESSES.Process(target=mover.run, args=(redis_url, 1024, at, None))
        killed.start()
        killed.join()
        # How many lines it takes differs a little from time to time.
        assert -9 == killed.exitcode or (0 == killed.exitcode and at > 0.9 * lines), at
        if wire.one("GET", keys.PARTITIONS) == b"64>1024":
            for partitions in (64, 1024):
                with pytest.raises(HalfDivided, match="oraclewheel partitions 1024"):
                    open_store(redis_url, partitions)
            with pytest.raises(HalfDivided, match="oraclewheel partitions 1024"):
                Division(wire, 64).begin(0)
        carried(wire, 1024)
        assert wanted == stable(pictured(wire)), f"killed at line {at} of {lines}"


# -- what stands in the way -------------------------------------------------------------------------------------------


def test_games_are_not_divided_while_a_service_runs(wire, tmp_path):
    wire.one("SET", keys.PARTITIONS, 64)
    marker = Marker(tmp_path, wire, named(wire).id, every=0.05)
    marker.start()
    try:
        with pytest.raises(ServiceAlive, match="stop all of it"):
            Division(wire, 1024).begin(30)
    finally:
        marker.stop()
    assert b"64" == wire.one("GET", keys.PARTITIONS)
    open_store(wire.url).close()


def test_a_pump_alone_is_a_service_too(wire):
    wire.one("SET", keys.PARTITIONS, 64)
    with closing(open_store(wire.url)) as store:
        store.log.beat("pump")
        first = store.log.now()

        def next_beat():
            while store.log.now() == first:
                pass
            store.log.beat("pump")

        with pytest.raises(ServiceAlive):
            Division(wire, 1024).begin(30, next_beat)
    assert b"64" == wire.one("GET", keys.PARTITIONS)


def test_a_service_that_was_stopped_long_ago_is_not_waited_for(wire):
    wire.one("SET", keys.PARTITIONS, 64)
    wire.one("HSET", keys.STORE, "id", "x", "at", wire.now() - 60_000)
    waited = []
    assert Division(wire, 1024).begin(30, lambda: waited.append(1))
    assert [] == waited


def test_two_do_not_divide_at_once_and_one_that_was_held_up_does_not_go_on(wire):
    wire.one("SET", keys.PARTITIONS, 64)
    slow, quick = Division(wire, 1024, lease=1), Division(wire, 1024)
    assert slow.begin(0)
    while wire.one("EXISTS", keys.lock("partitions")):
        pass
    assert quick.begin(0), "whoever says nothing for so long is believed to be gone"
    with pytest.raises(HeldUp):
        slow.end()
    quick.end()
    with pytest.raises(HeldUp):
        slow.end()
    assert not Division(wire, 1024).begin(0)


@pytest.mark.parametrize("to", [8, 64, 16])
def test_who_looks_while_another_divides_is_told_and_changes_nothing(wire, monkeypatch, to):
    """Its first look is from before the other began, all else from after that has ended."""
    wire.one("SET", keys.PARTITIONS, 64)
    monkeypatch.setattr(dividing, "divided", once(dividing.divided, lambda: carried(wire, 16)))
    division = Division(wire, to)
    if to == 8:
        with pytest.raises(ServiceAlive, match="divided the games of this store into 16 partitions at this moment"):
            division.begin(0)
    else:
        assert not division.begin(0)
    division.leave()
    assert b"16" == wire.one("GET", keys.PARTITIONS)
    assert not wire.one("EXISTS", keys.lock("partitions"))


def test_who_was_held_up_before_the_store_was_shut_shuts_nothing(wire, monkeypatch):
    wire.one("SET", keys.PARTITIONS, 64)
    slow = Division(wire, 1024, lease=1)

    def overtaken():
        while wire.one("EXISTS", keys.lock("partitions")):
            pass
        carried(wire, 16)

    monkeypatch.setattr(dividing, "divided", once(dividing.divided, overtaken, at=2))
    with pytest.raises(HeldUp):
        slow.begin(0)
    assert b"16" == wire.one("GET", keys.PARTITIONS)


def test_who_waits_for_another_is_told_as_soon_as_that_one_divides_otherwise(wire, monkeypatch):
    wire.one("SET", keys.PARTITIONS, 64)
    first = Division(wire, 16)
    first._take()
    monkeypatch.setattr(dividing.time, "sleep", lambda _: wire.one("SET", keys.PARTITIONS, "64>16"))
    with pytest.raises(HalfDivided, match="oraclewheel partitions 16"):
        Division(wire, 8).begin(0)
    assert b"64>16" == wire.one("GET", keys.PARTITIONS)


def once(look, meanwhile, at=1):
    """``look``, after the ``at``-th call of which ``meanwhile`` happens before its answer is used; what that looks at is not counted."""
    left = [at]

    def looked(wire):
        found = look(wire)
        left[0] -= 1
        if not left[0]:
            meanwhile()
        return found

    return looked


def test_what_this_release_does_not_know_is_not_left_behind(wire):
    wire.one("SET", keys.PARTITIONS, 64)
    for name in ("{p3}novelty", "{p3}g:abc:novelty"):
        wire.one("SET", name, "x")
        division = Division(wire, 1024)
        assert division.begin(0)
        with pytest.raises(Unknown, match="novelty"):
            division.survey()
        division.leave()
        wire.one("DEL", name)


def test_what_stands_in_two_places_and_differs_is_touched_in_neither(wire):
    names = keys.Keys(1024)
    here = "{p5}g:abc:meta"
    assert 5 != names.number("abc")
    there = names.game("abc").meta
    wire.all([("HSET", here, "seq", 1), ("HSET", there, "seq", 2)])
    with pytest.raises(Differs):
        list(Carrier(wire, names).games([(5, "abc")]))
    assert [b"1", b"2"] == wire.all([("HGET", name, "seq") for name in (here, there)])


def test_hashes_that_are_alike_in_another_order_are_alike(wire):
    """A large hash is written in the order of its table, which depends on how it came to be."""
    names = keys.Keys(1024)
    there = names.game("abc").meta
    fields = [(f"f{number}", number) for number in range(2000)]
    wire.one("HSET", there, *[part for field in fields for part in field])
    wire.one("HSET", "{p5}g:abc:meta", *[part for field in reversed(fields) for part in field], "gone", 1)
    wire.one("HDEL", "{p5}g:abc:meta", "gone")
    assert wire.one("DUMP", there) != wire.one("DUMP", "{p5}g:abc:meta")
    assert [1] == list(Carrier(wire, names).games([(5, "abc")]))
    assert 0 == wire.one("EXISTS", "{p5}g:abc:meta")


def test_what_is_in_both_places_is_no_more_than_it_may_be(wire, monkeypatch):
    """Where copies must be old before the original goes, memory has its bound all the same."""
    monkeypatch.setattr(carrying, "TOGETHER", 1)
    monkeypatch.setattr(carrying, "AT_ONCE", 1000)
    games = [(number, game) for number, game in ((1, "a"), (2, "b"), (3, "c"))]
    for number, game in games:
        wire.one("HSET", f"{{p{number}}}g:{game}:meta", "x", "y" * 800)
    gone = Carrier(wire, keys.Keys(1024), lag=0.3).games(games)
    next(gone)
    there = [wire.one("EXISTS", f"{{p{number}}}g:{game}:meta") for number, game in games]
    assert [0, 1, 1] == there
    assert 2 == sum(gone)
