"""Events in a game while one of its bots computes a move: a late move is refused, no player waits, and nothing is
answered twice."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

import pytest

from domain.kernel.dice import Aside
from service.audit.auditor import audit
from service.features.archive.mover import move_all
from service.store.redis.store import open_store
from tests.core.http.conftest import World
from tests.workers.test_advance import bodies
from tests.workers.test_archive import exported
from tests.workers.test_choosing import Thinkers, acts, kinds
from workers.advance import Advance

ONE = {"type": "take", "heap": 1, "objects": 1}


def thinking(store):
    """A service on the store whose moves are computed when a test asks for them."""
    world = World(store)
    world.thinkers = Thinkers(store)
    world.worker = Advance.in_process(store, thinking=world.thinkers)
    return world


@pytest.fixture
def world(redis_store):
    return thinking(redis_store)


class Thought:
    """A move that a bot has computed and not submitted yet."""

    def __init__(self, world, game):
        self.world, self.game = world, game
        ((_, self.due),) = world.thinkers.asked
        self.choosing = world.thinkers.choosing
        self.found = self.choosing._found(game, self.due)
        self.chosen = self.choosing._thought(self.found)
        world.thinkers.asked.clear()

    def stands(self):
        """Whether a search worker would find the question pending."""
        return self.choosing._found(self.game, self.due) is not None

    def comes(self):
        """Submit the move without another check; returns the receipt's status and the outcome in the game."""
        status = self.choosing._submit(self.found, self.due, self.chosen)
        self.world.work(self.game)
        return status, came(self.world, self.game, f"bot:{self.game}:{self.due}")


def came(world, game, id_):
    """`none`, the code of the refusal, or who answered."""
    found = [body for body in bodies(world.store, game) if body["submission"]["id"] == id_]
    if not found:
        return "none"
    (body,) = found
    if "refusal" in body:
        return body["refusal"]["code"]
    return "stand-in" if kinds(body)[0] == "stand_in_answered" else "thinker"


def table(world, **told):
    """A game in which a bot has to move, and its creator, who has made a move first if they were to begin."""
    ash = world.player("Ash")
    while True:
        made = ash.make_game("nim", 2, visibility="public", **told)
        ash.seat_bot(made["id"], "search:1")
        ash.start(made["id"])
        if not world.thinkers.asked:
            ash.send(made["id"], ONE, want=200)
            return made["id"], ash
        world.thinkers.asked.clear()


def play_on(world, game, *players):
    """Play to the end and audit the game."""
    dice = Aside(b"on")
    for _ in range(200):
        summary = world.public.summary(game)
        assert not summary["stalled"]
        if summary["status"] == "over":
            break
        assert "conflict" not in world.thinkers.think()
        world.work(game)
        for player in players:
            if player.options(game, only="answers").get("options"):
                player.move(game, dice, want=None)
    told = bodies(world.store, game)
    assert len(told) == len({body["submission"]["id"] for body in told})
    assert audit(exported(world.store, game)).is_ok
    assert "over" == world.public.summary(game)["status"]


def test_move_of_an_undone_question_is_refused_and_requested_again(world):
    game, ash = table(world, table={"undo": "free"})
    thought = Thought(world, game)
    ash.send(game, {"type": "request_undo", "seq": ash.summary(game)["seq"]}, want=200)
    assert not thought.stands()
    assert ("accepted", "already-answered") == thought.comes()
    assert [] == [body for body in acts(world.store, game) if "events" in body]

    ash.send(game, ONE, want=200)
    (again,) = world.thinkers.asked
    assert again != (game, thought.due)
    play_on(world, game, ash)


def test_game_aborted_by_a_vote_awaits_no_move(world):
    game, ash = table(world)
    thought = Thought(world, game)
    ash.send(game, {"type": "call_vote", "kind": "abort"}, want=200)
    assert "over" == ash.summary(game)["status"]
    assert not thought.stands()
    assert ("over", "none") == thought.comes()
    play_on(world, game)


def test_archived_game_awaits_no_move(tmp_path, redis_url):
    with closing(open_store(redis_url, archive=f"file://{tmp_path}/archive")) as store:
        world = thinking(store)
        game, ash = table(world)
        thought = Thought(world, game)
        ash.send(game, {"type": "call_vote", "kind": "abort"}, want=200)
        assert {"moved": 1} == Counter(each.word for each in move_all(store, 0))
        assert not thought.stands()
        assert "answered" == thought.choosing.answer(game, thought.due)
        assert "over" == thought.comes()[0]
        play_on(world, game)


DAILY = {"mode": "per_question", "hours": 24}


def resigns(world, game, ash):
    ash.send(game, {"type": "resign"}, want=200)


def goes_away(world, game, ash):
    now = world.store.schedule.now()
    told = ash.post("/v1/me/vacations", {"from": now, "to": now + 5 * 86_400_000}, want=201)
    assert game in told.json["games"]
    world.work(game)


def stops_the_clocks(world, game, ash):
    ash.send(game, {"type": "call_vote", "kind": "pause"}, want=200)


@pytest.mark.parametrize("does", [resigns, goes_away, stops_the_clocks])
def test_actions_of_other_players_do_not_invalidate_a_computed_move(world, does):
    game, ash = table(world, pace=DAILY)
    thought = Thought(world, game)
    before = ash.summary(game)["seq"]
    does(world, game, ash)
    assert before < ash.summary(game)["seq"]
    assert thought.stands()
    assert ("accepted", "thinker") == thought.comes()
    play_on(world, game, *([] if does is resigns else [ash]))


def test_player_who_takes_a_seat_while_its_bot_computes_answers_its_question(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    made = ash.make_game("nim", 2, visibility="public", table={"stand_in": "search:1"})
    game = made["id"]
    birk.join(game, made["invitation"])
    ash.start(game)
    if ash.summary(game)["pending_questions"][0]["seat"] == 1:
        ash.send(game, ONE, want=200)
    birk.send(game, {"type": "resign"}, want=200)
    thought = Thought(world, game)
    cleo = world.player("Cleo")
    cleo.post(f"/v1/games/{game}/seats/2/take", {}, want=200)
    assert not thought.stands()
    assert ("accepted", "already-answered") == thought.comes()
    assert [2] == [asked["seat"] for asked in cleo.summary(game)["pending_questions"]]
    play_on(world, game, ash, cleo)
