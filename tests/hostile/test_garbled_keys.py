"""Garbled keys of one game affect only that game and never cause a 500."""

from __future__ import annotations

import orjson
import pytest

from domain import RELEASE
from service.ops.doctor.games import examined
from service.store.packing import pack, unpack
from service.store.seal import Sealed, digest, header_of, salt
from service.store.upkeep.backlog import Backlog
from service.store.upkeep.repair import repair
from tests.core.http.conftest import World
from tests.soaking import sample
from workers.sweeper import Sweeper

HIDE = {"type": "hide", "pennies": 0}
KEYS = ("meta", "commands", "commits", "ids", "views", "snapshots", "told")


@pytest.fixture
def world(redis_store):
    return World(redis_store)


def other_type(name):
    def write(wire, names):
        wire.one("DEL", getattr(names, name))
        wire.one("SET", getattr(names, name), "x")

    return write


def field(name, key, value):
    return lambda wire, names: wire.one("HSET", getattr(names, name), key, value)


GARBLED = {f"{name} of another type": other_type(name) for name in KEYS} | {
    "meta seq": field("meta", "seq", "x"),
    "meta head": field("meta", "head", b"\xff"),
    "meta status": field("meta", "status", b"\xff\xfe"),
    "meta chairs": field("meta", "chairs", "a b c d"),
    "meta lobby": field("meta", "lobby", "[]"),
    "meta started": field("meta", "started", "x"),
    "meta due": field("meta", "due", "x y z"),
    "meta refusals": field("meta", "r1", "x"),
    "meta unasked": field("meta", "u1", "x"),
    "meta listening": field("meta", "listening", "x  y "),
    "newest": field("meta", "newest", "x"),
    "newest seen": field("meta", "newest", f"{RELEASE} 36 x,y -\n"),
    "newest asked": field("meta", "newest", f"{RELEASE} 36 1,1,1 1\n{{"),
    "view": field("views", "0", f"{RELEASE} 36\n["),
    "view's cover": field("views", "0", b"\xff"),
    "signature": field("meta", "sealed", b"\xff"),
    "snapshot": field("snapshots", "1", "x"),
    "snapshot seq": field("snapshots", "x", "x"),
}


def forged(world, game, change):
    """Replace the newest commit by one sealed with the game's own seed: the chain fits, but its body is different."""
    wire, names = world.store.wire, world.store.keys.game(game)
    seed = wire.one("HGET", names.meta, "seed")
    seq, head = world.store.log.head(game)
    ((_, fields),) = wire.one("XRANGE", names.commits, seq, seq)
    packed, before = unpack(fields[1]), next(world.store.log.commits(game, seq - 1, seq - 1)).head
    body = orjson.dumps(change(orjson.loads(packed.body)))
    header = orjson.dumps(
        header_of(game, seq, before, packed.at, packed.release, digest(salt(seed, seq), body)),
        option=orjson.OPT_SORT_KEYS,
    )
    from service.store.seal import head_of

    head = head_of(header)
    wire.one("DEL", names.snapshots)
    stream = wire.one("XRANGE", names.commits, "-", seq - 1)
    wire.one("DEL", names.commits)
    for entry, kept in stream:
        wire.one("XADD", names.commits, entry, *kept)
    sealed = Sealed(seq, packed.at, packed.release, header, body, head, "")
    wire.one("XADD", names.commits, f"{seq}-0", "c", pack(sealed))
    wire.one("HSET", names.meta, "head", head)


def routes(game, command):
    base = f"/v1/games/{game}"
    yield "GET", base, {}, None
    for path in (
        *("view", "view?at=1", "view?at=2", "view?at=2030-01-01T00:00:00Z", "options", "events", "events?after=1"),
        *(
            "events?since=my-last-turn",
            "board.svg",
            "export",
            f"commands/{command}",
            "position",
            "charts/points.svg",
            "course",
        ),
    ):
        yield "GET", f"{base}/{path}", {}, None
    yield "GET", f"{base}/events", {"Accept": "application/x-ndjson"}, None
    yield "GET", f"{base}/view", {"Game-Head": f"1 {'0' * 64}"}, None
    yield "GET", f"{base}/view", {"If-None-Match": '"2"'}, None
    yield "POST", f"{base}/commands", {}, HIDE
    yield "POST", f"{base}/commands", {"If-Match": '"1"'}, HIDE
    yield "POST", f"{base}/commands?dry_run=true", {}, HIDE
    yield "POST", f"{base}/commands", {"Idempotency-Key": "known"}, HIDE
    yield "POST", f"{base}/start", {}, None
    yield "POST", f"{base}/fork", {}, {"at": 2}
    yield "POST", f"{base}/seats", {}, {}
    yield "DELETE", f"{base}/seats/2", {}, None
    yield "PATCH", f"{base}/seats/1", {}, {"entropy": "ab" * 16}
    yield "POST", f"{base}/invitation", {}, None
    yield "POST", "/v1/me/tickets", {}, {"game": game}
    yield "DELETE", base, {}, None
    for path in ("/v1/games", "/v1/games?mine=true", "/v1/me/turns", "/metrics", "/readyz"):
        yield "GET", path, {}, None


def every_route(world, player, game, command):
    """Call every route; no response may be an internal error."""
    for warm in (False, True):
        site = world if warm else World(world.store)
        for method, path, headers, body in routes(game, command):
            answer = site.site.call(
                method,
                path,
                {"Content-Type": "application/json", **player._auth(), **headers},
                None if body is None else orjson.dumps(body),
            )
            assert answer.status < 500 or (answer.status == 503 and answer.code in ("quarantined", "needs-release")), (
                method,
                path,
                answer.text[:200],
            )
            if answer.status == 503:
                assert "Retry-After" in answer.headers, path


@pytest.mark.parametrize("garble", sample(GARBLED.values(), 12), ids=GARBLED)
def test_garbled_keys_of_one_game_affect_no_other_game(world, garble):
    ash, birk = world.player("Ash"), world.player("Birk")
    games = []
    for _ in range(3):
        made = ash.make_game(visibility="public", options={"points": 1000})
        birk.join(made["id"], made["invitation"])
        ash.start(made["id"])
        games.append(made["id"])
    broken, *others = games
    command = ash.send(broken, HIDE, want=200, key="known").json["id"]
    log, names = world.store.log, world.store.keys.game(broken)
    due = world.store.keys.partition(broken).due
    world.store.wire.one("ZADD", due, 1, f"{broken} d 9:0:1")
    world.asleep = True
    birk.send(broken, HIDE, wait=None, want=202)
    for game in others:
        birk.send(game, HIDE, wait=None, want=202)
    garble(world.store.wire, names)

    sweeper = Sweeper(world.store, Wakes())
    world.store.wire.one("SET", "beat:pump", world.store.schedule.now() - 3_600_000)
    for _ in range(4):
        sweeper.sweep()
        world.worker.round(range(world.store.partitions))
    assert {2} == {log.head(game)[0] for game in others}
    assert world.store.schedule.last_beat("pump") > world.store.schedule.now() - 60_000, "the sweeper came to its end"
    garble(world.store.wire, names)  # caches have been rebuilt
    listed = {game["id"] for game in ash.get("/v1/games", want=200).json["games"]}
    assert set(others) <= listed
    waiting = [turn["game"] for turn in ash.get("/v1/me/turns", want=200).json["turns"]]
    assert set(others) <= set(waiting)
    assert b"oraclewheel_store_up 1.0" in world.public.get("/metrics", want=200).body
    Backlog(world.store).seconds()
    list(examined(world.store, broken, write=False))
    repair(world.store, write=False)
    every_route(world, ash, broken, command)


class Wakes:
    def wake(self, partition):
        pass


BODIES = {
    "an event without a field": lambda body: {**body, "events": [{"type": body["events"][0]["type"]}]},
    "an event of no type": lambda body: {**body, "events": [{}]},
    "an event of an unknown type": lambda body: {**body, "events": [{"type": "no_such_event"}]},
    "events that are none": lambda body: {**body, "events": 5},
    "no events": lambda body: {name: told for name, told in body.items() if name != "events"},
    "a field of another type": lambda body: {
        **body,
        "events": [{**event, "pennies": {"a": []}} if "pennies" in event else event for event in body["events"]],
    },
    "no submission": lambda body: {name: told for name, told in body.items() if name != "submission"},
    "no body": lambda _: [],
    "nothing": lambda _: None,
}


@pytest.mark.parametrize("change", sample(BODIES.values(), 4), ids=BODIES)
def test_commit_with_an_invalid_body_causes_no_internal_error(world, change):
    game, ash, _ = world.table("Ash", "Birk", visibility="public")
    command = ash.send(game, HIDE, want=200, key="known").json["id"]
    forged(world, game, change)
    every_route(world, ash, game, command)
    list(examined(world.store, game, write=False))


def test_body_that_does_not_match_its_head_is_found_when_folding(world):
    from service.core.positions.cache import Positions
    from service.core.positions.game_config import load_game_config
    from service.store.chain import BrokenLog

    game, ash, _ = world.table()
    ash.send(game, {"type": "hide", "pennies": 1}, want=200)
    stored = list(world.store.log.commits(game))[-1]
    body = orjson.loads(stored.body)
    body["events"][0]["pennies"] = 2
    changed = orjson.dumps(body)
    assert changed != stored.body
    names = world.store.keys.game(game)
    first = world.store.wire.one("XRANGE", names.commits, 1, 1)[0]
    world.store.wire.one("DEL", names.commits)
    world.store.wire.one("XADD", names.commits, first[0], *first[1])
    sealed = Sealed(stored.seq, stored.at, stored.release, b"", changed, stored.head, "")
    world.store.wire.one("XADD", names.commits, f"{stored.seq}-0", "c", pack(sealed))

    facts = load_game_config(world.store, game)
    with pytest.raises(BrokenLog, match="does not match its head"):
        Positions(world.store).read_newest(facts)
    fresh = Positions(world.store)
    fresh.read_at(facts, 1)
    with pytest.raises(BrokenLog, match="does not match its head"):
        fresh.read_newest(facts)
