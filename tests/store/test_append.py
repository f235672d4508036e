"""The changes made by one call of `append`, on a server and in a cluster."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from domain import RELEASE
from service.store.codec import unpack_position
from tests.pennies import PENNIES
from tests.store.pump import (
    Worker,
    claim_games,
    command,
    is_stale,
    of_bots,
    outcome,
    position_of,
    pump,
    started,
    submit,
)


def settled_body(store, game, seq):
    (commit,) = store.log.commits(game, seq, seq)
    return orjson.loads(commit.body)


def test_commits_have_the_order_of_the_command_stream(store):
    game = started(store)
    for id_, seat in (("b", 2), ("a", 1), ("c", 1)):
        submit(store, game, command(id_, seat, pennies=1))
    pump(store, game)

    told = [orjson.loads(commit.body)["submission"]["id"] for commit in store.log.commits(game)]
    # A roll that is due now is submitted by the commit that makes it due, so it follows the commands already pending.
    assert told[:4] == [f"begin:{game}", "b", "a", "c"]
    assert told[4].startswith(f"due:{game}:3:0:0")


def test_writer_with_an_older_position_is_refused_all_its_commits(store):
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    submit(store, game, command("s2", 2, pennies=1))
    fast, slow = Worker(store, game), Worker(store, game)
    late = slow.appends()
    fast.step()
    rows = store.views.rows(game, [1, 2])

    outcomes = store.log.append(late)

    assert all(is_stale(outcome) for outcome in outcomes)
    assert 2 == len(outcomes)
    assert rows == store.views.rows(game, [1, 2])


def test_stale_commit_makes_the_rest_of_its_game_stale_and_no_other_game(store):
    one, other = started(store), started(store)
    for game in (one, other):
        submit(store, game, command("s1", 1, pennies=1))
        submit(store, game, command("s2", 2, pennies=1))
    slow = Worker(store, one).appends()
    Worker(store, one).step()

    outcomes = store.log.append([slow[0], *Worker(store, other).appends(), slow[1]])

    assert [True, False, False, True] == [is_stale(outcome) for outcome in outcomes]


def test_no_submission_is_settled_twice_even_at_the_right_position(store):
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    worker = Worker(store, game)
    ((entry, document),) = store.claims.work([game])[0].pending
    store.log.append([worker.append_of(entry, document)])

    assert is_stale(store.log.append([worker.append_of(entry, document)])[0])
    assert 2 == store.log.head(game)[0]


def test_settled_commands_leave_the_stream_and_later_ones_stay(store):
    game = started(store)
    for n in range(5):
        submit(store, game, command(f"s{n}", 1, pennies=1))
    Worker(store, game).step(2)

    (work,) = store.claims.work([game])
    assert ["s2", "s3", "s4"] == [document["id"] for _, document in work.pending]


def test_refusal_is_a_commit_that_changes_no_row_but_seq_and_head(store):
    game = started(store)
    before = store.views.rows(game, [1, 2])
    submit(store, game, command("bad", 1, pennies=99))
    pump(store, game)
    after = store.views.rows(game, [1, 2])

    assert "too-many-pennies" == settled_body(store, game, 2)["refusal"]["code"]
    assert (2, store.log.head(game)[1]) == (after.seq, after.head)
    assert (before.public, before.private, before.seen, before.asked) == (
        after.public,
        after.private,
        after.seen,
        after.asked,
    )
    assert before.signature != after.signature


@pytest.mark.parametrize("bare", [False, True])
def test_rows_of_an_unsigned_head_have_no_older_signature(store, bare):
    game = started(store)
    older = store.views.rows(game)
    submit(store, game, command("s1", 1, pennies=1))
    (append,) = Worker(store, game).appends()
    unsigned = None if bare else replace(append.rows, signature="", key_id="")
    assert [None] == store.log.append([replace(append, rows=unsigned)])

    rows = store.views.rows(game)
    assert (append.sealed.head, "", "") == (rows.head, rows.signature, rows.key_id)
    assert (older.head, older.signature, older.key_id) == store.log.signature(game), "which is still good for that head"


def test_rows_match_the_position_folded_from_the_log(store):
    game = started(store, "ann", "bob", "cid")
    for n, seat in enumerate((1, 3, 2, 2, 1)):
        submit(store, game, command(f"s{n}", seat, pennies=n % 3))
        pump(store, game)
        position, rows = position_of(store, game), store.views.rows(game, [1, 2, 3])

        assert (position.seq, position.head, position.seen) == (rows.seq, rows.head, rows.seen)
        assert PENNIES.knowledge.view(position.state) == orjson.loads(rows.public)
        for seat_ in (1, 2, 3):
            assert PENNIES.knowledge.private(position.state, seat_) == orjson.loads(rows.private[seat_])
        assert [asked.id for asked in position.asked] == [asked["id"] for asked in orjson.loads(rows.asked)]


def test_rows_of_several_releases_have_no_release_until_they_are_rewritten(store):
    game = started(store)
    assert RELEASE == store.views.rows(game, [1]).release
    submit(store, game, command("s1", 1, pennies=1))
    worker = Worker(store, game)
    (append,) = worker.appends()
    newer = replace(append.rows, release="99.0", public=b"", private={1: append.rows.private[1]})
    store.log.append([replace(append, rows=newer)])

    assert "" == store.views.rows(game, [1]).release
    whole = replace(append.rows, release="99.0")
    assert store.views.rewrite(game, whole)
    assert "99.0" == store.views.rows(game, [1, 2]).release
    assert whole == store.views.rows(game, [1, 2])


def test_rows_are_not_rewritten_after_the_log_has_grown(store):
    game = started(store)
    old = store.views.rows(game, [1, 2])
    submit(store, game, command("s1", 1, pennies=1))
    pump(store, game)
    new = store.views.rows(game, [1, 2])

    assert not store.views.rewrite(game, old)
    assert new == store.views.rows(game, [1, 2])


def test_pending_decisions_of_many_games_are_read_at_once(store):
    games = [started(store) for _ in range(3)]
    told = store.views.asked([*games, "none"])

    assert set(games) == set(told)
    for game in games:
        assert {1, 2} == {asked["seat"] for asked in orjson.loads(told[game].asked)}
        assert (1, (1, 1, 1)) == (told[game].seq, told[game].seen)


def test_a_seat_without_private_rows_reads_null(store):
    rows = store.views.rows(started(store), [9])
    assert (b"null", "") == (rows.private[9], rows.release)


def test_unknown_game_has_no_rows_head_or_commits(store):
    assert store.views.rows("none") is None
    assert (0, "") == store.log.head("none")
    assert store.log.signature("none") is None
    assert store.log.snapshot("none") is None
    assert 0 == store.log.seq_at("none", 10**14)
    assert [] == list(store.log.commits("none"))


def finish(store, game):
    for turn in range(400):
        for seat in (1, 2):
            submit(store, game, command(f"{turn}-{seat}", seat, pennies=1))
        pump(store, game)
        if store.lobbies.get(game).status == "over":
            return
    raise AssertionError("does not end")


def test_ended_game_settles_pending_commands_as_over_and_accepts_no_more(store):
    game = started(store)
    while True:
        for seat in (1, 2):
            submit(store, game, command(f"{store.log.head(game)[0]}-{seat}", seat, pennies=1))
        # The roll that ends the game precedes this one in the stream.
        worker = Worker(store, game)
        worker.step()
        submit(store, game, command(f"late{store.log.head(game)[0]}", 1, pennies=1))
        seq = store.log.head(game)[0]
        worker.step(1)
        if store.lobbies.get(game).status == "over":
            break
        pump(store, game)

    assert "over" == outcome(store, game, f"late{seq}")
    assert "over" == submit(store, game, command("s1", 1, pennies=1)).status
    assert () == store.claims.work([game])[0].pending
    assert [] == claim_games(store, range(256), 10, 1000)
    assert 0 == store.schedule.census()["due"]


def test_refused_command_of_the_system_marks_the_game_stalled(store):
    game = started(store)
    assert [] == store.schedule.stalled()
    submit(store, game, {**command("odd", 0, "put_off", question="1:0:1", by="soon"), "credential": None})
    pump(store, game)

    assert [game] == store.schedule.stalled()
    assert store.lobbies.get(game).stalled
    assert 1 == store.schedule.census()["stalled"]


def test_every_256th_commit_stores_a_snapshot_and_all_are_kept(store):
    game = of_bots(store, 3, 520)

    assert 512 == store.log.snapshot(game)[0]
    assert 256 == store.log.snapshot(game, 511)[0]
    assert store.log.snapshot(game, 255) is None
    seq, packed = store.log.snapshot(game, 300)
    position = unpack_position(PENNIES, packed)
    commits = list(store.log.commits(game, 1, seq))
    assert (256, commits[-1].head) == (position.seq, position.head)
    assert position.state == position_at(store, game, 256).state


def position_at(store, game, seq):
    from domain.table.folding import replay
    from service.store.codec import decode_commit

    return replay(
        PENNIES,
        (decode_commit(PENNIES, s.seq, s.at, s.release, orjson.loads(s.body)) for s in store.log.commits(game, 1, seq)),
    )


def test_snapshot_of_another_release_is_ignored(store):
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    (append,) = Worker(store, game).appends()
    other = replace(append, sealed=replace(append.sealed, release="99.0"), snapshot=b"{}")
    store.log.append([other])

    assert store.log.snapshot(game) is None


@pytest.mark.parametrize(("first", "last", "limit"), [(1, None, None), (3, 7, None), (5, None, 2), (0, 2, None)])
def test_commits_are_read_in_ranges(store, first, last, limit):
    game = of_bots(store, 2, 300)
    whole = list(store.log.commits(game, headers=True))

    assert list(range(1, store.log.head(game)[0] + 1)) == [commit.seq for commit in whole]
    stop = last if limit is None else max(first, 1) + limit - 1
    assert whole[max(first, 1) - 1 : stop] == list(store.log.commits(game, first, last, limit, headers=True))
    assert [replace(commit, header=b"") for commit in whole] == list(store.log.commits(game))


def test_newest_commit_at_an_instant_is_found(store):
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    worker = Worker(store, game)
    (append,) = worker.appends()
    later = append.sealed.at + 5000
    store.log.append([replace(append, sealed=replace(append.sealed, at=later))])
    first = next(store.log.commits(game)).at

    assert [0, 1, 1, 2, 2] == [store.log.seq_at(game, at) for at in (first - 1, first, later - 1, later, later + 1)]
