"""A submission that a commit makes due at once is settled with it, and the log is the same as if it had been in the
stream."""

from __future__ import annotations

import time
from dataclasses import replace

import orjson
import pytest

from domain.kernel.terms import Seat
from domain.registry import GAMES
from service.store.ports.commits import calls_of
from service.store.ports.errors import StoreDown
from service.store.ports.waiting import TELL
from service.store.shared import lists
from tests.pennies import PENNIES, Roll
from tests.store.pump import claim_games, outcome
from tests.workers.test_advance import ALL, BrokenKnowledge, BrokenRules, assert_rows_are_true, bodies, settle
from tests.workers.test_lists import came, hide, ids_in, send
from workers import advance as module
from workers.advance import Advance
from workers.commits.round import COMMITS_A_CLAIM


class Rolls(BrokenRules):
    """Pennies in which the round's turn by SYSTEM can fail."""

    wrong = ""

    def decide(self, state, seat, command, dice):
        if isinstance(command, Roll) and self.wrong == "fault":
            raise ZeroDivisionError
        if isinstance(command, Roll) and self.wrong == "hang":
            time.sleep(60)
        return super().decide(state, seat, command, dice)


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch):
    """A pass may take as long as a busy machine needs."""
    monkeypatch.setattr(module, "PASS", 600)


@pytest.fixture
def rolls(monkeypatch):
    game = replace(PENNIES, rules=Rolls(), knowledge=BrokenKnowledge())
    monkeypatch.setitem(GAMES, "pennies", game)
    return game


@pytest.fixture
def game(store, tables, advance):
    """A game whose first round waits for seat 1 only."""
    game = tables.start(points=100000)
    settle(store, advance)
    tables.hide(game, 2)
    settle(store, advance)
    return game


def turn_of(game):
    """The id of the turn of the first round."""
    return f"due:{game}:3:0:0"


def spied(store, monkeypatch):
    """Records the ids of the submissions that each call settles."""
    calls, append = [], store.log.append_and_read

    def watched(batch, fields):
        calls.extend([each.submission.id for each in call] for call in calls_of(batch))
        return append(batch, fields)

    monkeypatch.setattr(store.log, "append_and_read", watched)
    return calls


def between(store, monkeypatch, come):
    """Calls `come` once, after commands were settled with what they make due, and before they are appended."""
    append, left = store.log.append_and_read, [come]

    def late(batch, fields):
        if left and any(not each.entry for each in batch):
            left.pop()()
        return append(batch, fields)

    monkeypatch.setattr(store.log, "append_and_read", late)


def test_submission_due_at_once_is_appended_in_one_call_with_its_cause(store, tables, advance, game, monkeypatch):
    calls = spied(store, monkeypatch)
    tables.hide(game, 1, id_="turn")
    settle(store, advance)

    assert [["turn", turn_of(game)]] == calls
    assert ["turn", turn_of(game)] == ids_in(store, game)[-2:]
    assert (3, 4) == (outcome(store, game, "turn"), outcome(store, game, turn_of(game)))
    assert () == store.claims.work([game])[0].pending
    assert {"ready": 0, "claimed": 0} == {name: store.schedule.census()[name] for name in ("ready", "claimed")}
    assert_rows_are_true(store, game)


def test_submission_due_at_once_has_the_time_of_its_cause(store, tables, advance, game):
    tables.hide(game, 1)
    settle(store, advance)

    cause, turn = list(store.log.commits(game))[-2:]
    assert cause.at == orjson.loads(turn.body)["submission"]["asked_at"] == turn.at


def test_list_and_the_submissions_between_its_commands_are_one_call(store, tables, advance, monkeypatch):
    game = tables.start("ada", "bot:greedy", points=100000)
    settle(store, advance)
    calls = spied(store, monkeypatch)
    send(store, game, 1, *[hide()] * 6, id_="l")
    settle(store, advance)

    (call,) = calls
    assert [f"l.{place}" for place in range(6)] == [id_ for id_ in call if id_.startswith("l.")]
    assert 18 == len(call), "each with the bot's answer and the turn of its round"
    assert all(seq > 0 for seq in came(store, game, "l"))
    assert_rows_are_true(store, game)


def test_list_stops_at_a_refusal_within_the_same_call(store, advance, game, monkeypatch):
    calls = spied(store, monkeypatch)
    send(store, game, 1, hide(), hide(99), hide(), id_="l")
    settle(store, advance)

    assert [["l.0", turn_of(game), "l.1"]] == calls
    assert [3, -5, "left"] == came(store, game, "l")
    assert "limited" == send(store, game, 1, hide(), refusals=1).status, "it counts like any refusal"
    assert "accepted" == send(store, game, 1, *[hide()] * 64).status, "nothing of it is counted as waiting any more"


def test_waiting_client_gets_every_commit_of_one_call_up_to_the_refusal(store, advance, game):
    expected = store.news.expect(game, [f"l.{place}" for place in range(3)])
    first = lists.first_of("l", Seat(1), [hide(), hide(99), hide()], None, "cred")
    assert "accepted" == store.log.submit(game, {**first, TELL: expected.channel}, "digest").status
    settle(store, advance)

    assert expected.wait(5)
    assert [3, 5] == [commit.seq for commit in expected.came()], "as far as the refusal"
    expected.close()


def test_command_submitted_before_the_append_precedes_the_due_submission(store, tables, advance, game, monkeypatch):
    between(store, monkeypatch, lambda: tables.hide(game, 2, id_="rival"))
    calls = spied(store, monkeypatch)
    send(store, game, 1, hide(), hide(), id_="l")
    settle(store, advance)

    assert ["l.0", turn_of(game), "l.1"] == calls[0]
    assert ["l.0"] == calls[1], "nothing of the others is appended"
    assert ["l.0", "rival", turn_of(game), "l.1"] == ids_in(store, game)[2:]
    assert [3, 6] == came(store, game, "l")
    assert_rows_are_true(store, game)


def test_interrupted_commit_is_appended_with_its_rows(store, tables, advance, game, monkeypatch):
    between(store, monkeypatch, lambda: tables.hide(game, 2, id_="rival"))
    calls, append = [], store.log.append_and_read
    monkeypatch.setattr(
        store.log, "append_and_read", lambda batch, fields: (calls.extend(calls_of(batch)), append(batch, fields))[1]
    )
    send(store, game, 1, hide(), hide(), id_="l")
    settle(store, advance)

    (alone,) = calls[1]
    assert "l.0" == alone.submission.id
    assert alone.sealed.seq == alone.rows.seq


def test_command_submitted_after_the_append_follows_the_due_submission(store, tables, game, monkeypatch):
    monkeypatch.setattr(module, "PASS", 0)
    slow, append = Advance.in_process(store), store.log.append_and_read
    come = [lambda: tables.hide(game, 2, id_="rival")]

    def then(batch, fields):
        outcomes = append(batch, fields)
        while come:
            come.pop()()
        return outcomes

    monkeypatch.setattr(store.log, "append_and_read", then)
    tables.hide(game, 1, id_="turn")
    settle(store, slow)

    assert ["turn", turn_of(game), "rival"] == ids_in(store, game)[2:5]


def test_whole_call_is_stale_if_another_worker_has_appended(store, tables, advance, game, monkeypatch):
    tables.hide(game, 1, id_="turn")
    other = Advance.in_process(store)
    (work,) = store.claims.work([game])
    late = other._settled(work, 32)
    late.close(other._settling, signed=True, done=False)
    settle(store, advance)
    told = store.log.head(game), store.views.rows(game, (1, 2))

    assert ["StaleWrite"] * 2 == [type(error).__name__ for error in store.log.append(late.appends)]
    assert told == (store.log.head(game), store.views.rows(game, (1, 2)))


@pytest.mark.parametrize("lost", ["before", "after"])
def test_call_is_appended_once_if_the_store_fails_before_or_after(store, tables, advance, game, monkeypatch, lost):
    append, gone = store.log.append_and_read, []

    def away(batch, fields):
        if not gone:
            gone.append(True)
            if lost == "after":
                append(batch, fields)
            raise StoreDown
        return append(batch, fields)

    monkeypatch.setattr(store.log, "append_and_read", away)
    send(store, game, 1, hide(), hide(), id_="l")
    with pytest.raises(StoreDown):
        settle(store, advance)
    settle(store, advance)

    assert ["l.0", turn_of(game), "l.1"] == ids_in(store, game)[2:]
    assert_rows_are_true(store, game)


def test_commits_are_appended_one_by_one_after_a_failed_claim(store, tables, advance, game, monkeypatch):
    tables.hide(game, 1, id_="turn")
    claim_games(store, range(store.partitions), 32, 1)
    time.sleep(0.005)
    store.schedule.sweep(store.schedule.partition(game))
    calls = spied(store, monkeypatch)
    settle(store, advance)

    assert [["turn"], [turn_of(game)]] == calls


def test_cause_is_appended_alone_if_the_due_submission_fails(store, tables, advance, rolls, game, monkeypatch):
    rolls.rules.wrong = "fault"
    calls = spied(store, monkeypatch)
    tables.hide(game, 1, id_="turn")
    settle(store, advance)

    assert [["turn"], [turn_of(game)]] == calls
    assert "rules-fault" == bodies(store, game)[-1]["refusal"]["code"]
    assert store.lobbies.get(game).stalled


def test_due_submission_that_never_ends_is_refused_and_its_cause_kept(store, tables, rolls, game, monkeypatch):
    monkeypatch.setattr(module, "LEASE", 1)
    impatient = Advance.in_process(store, patience=0.05)
    rolls.rules.wrong = "hang"
    tables.hide(game, 1, id_="turn")
    for _ in range(30):
        impatient.round(ALL)
        time.sleep(0.005)
        store.schedule.sweep(store.schedule.partition(game))
        if store.log.head(game)[0] == 4:
            break

    assert ["turn", turn_of(game)] == ids_in(store, game)[2:]
    assert "events" in bodies(store, game)[2]
    assert "rules-fault" == bodies(store, game)[3]["refusal"]["code"]


def test_refused_submission_of_the_system_is_not_settled_again(store, tables, rolls, game, monkeypatch):
    advance = Advance.in_process(store)
    rolls.rules.wrong = "fault"
    tables.hide(game, 1)
    settle(store, advance)
    tried = []
    whole = rolls.rules.decide
    monkeypatch.setattr(rolls.rules, "decide", lambda *told: tried.append(told[2]) or whole(*told))
    for _ in range(3):
        tables.hide(game, 1, 99)
        settle(store, advance)

    assert 7 == store.log.head(game)[0]
    assert not [command for command in tried if isinstance(command, Roll)]


def test_known_submission_is_not_settled_again_by_another_worker(store, tables, rolls, game, monkeypatch):
    """The other worker has not seen the refusal of SYSTEM, and its rules would no longer refuse."""
    rolls.rules.wrong = "fault"
    tables.hide(game, 1)
    settle(store, Advance.in_process(store))
    rolls.rules.wrong = ""
    tables.hide(game, 1, 99, id_="more")
    settle(store, Advance.in_process(store))

    assert [turn_of(game), "more"] == ids_in(store, game)[3:]
    assert_rows_are_true(store, game)


def test_due_submission_waits_for_the_next_pass_if_the_time_is_up(store, tables, advance, game, monkeypatch):
    monkeypatch.setattr(module, "PASS", 0)
    calls = spied(store, monkeypatch)
    tables.hide(game, 1, id_="turn")
    settle(store, advance)

    assert [["turn"], [turn_of(game)]] == calls


def test_rest_of_a_list_stays_in_the_stream_in_order_after_a_full_claim(store, tables, advance):
    game = tables.start("ada", "bot:greedy", points=100000)
    settle(store, advance)
    send(store, game, 1, *[hide()] * 20, id_="l")
    partition = store.schedule.partition(game)
    assert 1 == advance.round([partition])

    assert 1 + 1 + COMMITS_A_CLAIM == store.log.head(game)[0]
    (work,) = store.claims.work([game])
    told = [document["id"].partition(":")[0] for _, document in work.pending]
    assert told in (["l.11"], ["bot", "l.11"], ["due", "l.11"])
    settle(store, advance)
    assert all(seq > 0 for seq in came(store, game, "l"))


def test_deadlines_are_those_of_the_last_commit(store, tables, advance):
    game = tables.start(pace={"mode": "per_question", "hours": 1})
    settle(store, advance)
    tables.hide(game, 1)
    tables.hide(game, 2)
    settle(store, advance)

    assert 2 == store.schedule.census()["due"]
    asked = orjson.loads(store.views.rows(game).asked)
    due = store.schedule.overdue(store.schedule.partition(game), 0)
    assert [] == due, "and not yet"
    assert {"4:0:1", "4:0:2"} == {each["id"] for each in asked}
