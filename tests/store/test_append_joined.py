"""Several commits of a game in one call of `append`, on a server and in a cluster: all or nothing."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from service.store.ports.errors import NotAlone
from service.store.shared.system import due_submission
from tests.store.pump import Worker, command, outcome, position_of, started, submit


def ahead(worker, append):
    """The append that settles what another append makes due at once, as if it had been in the stream."""
    (due,) = (due for due in append.due if due.when <= append.sealed.at)
    document = {**due_submission(append.game_id, due), "asked_at": append.sealed.at}
    return replace(worker.append_of("", document), joined=True)


@pytest.fixture
def game(store):
    """A game whose round ends with the pending command of seat 2."""
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    Worker(store, game).step()
    submit(store, game, command("s2", 2, pennies=1))
    return game


@pytest.fixture
def call(store, game):
    """The commit of the pending command, and the commit of the turn that it makes due."""
    worker = Worker(store, game)
    (work,) = store.claims.work([game])
    first = worker.append_of(*work.pending[0])
    return [first, replace(ahead(worker, first), waited=(work.pending[0][0],))]


def state_of(store, game):
    """Everything that an append may change."""
    (work,) = store.claims.work([game])
    return (
        store.log.head(game),
        store.views.rows(game, [1, 2]),
        work.pending,
        store.schedule.census(),
        outcome(store, game, "s2"),
    )


def test_due_submission_is_appended_with_its_cause_without_entering_the_stream(store, game, call):
    assert [None, None] == list(store.log.append(call))

    position = position_of(store, game)
    assert (4, position.head) == store.log.head(game)
    assert (3, 4) == (outcome(store, game, "s2"), outcome(store, game, call[1].submission.id))
    assert (position.seq, position.seen) == (store.views.rows(game).seq, store.views.rows(game).seen)
    assert () == store.claims.work([game])[0].pending


def test_nothing_is_appended_if_another_command_is_pending(store, game, call):
    submit(store, game, command("rival", 1, pennies=0))
    before = state_of(store, game)

    assert ["NotAlone"] * 2 == [type(error).__name__ for error in store.log.append(call)]
    assert before == state_of(store, game)
    assert [None] == list(store.log.append(call[:1])), "its cause goes alone"
    pending = [document["id"] for _, document in store.claims.work([game])[0].pending]
    assert ["rival", call[1].submission.id] == pending, "and what it makes due stands behind what came before"


def test_nothing_is_appended_if_the_due_submission_is_known_already(store, game, call):
    settled = replace(call[0].submission, id=call[1].submission.id)
    elsewhere = replace(call[0], submission=settled)
    assert [None] == list(store.log.append([elsewhere]))
    worker = Worker(store, game)
    (work,) = store.claims.work([game])
    assert () == work.pending, "it is not submitted again"
    submit(store, game, command("more", 1, pennies=9))
    (work,) = store.claims.work([game])
    first = worker.append_of(*work.pending[0])
    again = replace(ahead(worker, replace(first, due=call[0].due)), waited=(work.pending[0][0],))

    assert all(isinstance(error, NotAlone) for error in store.log.append([first, again]))
    assert (3, "pending") == (store.log.head(game)[0], outcome(store, game, "more"))


def test_all_commits_are_stale_if_the_log_has_grown(store, game, call):
    Worker(store, game).step()
    before = state_of(store, game)

    assert ["StaleWrite"] * 2 == [type(error).__name__ for error in store.log.append(call)]
    assert before == state_of(store, game)


def test_commits_that_do_not_follow_each_other_raise_an_error(store, game, call):
    wrong = replace(call[1], sealed=replace(call[1].sealed, previous="0" * 64))

    with pytest.raises(ValueError, match="does not follow"):
        store.log.append([call[0], wrong])
    assert 2 == store.log.head(game)[0]


def test_left_commands_are_submitted_in_order_after_those_due(store, game):
    worker = Worker(store, game)
    (work,) = store.claims.work([game])
    first = worker.append_of(*work.pending[0])
    left = ({**command("l.1", 1, pennies=0)}, {**due_submission(game, replace(first.due[0], question="9:9:9"))})
    follows = command("l.2", 2, pennies=0)
    assert [None] == list(store.log.append([replace(first, left=left, follows=follows)]))

    (work,) = store.claims.work([game])
    due = [due_submission(game, each)["id"] for each in first.due]
    assert [f"due:{game}:9:9:9", *due, "l.1", "l.2"] == [document["id"] for _, document in work.pending]
    assert all(first.sealed.at <= document["asked_at"] for _, document in work.pending)


def test_rest_of_a_list_is_over_when_its_game_ends(store, game, call):
    last = replace(call[1], over=True, left=(command("l.1", 1, pennies=0),))
    assert [None, None] == list(store.log.append([call[0], last]))

    assert ("over", ()) == (outcome(store, game, "l.1"), store.claims.work([game])[0].pending)
    assert "over" == store.lobbies.get(game).status


def test_each_commit_stores_its_own_snapshot_and_refusal(store, game, call):
    first = replace(call[0], refused=True, snapshot=orjson.dumps({"after": 3}))
    last = replace(call[1], snapshot=orjson.dumps({"after": 4}))
    assert [None, None] == list(store.log.append([first, last]))

    assert [(3, {"after": 3}), (4, {"after": 4})] == [
        (seq, orjson.loads(document)) for seq, document in (store.log.snapshot(game, 3), store.log.snapshot(game))
    ]
    assert "limited" == submit(store, game, command("s9", 2, pennies=0), refusals=1).status
