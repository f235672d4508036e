"""Stores of release 0.3.0 are converted game by game; a migration that is killed at any call is run again."""

from __future__ import annotations

import tarfile
from contextlib import closing

import orjson
import pytest

from service.core.followers.runner import GROUP
from service.features.plans.store import read_plans
from service.ops.instance.embedded import EmbeddedServer
from service.store.redis.cluster.client import open_client
from service.store.redis.lobbies.record import read_seating
from service.store.redis.probe import NeedsMigration
from service.store.redis.store import Store, open_store
from service.store.shared.older_fields import converted
from service.store.upkeep.migration import migrate
from tests.core.http.test_followers import Killed, killed_at
from tests.releases.record import archive


@pytest.fixture
def older(tmp_path):
    """A running server with the data of release 0.3.0: its URL."""
    data = tmp_path / "data"
    with tarfile.open(archive("0.3.0")) as packed:
        packed.extractall(data, filter="data")
    data.chmod(0o700)
    server = EmbeddedServer(data)
    yield server.start()
    server.stop()


def dump(store):
    """Every hash of a game, and the heads of all games."""
    games = sorted(store.lobbies.every())
    metas = [store.wire.one("HGETALL", store.keys.game(game).meta) for game in games]
    return {game: dict(zip(meta[::2], meta[1::2], strict=True)) for game, meta in zip(games, metas, strict=True)}


def test_store_of_the_previous_release_is_opened_only_after_its_migration(older):
    with pytest.raises(NeedsMigration, match="oraclewheel migrate"):
        open_store(older)
    with closing(Store(open_client(older, 0))) as store:
        heads = store.log.heads(list(store.lobbies.every()))
        done = migrate(store, GROUP)
        assert (len(heads), []) == (done.games, done.broken)
        assert heads == store.log.heads(list(heads))
        assert {} == store.changes.behind(GROUP, range(store.partitions)), "they have nothing to do"
    with closing(open_store(older)) as store:
        assert heads == store.log.heads(list(heads))


def test_migration_killed_at_any_call_is_finished_by_the_next_one(older, monkeypatch):
    with closing(Store(open_client(older, 0))) as store:
        before = dump(store)
        # The calls of the first partitions are like all others.
        for number in (*range(1, 60), *range(60, 4000, 97)):
            try:
                with killed_at(monkeypatch, number):
                    migrate(store, GROUP)
            except Killed:
                continue
            break
        after = dump(store)
        assert before.keys() == after.keys()
        for game, meta in after.items():
            assert meta.get(b"head") == before[game].get(b"head")
            assert meta.get(b"turned") == meta.get(b"seq")
            assert b"behind" not in meta
        assert [] == migrate(store, GROUP).broken
        assert after == dump(store)


def test_seats_turns_and_plans_are_converted():
    listed = {"id": "p", "place": 0, "rest": [{"type": "hide", "pennies": 2}], "linked": False}
    document = {"id": "p.0", "seat": 2, "command": {"type": "hide", "pennies": 1}, "expected": None, "credential": "c"}
    document |= {"list": listed, "by": "plan", "plan": {"player": "pb", "for": ["turn"]}}
    rest = {**document, "id": "p.1", "command": listed["rest"][0], "list": {**listed, "place": 1, "rest": []}}
    meta = {
        b"seq": b"9",
        b"chairs": b"pa x\npb y\n",
        b"behind": b"1",
        b"t1": b"500 0111",
        b"seating": b"rev 3\nsince 1 6\nvacant 2 8\nwas 1 pz 400 01\n",
        b"plan2": b"f" * 40 + b"2 123 pb p\n" + orjson.dumps(document),
        b"plans": b"",
        b"paused": b"2:turn,flee ",
        b"paused2": b"f" * 16 + b"1\n" + orjson.dumps(rest),
    }
    fields, gone = converted(meta)

    assert {"behind", "t1", "plan2", "paused", "paused2"} == set(gone)
    assert (b"9", b"500 0111", "400 01") == (fields["turned"], fields["turns pa"], fields["turns pz"])
    seating = read_seating(fields["seating"])
    assert (9, {1: 6}, {2: 8}) == (seating.applied, seating.since, seating.vacant)
    assert [("pz", 6)] == [(former.player, former.until) for former in seating.was]
    (plan,) = read_plans(fields["plans"]).values()
    assert ("paused", 1, ("turn", "flee"), "p.1") == (plan.state, plan.place, plan.kinds, plan.next_id)
    assert "2" == fields["holds"]


@pytest.mark.parametrize(
    ("plans", "pending", "state"), [(b"1:* ", (), "waiting"), (b"", ("p.0",), "playing"), (b"", (), "done")]
)
def test_plan_is_waiting_playing_or_done(plans, pending, state):
    listed = {"id": "p", "place": 0, "rest": [], "linked": False}
    document = {"id": "p.0", "seat": 1, "command": {"type": "hide"}, "list": listed, "plan": {"player": "pa"}}
    packed = b"f" * 40 + b"1 123 pa p\n" + orjson.dumps(document)
    fields, _ = converted({b"seq": b"4", b"chairs": b"pa \n", b"plans": plans, b"plan1": packed}, pending)

    assert state == read_plans(fields["plans"])[1].state
    assert ("" if state == "done" else "1") == fields["holds"]
