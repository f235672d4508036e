"""A quarantined game refuses moves with the reason, is retried later, and is not retried in vain."""

from __future__ import annotations

import pytest
import structlog

from domain import RELEASE
from service.store.ports.waiting import Mark
from tests.core.http.conftest import World
from tests.soaking import sample

CODES = pytest.mark.parametrize("code", ["quarantined", "needs-release"])
HIDE = {"type": "hide", "pennies": 0}


@pytest.fixture
def real(redis_store):
    """The service on a real server."""
    return World(redis_store)


def mark(world, game, code, release=RELEASE):
    world.store.schedule.mark(game, Mark(code, release, "for the test"))


def rounds_of_work(world, count=4):
    for _ in range(count):
        world.worker.round(range(world.store.partitions))


def work_again(world, game):
    """Work on the game as if the time until the next retry has passed."""
    world.store.claims.release(game)
    rounds_of_work(world)


@CODES
def test_moves_in_a_quarantined_game_are_refused_and_not_stored(world, code):
    game, ash, birk = world.table()
    known = ash.get(f"/v1/games/{game}/options").headers["ETag"]
    world.asleep = True
    waiting = birk.send(game, HIDE, wait=None, key="before")
    mark(world, game, code)
    moves = {
        "command": ash.send(game, HIDE, wait=None, key="mine"),
        "command that is waited for": ash.send(game, HIDE, wait=1),
        "resignation": ash.send(game, {"type": "resign"}, wait=None),
        "dry run": ash.post(f"/v1/games/{game}/commands", HIDE, dry_run="true"),
        "options": ash.get(f"/v1/games/{game}/options"),
        "options that were seen": ash.get(f"/v1/games/{game}/options", headers={"If-None-Match": known}),
    }
    for what, answer in moves.items():
        assert (503, code) == (answer.status, answer.code), what
        assert int(answer.headers["Retry-After"]) > 0, what
    again = birk.send(game, HIDE, wait=None, key="before")
    assert (202, waiting.json["id"]) == (again.status, again.json["id"]), "what waited before waits still"
    (work,) = world.store.claims.work([game])
    assert 1 == len(work.pending)

    for path in ("", "/view", "/view?at=1", "/events", f"/commands/{waiting.json['id']}"):
        assert 200 == birk.get(f"/v1/games/{game}{path}").status, "how it stood may be looked at"

    world.asleep = False
    rounds_of_work(world)
    assert {} == world.store.schedule.marks(), "it can be read and goes on"
    assert 200 == ash.send(game, HIDE, key="mine").status
    assert 200 == ash.get(f"/v1/games/{game}/options").status


def test_game_that_another_release_cannot_continue_continues_in_this_one(world):
    game, ash, _ = world.table()
    mark(world, game, "needs-release", "99.0")
    assert 200 == ash.send(game, HIDE).status
    assert 200 == ash.get(f"/v1/games/{game}/options").status
    assert ["needs-release"] == [each.code for each in world.store.schedule.marks().values()], (
        "it is the other's to say"
    )


def test_finished_game_is_no_longer_quarantined(world):
    game, ash, birk = world.table(options={"points": 1})
    mark(world, game, "needs-release", "99.0")
    for _ in range(200):
        if birk.summary(game)["status"] == "over":
            break
        for player in (ash, birk):
            player.send(game, {"type": "hide", "pennies": 1})
    assert "over" == birk.summary(game)["status"]
    assert {} == world.store.schedule.marks()


def test_quarantined_game_without_waiting_commands_is_retried(world):
    game, _, _ = world.table()
    mark(world, game, "quarantined")
    world.store.claims.release(game, later=1)
    for _ in range(200):
        for partition in range(world.store.partitions):
            world.store.schedule.sweep(partition)
        rounds_of_work(world, 1)
        if not world.store.schedule.marks():
            break
    assert {} == world.store.schedule.marks()


# -- queues that do not move ----------------------------------------------------------------------------------------------


GARBAGE = {
    "no command": ("x", "y"),
    "no JSON": ("d", "{", "t", "1"),
    "no document": ("d", "[]", "t", "1"),
    "no instant": ("d", '{"id":"a","seat":1,"command":{"type":"hide"},"expected":null,"credential":null}', "t", "x"),
    "no such instant": (
        "d",
        '{"id":"a","seat":1,"command":{"type":"hide"},"expected":null,"credential":null}',
        "t",
        "9" * 5000,
    ),
    "no bytes of text": ("d", b"\xff\xfe", "t", "1"),
    "another form": ("d2", "{}", "t", "1"),
}


@pytest.mark.parametrize("garbage", sample(GARBAGE.values(), 3, whole=True), ids=GARBAGE)
def test_garbage_in_a_command_queue_quarantines_the_game_and_is_logged_once(real, garbage):
    game, ash, _ = real.table()
    other, cyd, _ = real.table()
    names = real.store.keys.game(game)
    real.asleep = True
    real.store.wire.one("XADD", names.commands, "*", *garbage)
    ash.send(game, HIDE, wait=None, want=202)
    with structlog.testing.capture_logs() as logs:
        for _ in range(5):
            work_again(real, game)
    assert [game] == list(real.store.schedule.marks())
    assert ["game_quarantined"] == [entry["event"] for entry in logs if entry.get("game") == game]
    assert (503, "quarantined") == ((told := ash.send(game, HIDE, wait=None)).status, told.code)
    real.asleep = False
    assert 200 == cyd.send(other, HIDE).status
    entry = real.store.wire.one("XRANGE", names.commands, "-", "+")[0][0]

    real.store.wire.one("XDEL", names.commands, entry)
    work_again(real, game)
    assert {} == real.store.schedule.marks()
    assert 2 == real.store.log.head(game)[0], "what waited behind it was not lost"


STRANGE = {
    "no such seat": {"seat": 99},
    "a seat below all": {"seat": -7},
    "a word for a seq": {"expected": "x"},
    "no such credential": {"credential": 5},
    "a command of the system's": {"seat": 0},
    "no such command": {"command": {"type": "\ud7ff"}},
    "deep": {"command": {"type": "hide", "pennies": [[[[[[{}]]]]]]}},
    "no question": {"seat": 0, "command": {"type": "put_off"}},
    "a question that is none": {"seat": 0, "command": {"type": "expire", "question": [1]}},
    "another's id": {"id": "due:other:1:0:1"},
    "no letters": {"id": ""},
}


@pytest.mark.parametrize("strange", sample(STRANGE.values(), 4, whole=True), ids=STRANGE)
def test_unacceptable_command_is_settled_or_quarantined_and_stops_no_worker(real, strange):
    import orjson

    game, _, _ = real.table()
    other, cyd, _ = real.table()
    document = {"id": "foreign", "seat": 1, "command": HIDE, "expected": None, "credential": None, **strange}
    names = real.store.keys.game(game)
    real.store.wire.one("XADD", names.commands, "*", "d", orjson.dumps(document), "t", real.store.schedule.now())
    real.asleep = True
    cyd.send(other, HIDE, wait=None, want=202)
    for _ in range(5):
        work_again(real, game)
    assert 2 == real.store.log.head(other)[0]
    left = real.store.wire.one("XLEN", names.commands)
    assert (not left) or [game] == list(real.store.schedule.marks()), "settled, or set aside"


# -- a log that nothing can be appended to -------------------------------------------------------------------------------


def behind(wire, names):
    wire.one("HSET", names.meta, "seq", 1)


def ahead(wire, names):
    wire.one("HSET", names.meta, "seq", 9)


def of_another_head(wire, names):
    wire.one("HSET", names.meta, "head", "ab" * 32)


def settled_before(wire, names):
    for field in wire.one("HKEYS", names.ids):
        known = wire.one("HGET", names.ids, field)
        if known.endswith(b"p"):
            wire.one("HSET", names.ids, field, known[:-1] + b"1")


DISAGREE = pytest.mark.parametrize("change", [behind, ahead, of_another_head, settled_before])


@DISAGREE
def test_game_that_cannot_be_appended_to_is_quarantined_after_a_few_tries(real, change, monkeypatch):
    game, ash, birk = real.table()
    ash.send(game, HIDE, want=200)
    stood = real.store.log.head(game)
    real.asleep = True
    birk.send(game, HIDE, wait=None, want=202)
    names = real.store.keys.game(game)
    meta = real.store.wire.one("DUMP", names.meta)
    ids = real.store.wire.one("DUMP", names.ids)
    change(real.store.wire, names)
    tries = []
    append = real.store.log.append_and_read
    monkeypatch.setattr(
        real.store.log, "append_and_read", lambda batch, fields: tries.append(len(batch)) or append(batch, fields)
    )
    rounds_of_work(real, 10)
    assert ["quarantined"] == [each.code for each in real.store.schedule.marks().values()]
    assert sum(tries) <= 10
    rounds_of_work(real, 10)
    assert sum(tries) <= 10, "and it is left alone for a while"

    for name, saved in ((names.meta, meta), (names.ids, ids)):
        real.store.wire.one("DEL", name)
        real.store.wire.one("RESTORE", name, 0, saved)
    work_again(real, game)
    assert {} == real.store.schedule.marks()
    assert stood[0] < real.store.log.head(game)[0]


def test_mismatch_of_meta_and_commit_stream_is_found_when_folding(real):
    from service.core.positions.cache import Positions
    from service.core.positions.game_config import load_game_config
    from service.store.chain import BrokenLog

    for change in (behind, ahead, of_another_head):
        game, ash, _ = real.table()
        ash.send(game, HIDE, want=200)
        facts, warm = load_game_config(real.store, game), Positions(real.store)
        warm.read_newest(facts)
        change(real.store.wire, real.store.keys.game(game))
        for positions in (warm, Positions(real.store)):
            with pytest.raises(BrokenLog):
                positions.read_newest(facts)


def test_garbage_in_place_of_a_cache_does_not_interrupt_a_commit(real, monkeypatch):
    game, ash, _ = real.table()
    names = real.store.keys.game(game)
    monkeypatch.setattr("workers.commits.settling.SNAPSHOT_EVERY", 1)
    seq = real.store.log.head(game)[0]
    real.asleep = True
    ash.send(game, HIDE, wait=None, want=202)
    for cache in (names.views, names.snapshots):
        real.store.wire.one("SET", cache, "garbage")
    real.work(game)
    ash.view(game)

    assert seq + 1 == real.store.log.head(game)[0] == len(list(real.store.log.commits(game)))
    assert [b"hash", b"hash"] == real.store.wire.all([("TYPE", cache) for cache in (names.views, names.snapshots)])
