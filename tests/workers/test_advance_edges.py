"""Limits of a round, logging of failures, and quarantine of games."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest
import structlog

from domain import RELEASE
from domain.kernel.record import Submission
from domain.kernel.terms import SYSTEM, Seat
from service.core.positions.cache import SNAPSHOT_EVERY, Positions
from service.core.positions.deadlines import RESUBMITTED
from service.core.positions.game_config import load_game_config
from service.core.positions.rows import build_rows, load_current_rows
from service.store.codec import encode_submission
from service.store.ports.commits import calls_of
from service.store.ports.errors import StaleWrite, StoreDown
from service.store.ports.waiting import Work
from service.store.seal import Signer, verify
from tests.clock import StoreClock
from tests.workers.test_advance import ALL, bodies, break_pennies, settle
from workers import advance as module
from workers.advance import CLAIMS, GAMES_A_CLAIM, Advance
from workers.commits import settling
from workers.commits.round import COMMITS_A_CLAIM
from workers.quarantine import FIRST

pytestmark = pytest.mark.usefixtures("broken")


@pytest.fixture
def store(redis_store):
    return redis_store


@pytest.fixture
def broken(monkeypatch):
    from domain.registry import GAMES

    game = break_pennies()
    monkeypatch.setitem(GAMES, "pennies", game)
    return game


def test_round_returns_how_many_games_it_claimed(store, tables, advance):
    assert 0 == advance.round(ALL)
    for _ in range(3):
        tables.start()
    assert 3 == advance.round(ALL)
    assert 0 == advance.round(ALL)


def test_round_reports_partitions_that_may_still_have_ready_games(store, tables, advance):
    game, other = tables.start(), tables.start()
    places = sorted({store.schedule.partition(game), store.schedule.partition(other)})
    advance.round(places)
    assert set() == advance.unfinished

    for _ in range(COMMITS_A_CLAIM + 1):
        tables.hide(game, 1, 99)
    tables.hide(other, 1, 99)
    advance.round(places)
    assert {store.schedule.partition(game)} == advance.unfinished
    advance.round(places)
    assert set() == advance.unfinished


def test_partition_with_more_games_than_a_claim_takes_is_unfinished(store, tables, advance):
    ids = [id_ for id_ in (f"game{n}" for n in range(20_000)) if 3 == store.schedule.partition(id_)][
        : GAMES_A_CLAIM + 1
    ]
    assert GAMES_A_CLAIM + 1 == len(ids)
    for id_ in ids:
        tables.start(id_=id_)

    assert GAMES_A_CLAIM == advance.round([3])
    assert {3} == advance.unfinished
    assert 1 == advance.round([3])
    assert set() == advance.unfinished
    assert all(1 == store.log.head(id_)[0] for id_ in ids)


def test_rows_are_computed_once_for_commits_that_are_appended_together(store, tables, advance, monkeypatch):
    game, made = tables.start(), []
    advance.round(ALL)
    monkeypatch.setattr(
        settling, "build_rows", lambda *told, **parts: made.append(told[1].seq) or build_rows(*told, **parts)
    )
    for pennies in (1, 2, 3):
        tables.hide(game, 1, pennies)
    advance.round(ALL)

    assert [store.log.head(game)[0]] == made
    assert store.views.rows(game).seq == made[0]


def test_round_over_all_partitions_finishes_those_without_ready_games(store, tables, advance):
    tables.start()
    assert 1 == advance.round(ALL)
    assert set() == advance.unfinished


def test_round_over_all_partitions_reports_those_beyond_one_claim(store, tables, advance):
    for _ in range(3 * GAMES_A_CLAIM):
        tables.start()
    waiting = {number for number in ALL if store.claims.longest_waiting([number])}
    assert len(waiting) > GAMES_A_CLAIM

    assert GAMES_A_CLAIM == advance.round(ALL)
    left = {number for number in ALL if store.claims.longest_waiting([number])}
    assert left
    assert left <= advance.unfinished <= waiting


def test_partition_of_a_game_with_failed_claims_is_unfinished(store, tables, advance, monkeypatch):
    game = tables.start()
    claim = store.claims.claim
    monkeypatch.setattr(store.claims, "claim", lambda *told: [replace(work, claims=2) for work in claim(*told)])
    advance.round([store.schedule.partition(game)])
    assert {store.schedule.partition(game)} == advance.unfinished


def test_claim_settles_a_limited_number_of_commits_of_one_game(store, tables, advance):
    game = tables.start()
    for _ in range(COMMITS_A_CLAIM + 7):
        tables.hide(game, 1, 99)

    assert 1 == advance.round(ALL)
    assert COMMITS_A_CLAIM == store.log.head(game)[0]
    assert 1 == advance.round(ALL), "it was given back with what was left"
    assert COMMITS_A_CLAIM + 8 == store.log.head(game)[0]


def test_rules_fault_is_logged_with_its_command_type_but_without_parameters(store, tables, advance):
    game = tables.start()
    settle(store, advance)
    tables.hide(game, 1, 71, id_="the-one")
    with structlog.testing.capture_logs() as logs:
        settle(store, advance)

    (told,) = [entry for entry in logs if entry["event"] == "rules_fault"]
    assert (game, 2, "the-one", "hide", "error") == (
        *(told["game"], told["seq"], told["submission"]),
        *(told["command"], told["log_level"]),
    )
    assert isinstance(told["exc_info"], ZeroDivisionError)
    assert "71" not in str({name: value for name, value in told.items() if name not in ("game", "submission")})
    assert "advance" == told["component"]


def test_refusal_by_the_rules_is_not_logged(store, tables, advance):
    game = tables.start()
    tables.hide(game, 1, 99)
    with structlog.testing.capture_logs() as logs:
        settle(store, advance)

    assert [] == logs


def test_stalled_game_is_logged_with_the_refusal(store, tables, advance):
    game = tables.start()
    settle(store, advance)
    tables.say(game, SYSTEM, type="juggle", id_="bad")
    with structlog.testing.capture_logs() as logs:
        settle(store, advance)

    (told,) = [entry for entry in logs if entry["event"] == "game_stalled"]
    assert (game, 2, "bad", "malformed") == (told["game"], told["seq"], told["submission"], told["refusal"].code)


def test_refused_command_of_a_stalled_game_is_not_retried(store, tables, advance, broken, monkeypatch):
    game = tables.start("ada", "bot:greedy")
    monkeypatch.setitem(broken.bots.by_name, "greedy", lambda state, seat, dice: {"type": "hide", "pennies": 99})
    settle(store, advance)
    before = store.log.head(game)
    for _ in range(5):
        settle(store, advance)

    assert before == store.log.head(game)
    assert ["act"] == [b["submission"]["command"]["type"] for b in bodies(store, game) if b.get("refusal") is not None]


def test_command_that_times_out_is_logged_and_its_game_stays_leased(store, tables, advance, monkeypatch):
    monkeypatch.setattr(module, "LEASE", 600_000)
    game = tables.start()
    settle(store, advance)
    tables.hide(game, 1, 72, id_="slow")
    advance = Advance.in_process(store, patience=0.05)
    with structlog.testing.capture_logs() as logs:
        assert 1 == advance.round(ALL)

    (told,) = [entry for entry in logs if entry["event"] == "command_timed_out"]
    assert (game, 1, "slow") == (told["game"], told["seq"], told["submission"])
    assert 0 == advance.round(ALL), "nobody claims it before its lease is over"
    assert 1 == store.log.head(game)[0]


def test_game_that_this_release_cannot_read_is_quarantined_and_logged(store, tables, broken, monkeypatch):
    game = tables.start()
    settle(store, Advance.in_process(store))
    monkeypatch.setattr(broken.rules, "events", {}, raising=False)
    tables.hide(game, 1, 0)
    released = []
    release = store.claims.release
    monkeypatch.setattr(store.claims, "release", lambda *told: released.append(told) or release(*told))
    with structlog.testing.capture_logs() as logs:
        Advance.in_process(store).round(ALL)

    assert [(game, FIRST)] == released
    assert [game] == [entry["game"] for entry in logs]
    assert 1 == store.log.head(game)[0]


def test_failed_write_quarantines_only_its_own_game(store, tables, advance, monkeypatch):
    full, other = tables.start(), tables.start()
    append, tried = store.log.append_and_read, []

    def to_disk(batch, fields):
        tried.extend(each.game_id for each in batch)
        return [
            ValueError("no such thing") if call[0].game_id == full else append(call, fields)[0]
            for call in calls_of(batch)
        ]

    monkeypatch.setattr(store.log, "append_and_read", to_disk)
    for _ in range(3):
        advance.round(ALL)

    assert 1 == tried.count(full), "it is left alone for a while"
    assert (0, 1) == (store.log.head(full)[0], store.log.head(other)[0])
    assert [(full, "quarantined", "ValueError: no such thing")] == [
        (game, mark.code, mark.why) for game, mark in store.schedule.marks().items()
    ]
    assert [full] == [work.game_id for work in store.claims.work([full]) if work.pending], "its command waits"


def test_stale_write_is_settled_again_in_the_same_round(store, tables, advance, monkeypatch):
    game = tables.start()
    append, late = store.log.append_and_read, []

    def once(batch, fields):
        if not late:
            late.append(True)
            return [StaleWrite(call[0].game_id) for call in calls_of(batch)]
        return append(batch, fields)

    monkeypatch.setattr(store.log, "append_and_read", once)
    assert 1 == advance.round(ALL)
    assert 1 == store.log.head(game)[0]


def test_worker_whose_writes_are_repeatedly_stale_quarantines_no_game(store, tables, monkeypatch):
    late, quick, append = Advance.in_process(store), Advance.in_process(store), store.log.append_and_read
    game, overtaken = tables.start("bot:greedy", "bot:random", points=1000), []

    def after_another(batch, fields):
        if len(overtaken) < 2 * module.TRIES:
            overtaken.append(batch[0].before)
            with monkeypatch.context() as meanwhile:
                meanwhile.setattr(store.log, "append_and_read", append)
                store.claims.release(game)
                quick.round(ALL)
        return append(batch, fields)

    monkeypatch.setattr(store.log, "append_and_read", after_another)
    for _ in range(3 * module.TRIES):
        late.round(ALL)
    assert 2 * module.TRIES == len(set(overtaken))
    assert not store.schedule.marks()


def test_game_whose_log_never_grows_despite_stale_writes_is_quarantined(store, tables, advance, monkeypatch):
    game = tables.start()
    monkeypatch.setattr(
        store.log, "append_and_read", lambda batch, fields: [StaleWrite(call[0].game_id) for call in calls_of(batch)]
    )
    advance.round(ALL)
    assert [game] == list(store.schedule.marks())


class Counting(Signer):
    """Records the heads that it signs."""

    def __init__(self):
        super().__init__(bytes(32))
        self.heads = []

    def sign(self, head):
        self.heads.append(head)
        return super().sign(head)


def test_only_the_last_head_of_a_game_in_a_batch_is_signed(store, tables):
    signer = Counting()
    advance = Advance(store, module.Positions(store), signer)
    games = [tables.start(), tables.start()]
    settle(store, advance)
    for game in games:
        for pennies in (99, 99, 1):
            tables.hide(game, 1, pennies)
    signer.heads.clear()
    settle(store, advance)

    assert {store.log.head(game)[1] for game in games} == set(signer.heads)
    assert 2 == len(signer.heads)


def test_head_that_is_followed_at_once_is_not_signed(store, tables):
    signer = Counting()
    advance = Advance(store, module.Positions(store), signer)
    game = tables.start("bot:random", "bot:random", points=9)
    settle(store, advance)

    assert store.views.rows(game).status == "over"
    assert store.log.head(game)[1] == signer.heads[-1]
    assert verify(signer.public, *store.log.signature(game)[:2])
    assert len(signer.heads) < store.log.head(game)[0] / 2


def test_every_batch_is_signed_near_the_end_of_a_round(store, tables, monkeypatch):
    monkeypatch.setattr(module, "UNSIGNED", module.ROUND)
    signer = Counting()
    advance = Advance(store, module.Positions(store), signer)
    tables.start("bot:random", "bot:random", points=30)
    append, ends = store.log.append_and_read, []
    monkeypatch.setattr(
        store.log, "append_and_read", lambda batch, fields: ends.append(batch[-1].sealed.head) or append(batch, fields)
    )
    settle(store, advance)

    assert len(ends) > 3
    assert ends == signer.heads


def test_commits_are_chained_and_the_last_is_signed_with_the_workers_key(store, tables):
    signer = Signer(bytes(32))
    advance = Advance(store, module.Positions(store), signer)
    game = tables.start()
    for _ in range(3):
        tables.hide(game, 1, 99)
    settle(store, advance)

    rows = store.views.rows(game)
    assert 4 == store.log.head(game)[0] == rows.seq
    assert (store.log.head(game)[1], signer.key_id) == (rows.head, rows.key_id)
    assert verify(signer.public, rows.head, rows.signature)
    assert load_game_config(store, game) is not None
    commits = list(store.log.commits(game))
    assert [1, 2, 3, 4] == [stored.seq for stored in commits]
    assert rows.head == commits[-1].head


def spied(store, monkeypatch):
    """Records the batches that the worker appends."""
    batches, append = [], store.log.append_and_read
    monkeypatch.setattr(
        store.log, "append_and_read", lambda batch, fields: batches.append(batch) or append(batch, fields)
    )
    return batches


def claimed(store, monkeypatch, times):
    """The next claim reports this many claims without a commit."""
    claim, told = store.claims.claim, []

    def once(*how):
        works = claim(*how)
        if told:
            return works
        told.append(True)
        return [replace(each, claims=times) for each in works]

    monkeypatch.setattr(store.claims, "claim", once)


@pytest.mark.parametrize(
    ("times", "sizes", "faults"), [(1, [2], 0), (2, [1, 1], 0), (CLAIMS, [1, 1], 0), (CLAIMS + 1, [1, 1], 1)]
)
def test_commands_after_failed_claims_are_settled_alone_and_then_refused(
    store, tables, advance, monkeypatch, times, sizes, faults
):
    game = tables.start()
    settle(store, advance)
    tables.hide(game, 1, 0, id_="first")
    tables.hide(game, 2, 99, id_="second")
    claimed(store, monkeypatch, times)
    batches = spied(store, monkeypatch)
    settle(store, advance)

    told = [(append.submission.id, append.refused) for batch in batches for append in batch]
    assert sizes == [len(batch) for batch in batches]
    assert [("first", bool(faults)), ("second", True)] == told
    codes = [body["refusal"]["code"] for body in bodies(store, game) if body.get("refusal")]
    assert ["rules-fault"] * faults + ["too-many-pennies"] == codes


def test_claimed_games_are_released_once_after_the_store_recovers(store, tables, advance, monkeypatch):
    game = tables.start()
    with monkeypatch.context() as away:

        def gone(*_):
            raise StoreDown

        away.setattr(store.log, "append_and_read", gone)
        with pytest.raises(StoreDown):
            advance.round(ALL)
        away.setattr(store.log, "append_and_read", lambda *_: pytest.fail("it is claimed"))
        other = Advance.in_process(store)
        assert 0 == other.round(ALL), "the lease holds"

    assert 1 == advance.round(ALL), "nobody waits until that lapses"
    assert 1 == store.log.head(game)[0]
    given_back, release = [], store.claims.release_all
    monkeypatch.setattr(store.claims, "release_all", lambda games: given_back.append(list(games)) or release(games))
    tables.hide(game, 1, 99)
    assert 1 == advance.round(ALL)
    assert [[game]] == given_back, "and no more than once"


def test_position_is_read_again_after_a_failed_write(store, tables, advance, monkeypatch):
    game = tables.start()
    settle(store, advance)
    tables.hide(game, 1, 0)
    with monkeypatch.context() as away:

        def gone(*_):
            raise StoreDown

        away.setattr(store.log, "append_and_read", gone)
        with pytest.raises(StoreDown):
            advance.round(ALL)
    append, errors = store.log.append_and_read, []

    def watched(batch, fields):
        outcomes = append(batch, fields)
        errors.extend(outcome for outcome in outcomes if isinstance(outcome, Exception))
        return outcomes

    monkeypatch.setattr(store.log, "append_and_read", watched)
    settle(store, advance)
    assert ([], 2) == (errors, store.log.head(game)[0]), "nothing was built on what was never written"


def test_store_failure_while_a_game_is_read_quarantines_no_game(store, tables, advance, monkeypatch):
    tables.start()

    def gone(*_):
        raise StoreDown

    monkeypatch.setattr(module.Positions, "load", gone)
    with pytest.raises(StoreDown):
        advance.round(ALL)
    assert {} == store.schedule.marks()


def test_malformed_command_stream_is_logged_and_its_game_released_with_a_delay(store, tables, advance, monkeypatch):
    broken, other = tables.start(), tables.start()
    claim, release = store.claims.claim, store.claims.release
    left = []

    def garbled(*given):
        return [Work(broken, (), 1, garbled=True) if w.game_id == broken else w for w in claim(*given)]

    monkeypatch.setattr(store.claims, "claim", garbled)
    monkeypatch.setattr(store.claims, "release", lambda *told: left.append(told) or release(*told))
    with structlog.testing.capture_logs() as logs:
        for _ in range(3):
            advance.round(ALL)

    assert [(broken, FIRST)] == [told for told in left if told[0] == broken]
    assert [(broken, "error")] == [(entry["game"], entry["log_level"]) for entry in logs]
    assert (0, 1) == (store.log.head(broken)[0], store.log.head(other)[0])


def test_commands_before_a_malformed_one_are_settled_in_the_same_round(store, tables, advance, monkeypatch):
    game = tables.start()
    claim, work = store.claims.claim, store.claims.work
    monkeypatch.setattr(store.claims, "claim", lambda *given: [replace(each, garbled=True) for each in claim(*given)])
    monkeypatch.setattr(store.claims, "work", lambda *given: [replace(each, garbled=True) for each in work(*given)])
    with structlog.testing.capture_logs() as logs:
        advance.round(ALL)

    assert 1 == store.log.head(game)[0]
    assert [game] == [entry["game"] for entry in logs]


def test_game_without_a_position_is_quarantined(store, tables, advance, monkeypatch):
    game = tables.start()
    monkeypatch.setattr(module.Positions, "load", lambda *_: None)
    advance.round(ALL)

    assert ["needs-release"] == [mark.code for mark in store.schedule.marks().values()]
    assert game in store.schedule.marks()[game].why


def test_commit_is_not_earlier_than_its_submission_if_the_clock_is_set_back(store, tables, advance, monkeypatch):
    clock = StoreClock(monkeypatch, store.schedule.now())
    game = tables.start()
    settle(store, advance)
    tables.hide(game, 1, 0)
    clock.forward(-3_600_000)
    settle(store, advance)

    last = list(store.log.commits(game))[-1]
    assert orjson.loads(last.body)["submission"]["asked_at"] == last.at


HOURLY = {"mode": "per_question", "hours": 1}


def test_deadline_about_to_be_postponed_does_not_pass_before(store, tables, advance, monkeypatch):
    game = tables.start(pace=HOURLY)
    settle(store, advance)
    tables.hide(game, 1, 99)
    tables.say(game, SYSTEM, type="put_off", question="1:0:1", by=1000)
    tables.hide(game, 1, 99)
    batches = spied(store, monkeypatch)
    settle(store, advance)

    (batch,) = batches
    before, put_off, after = [{due.question: due.when for due in append.due} for append in batch]
    assert ["1:0:2"] == list(before), "the other's stands"
    assert 1000 == put_off["1:0:1"] - put_off["1:0:2"]
    assert put_off == after


def test_only_the_question_on_which_the_system_failed_is_not_due_again(store, tables, advance, monkeypatch, broken):
    game = tables.start("ada", "bot:greedy", pace=HOURLY)
    monkeypatch.setitem(broken.bots.by_name, "greedy", lambda state, seat, dice: {"type": "hide", "pennies": 71})
    batches = spied(store, monkeypatch)
    settle(store, advance)

    appends = [append for batch in batches for append in batch if append.game_id == game]
    assert [("begin", False, False), ("act", True, True)] == [
        (append.submission.command["type"], append.stalled, append.refused) for append in appends
    ]
    assert [["1:0:1", "1:0:2"], ["1:0:1"]] == [sorted(due.question for due in append.due) for append in appends]


def test_only_a_successful_resubmission_ends_the_stall(store, tables, advance, monkeypatch):
    game = tables.start()
    settle(store, advance)
    tables.hide(game, 1, 99, id_=f"{RESUBMITTED}a")
    tables.hide(game, 1, 0, id_=f"{RESUBMITTED}b")
    tables.hide(game, 2, 0, id_="c")
    batches = spied(store, monkeypatch)
    settle(store, advance)

    told = {append.submission.id: append.resumed for batch in batches for append in batch}
    assert {f"{RESUBMITTED}a": False, f"{RESUBMITTED}b": True, "c": False} == {
        id_: told[id_] for id_ in (f"{RESUBMITTED}a", f"{RESUBMITTED}b", "c")
    }


def test_snapshot_is_stored_exactly_at_its_interval(store, tables, advance, monkeypatch):
    game = tables.start()
    for _ in range(2 * SNAPSHOT_EVERY + 3):
        tables.hide(game, 1, 99)
    batches = spied(store, monkeypatch)
    settle(store, advance)

    kept = [append.sealed.seq for batch in batches for append in batch if append.snapshot is not None]
    assert [SNAPSHOT_EVERY, 2 * SNAPSHOT_EVERY] == kept


def test_commits_contain_views_only_while_the_game_has_readers(store, tables, advance, monkeypatch):
    game = tables.start()
    settle(store, advance)
    positions = Positions(store)
    batches = spied(store, monkeypatch)

    def brought(pennies):
        batches.clear()
        tables.hide(game, 1, pennies)
        settle(store, advance)
        rows = [append.rows for batch in batches for append in batch][-1]
        return rows.public != b"", set(rows.private)

    assert (False, set()) == brought(99)
    load_current_rows(store, positions, game, (1,))
    assert (False, set()) == brought(99), "the worker hears of it with this one"
    assert (False, set()) == brought(99), "a refusal shows nothing"
    assert (True, {1, 2}) == brought(0)
    told = store.views.rows(game, (1,))
    assert RELEASE == told.release, "nobody needs to make them"
    assert told == load_current_rows(store, positions, game, (1,))


def test_nothing_is_settled_after_the_game_has_ended(store, tables, advance):
    game = tables.start("bot:greedy", "bot:random", points=1)
    settle(store, advance)
    ended = store.log.head(game)
    assert "over" == store.lobbies.get(game).status
    tables.say(game, 1, type="hide", pennies=0)
    settle(store, advance)

    assert ended == store.log.head(game)


def test_command_refused_after_failed_claims_keeps_its_sender_and_content(store, tables, advance, monkeypatch):
    game = tables.start()
    settle(store, advance)
    said = Submission("the-one", Seat(1), {"type": "hide", "pennies": 0}, 0, 1, "key-7")
    store.log.submit(game, encode_submission(said), "digest")
    claimed(store, monkeypatch, CLAIMS + 1)
    settle(store, advance)

    told = bodies(store, game)[-1]
    assert ("rules-fault", "the-one", 1) == (
        *(told["refusal"]["code"], told["submission"]["id"]),
        told["submission"]["expected"],
    )
    assert {"type": "hide", "pennies": 0} == told["submission"]["command"]
    assert (1, "key-7") == (told["actor"]["sender"], told["actor"]["credential"])
