"""Due submissions are submitted exactly once, on a server and in a cluster."""

from __future__ import annotations

import time

import orjson

from domain.kernel.terms import SYSTEM
from tests.store.pump import Worker, command, opened, outcome, position_of, pump, started, submit


def clock_of(milliseconds):
    return lambda question, at: at if question.seat == SYSTEM else at + milliseconds


def timed(store, milliseconds, *holders):
    """A game whose players have `milliseconds` to answer."""
    made = opened(store, *(holders or ("ann", "bob")))
    store.lobbies.start(made.id, made.creator, f"begin:{made.id}")
    pump(store, made.id, clock_of(milliseconds))
    return made.id


def commands_of(store, game):
    return [orjson.loads(commit.body)["submission"]["command"] for commit in store.log.commits(game)]


def pending_in(store, game):
    (work,) = store.claims.work([game])
    return sorted(document["id"] for _, document in work.pending)


def test_submission_due_at_once_is_pending_after_the_commit(store):
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    submit(store, game, command("s2", 2, pennies=1))
    Worker(store, game).step()

    (work,) = store.claims.work([game])
    assert [{"type": "expire", "question": "3:0:0"}] == [document["command"] for _, document in work.pending]
    assert "pending" == outcome(store, game, f"due:{game}:3:0:0")
    assert SYSTEM == work.pending[0][1]["seat"]


def test_bot_is_asked_to_act_at_once(store):
    made = opened(store, "ann", "bot:greedy")
    store.lobbies.start(made.id, "ann", "begin")
    Worker(store, made.id).step()

    (work,) = store.claims.work([made.id])
    assert [{"type": "act", "question": "1:0:2"}] == [document["command"] for _, document in work.pending]


def test_nothing_is_submitted_before_its_time(store):
    game = timed(store, 60_000)

    assert 0 == store.schedule.sweep(store.schedule.partition(game))
    assert () == store.claims.work([game])[0].pending
    assert 2 == store.schedule.census()["due"]


def test_deadline_is_submitted_once_however_often_it_is_swept(store):
    game = timed(store, 500)
    time.sleep(0.55)
    assert 1 == store.schedule.sweep(store.schedule.partition(game))
    for _ in range(3):
        store.schedule.sweep(store.schedule.partition(game))

    assert [f"due:{game}:1:0:1", f"due:{game}:1:0:2"] == pending_in(store, game)
    Worker(store, game, clock_of(60_000)).step()
    waiting = pending_in(store, game)
    store.schedule.sweep(store.schedule.partition(game))
    assert waiting == pending_in(store, game)
    assert 1 == commands_of(store, game).count({"type": "expire", "question": "1:0:1"})


def test_deadline_that_later_commits_repeat_is_submitted_once(store):
    game = timed(store, 50)
    worker = Worker(store, game, clock_of(50))
    for number in range(3):
        submit(store, game, command(f"bad{number}", 1, pennies=99))
        worker.step()
    time.sleep(0.07)
    store.schedule.sweep(store.schedule.partition(game))
    submit(store, game, command("bad", 1, pennies=99))
    # Both deadlines are already pending when this refusal is appended, which still lists both.
    while worker.step(1):
        store.schedule.sweep(store.schedule.partition(game))
        if worker.position.seq > 12:
            break

    asked = [told["question"] for told in commands_of(store, game) if told["type"] == "expire"]
    assert len(asked) == len(set(asked))
    assert {"1:0:1", "1:0:2"} <= set(asked)


def test_answer_in_time_removes_the_deadline(store):
    game = timed(store, 60_000)
    submit(store, game, command("s1", 1, pennies=1))
    Worker(store, game, clock_of(60_000)).step()

    assert 1 == store.schedule.census()["due"]


def test_overdue_deadlines_of_players_are_listed_until_they_are_swept(store):
    before = store.schedule.now()
    game = timed(store, 500)
    assert [] == list(store.schedule.overdue(store.schedule.partition(game), before))
    time.sleep(0.55)

    told = store.schedule.overdue(store.schedule.partition(game), before)
    assert [(game, "1:0:1"), (game, "1:0:2")] == sorted((game_, due.question) for game_, due in told)
    assert {"expire"} == {due.what for _, due in told}
    assert [] == list(store.schedule.overdue(store.schedule.partition(game), store.schedule.now()))
    store.schedule.sweep(store.schedule.partition(game))
    assert [] == list(store.schedule.overdue(store.schedule.partition(game), before))


def test_deadline_is_postponed_once_and_not_submitted_before_the_new_time(store):
    game = timed(store, 500)
    time.sleep(0.55)

    first = store.schedule.put_off(game, "1:0:1", 60_000)
    again = store.schedule.put_off(game, "1:0:1", 60_000)
    assert ("accepted", True, "known") == (first.status, first.wake, again.status)
    assert "pending" == outcome(store, game, first.id)
    store.schedule.sweep(store.schedule.partition(game))
    Worker(store, game, clock_of(60_000)).step()

    assert 2 == outcome(store, game, first.id)
    questions = {asked.id: asked.due for asked in position_of(store, game).asked}
    assert questions["1:0:1"] > store.schedule.now() + 50_000
    assert outcome(store, game, f"due:{game}:1:0:1") is None


def test_postponed_deadline_is_submitted_when_it_is_due_again(store):
    game = timed(store, 500)
    time.sleep(0.55)
    store.schedule.put_off(game, "1:0:1", 1000)  # long enough that a busy machine commits in time
    worker = Worker(store, game, clock_of(60_000))
    worker.step()
    time.sleep(1.05)
    second = store.schedule.put_off(game, "1:0:1", 20)
    worker.step()
    time.sleep(0.03)
    store.schedule.sweep(store.schedule.partition(game))
    worker.step()

    assert "accepted" == second.status
    assert {"type": "expire", "question": "1:0:1"} in commands_of(store, game)


def test_deadline_already_submitted_is_not_postponed(store):
    game = timed(store, 10)
    time.sleep(0.03)
    store.schedule.sweep(store.schedule.partition(game))

    assert "known" == store.schedule.put_off(game, "1:0:1", 60_000).status
    assert "known" == store.schedule.put_off(game, "9:9:9", 60_000).status


def test_heartbeat_returns_the_time_of_the_previous_one(store):
    assert store.schedule.beat("sweeper") is None
    before = store.schedule.now()
    first = store.schedule.beat("sweeper")
    assert before - 1000 <= first <= before
    assert first <= store.schedule.beat("sweeper")
    assert store.schedule.beat("other") is None


def test_signing_keys_are_kept(store):
    store.log.add_key("aa", "01" * 32)
    store.log.add_key("bb", "02" * 32)

    assert {"aa": "01" * 32, "bb": "02" * 32} == store.log.keys()
