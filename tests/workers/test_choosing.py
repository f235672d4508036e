"""Moves computed by search workers: which are requested, and that each question is answered once."""

from __future__ import annotations

import multiprocessing
import secrets
from dataclasses import replace
from types import SimpleNamespace

import pytest
import redis
from structlog.testing import capture_logs

from domain.kernel.game.rules import Setup
from domain.registry import GAMES
from domain.table import bots
from service.core.positions.cache import Positions
from service.features.search_bots import choosing
from service.features.search_bots.choosing import Choosing
from service.store.ports.lobbies import Chair, Lobby
from service.store.seal import commitment
from tests.workers import mortal_thinker
from tests.workers.crew import eventually
from tests.workers.test_advance import bodies
from workers.advance import Advance

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.workers.mortal_thinker"])
WORTHS = {"search:1": 40, "search:2": 60, "search:3": 80}


class Thinkers:
    """Search workers that record requests and compute the moves when a test asks for them."""

    patience = 5000

    def __init__(self, store):
        self.store, self.asked, self.woken = store, [], []
        self.choosing = Choosing(store, Positions(store), self, WORTHS)

    def ask(self, questions):
        self.asked += questions

    def wake(self, partition):
        self.woken.append(partition)

    def think(self):
        """The outcomes of all requested moves."""
        asked, self.asked = self.asked, []
        return [self.choosing.answer(*each) for each in asked]


@pytest.fixture
def thinkers(store):
    return Thinkers(store)


@pytest.fixture
def advance(store, thinkers):
    return Advance.in_process(store, thinking=thinkers)


@pytest.fixture
def start(store):
    return starting(store)


def starting(store):
    """Returns a function that starts games in the store."""

    def started(kind, *holders, pace=None, **options):
        setup = GAMES[kind].rules.check(Setup(len(holders), "", options))
        seed = secrets.token_bytes(32)
        lobby = Lobby(
            "k" + secrets.token_hex(4),
            kind,
            "ada",
            tuple(Chair(holder) for holder in holders),
            setup.ruleset,
            setup.options,
            setup.modules,
            pace or {"mode": "free"},
            "public",
            commitment(seed),
            store.schedule.now(),
        )
        store.lobbies.create(lobby, seed)
        store.lobbies.start(lobby.id, "ada", "begin")
        return lobby.id

    return started


def rounds(store, advance, times=1):
    for _ in range(times):
        advance.round(range(store.partitions))


def acts(store, game):
    return [body for body in bodies(store, game) if body["submission"]["command"]["type"] == "act"]


def kinds(body):
    return [event["type"] for event in body.get("events", ())]


def test_pump_requests_a_move_and_the_submitted_move_is_settled(store, start, advance, thinkers):
    game = start("nim", "bot:search:1", "bot:search:2")
    rounds(store, advance, 3)
    (asked,) = thinkers.asked
    assert game == asked[0]
    assert [] == acts(store, game)

    assert ["accepted"] == thinkers.think()
    rounds(store, advance)
    (act,) = acts(store, game)
    name = store_bot(store, game, act)
    said = act["submission"]["command"]
    assert (f"bot:{game}:{asked[1]}", name, WORTHS[name]) == (act["submission"]["id"], said["bot"], said["worth"])
    assert said["choice"] == act["played"]
    assert "stand_in_answered" not in kinds(act)
    assert 1 == len(thinkers.asked), "the other one is asked now"


def store_bot(store, game, body):
    """The bot in the seat that acted in a commit."""
    return store.lobbies.get(game).chairs[body["actor"]["seat"] - 1].holder.removeprefix("bot:")


def test_fallback_bot_answers_at_once_and_visibly_without_search_workers(store, start, advance, thinkers):
    thinkers.patience = 0
    game = start("nim", "bot:search:1", "bot:search:3")
    rounds(store, advance, 20)
    assert "over" == store.lobbies.get(game).status
    assert [] == thinkers.asked
    assert acts(store, game)
    for body in acts(store, game):
        told = body["events"][0]
        assert ("stand_in_answered", store_bot(store, game, body)) == (told["type"], told["instead_of"])


@pytest.mark.soak
def test_move_computed_too_late_finds_the_question_answered(store, start, advance, thinkers):
    game, asked, _ = late(store, start, advance, thinkers)
    await_due(store, advance, game)
    (act,) = acts(store, game)
    assert "stand_in_answered" == kinds(act)[0]
    assert "answered" == thinkers.choosing.answer(*asked)
    rounds(store, advance, 2)
    assert 1 == len(acts(store, game))


def late(store, start, advance, thinkers):
    """A game in which a bot has only a moment to compute its move; returns the request and the question at that time."""
    thinkers.patience = 1500
    for _ in range(50):
        game = first_asked(store, start, advance, thinkers)
        asked = thinkers.asked[0]
        found = thinkers.choosing._found(*asked)
        if found is not None:
            return game, asked, found
    raise AssertionError("a moment is over at once each time")


def await_due(store, advance, game):
    before = len(acts(store, game))

    def answered():
        store.schedule.sweep(store.schedule.partition(game))
        rounds(store, advance)
        return len(acts(store, game)) > before

    eventually(answered)


def first_asked(store, start, advance, thinkers, *more, **kwargs):
    """A game in which a bot with search has a pending question."""
    for _ in range(50):
        game = start("nim", "bot:search:1", "ada", *more, **kwargs)
        thinkers.asked.clear()
        for _ in range(3):
            rounds(store, advance)
            if thinkers.asked:
                return game
    raise AssertionError("ada is asked first each time")


def test_move_computed_by_several_workers_is_settled_once(store, start, advance, thinkers):
    game = first_asked(store, start, advance, thinkers)
    (asked,) = thinkers.asked
    others = [Thinkers(store) for _ in range(3)]
    came = [each.choosing.answer(*asked) for each in (thinkers, *others)]
    assert ["accepted", "known", "known", "known"] == came, "they have thought the same"
    rounds(store, advance, 2)
    assert 1 == len(acts(store, game))


def test_fallback_bot_and_search_worker_do_not_both_answer(store, start, advance, thinkers):
    game, asked, found = late(store, start, advance, thinkers)
    thought = thinkers.choosing._thought(found)

    def submitted():
        store.schedule.sweep(store.schedule.partition(game))
        return store.log.outcome(game, f"bot:{game}:{asked[1]}") is not None

    eventually(submitted)
    assert "conflict" == thinkers.choosing._submit(found, asked[1], thought)
    rounds(store, advance, 2)
    assert ["stand_in_answered"] == [kinds(body)[0] for body in acts(store, game)]


def test_fallback_bot_answers_if_the_search_fails(store, start, advance, thinkers, monkeypatch):
    game = first_asked(store, start, advance, thinkers)

    def breaks(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(bots, "choose", breaks)
    assert ["accepted"] == thinkers.think()
    monkeypatch.undo()
    rounds(store, advance)
    (act,) = acts(store, game)
    assert "stand_in_answered" == kinds(act)[0]


@pytest.mark.soak
def test_move_is_accepted_if_its_computing_time_cannot_be_recorded(store, start, advance, thinkers, monkeypatch):
    first_asked(store, start, advance, thinkers)
    (question,) = thinkers.asked
    away = SimpleNamespace(connection=redis.Redis(port=1), wake=thinkers.wake)
    limits = SimpleNamespace(
        search_seconds=60, search_1_simulations=40, search_2_simulations=60, search_3_simulations=80
    )
    context = SimpleNamespace(store=store, positions=Positions(store), queue=away, settings=limits)
    monkeypatch.setattr(choosing, "worker_context", lambda: context)

    with capture_logs() as logged:
        outcome = choosing.choose(*question)

    assert "accepted" == outcome
    assert ["search_time_not_counted"] == [entry["event"] for entry in logged if entry["log_level"] == "warning"]


def test_requested_move_is_awaited_in_the_store_until_it_is_settled(store, start, advance, thinkers):
    game = first_asked(store, start, advance, thinkers)
    every = range(store.partitions)
    assert thinkers.asked == list(store.schedule.awaited(every, thinkers.patience))
    assert [] == list(
        store.schedule.awaited([n for n in every if n != store.schedule.partition(game)], thinkers.patience)
    )
    assert [] == list(store.schedule.awaited(every, -thinkers.patience))
    thinkers.think()
    rounds(store, advance)
    assert [] == list(store.schedule.awaited(every, thinkers.patience))


def test_bot_with_a_delay_is_awaited_only_after_it(store, start, advance, thinkers):
    first_asked(store, start, advance, Waiting(thinkers, store), pace={"mode": "free", "bot_seconds": 3600})
    assert [] == thinkers.asked
    assert [] == list(store.schedule.awaited(range(store.partitions), thinkers.patience))
    assert 1 == len(store.schedule.awaited(range(store.partitions), 3600_000 + thinkers.patience))


class Waiting:
    """Makes `first_asked` wait for a bot that is awaited at all."""

    def __init__(self, thinkers, store):
        self.thinkers, self.store = thinkers, store

    @property
    def asked(self):
        every = range(self.store.partitions)
        return list(self.store.schedule.awaited(every, 3600_000 + self.thinkers.patience)) and Cleared()


class Cleared(list):
    def __bool__(self):
        return True


def test_move_is_computed_again_if_the_seat_has_seen_new_events(store, start, advance, thinkers, monkeypatch):
    first_asked(store, start, advance, thinkers)
    thought, stood = [], []
    found = Choosing._found

    class Moved:
        """The question, whose seat has seen something new each of the first times."""

        def __init__(self, real):
            self.real = real

        def __getattr__(self, name):
            return len(stood) if name == "seen" and len(stood) < 3 else getattr(self.real, name)

    def finding(self, *asked):
        stood.append(asked)
        return Moved(found(self, *asked))

    thinking = Choosing._thought
    monkeypatch.setattr(Choosing, "_found", finding)
    monkeypatch.setattr(Choosing, "_thought", lambda self, each: thought.append(1) or thinking(self, each.real))
    assert ["accepted"] == thinkers.think()
    assert 1 < len(thought) <= 3


def test_equal_states_for_a_seat_give_equal_moves(store, start, advance, thinkers):
    """A search worker chooses from an imagined state: the hidden cards of others have no influence."""
    start("battalia", "bot:search:1", "bot:search:1", max_weeks=1)
    seen = 0
    for _ in range(40):
        rounds(store, advance)
        for asked in list(thinkers.asked):
            found = thinkers.choosing._found(*asked)
            if found is None:
                continue
            seat = found.asked.question.seat
            dice = found.facts.chance.aside("other", seen)
            twin = found.facts.game.knowledge.imagine(found.position.state, seat, dice)
            if twin == found.position.state:
                continue
            seen += 1
            elsewhere = thinkers.choosing._thought(replaced(found, twin))
            assert thinkers.choosing._thought(found) == elsewhere
        if seen >= 3:
            return
        assert "conflict" not in thinkers.think()
    raise AssertionError("no hidden cards in forty rounds")


def replaced(found, state):
    return replace(found, position=replace(found.position, state=state))


def test_no_move_is_computed_for_unknown_games_or_answered_questions(store, start, advance, thinkers):
    assert "answered" == thinkers.choosing.answer("nothing", "1:0:1")
    game = (
        start("nim", "bot:greedy", "ada")
        if "greedy" in GAMES["nim"].bots.by_name
        else start("nim", "bot:random", "ada")
    )
    rounds(store, advance, 3)
    assert "answered" == thinkers.choosing.answer(game, "1:0:1")


@pytest.mark.soak
@pytest.mark.parametrize("kills", [5, pytest.param(1000, marks=pytest.mark.soak)])
def test_killed_search_worker_neither_loses_nor_duplicates_an_answer(redis_store, redis_url, kills):
    """At every line in the longest soak run, otherwise at some of them, including the last ones, which submit."""
    store, thinkers = redis_store, Thinkers(redis_store)
    advance, start = Advance.in_process(store, thinking=thinkers), starting(store)
    counted = PROCESSES.SimpleQueue()

    def answered(at):
        """The outcome after a search worker was killed at this line and its successor was not."""
        first_asked(store, start, advance, thinkers)
        (asked,) = thinkers.asked
        for line in (at, 0) if at else (0,):
            each = PROCESSES.Process(
                target=mortal_thinker.run, args=(redis_url, *asked, line, None if line else counted)
            )
            each.start()
            each.join()
            assert (-9 if line else 0) == each.exitcode, line
        rounds(store, advance, 2)
        (act,) = acts(store, asked[0])
        assert "stand_in_answered" not in kinds(act), at
        return counted.get()

    lines, came = answered(0)
    assert "accepted" == came
    assert lines > 30
    every = range(1, lines + 1)
    some = every if kills >= lines else [*every[:: lines // (kills - 2)], lines - 1, lines][-kills:]
    came = {answered(at)[1] for at in some}
    assert {"known"} <= came <= {"accepted", "known", "answered"}


def test_deadlines_of_players_are_not_awaited_moves(store, start, advance, thinkers):
    start("nim", "ada", "bob", pace={"mode": "per_question", "hours": 1})
    rounds(store, advance, 3)
    day = 24 * 3600_000
    assert 1 == store.schedule.census()["due"]
    assert [] == list(store.schedule.awaited(range(store.partitions), day))


def test_turn_of_many_answers_is_computed_one_by_one(store, start, advance, thinkers):
    game = start("battalia", "bot:search:1", "bot:search:1", max_weeks=1)
    for _ in range(30):
        rounds(store, advance)
        again = [due for _, due in thinkers.asked if "@" in due]
        if again:
            (due,) = again
            assert thinkers.choosing._found(game, due) is not None
            assert thinkers.choosing._found(game, due.partition("@")[0]) is None, "that has been answered"
            return
        thinkers.think()
    raise AssertionError("no turn of two answers")
