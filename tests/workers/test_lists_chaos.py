"""Worker processes are killed with SIGKILL while they settle lists of commands: each list continues where it was."""

from __future__ import annotations

import random
import time

import pytest

from service.store.ports.commits import Stored
from service.store.shared import lists
from tests.workers.conftest import Tables
from tests.workers.crew import Crew, eventually
from tests.workers.test_chaos import assert_whole
from tests.workers.test_lists import came, hide, ids_in, send

GAMES, PUMPS, LONG = 12, 2, 40


@pytest.mark.soak
def test_worker_killed_within_a_list_causes_only_a_delay_of_seconds(redis_store, redis_url, tmp_path):
    kill_within_lists(redis_store, redis_url, tmp_path, 6)


@pytest.mark.soak
def test_workers_killed_within_lists_for_minutes_lose_nothing(redis_store, redis_url, tmp_path):
    kill_within_lists(redis_store, redis_url, tmp_path, 90)


def kill_within_lists(store, url, folder, kills):
    """Send a list to each game that has none, and kill workers in the middle of them."""
    tables, chance = Tables(store), random.Random(11)
    crew = Crew(url, folder, PUMPS)
    games = [tables.start("ada", "bot:greedy", points=100000) for _ in range(GAMES)]
    sent = {game: [] for game in games}
    try:
        for _ in range(PUMPS):
            crew.start()
        eventually(lambda: all(store.log.head(game)[0] for game in games))
        for _ in range(kills):
            time.sleep(0.3)
            # A worker killed before it settles anything tests nothing.
            eventually(lambda: _within_some(store, tables, sent), seconds=60, every=0.01)
            crew.kill(chance.choice(crew.processes))
            crew.start()
        eventually(lambda: all(_done(store, game, sent[game][-1]) for game in games), seconds=120, every=0.5)
        assert [0] * PUMPS == crew.stop(30)
    finally:
        crew.end()
    for game in games:
        told = ids_in(store, game)
        for list_id in sent[game]:
            seqs = came(store, game, list_id)
            assert seqs == sorted(seqs)
            assert min(seqs) > 0
            assert [lists.place_id(list_id, place) for place in range(LONG)] == [told[seq - 1] for seq in seqs]
        assert_whole(store, game)


def _within_some(store, tables, sent):
    """Give a list to every game that has none; returns whether a worker is in the middle of one."""
    for game, ids in sent.items():
        if not ids or _done(store, game, ids[-1]):
            ids.append(f"l{next(tables.numbers)}")
            assert "accepted" == send(store, game, 1, *[hide()] * LONG, id_=ids[-1]).status
    return any(0 < _settled(store, game, ids[-1]) < LONG for game, ids in sent.items())


def _settled(store, game, list_id):
    return sum(isinstance(each, Stored) for each in store.log.outcomes(game, list_id))


def _done(store, game, list_id):
    return _settled(store, game, list_id) == LONG
