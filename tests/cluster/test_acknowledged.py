"""No response acknowledges a write before replicas have it; the client can then repeat the request."""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import replace

import pytest

from service.ops.doctor.games import examined
from service.store.redis.store import open_store
from tests.cluster.replicated import impatience
from tests.core.http.conftest import World
from tests.core.http.conftest import pennies as pennies  # noqa: PLC0414 - registers the game here too
from tests.driver import Player
from tests.soaking import sample

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def world(pair):
    with closing(open_store(pair.primary.url, replicas=1)) as store:
        yield World(store)


def is_unsure(answer):
    assert (503, "not-replicated") == (answer.status, answer.code)
    assert "urn:oraclewheel:problem:not-replicated" == answer.json["type"]
    assert "may or may not have taken effect" in answer.json["detail"]
    assert "the same Idempotency-Key" in answer.json["detail"]
    return "Retry-After" in answer.headers


@pytest.mark.parametrize("wait", sample([None, 10], 2))
@pytest.mark.parametrize("is_quick", [True, False], ids=["quick", "usual"])
def test_command_is_acknowledged_only_when_a_replica_has_it(pair, world, wait, is_quick):
    game, ash, _ = world.table()
    world.asleep = wait is None
    ash.get(f"/v1/games/{game}/view", want=200)  # from now on the process has cached token and game
    told = {"wait": wait, "key": "once", **({} if is_quick else {"seat": 1})}
    with pair.silent():
        assert is_unsure(ash.send(game, HIDE, **told))
        assert is_unsure(ash.send(game, HIDE, **told))
        assert 200 == ash.get(f"/v1/games/{game}/view").status, "what is read says nothing of what was taken in"
        assert 422 == ash.send(game, {"type": "hide"}, wait=wait).status
    sent = ash.send(game, HIDE, **told)
    assert (200 if wait else 202) == sent.status
    world.work(game)
    came = ash.get(f"/v1/games/{game}/commands/{sent.json['id']}", want=200).json
    assert ("settled", 1) == (came["status"], sum(line["type"] == "pennies_hidden" for line in came["lines"]))


def test_command_result_is_returned_only_when_a_replica_has_it(pair, world):
    game, ash, _ = world.table()
    settled = ash.send(game, HIDE, want=200)
    path = f"/v1/games/{game}/commands/{settled.json['id']}"
    with pair.silent():
        assert is_unsure(ash.send(game, HIDE, key="twice")), "the rules' no is a commit as well"
        assert is_unsure(ash.get(path))
    assert settled.json == ash.get(path, want=200).json
    refused = ash.send(game, HIDE, key="twice")
    assert (409, True) == (refused.status, "refusal" in refused.json["type"])


def test_repeated_creation_with_one_key_creates_one_game(pair, world):
    ash = world.player()
    asked, key = {"kind": "pennies", "seats": 2}, {"Idempotency-Key": "one-game"}
    with pair.silent():
        assert is_unsure(ash.post("/v1/games", asked, headers=key))
        assert is_unsure(ash.post("/v1/games", asked, headers=key))
    made = ash.post("/v1/games", asked, headers=key, want=201).json
    assert made == ash.post("/v1/games", asked, headers=key, want=201).json
    assert [made["id"]] == [each["id"] for each in ash.get("/v1/games", mine="true", want=200).json["games"]]


def test_creation_lost_in_a_failover_can_be_repeated_with_its_key(own_pair):
    with closing(open_store(own_pair.primary.url, replicas=1)) as store:
        ash = World(store).player()
        asked, key = {"kind": "pennies", "seats": 2}, {"Idempotency-Key": "one-game"}
        own_pair.cut()
        with impatience():
            assert is_unsure(ash.post("/v1/games", asked, headers=key))
        own_pair.primary.kill()
    own_pair.replica.client().replicaof("NO", "ONE")
    with closing(open_store(own_pair.replica.url)) as store:
        ash = replace(ash, site=World(store).site)
        made = ash.post("/v1/games", asked, headers=key, want=201).json
        assert 200 == ash.get(f"/v1/games/{made['id']}").status
        assert made == ash.post("/v1/games", asked, headers=key, want=201).json


def test_sign_in_with_a_recovery_code_can_be_repeated_with_its_key(pair, world):
    code = world.player().post("/v1/me/recovery-codes", {}, want=201).json["codes"][0]
    path, body, key = "/v1/sign-in/recovery-code", {"code": code}, {"Idempotency-Key": "0" * 32}
    with pair.silent():
        assert is_unsure(world.public.post(path, body, headers=key))
        assert is_unsure(world.public.post(path, body, headers=key))

    made = world.public.post(path, body, headers=key, want=201).json

    assert made["id"] == Player(world.site, made["token"]).get("/v1/me", want=200).json["id"]
    assert 403 == world.public.post(path, body).status


def test_sign_in_lost_in_a_failover_can_be_repeated_with_its_key(own_pair):
    path, key = "/v1/sign-in/recovery-code", {"Idempotency-Key": "0" * 32}
    with closing(open_store(own_pair.primary.url, replicas=1)) as store:
        world = World(store)
        ash = world.player()
        code = ash.post("/v1/me/recovery-codes", {}, want=201).json["codes"][0]
        own_pair.cut()
        with impatience():
            assert is_unsure(world.public.post(path, {"code": code}, headers=key))
        own_pair.primary.kill()
    own_pair.replica.client().replicaof("NO", "ONE")
    with closing(open_store(own_pair.replica.url)) as store:
        world = World(store)
        made = world.public.post(path, {"code": code}, headers=key, want=201).json

        assert ash.id == Player(world.site, made["token"]).get("/v1/me", want=200).json["id"]
        assert 403 == world.public.post(path, {"code": code}).status


def test_other_writes_are_not_acknowledged_without_a_replica(pair, world):
    game, ash, birk = world.table()
    made = ash.make_game()
    seats, invitation = f"/v1/games/{made['id']}/seats", {"invitation": made["invitation"]}
    with pair.silent():
        assert is_unsure(Player(world.site).post("/v1/players", {"name": "Cy"}))
        assert is_unsure(birk.post(seats, invitation))
        assert is_unsure(ash.call("DELETE", f"/v1/games/{made['id']}"))
        assert is_unsure(ash.post(f"/v1/games/{game}/talk", {"text": "hm"}))
        assert 404 == ash.get(f"/v1/games/{made['id']}").status


def played(game, players, key):
    """Each player hides a penny; return the acknowledged commands."""
    told = [player.send(game, HIDE, key=key) for player in players]
    assert {answer.status for answer in told} <= {200, 503}
    return [(answer.json["id"], answer.seq) for answer in told if answer.status == 200]


@pytest.mark.soak
def test_acknowledged_commands_survive_the_loss_of_the_primary_and_its_disk(own_pair):
    with closing(open_store(own_pair.primary.url, replicas=1)) as store:
        world = World(store)
        game, *players = world.table(options={"points": 1000})
        told = [each for turn in range(5) for each in played(game, players, f"before-{turn}")]
        assert 10 == len(told)
        own_pair.cut()
        with impatience():
            told += [each for turn in range(3) for each in played(game, players, f"after-{turn}")]
        own_pair.primary.kill()
        shutil.rmtree(own_pair.primary.folder)
    own_pair.replica.client().replicaof("NO", "ONE")
    with closing(open_store(own_pair.replica.url)) as store:
        assert told == [(id_, getattr(store.log.outcome(game, id_), "seq", None)) for id_, _ in told]
        assert [] == list(examined(store, game, write=False))
        players = [replace(player, site=World(store).site) for player in players]
        assert played(game, players, "again"), "and the game goes on"
