"""Seats change players again and again while workers are killed: each change is one commit, and the stored seats match
the log."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Mapping

import pytest

from domain.kernel.record import Position
from domain.kernel.terms import Seat
from domain.table.redecide import redecide
from domain.table.seats import SEATS, SeatTaken
from service.application import create_app
from service.core.positions.game_config import load_game_config
from service.core.queue import Queue
from service.ops.settings import Settings
from service.store.reading.bodies import read_commit
from tests.driver import InProcess, Player, Unexpected
from tests.pennies import PENNIES
from tests.workers.crew import Crew, eventually
from tests.workers.test_advance import assert_rows_are_true

GAMES, PEOPLE, SECONDS = 4, 5, 10
TURNS, MOST = 6, 120
"""The least turns of each game, and the most seconds that a busy machine may take for them."""
HIDE = {"type": "hide", "pennies": 0}
PATIENT = {"Prefer": "wait=5"}


class Changing:
    """A game whose second seat changes players."""

    table: Mapping[str, str] = {}

    def __init__(self, site):
        self.people = [Player.register(site) for _ in range(PEOPLE)]
        creator = self.people[0]
        made = creator.make_game(seats=2, visibility="public", options={"points": 100000}, table=self.table)
        self.game = made["id"]
        self.people[1].join(self.game, made["invitation"])
        creator.post(f"/v1/games/{self.game}/start", headers={"Prefer": "wait=30"})
        self.turns = 0
        self.told = []
        """The players that got the seat, in this order."""

    def turn(self, chance):
        """The player in the seat resigns, and two others try to take it."""
        creator, *others = self.people
        for player in self.people:
            player.call("POST", f"/v1/games/{self.game}/commands", HIDE, headers=PATIENT)
        holder = creator.summary(self.game)["seats"][1]["player"]["id"]
        own = next(player for player in others if player.id == holder)
        own.call("POST", f"/v1/games/{self.game}/commands", {"type": "resign"}, headers=PATIENT)
        wanting = [threading.Thread(target=self.take, args=(player,)) for player in chance.sample(others, 2)]
        for thread in wanting:
            thread.start()
        for thread in wanting:
            thread.join()

    def take(self, player):
        with contextlib.suppress(Unexpected):
            answer = player.call("POST", f"/v1/games/{self.game}/seats/2/take", {}, headers=PATIENT)
            if answer.status == 200:
                self.told.append(player.id)


class Voting(Changing):
    """The same with a vote of the other player, who mostly agrees."""

    table = {"substitutes": "vote"}

    def turn(self, chance):
        super().turn(chance)
        told = {"type": "cast_vote", "agree": chance.random() < 0.8}
        self.people[0].call("POST", f"/v1/games/{self.game}/commands", told, headers=PATIENT)


@pytest.mark.soak
@pytest.mark.parametrize("kind", [Changing, Voting])
def test_seats_that_change_players_match_the_log_despite_kills(redis_store, redis_url, tmp_path, kind):
    crew = Crew(redis_url, tmp_path, 2)
    queue = Queue(crew.queue_url)
    app = create_app(redis_store, Settings(), lambda game: queue.wake(redis_store.schedule.partition(game)))
    site, chance, over = InProcess(app), random.Random(11), threading.Event()
    try:
        for _ in range(2):
            crew.start()
        games = [kind(site) for _ in range(GAMES)]

        def play(changing, mine):
            while not over.is_set():
                changing.turn(mine)
                changing.turns += 1

        players = [threading.Thread(target=play, args=(each, random.Random(n))) for n, each in enumerate(games)]
        for thread in players:
            thread.start()
        for second in range(MOST):
            if second >= SECONDS and min(each.turns for each in games) >= TURNS:
                break
            time.sleep(1)
            crew.kill(chance.choice(crew.processes))
            crew.start()
        over.set()
        for thread in players:
            thread.join(60)
        eventually(lambda: all(redis_store.claims.work([each.game])[0].pending == () for each in games))
        taken = [assert_told_truly(redis_store, each) for each in games]
        assert min(taken) >= 2, "the seats did change hands"
    finally:
        over.set()
        crew.end()


def assert_told_truly(store, changing):
    """The stored seats match the log and every commit is decided the same again; returns how often the seat was taken."""
    facts, position, taken = load_game_config(store, changing.game), Position(), []
    commits = [read_commit(PENNIES, s.seq, s.at, s.release, s.body) for s in store.log.commits(changing.game)]
    for commit in commits:
        same, position = redecide(PENNIES, position, commit, facts.chance)
        assert (commit.events, commit.refusal, commit.by) == (same.events, same.refusal, same.by)
        taken += [commit.seq for event in commit.events if isinstance(event, SeatTaken)]
    ids = [commit.submission.id for commit in commits]
    assert len(ids) == len(set(ids))
    lobby, chairs = store.lobbies.get(changing.game), SEATS.memory_at(position.table)
    assert (dict(chairs.taken), dict(chairs.vacant)) == (dict(lobby.seating.since), dict(lobby.seating.vacant))
    ballot = position.table.memories["votes"].ballot
    assert ([] if ballot is None else [ballot.vacant]) == [seat for seat, _ in lobby.seating.wishes]
    assert not lobby.stalled
    assert len(changing.told) <= len(taken), "nobody was told so who has not had it"
    assert chairs.taken.get(Seat(2), 0) == (taken[-1] if taken else 0)
    if len(changing.told) == len(taken):
        assert changing.told[-1] == lobby.chairs[1].holder
    listed = [each.id for each in store.lobbies.page(vacant="vacant")[0]]
    assert (changing.game in listed) == bool(lobby.seating.vacant)
    assert_rows_are_true(store, changing.game)
    return len(taken)
