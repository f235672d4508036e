"""The first commit of a game follows its set-up line. A game that began without one continues without it."""

import hashlib
from dataclasses import replace

import orjson
import pytest

from domain.kernel.dice import dice_key
from domain.kernel.record import Chance, Position
from domain.registry import GAMES
from domain.table.settle import settle
from service.core.positions.game_config import load_game_config
from service.store.codec import canonical, decode_submission
from service.store.founding import FORM, form_of, origin, setup_line
from service.store.ports.commits import Append
from service.store.ports.errors import StaleWrite
from service.store.ports.lobbies import begin_document
from service.store.seal import NO_HEAD, seal
from tests.pennies import PENNIES
from tests.store.pump import opened, pump, started


@pytest.fixture(autouse=True)
def _with_pennies(monkeypatch):
    monkeypatch.setitem(GAMES, PENNIES.key, PENNIES)


def first_header(store, game):
    return orjson.loads(next(iter(store.log.commits(game, 1, 1, headers=True))).header)


def test_first_commit_has_the_digest_of_the_set_up_line_as_previous_head(store):
    game = started(store, "ann", "bob")
    lobby = store.lobbies.get(game)

    assert hashlib.sha256(lobby.setup).hexdigest() == first_header(store, game)["previous"]
    assert origin(lobby.setup) == first_header(store, game)["previous"]
    assert FORM == form_of(lobby.setup)


def test_set_up_line_describes_the_start_of_the_game_and_nothing_that_changes(store):
    game = started(store, "ann", "bot:greedy")
    lobby = store.lobbies.get(game)
    body = orjson.loads(next(iter(store.log.commits(game))).body)
    told = orjson.loads(lobby.setup)

    assert canonical(told) == lobby.setup
    assert setup_line(body["events"][0], lobby.started_at) == lobby.setup
    assert lobby.started_at == told["started"] == body["submission"]["asked_at"]
    assert {"line", "format", "number", "started", "game", "kind", "ruleset", "options", "modules", "controllers"} | {
        "pace",
        "commitment",
        "sandbox",
    } == told.keys()


def test_lobby_has_no_set_up_line(store):
    assert b"" == store.lobbies.get(opened(store, "ann", None).id).setup


def first_append(store, game, head):
    """The first commit, sealed by a writer that takes `head` for the previous head."""
    (work,) = store.claims.work([game])
    entry, document = work.pending[0]
    submission = decode_submission(PENNIES, document)
    seed = store.lobbies.seed(game)
    chance = Chance(dice_key(seed, game, [(1, ""), (2, "")]))
    commit, _ = settle(PENNIES, Position(), submission, store.schedule.now(), chance)
    return Append(game, 0, seal(game, commit, head, seed, last=False), entry, submission, False, None, ())


@pytest.mark.parametrize("head", [NO_HEAD, "ab" * 32])
def test_first_commit_on_another_head_is_stale(store, head):
    """A worker of a release without set-up lines would begin on zeros."""
    game = opened(store, "ann", "bob").id
    store.lobbies.start(game, "ann", "begin")

    (error,) = store.log.append([first_append(store, game, head)])

    assert isinstance(error, StaleWrite)
    assert (0, "") == store.log.head(game)
    pump(store, game)
    assert 1 == store.log.head(game)[0]


def of_form_1(store):
    """A game that was started by a release without set-up lines."""
    made = opened(store, "ann", "bob")
    old = replace(made, id=made.id + "old", status="running", started_at=made.made_at)
    store.lobbies.create(old, b"s" * 32)
    return old.id


def test_game_that_began_without_a_set_up_line_continues_without_it(store):
    game = of_form_1(store)
    command = begin_document(store.lobbies.get(game))
    begin = {"id": "b", "seat": 0, "command": command, "expected": None, "credential": None}
    assert "accepted" == store.log.submit(game, begin, "digest").status
    pump(store, game)

    assert NO_HEAD == load_game_config(store, game).origin == first_header(store, game)["previous"]
    assert 1 == form_of(store.lobbies.get(game).setup)


def test_game_created_with_a_set_up_line_keeps_it_and_has_its_origin(store):
    """An import does this."""
    made = opened(store, "ann", "bob")
    line = b'{"line":"setup"}'
    there = replace(made, id=made.id + "imported", status="running", started_at=made.made_at, setup=line)
    store.lobbies.create(there, b"s" * 32)

    assert line == store.lobbies.get(there.id).setup
    assert origin(line) == load_game_config(store, there.id).origin
