"""The first commit of a game stands on its set-up line, and a game that began without one goes on without."""

import hashlib
from dataclasses import replace

import orjson
import pytest

from domain.dice import dice_key
from domain.play.record import Chance, Position
from domain.play.settle import settle
from domain.registry import GAMES
from service.projections.positions.facts import facts_of
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


def test_the_first_commit_names_the_digest_of_the_set_up_line_as_the_head_before_it(store):
    game = started(store, "ann", "bob")
    lobby = store.lobbies.get(game)

    assert hashlib.sha256(lobby.setup).hexdigest() == first_header(store, game)["previous"]
    assert origin(lobby.setup) == first_header(store, game)["previous"]
    assert FORM == form_of(lobby.setup)


def test_the_set_up_line_says_how_the_game_began_and_nothing_that_changes(store):
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


def test_a_game_in_its_lobby_has_no_set_up_line_yet(store):
    assert b"" == store.lobbies.get(opened(store, "ann", None).id).setup


def first_append(store, game, head):
    """The first commit as somebody seals it who holds that head to be the one before it."""
    (work,) = store.claims.work([game])
    entry, document = work.pending[0]
    submission = decode_submission(PENNIES, document)
    seed = store.lobbies.seed(game)
    chance = Chance(dice_key(seed, game, [(1, ""), (2, "")]))
    commit, _ = settle(PENNIES, Position(), submission, store.schedule.now(), chance)
    return Append(game, 0, seal(game, commit, head, seed, last=False), entry, submission, False, None, ())


@pytest.mark.parametrize("head", [NO_HEAD, "ab" * 32])
def test_a_first_commit_on_another_head_is_not_taken(store, head):
    """A worker of a release that knows no set-up line would begin on zeros."""
    game = opened(store, "ann", "bob").id
    store.lobbies.start(game, "ann", "begin")

    (error,) = store.log.append([first_append(store, game, head)])

    assert isinstance(error, StaleWrite)
    assert (0, "") == store.log.head(game)
    pump(store, game)
    assert 1 == store.log.head(game)[0]


def of_form_1(store):
    """A game that a release started which knew no set-up line."""
    made = opened(store, "ann", "bob")
    old = replace(made, id=made.id + "old", status="running", started_at=made.made_at)
    store.lobbies.create(old, b"s" * 32)
    return old.id


def test_a_game_that_began_without_a_set_up_line_goes_on_without(store):
    game = of_form_1(store)
    command = begin_document(store.lobbies.get(game))
    begin = {"id": "b", "seat": 0, "command": command, "expected": None, "credential": None}
    assert "accepted" == store.log.submit(game, begin, "digest").status
    pump(store, game)

    assert NO_HEAD == facts_of(store, game).origin == first_header(store, game)["previous"]
    assert 1 == form_of(store.lobbies.get(game).setup)


def test_a_game_that_is_made_with_a_set_up_line_stands_on_it(store):
    """As an import does."""
    made = opened(store, "ann", "bob")
    line = b'{"line":"setup"}'
    there = replace(made, id=made.id + "imported", status="running", started_at=made.made_at, setup=line)
    store.lobbies.create(there, b"s" * 32)

    assert line == store.lobbies.get(there.id).setup
    assert origin(line) == facts_of(store, there.id).origin
