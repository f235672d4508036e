"""Lists of commands become commits one by one: in order, once, up to the first refusal, despite any failure."""

from __future__ import annotations

import itertools
import time

import orjson
import pytest

from domain.kernel.terms import Seat
from service.store.ports.commits import Stored
from service.store.ports.errors import StaleWrite
from service.store.ports.waiting import MOST_WAITING
from service.store.redis.log.schedule import submission_in
from service.store.shared import lists
from tests.pennies import PenniesRules
from tests.store.pump import claim_games
from tests.workers.test_advance import bodies, settle
from workers.advance import Advance
from workers.commits.round import COMMITS_A_CLAIM

NUMBERS = itertools.count(1)


def hide(pennies=0):
    return {"type": "hide", "pennies": pennies}


def send(store, game, seat, *commands, id_=None, expected=None, **told):
    """Submit a list as the API does; returns the receipt."""
    document = lists.first_of(id_ or f"l{next(NUMBERS)}", Seat(seat), commands, expected, "cred")
    return store.log.submit(game, document, f"digest of {commands}", **told)


def came(store, game, list_id):
    """The outcome of each command of a list: the seq of its commit, negative for a refusal, or a status."""
    return [_came(each) for each in store.log.outcomes(game, list_id)]


def _came(each):
    if not isinstance(each, Stored):
        return each
    return -each.seq if b'"refusal":' in each.body else each.seq


def ids_in(store, game):
    return [body["submission"]["id"] for body in bodies(store, game)]


@pytest.fixture
def game(store, tables, advance):
    """A game whose first round waits for both seats."""
    game = tables.start(points=100000)
    settle(store, advance)
    return game


def test_due_submission_is_settled_before_the_next_command_of_a_list(store, tables, advance, game):
    tables.hide(game, 2, 0)
    settle(store, advance)

    receipt = send(store, game, 1, hide(), hide(), id_="l")
    settle(store, advance)

    # If the second command came before SYSTEM's roll, the hand of seat 1 would be closed.
    assert ("accepted", "l") == (receipt.status, receipt.id)
    assert ["l.0", f"due:{game}:3:0:0", "l.1"] == ids_in(store, game)[2:]
    assert [3, 5] == came(store, game, "l")


def test_command_of_another_player_precedes_the_rest_of_a_list(store, tables, advance, game):
    send(store, game, 1, hide(), hide(), id_="l")
    tables.hide(game, 2, 0, id_="rival")
    settle(store, advance)

    assert ["l.0", "rival", "l.1"] == [id_ for id_ in ids_in(store, game) if not id_.startswith(("begin", "due"))]


def test_list_stops_at_the_first_refusal_and_the_rest_leaves_no_trace(store, tables, advance, game):
    send(store, game, 1, hide(), hide(), hide(), hide(), id_="l")
    tables.hide(game, 2, 99, id_="other")
    settle(store, advance)

    assert [2, -4, "left", "left"] == came(store, game, "l")
    assert ["l.0", "other", "l.1"] == ids_in(store, game)[1:]
    assert (4, None) == (store.log.head(game)[0], store.log.outcome(game, "l.2"))


def test_commands_of_a_list_are_pending_until_those_before_are_settled(store, game):
    send(store, game, 1, hide(), hide(), id_="l")

    assert ["pending", "pending"] == came(store, game, "l")
    assert "list" == store.log.outcome(game, "l")
    assert "pending" == store.log.outcome(game, "l.0")
    assert store.log.outcomes(game, "other") is None


def test_list_sent_again_is_known_and_with_other_commands_a_conflict(store, advance, game):
    first = send(store, game, 1, hide(), hide(), id_="l")
    again = send(store, game, 1, hide(), hide(), id_="l")
    other = send(store, game, 1, hide(), hide(1), id_="l")
    settle(store, advance)
    later = send(store, game, 1, hide(), hide(), id_="l")
    settle(store, advance)

    assert ["accepted", "known", "conflict", "known"] == [each.status for each in (first, again, other, later)]
    assert 1 == ids_in(store, game).count("l.0")


def test_list_with_an_etag_stops_at_new_events_between_its_commands(store, tables, advance, game):
    seen = store.views.rows(game).seen[1]
    send(store, game, 1, hide(), hide(), id_="l", expected=seen)
    tables.hide(game, 2, 0)
    settle(store, advance)

    (last,) = (body for body in bodies(store, game) if body["submission"]["id"] == "l.1")
    assert ("stale", 2) == (last["refusal"]["code"], last["submission"]["expected"])


def test_list_with_an_etag_continues_after_its_own_commits(store, advance, game):
    seen = store.views.rows(game).seen[1]
    send(store, game, 1, hide(), hide(), id_="l", expected=seen)
    settle(store, advance)

    # Refused by the rules, not as stale: its own previous commit does not count as news.
    assert [2, -3] == came(store, game, "l")
    assert "stale" != bodies(store, game)[-1]["refusal"]["code"]


def test_stale_list_is_not_accepted(store, game):
    receipt = send(store, game, 1, hide(), hide(), id_="l", expected=77)

    assert ("stale", 1) == (receipt.status, receipt.seq)
    assert store.log.outcomes(game, "l") is None


def test_moves_of_bots_and_due_submissions_precede_the_next_command_of_a_list(store, tables, advance):
    game = tables.start("ada", "bot:greedy", points=100000)
    settle(store, advance)
    send(store, game, 1, *[hide()] * 20, id_="l")
    settle(store, advance)

    assert all(seq > 0 for seq in came(store, game, "l")), "each in a round of its own"
    assert 20 == sum(id_.startswith("due:") for id_ in ids_in(store, game))


def test_two_lists_at_once_advance_in_turn(store, advance, game):
    send(store, game, 1, hide(), hide(), hide(), id_="one")
    send(store, game, 2, hide(), hide(), hide(), id_="two")
    settle(store, advance)

    rounds = [id_.partition(":")[0] for id_ in ids_in(store, game)[1:]]
    assert ["one.0", "two.0", "due", "one.1", "two.1", "due", "one.2", "two.2", "due"] == rounds
    assert all(seq > 0 for id_ in ("one", "two") for seq in came(store, game, id_))


def test_rest_of_a_list_is_over_when_the_game_ends(store, tables, advance):
    game = tables.start("ada", "bot:greedy", points=1)
    settle(store, advance)
    send(store, game, 1, *[hide(number % 4) for number in range(64)], id_="l")
    settle(store, advance)

    assert "over" == store.lobbies.get(game).status
    seqs = [each for each in came(store, game, "l") if each != "over"]
    assert seqs == sorted(seqs)
    assert ["over"] * (64 - len(seqs)) == came(store, game, "l")[len(seqs) :]
    assert "over" == send(store, game, 1, hide()).status


def test_each_command_of_a_list_counts_toward_the_limit_of_pending_commands(store, tables, advance, game):
    send(store, game, 1, *[hide()] * 60)
    assert "full" == send(store, game, 1, *[hide()] * (MOST_WAITING - 59)).status
    assert "accepted" == send(store, game, 1, *[hide()] * (MOST_WAITING - 61)).status
    assert "accepted" == tables.hide(game, 2).status
    assert "full" == tables.hide(game, 2).status

    settle(store, advance)

    assert "accepted" == send(store, game, 1, *[hide()] * 64).status
    assert "full" == send(store, game, 1, *[hide()] * 64).status


def test_settled_commands_of_a_list_no_longer_count_as_pending(store, tables, advance, game):
    tables.hide(game, 2, 0)
    settle(store, advance)
    send(store, game, 1, *[hide()] * 64)
    (work,) = store.claims.work([game])
    advance._log.append(advance._settled(work, 1).appends)

    assert 36 == sum(tables.hide(game, 2).status == "accepted" for _ in range(40))


def test_list_counts_as_one_refusal(store, advance, game):
    for number in range(3):
        send(store, game, 1, *[hide(99)] * 5, id_=f"own{number}", refusals=3)
        settle(store, advance)

    assert "limited" == send(store, game, 1, hide(), refusals=3).status
    assert 4 == store.log.head(game)[0]


def test_unasked_commands_of_a_list_count_one_by_one(store, game):
    assert "accepted" == send(store, game, 1, *[hide()] * 5, unasked=8, anytime=5).status
    assert "unasked" == send(store, game, 1, *[hide()] * 4, unasked=8, anytime=4).status
    assert "accepted" == send(store, game, 1, *[hide()] * 4, unasked=8, anytime=3).status
    assert "accepted" == send(store, game, 1, *[hide()] * 4, unasked=8).status, "an answer never waits for those"


def test_list_longer_than_a_claim_is_settled_completely(store, tables, advance, game):
    assert COMMITS_A_CLAIM < 60
    send(store, game, 1, *[hide()] * 60, id_="one")
    send(store, game, 2, *[hide()] * 40, id_="two")
    settle(store, advance)

    assert all(seq > 0 for seq in came(store, game, "two"))
    assert [True] * 41 + [False] == [seq > 0 for seq in came(store, game, "one")[:42]]
    assert ["left"] * 18 == came(store, game, "one")[42:]
    assert len(set(ids_in(store, game))) == len(ids_in(store, game))


def test_worker_that_lost_its_claim_appends_nothing_twice(store, tables, advance, game):
    send(store, game, 1, hide(), hide(), id_="l")
    slow = Advance.in_process(store)
    (work,) = store.claims.work([game])
    late = slow._settled(work, 32).appends
    settle(store, advance)

    assert all(isinstance(error, StaleWrite) for error in store.log.append(late))
    assert 1 == ids_in(store, game).count("l.0")
    assert 1 == ids_in(store, game).count("l.1")


def test_exception_in_the_rules_is_a_fault_and_stops_the_list(store, tables, advance, game, monkeypatch):
    tables.hide(game, 2, 0)
    settle(store, advance)
    whole = PenniesRules.decide

    def broken(self, state, seat, command, dice):
        if getattr(command, "pennies", 0) == 3:
            raise ZeroDivisionError
        return whole(self, state, seat, command, dice)

    monkeypatch.setattr(PenniesRules, "decide", broken)
    send(store, game, 1, hide(), hide(3), hide(), id_="l")
    settle(store, advance)

    assert [3, -5, "left"] == came(store, game, "l")
    assert "rules-fault" == bodies(store, game)[-1]["refusal"]["code"]


def test_three_claims_without_a_commit_refuse_the_next_command_of_the_list(store, tables, advance, game):
    tables.hide(game, 2, 0)
    settle(store, advance)
    send(store, game, 1, hide(), hide(), hide(), id_="l")
    (work,) = store.claims.work([game])
    store.log.append(advance._settled(work, 1).appends)
    (work,) = store.claims.work([game])
    store.log.append(advance._settled(work, 1).appends)
    for _ in range(3):
        claim_games(store, range(store.partitions), 32, 1)
        eventually_ready(store, game)

    settle(store, advance)

    assert [3, -5, "left"] == came(store, game, "l")
    assert "rules-fault" == bodies(store, game)[-1]["refusal"]["code"]


def eventually_ready(store, game):
    """Wait until its lease of a millisecond has expired."""
    time.sleep(0.005)
    store.schedule.sweep(store.schedule.partition(game))


def test_malformed_list_entry_is_not_read_as_a_command():
    sound = lists.first_of("l", Seat(1), [hide(), hide()], None, "cred")
    told = sound[lists.LIST]
    forged = [
        {**told, "rest": [{"pennies": 1}]},
        {**told, "rest": "hide"},
        {**told, "place": 3},
        {**told, "id": "m"},
        {"id": "l"},
        "l",
    ]

    def read(document):
        return submission_in([b"d", orjson.dumps(document), b"t", b"17"])

    assert read(sound) is not None
    assert not [each for each in forged if read({**sound, lists.LIST: each}) is not None]
