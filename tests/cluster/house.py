"""A store with many kinds of games, and a dump of all its keys."""

from __future__ import annotations

from types import SimpleNamespace

from domain.kernel.dice import Dice
from service.features.archive.mover import move
from service.store.ports.waiting import Mark
from service.store.redis.store import open_store
from tests.core.http.conftest import World
from tests.driver import play_out

FILLING = [f"another {number}" for number in range(8)]
"""Games that are equal except for their partitions."""


def furnished(url, archive):
    """Create games, players and notifications that do not depend on the placement of keys."""
    store = open_store(url, archive=archive)
    world = World(store, side_workers=0)
    ash, birk = world.player("Ash"), world.player("Birk")
    ash.post("/v1/webhooks", {"url": "https://hooks.example.org/all"}, want=201)
    games = {"lobby": ash.make_game("nim", 2)["id"], "empty lobby": ash.make_game("battalia", 3)["id"]}
    for name, kind, told in (
        ("nim", "nim", {}),
        ("battalia", "battalia", {"pace": {"mode": "per_question", "hours": 24}}),
        (
            "calendar",
            "battalia",
            {"pace": {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "Europe/Berlin"}},
        ),
        ("waiting", "pennies", {"pace": {"mode": "per_question", "hours": 24}}),
        ("held", "pennies", {}),
        ("aside", "pennies", {}),
        ("over", "nim", {}),
        ("archived", "pennies", {}),
        ("copied", "pennies", {}),
        *((name, "pennies", {}) for name in FILLING),
    ):
        made = ash.make_game(kind, 2, **told)
        birk.join(made["id"], made["invitation"])
        ash.start(made["id"])
        games[name] = made["id"]
    for name in ("over", "archived", "copied"):
        play_out([ash, birk], games[name], Dice(b"d" * 32))
    # An archived game keeps no pending deliveries, so they are removed as if delivered.
    for name in ("archived", "copied"):
        store.wire.all(
            [
                ("ZREM", each.outbox, *found)
                for each in store.keys.partitions
                if (found := _owed(store, each, games[name]))
            ]
        )
        assert "moved" == move(store, games[name]).word
        store.archive.forget(games[name])
    ash.post(f"/v1/games/{games['battalia']}/talk", {"text": "Well met!"}, want=None)
    answered = ash.send(games["battalia"], {"type": "end_turn"}, key="once").json
    world.asleep = True
    # A claim takes all ready games of a partition, so the waiting command is sent after it.
    ash.send(games["held"], {"type": "hide", "pennies": 1}, wait=None)
    claimed = store.claims.claim([store.schedule.partition(games["held"])], 10, 3_600_000)
    assert [games["held"]] == [each.game_id for each in claimed]
    ash.send(games["waiting"], {"type": "hide", "pennies": 1}, wait=None)
    store.schedule.mark(games["aside"], Mark("quarantined", "1.0", "for a test"))
    store.wire.one("SADD", store.keys.partition(games["held"]).stalled, games["held"])
    world.public.get(f"/v1/games/{games['copied']}/view", want=None)
    store.close()
    ids = {"Ash": ash.id, "Birk": birk.id}
    return SimpleNamespace(
        ids=ids, games=games, tokens={"Ash": ash.token, "Birk": birk.token, "public": None}, answered=answered
    )


def _owed(store, partition, game):
    return [each for each in store.wire.one("ZRANGE", partition.outbox, 0, -1) if each.startswith(game.encode())]


def pictured(wire):
    """Return every key of the store with its type and value."""
    names = sorted(set(wire.scan("*")))
    kinds = wire.all([("TYPE", name) for name in names])
    return {name: (kind, _held(wire, kind, name)) for name, kind in zip(names, kinds, strict=True) if kind != b"none"}


def _held(wire, kind, name):
    match kind:
        case b"hash":
            flat = wire.one("HGETALL", name)
        case b"zset":
            flat = wire.one("ZRANGE", name, 0, -1, "WITHSCORES")
        case b"set":
            return dict.fromkeys(wire.one("SMEMBERS", name))
        case b"stream":
            return wire.one("XRANGE", name, "-", "+"), _lasting(wire.one("XINFO", "STREAM", name, "FULL", "COUNT", 0))
        case _:
            return wire.one("GET" if kind == b"string" else "TYPE", name)
    return dict(zip(flat[::2], flat[1::2], strict=True))


OF_THE_SERVER = (b"seen-time", b"active-time", b"radix-tree-keys", b"radix-tree-nodes")
"""Facts of a stream that no backup keeps: when consumers were last seen, and the form in memory."""


def _lasting(told):
    """The facts of a stream: its newest id, groups, consumers and what they have not acknowledged."""
    if isinstance(told, dict):
        return {name: _lasting(each) for name, each in told.items() if name not in OF_THE_SERVER}
    if isinstance(told, list) and told and told[0] in (b"length", b"name"):
        return _lasting(dict(zip(told[::2], told[1::2], strict=True)))
    return [_lasting(each) for each in told] if isinstance(told, list) else told
