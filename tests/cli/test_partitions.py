"""``oraclewheel partitions``: how it is said, who must not be there, and what the doctor says of it afterwards."""

from __future__ import annotations

from contextlib import closing

import pytest

from service.cli.stores import opened
from service.instance.embedded import EmbeddedServer
from service.store.redis import keys
from service.store.redis.store import open_store
from service.store.upkeep.repair import games_of
from tests.workers.conftest import Tables
from tests.workers.test_advance import settle
from workers.advance import Advance


@pytest.fixture
def data(tmp_path):
    """A data folder in which a stopped service has left games; some have begun."""
    folder = tmp_path / "data"
    with EmbeddedServer(folder, fsync="no") as server, closing(open_store(server.url)) as store:
        tables = Tables(store)
        for _ in range(4):
            tables.start()
            settle(store, Advance.in_process(store))
    return folder


def test_games_are_divided_anew_and_the_doctor_has_nothing_to_say(oraclewheel, data, monkeypatch):
    assert (0, "64\n") == oraclewheel("partitions")
    with EmbeddedServer(data, fsync="no") as server, closing(open_store(server.url)) as store:
        carried = sum(store.log.partition(id_) >= 16 for id_ in games_of(store))
    status, told = oraclewheel("partitions", 16)
    assert 0 == status
    assert f"The games are divided into 16 partitions; {carried} were carried." in told
    assert (0, "16\n") == oraclewheel("partitions")
    assert "already" in oraclewheel("partitions", 16)[1]

    status, told = oraclewheel("doctor")
    assert 1 == status
    assert "This store has 16 partitions, not 64: set ORACLEWHEEL_PARTITIONS=16, or" in told
    monkeypatch.setenv("ORACLEWHEEL_PARTITIONS", "16")
    status, told = oraclewheel("doctor")
    assert (0, "All is well.") == (status, told.splitlines()[-1]), told


def test_what_was_begun_keeps_everybody_out_until_it_is_done(oraclewheel, data):
    with EmbeddedServer(data, fsync="no") as server, closing(open_store(server.url)) as store:
        store.wire.one("SET", keys.PARTITIONS, "64>16")
    way_on = "go on with `oraclewheel partitions 16`"
    for command in (["doctor"], ["backup", "kept"], ["partitions", 8]):
        status, told = oraclewheel(*command)
        assert 1 == status
        assert way_on in told
        assert "Traceback" not in told
    assert way_on in oraclewheel("partitions")[1]
    assert 0 == oraclewheel("partitions", 16)[0]
    assert (0, "16\n") == oraclewheel("partitions")


def test_a_queue_that_lets_nobody_in_is_told_before_anybody_is_shut_out(oraclewheel, data, monkeypatch, redis_url):
    monkeypatch.setenv("ORACLEWHEEL_QUEUE_URL", redis_url.replace("unix://", "unix://:sesame@"))
    status, told = oraclewheel("partitions", 16)
    assert (1, True, False) == (status, "ORACLEWHEEL_QUEUE_URL" in told, "sesame" in told), told
    assert (0, "64\n") == oraclewheel("partitions"), "nothing was begun"


def test_who_starts_the_service_at_the_same_instant_is_not_taken_for_nobody(oraclewheel, data, monkeypatch):
    said = iter([False])
    with monkeypatch.context() as patched, EmbeddedServer(data, fsync="no"):
        patched.setattr(opened, "answers", lambda path: next(said, True))
        status, told = oraclewheel("partitions", 16)
    assert (1, True) == (status, "is in use by process" in told), told
    assert (0, "64\n") == oraclewheel("partitions")


def test_nobody_may_use_the_folder_meanwhile(oraclewheel, data):
    with EmbeddedServer(data, fsync="no"):
        status, told = oraclewheel("partitions", 16)
    assert 1 == status
    assert "The service runs on the folder" in told
    assert (0, "64\n") == oraclewheel("partitions")


def test_a_server_that_refuses_says_so_in_one_sentence(oraclewheel, monkeypatch, redis_url):
    """A user who may not do what it takes."""
    with closing(open_store(redis_url)) as store:
        tables = Tables(store)
        while (game := tables.start()) and keys.Keys(64).number(game) == keys.Keys(8).number(game):
            pass  # of one in eight nothing has to be carried
        settle(store, Advance.in_process(store))
        store.wire.one("ACL", "SETUSER", "few", "on", ">secret", "~*", "&*", "+@all", "-dump")
        path = redis_url.removeprefix("unix://")
        monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", f"unix://few:secret@{path}")
        monkeypatch.setattr("service.cli.commands.partitions.QUIET", 0.0)
        try:
            status, told = oraclewheel("partitions", 8)
            assert 1 == status
            assert "A server refuses:" in told
            assert "Traceback" not in told
            store.wire.one("ACL", "SETUSER", "few", "+dump")
            assert 0 == oraclewheel("partitions", 8)[0]
        finally:
            store.wire.one("ACL", "DELUSER", "few")
