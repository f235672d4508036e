"""A game that this release would decide differently is reported by `check-release` and quarantined by the worker."""

from __future__ import annotations

import secrets
from dataclasses import replace

import orjson
import pytest

from domain import RELEASE
from domain.games.nim import game as nim
from domain.games.nim.game import NIM, NimRules
from domain.kernel.record import Submission
from domain.kernel.terms import Seat
from domain.registry import GAMES
from service.cli.commands.check_release import checked
from service.store.codec import encode_submission
from service.store.ports.lobbies import Chair, Lobby
from service.store.seal import commitment
from tests.core.http.conftest import World
from workers.advance import Advance

OLD = "0.0.9"


class OldNim(NimRules):
    """The rules of Nim before a fix: asking for too many objects took the whole heap."""

    def decide(self, state, seat, command, dice, *more):
        if isinstance(command, nim.Take):
            command = replace(command, objects=min(command.objects, state.heaps[command.heap - 1]))
        return super().decide(state, seat, command, dice, *more)


def settle(store):
    advance = Advance.in_process(store)
    while advance.round(range(store.partitions)):
        pass


def take(store, game, number, objects):
    seat = orjson.loads(store.views.rows(game).asked)[0]["seat"]
    submission = Submission(f"c{number}", Seat(seat), {"type": "take", "heap": 2, "objects": objects}, 0)
    store.log.submit(game, encode_submission(submission), str(number))
    settle(store)


@pytest.fixture
def old_game(redis_store, monkeypatch):
    """A running game whose newest commit is a turn that only the old rules allow."""
    seed, game = secrets.token_bytes(32), "nim-0a1b2c3d"
    given = ({"heaps": 2, "last_object": "wins"}, (), {"mode": "free"}, "public")
    lobby = Lobby(
        *(game, "nim", "ada", (Chair("ada"), Chair("bob")), "nim_v1"),
        *(*given, commitment(seed), redis_store.schedule.now()),
    )
    with monkeypatch.context() as patched:
        patched.setitem(GAMES, "nim", replace(NIM, rules=OldNim(), release=OLD))
        redis_store.lobbies.create(lobby, seed)
        redis_store.lobbies.start(game, "ada", "begin")
        settle(redis_store)
        take(redis_store, game, 1, 1)
        take(redis_store, game, 2, 9)
    newest = list(redis_store.log.commits(game))[-1]
    assert (OLD, False) == (newest.release, b'"refusal"' in newest.body)
    return game


def test_check_release_names_the_commit_that_would_differ(redis_store, old_game):
    (found,) = checked(redis_store, [old_game])
    assert (2, 3) == (found.commits, found.divergence.seq)


def test_worker_quarantines_the_game_and_appends_nothing(redis_store, old_game):
    head = redis_store.log.head(old_game)
    take(redis_store, old_game, 3, 1)
    assert head == redis_store.log.head(old_game)
    mark = redis_store.schedule.marks()[old_game]
    assert ("needs-release", RELEASE) == (mark.code, mark.release)


def test_vote_on_other_rules_can_no_longer_be_started():
    world = World()
    game, ash, _ = world.table("Ash", "Birk", kind="nim")
    command = {"type": "propose_rules", "left": OLD, "release": RELEASE, "decided_by": OLD, "present": RELEASE}
    answer = ash.send(game, command, want=None)
    assert 422 == answer.status, answer.text
    ash.post(f"/v1/games/{game}/rules", {"release": RELEASE}, want=404)
