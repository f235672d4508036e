"""A pump that is killed at any line while moves are computed: each question is requested and answered once."""

from __future__ import annotations

import multiprocessing

import pytest

from service.audit.auditor import audit
from service.core.queue.compute import ComputeQueue, move_job
from tests.workers import mortal_pump
from tests.workers.test_archive import exported
from tests.workers.test_choosing import Thinkers, acts, kinds, rounds, starting
from workers.advance import Advance


def lapse(store):
    """Let the leases of a killed process expire."""
    for number, partition in enumerate(store.keys.partitions):
        for game in store.wire.one("ZRANGE", partition.leases, 0, -1):
            store.wire.one("ZADD", partition.leases, 1, game)
        store.schedule.sweep(number)


PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.workers.mortal_pump"])


@pytest.mark.parametrize("kills", [1, pytest.param(1000, marks=pytest.mark.soak)])
def test_killed_pump_loses_no_question_and_settles_no_answer_twice(redis_store, redis_url, kills):
    """Once while it requests the move and once while it settles it: at every line in the soak run, otherwise at some of
    them."""
    store, counted = redis_store, PROCESSES.SimpleQueue()
    queue = mortal_pump.queue_of(redis_url)
    thinks = ComputeQueue(queue.connection)

    def pumped(at):
        """Kill a pump at this line, if it gets there, and run another; returns how many lines that one needed."""
        for line in (at, 0) if at else (0,):
            each = PROCESSES.Process(target=mortal_pump.run, args=(redis_url, line, counted))
            each.start()
            each.join()
            assert each.exitcode in ((-9, 0) if line else (0,)), line
            lapse(store)
        lines = counted.get()
        return lines if counted.empty() else counted.get()

    def played(at):
        """Play a game in which pumps die at this line; returns how many lines requesting and settling take."""
        queue.connection.flushdb()
        game = starting(store)("nim", "bot:search:1", "bot:search:2")
        asked = pumped(at)
        ((awaited, due),) = store.schedule.awaited(range(store.partitions), 600_000)
        assert (game, {move_job("", game, due, "ada").id}) == (awaited, thinks.active()), at
        thinkers = Thinkers(store)
        assert "accepted" == thinkers.choosing.answer(game, due)
        settled = pumped(at)
        (act,) = acts(store, game)
        assert "stand_in_answered" not in kinds(act), at
        thinkers.patience = 0
        store.schedule.sweep(store.schedule.partition(game))
        finish(game, thinkers)
        return max(asked, settled)

    def finish(game, thinkers):
        """Compute every remaining move, or leave it to the fallback bots."""
        advance = Advance.in_process(store, thinking=thinkers)
        for each in store.schedule.awaited(range(store.partitions), 600_000):
            thinkers.choosing.answer(*each)
        rounds(store, advance, 40)
        assert "over" == store.lobbies.get(game).status
        ids = [body["submission"]["id"] for body in acts(store, game)]
        assert len(ids) == len(set(ids))
        verdict = audit(exported(store, game))
        assert verdict.is_ok, verdict.verdict

    lines = played(0)
    assert lines > 100
    some = range(1, lines + 1) if kills >= lines else range(lines // 2, lines + 1, lines // kills)
    for at in some:
        played(at)
    print(f"{len(some)} of {lines} lines")
