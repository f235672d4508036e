"""A command whose sender waits is written to disk with its commit, or once any client gets the answer that it is
pending."""

from __future__ import annotations

import os
import signal
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from service.ops.instance.embedded import EmbeddedServer
from service.store.ports.errors import StaleWrite
from service.store.ports.waiting import TELL
from service.store.redis.log.log import KEEP
from service.store.redis.store import open_store
from tests.store.pump import Worker, command, outcome, pump, started, submit


class House:
    """A store on a server with `appendfsync always`, which can be killed and restarted."""

    def __init__(self, folder):
        self.folder, self.server = folder, EmbeddedServer(folder)
        self.server.start()
        self.store = open_store(self.server.url)

    def kill(self):
        """Kill the server with SIGKILL and start another one on the same files."""
        os.kill(self.server.pid, signal.SIGKILL)
        self.end()
        self.server = EmbeddedServer(self.folder)
        self.server.start()
        self.store = open_store(self.server.url)

    def written(self):
        return self.store.wire.one("INFO", "persistence").decode().partition("aof_current_size:")[2].split()[0]

    def taken(self, game):
        """The pending commands of a game, claimed under a lease that expires at once."""
        (work,) = self.store.claims.claim([self.store.schedule.partition(game)], 32, 1)
        return work

    def claimed(self, game):
        """The ids that a worker is given for a game. None if it is not ready."""
        self.store.schedule.sweep(self.store.schedule.partition(game))
        found = self.store.claims.claim([self.store.schedule.partition(game)], 32, 3000)
        return next((ids(work) for work in found if work.game_id == game), None)

    def end(self):
        self.store.close()
        self.server.stop()


def ids(work):
    return [document["id"] for _, document in work.pending]


@pytest.fixture
def house():
    # The names of pytest's own folders are too long for a socket.
    with tempfile.TemporaryDirectory(prefix="ow-") as folder:
        house = House(Path(folder))
        yield house
        house.end()


@pytest.fixture
def game(house):
    game = started(house.store)
    submit(house.store, game, waited("warm", 1))  # loads every script into the server
    pump(house.store, game)
    house.store.claims.release(game)
    return game


def appended(house, game, work):
    """Settle the claimed command, and release the game unless something is pending."""
    append = Worker(house.store, game).append_of(*work.pending[0])
    assert [None] == list(house.store.log.append([replace(append, done=True)]))


def waited(name, seat=1):
    """A command that is refused, so that the game does not change, and whose sender waits for the outcome."""
    return {**command(name, seat, pennies=99), TELL: "told"}


def test_awaited_command_is_not_written_before_its_commit(house, game):
    before = house.written()
    receipt = submit(house.store, game, waited("s1"))
    assert ("accepted", before) == (receipt.status, house.written())
    work = house.taken(game)
    appended(house, game, work)
    assert before != house.written()
    house.kill()

    assert 3 == outcome(house.store, game, "s1")
    assert ("known", 3) == told(submit(house.store, game, waited("s1")))
    assert house.claimed(game) is None
    assert 3 == house.store.log.head(game)[0]


def test_awaited_command_lost_in_a_crash_before_its_commit_can_be_sent_again(house, game):
    submit(house.store, game, waited("s1"))
    house.kill()
    assert outcome(house.store, game, "s1") is None
    assert house.claimed(game) is None
    assert ("accepted", None) == told(submit(house.store, game, waited("s1")))
    pump(house.store, game)
    assert 3 == outcome(house.store, game, "s1")


@pytest.mark.parametrize("ask", ["who sent it", "another process", "by sending it again"])
def test_command_reported_as_pending_survives_a_crash(house, game, ask):
    submit(house.store, game, waited("s1"))
    store = house.store if ask == "who sent it" else open_store(house.server.url)
    if ask == "by sending it again":
        again = waited("s1")
        del again[TELL]
        assert ("known", None) == told(submit(store, game, again))
    assert "pending" == outcome(store, game, "s1")
    before = house.written()
    assert "pending" == outcome(store, game, "s1")
    assert before == house.written(), "once is enough"
    house.kill()

    assert "pending" == outcome(house.store, game, "s1")
    assert ["s1"] == house.claimed(game)
    pump(house.store, game)
    assert 3 == outcome(house.store, game, "s1")


def test_command_reported_as_pending_is_written_while_a_worker_has_the_game(house, game):
    submit(house.store, game, waited("s1"))
    submit(house.store, game, waited("s2", 2))
    assert ["s1", "s2"] == house.claimed(game)
    entries = house.store.wire.one("XRANGE", house.store.keys.game(game).commands, "-", "+")
    assert "pending" == outcome(house.store, game, "s2")
    house.kill()

    assert entries == house.store.wire.one("XRANGE", house.store.keys.game(game).commands, "-", "+")
    assert 1 == house.store.schedule.census()["claimed"], "it is ready again when the lease lapses"


@pytest.mark.parametrize("settled", [False, True])
def test_command_submitted_after_an_awaited_one_is_claimed_after_a_crash(house, game, settled):
    submit(house.store, game, waited("s1"))
    work = house.taken(game)
    submit(house.store, game, command("s2", 2, pennies=99))
    if settled:
        appended(house, game, work)
    house.kill()

    assert ["s2"] == house.claimed(game)


def test_submission_made_due_by_a_commit_is_claimed_after_a_crash(house, game):
    submit(house.store, game, command("s1", 1, pennies=1))
    appended(house, game, house.taken(game))
    submit(house.store, game, {**waited("s2", 2), "command": {"type": "hide", "pennies": 1}})
    appended(house, game, house.taken(game))
    house.kill()

    (due,) = house.claimed(game)
    assert due.startswith(f"due:{game}:")


def test_due_submission_behind_an_awaited_command_is_claimed_after_a_crash(house, game):
    submit(house.store, game, waited("s1"))
    house.store.wire.one("ZADD", house.store.keys.partition(game).due, 5, f"{game} d 1:0:1")
    house.store.schedule.sweep(house.store.schedule.partition(game))
    house.kill()

    assert [f"due:{game}:1:0:1"] == house.claimed(game)


def test_command_without_a_waiting_sender_is_written_at_once(house, game):
    submit(house.store, game, command("s1", 1, pennies=99))
    house.kill()
    assert ["s1"] == house.claimed(game)


def told(receipt):
    return receipt.status, receipt.seq


def resubmitted(house, game, name, seat=1):
    """The outcome after a sender that got no reply asks for it, or else sends the command again."""
    return house.store.log.outcome(game, name) or told(submit(house.store, game, waited(name, seat)))


def test_command_behind_a_written_one_is_written_with_its_id_and_settled_once(house, game):
    submit(house.store, game, waited("s1"))
    submit(house.store, game, waited("s2", 2))
    assert "pending" == outcome(house.store, game, "s1")
    house.kill()

    assert "pending" == resubmitted(house, game, "s2", 2)
    pump(house.store, game)
    settled = [commit.seq for commit in house.store.log.commits(game, 1, 99)]
    assert (settled[-2:], len(settled)) == ([outcome(house.store, game, "s1"), outcome(house.store, game, "s2")], 4)
    assert ("known", 4) == told(submit(house.store, game, waited("s2", 2)))


def test_command_submitted_while_another_is_written_is_written_with_it(house, game, monkeypatch):
    submit(house.store, game, waited("s1"))
    call, others = house.store.wire.call, ["s3", "s2"]

    def late(script, names, arguments):
        reply = call(script, names, arguments)
        if script is KEEP and others:
            submit(house.store, game, waited(others.pop(), 2))
        return reply

    monkeypatch.setattr(house.store.wire, "call", late)
    assert "pending" == outcome(house.store, game, "s1")
    house.kill()

    assert ["s1", *(name for name in ("s2", "s3") if "pending" == outcome(house.store, game, name))] == (
        house.claimed(game)
    )


@pytest.mark.parametrize("again", [False, True])
def test_command_lost_in_a_crash_is_not_settled_by_the_worker_that_claimed_it(house, game, again):
    submit(house.store, game, waited("s1"))
    work = house.taken(game)
    house.kill()
    if again:
        assert ("accepted", None) == resubmitted(house, game, "s1")

    append = Worker(house.store, game).append_of(*work.pending[0])
    (error,) = house.store.log.append([replace(append, done=True)])
    assert isinstance(error, StaleWrite)

    assert ("accepted", None) == resubmitted(house, game, "s1") or again
    pump(house.store, game)
    assert 3 == house.store.log.head(game)[0]
    assert ("known", 3) == told(submit(house.store, game, waited("s1")))
