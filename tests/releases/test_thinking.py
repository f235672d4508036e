"""A bot that thinks in a game which stays under the rules of a release before, and in one that leaves them while it thinks."""

from __future__ import annotations

import secrets

import pytest

from domain import RELEASE as PRESENT
from service.audit.auditor import audit
from service.store.ports.lobbies import Chair, Lobby
from service.store.seal import commitment
from tests.releases.before import RELEASE
from tests.workers.test_choosing import Thinkers, acts, kinds
from workers.advance import Advance

TOO_MUCH = (1, 9)


def begun(nim):
    """A game in which ada begins, against a bot that thinks."""
    given = ({"heaps": 2, "last_object": "wins"}, (), {"mode": "free"}, "public")
    for _ in range(100):
        game, seed = f"nim-{secrets.token_hex(4)}", secrets.token_bytes(32)
        chairs = (Chair("ada"), Chair("bot:search:1"))
        told = {"table": {"votes": "on"}}
        nim.store.lobbies.create(
            Lobby(game, "nim", "ada", chairs, "nim_v1", *given, commitment(seed), nim.store.log.now(), **told), seed
        )
        nim.store.lobbies.start(game, "ada", "begin")
        nim.settle(old=True)
        if b'"first":1' in nim.last(game):
            return game
    raise AssertionError("the bot begins each time")


@pytest.fixture
def thinkers(nim, kept):
    return Thinkers(nim.store)


@pytest.fixture
def asked(nim, thinkers):
    """The question to the bot, after a turn that the present rules would have refused."""
    game = begun(nim)
    thinkers.asked.clear()
    nim.take(game, *TOO_MUCH)
    nim.settle(Advance.in_process(nim.store, thinking=thinkers), old=True)
    assert (RELEASE, False) == nim.newest(game)
    ((of, due),) = thinkers.asked
    assert game == of
    return game, due


def answer(nim, game):
    (act,) = [body for body in acts(nim.store, game) if "events" in body]
    return act


def test_it_thinks_by_the_rules_that_decide_its_game(nim, thinkers, asked):
    game, _ = asked
    assert ["accepted"] == thinkers.think()
    nim.settle(Advance.in_process(nim.store, thinking=thinkers))
    assert (RELEASE, False) == nim.newest(game)
    assert "stand_in_answered" not in kinds(answer(nim, game))
    assert {} == nim.store.log.marks()


def test_rules_that_are_left_while_it_thinks_hold_up_nobody(nim, thinkers, asked):
    game, due = asked
    found = thinkers.choosing._found(game, due)
    assert found.facts.frozen
    thought = thinkers.choosing._thought(found)
    nim.say(game, 1, {"type": "propose_rules", "left": RELEASE, "release": PRESENT, "differs": 2})
    nim.settle(Advance.in_process(nim.store, thinking=thinkers))
    assert b'"rules_upgraded"' in nim.last(game)
    assert thinkers.choosing._found(game, due) is not None
    assert "accepted" == thinkers.choosing._submit(found, due, thought)
    nim.settle(Advance.in_process(nim.store, thinking=thinkers))
    assert (PRESENT, False) == nim.newest(game)
    assert "stand_in_answered" not in kinds(answer(nim, game))
    assert {} == nim.store.log.marks()
    while nim.store.lobbies.get(game).status == "running":
        nim.turn(game, 2, 1)
        thinkers.think()
        nim.settle(Advance.in_process(nim.store, thinking=thinkers))
    assert audit(nim.exported(game)).ok
