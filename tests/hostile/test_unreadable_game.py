"""A game that is unreadable, or that this release would decide differently, is quarantined without effect on others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain import RELEASE
from domain.registry import GAMES
from service.core.positions.cache import SNAPSHOT_EVERY, Positions
from service.core.positions.game_config import load_game_config
from service.store.packing import pack_snapshot, unpack_snapshot
from service.store.ports.waiting import Mark
from service.store.reading.snapshots import seal_snapshot
from tests.core.http.conftest import World
from tests.pennies import PENNIES, PenniesRules
from tests.soaking import sample


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    """Register the pennies game."""
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


@pytest.fixture
def world(redis_store):
    return World(redis_store)


def hide(player, game, pennies=0):
    return player.send(game, {"type": "hide", "pennies": pennies}, wait=None)


def garble_commits(wire, names):
    wire.one("XDEL", names.commits, "1-0")


def garble_bodies(wire, names):
    ((_, fields),) = wire.one("XRANGE", names.commits, "-", "+")
    packed = bytearray(fields[1])
    packed[-3] ^= 0xFF
    wire.one("DEL", names.commits)
    wire.one("XADD", names.commits, "1-0", "c", bytes(packed))


def garble_lobby(wire, names):
    wire.one("HSET", names.meta, "lobby", "{")


def no_stream(wire, names):
    wire.one("DEL", names.commits)
    wire.one("SET", names.commits, "x")


@pytest.mark.parametrize("garble", sample([garble_commits, garble_bodies, garble_lobby, no_stream], 4))
def test_nine_games_continue_while_an_unreadable_one_is_quarantined(world, garble):
    tables = [world.table() for _ in range(10)]
    (broken, ash, _), others = tables[4], tables[:4] + tables[5:]
    saved = {key: world.store.wire.one("DUMP", key) for key in world.store.wire.one("KEYS", f"*g:{broken}:*")}
    world.asleep = True
    for game, player, _ in tables:
        assert 202 == hide(player, game).status
    garble(world.store.wire, world.store.keys.game(broken))
    world.worker = type(world.worker).in_process(world.store)
    for _ in range(10):
        world.worker.round(range(256))

    assert {2} == {world.store.log.head(game)[0] for game, *_ in others}
    assert {broken: "quarantined"} == {game: mark.code for game, mark in world.store.schedule.marks().items()}
    assert 1 == world.store.schedule.census()["quarantined"]
    told = World(world.store).site.call(
        "GET", f"/v1/games/{broken}/options", {"Authorization": f"Bearer {ash.token}"}, None
    )
    assert (503, "quarantined") == (told.status, told.code)
    assert "Retry-After" in told.headers
    (work,) = world.store.claims.work([broken])
    assert 1 == len(work.pending), "what waits there is not lost"

    commands = world.store.keys.game(broken).commands.encode()
    for key, value in saved.items():
        if key != commands and not key.endswith(b":ids"):
            world.store.wire.one("DEL", key)
            world.store.wire.one("RESTORE", key, 0, value)
    world.store.claims.release(broken)
    for _ in range(5):
        world.worker.round(range(256))
    assert {} == world.store.schedule.marks(), "it can be read again"
    assert 2 == world.store.log.head(broken)[0]


def long_game(world):
    game, ash, birk = world.table(options={"points": 1000})
    while world.store.log.head(game)[0] <= SNAPSHOT_EVERY + 2:
        for player in (ash, birk):
            player.send(game, {"type": "hide", "pennies": 0}, want=200)
    return game, world.store.keys.game(game).snapshots


def forged(facts, position):
    from dataclasses import replace

    return replace(position, state=replace(position.state, round=position.state.round + 7))


@pytest.mark.parametrize("how", ["garbled", "without a cover", "changed", "of another head", "of another game"])
def test_invalid_snapshot_is_ignored_and_the_log_is_replayed(world, how):
    game, name = long_game(world)
    facts, wire = load_game_config(world.store, game), world.store.wire
    true = Positions(world.store).read_newest(facts)
    packed = wire.one("HGET", name, SNAPSHOT_EVERY)
    document = unpack_snapshot(packed)
    position = Positions(world.store).read_at(facts, SNAPSHOT_EVERY)
    wrong = forged(facts, position)
    from dataclasses import replace

    put = {
        "garbled": packed[:-20],
        "without a cover": pack_snapshot(RELEASE, seal_snapshot(facts.seed, wrong).partition(b"\n")[2]),
        "changed": pack_snapshot(RELEASE, document.replace(b'"round":', b'"round":9')),
        "of another head": pack_snapshot(RELEASE, seal_snapshot(facts.seed, replace(wrong, head="ab" * 32))),
        "of another game": pack_snapshot(RELEASE, seal_snapshot(b"x" * 32, wrong)),
    }
    wire.one("HSET", name, SNAPSHOT_EVERY, put[how])

    assert true == Positions(world.store).read_newest(facts)
    assert position == Positions(world.store).read_at(facts, SNAPSHOT_EVERY)


class Otherwise(PenniesRules):
    """The same game with different rules: the die has more faces."""

    def decide(self, state, seat, command, dice):
        return (
            super().decide(state, seat, command, _Other(dice))
            if seat == 0
            else super().decide(state, seat, command, dice)
        )


class _Other:
    def __init__(self, dice):
        self.dice = dice

    def roll(self, faces):
        return self.dice.roll(faces + 2)


def test_release_that_decides_differently_leaves_the_game_to_the_older_one(world, monkeypatch):
    from service.store import chain
    from workers import quarantine
    from workers.advance import Advance

    game, ash, birk = world.table(options={"points": 1000})
    other, cyd, _ = world.table(options={"points": 1000})
    for _ in range(6):
        for player in (ash, birk):
            player.send(game, {"type": "hide", "pennies": 0}, want=200)
    stood = world.store.log.head(game)
    world.asleep = True
    hide(ash, game)
    hide(cyd, other)
    for module in (quarantine, chain):
        monkeypatch.setattr(module, "RELEASE", "9.9.9")
    monkeypatch.setitem(GAMES, "pennies", replace(PENNIES, rules=Otherwise()))
    newer = Advance.in_process(world.store)
    for _ in range(5):
        newer.round(range(256))

    assert stood == world.store.log.head(game)
    assert {game: ("needs-release", "9.9.9")} == {
        name: (mark.code, mark.release) for name, mark in world.store.schedule.marks().items()
    }
    assert 2 == world.store.log.head(other)[0], "what it decides alike goes on"
    assert not world.store.schedule.stalled()

    for module in (quarantine, chain):
        monkeypatch.setattr(module, "RELEASE", RELEASE)
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    world.store.claims.release(game)
    world.work(game)
    assert stood[0] + 1 == world.store.log.head(game)[0], "the old release plays it still"
    assert {game: "9.9.9"} == {name: mark.release for name, mark in world.store.schedule.marks().items()}, (
        "and leaves the mark"
    )


@pytest.mark.parametrize("release", ["0.0.9", RELEASE])
def test_release_that_can_read_a_game_ends_its_quarantine(world, release):
    game, ash, _ = world.table()
    world.asleep = True
    hide(ash, game)
    world.store.schedule.mark(game, Mark("quarantined", release, "it could not be read"))
    world.worker = type(world.worker).in_process(world.store)
    world.work(game)

    assert 2 == world.store.log.head(game)[0]
    assert {} == world.store.schedule.marks()


def test_startup_check_samples_running_games(world, monkeypatch):
    from service.cli.commands.check_release import sampled

    game, ash, birk = world.table(options={"points": 1000})
    for _ in range(6):
        for player in (ash, birk):
            player.send(game, {"type": "hide", "pennies": 0}, want=200)
    assert [] == sampled(world.store)
    monkeypatch.setitem(GAMES, "pennies", replace(PENNIES, rules=Otherwise()))
    assert [game] == [each.game_id for each in sampled(world.store)]
