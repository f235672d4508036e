"""How much of a game is settled at once, what is logged of what broke, and who is left alone for how long."""

from __future__ import annotations

import pytest
import structlog

from domain.terms import SYSTEM
from service.projections.facts import facts_of
from service.store.ports import StaleWrite
from service.store.seal import Signer, verify
from tests.workers.test_advance import ALL, Broken, bodies, settle
from workers import advance as module
from workers.advance import COMMITS_A_CLAIM, Advance

pytestmark = pytest.mark.usefixtures("broken")


@pytest.fixture
def store(memory_store):
    return memory_store


@pytest.fixture
def broken(monkeypatch):
    from domain.registry import GAMES

    game = Broken()
    monkeypatch.setitem(GAMES, "pennies", game)
    return game


def test_a_round_says_how_many_games_it_claimed(store, tables, advance):
    assert 0 == advance.round(ALL)
    for _ in range(3):
        tables.start()
    assert 3 == advance.round(ALL)
    assert 0 == advance.round(ALL)


def test_of_one_game_no_more_is_settled_in_a_claim_than_is_fair_to_the_others(store, tables, advance):
    game = tables.start()
    for _ in range(COMMITS_A_CLAIM + 7):
        tables.hide(game, 1, 99)

    assert 1 == advance.round(ALL)
    assert COMMITS_A_CLAIM == store.log.head(game)[0]
    assert 1 == advance.round(ALL), "it was given back with what was left"
    assert COMMITS_A_CLAIM + 8 == store.log.head(game)[0]


def test_what_breaks_is_logged_with_its_place_and_never_with_what_was_said(store, tables, advance):
    game = tables.start()
    settle(store, advance)
    tables.hide(game, 1, 71, id_="the-one")
    with structlog.testing.capture_logs() as logs:
        settle(store, advance)

    (told,) = [entry for entry in logs if entry["event"] == "rules-fault"]
    assert (game, 2, "the-one", "hide", "error") == (
        *(told["game"], told["seq"], told["submission"]),
        *(told["command"], told["log_level"]),
    )
    assert isinstance(told["exc_info"], ZeroDivisionError)
    assert "71" not in str({name: value for name, value in told.items() if name not in ("game", "submission")})
    assert "advance" == told["part"]


def test_a_plain_refusal_is_no_news_to_the_operator(store, tables, advance):
    game = tables.start()
    tables.hide(game, 1, 99)
    with structlog.testing.capture_logs() as logs:
        settle(store, advance)

    assert [] == logs


def test_a_stalled_game_is_logged_with_what_was_refused(store, tables, advance):
    game = tables.start()
    settle(store, advance)
    tables.say(game, SYSTEM, type="juggle", id_="bad")
    with structlog.testing.capture_logs() as logs:
        settle(store, advance)

    (told,) = [entry for entry in logs if entry["event"] == "stalled"]
    assert (game, 2, "bad", "malformed") == (told["game"], told["seq"], told["submission"], told["refusal"].code)


def test_what_a_stalled_game_was_about_is_not_tried_again_by_itself(store, tables, advance, broken, monkeypatch):
    game = tables.start("ada", "bot:greedy")
    monkeypatch.setitem(broken.bots, "greedy", lambda state, seat, dice: {"type": "hide", "pennies": 99})
    settle(store, advance)
    before = store.log.head(game)
    for _ in range(5):
        settle(store, advance)

    assert before == store.log.head(game)
    assert ["act"] == [b["submission"]["command"]["type"] for b in bodies(store, game) if b.get("refusal") is not None]


def test_what_takes_too_long_is_logged_and_the_game_left_to_its_lease(store, tables):
    advance = Advance.in_process(store, patience=0.05)
    game = tables.start()
    settle(store, advance)
    tables.hide(game, 1, 72, id_="slow")
    with structlog.testing.capture_logs() as logs:
        assert 1 == advance.round(ALL)

    (told,) = [entry for entry in logs if entry["event"] == "took too long"]
    assert (game, 1, "slow") == (told["game"], told["seq"], told["submission"])
    assert 0 == advance.round(ALL), "nobody claims it before its lease is over"
    assert 1 == store.log.head(game)[0]


def test_a_game_that_this_release_cannot_read_is_put_aside_and_said_so(store, tables, broken, monkeypatch):
    game = tables.start()
    settle(store, Advance.in_process(store))
    monkeypatch.setattr(broken, "events", {}, raising=False)
    tables.hide(game, 1, 0)
    released = []
    release = store.log.release
    monkeypatch.setattr(store.log, "release", lambda *told: released.append(told) or release(*told))
    with structlog.testing.capture_logs() as logs:
        Advance.in_process(store).round(ALL)

    assert [(game, module.ASIDE)] == released
    assert [game] == [entry["game"] for entry in logs]
    assert 1 == store.log.head(game)[0]


def test_a_write_that_failed_otherwise_than_by_coming_late_sets_its_game_aside(store, tables, advance, monkeypatch):
    game = tables.start()
    with monkeypatch.context() as patched:
        patched.setattr(store.log, "append", lambda batch: [ValueError("no such thing") for _ in batch])
        advance.round(ALL)

    assert "quarantined" == store.log.marks(game)[game].code
    assert 0 == store.log.head(game)[0]
    assert [game] == [work.game for work in store.log.work([game]) if work.pending], "its command waits"


def test_a_late_write_is_settled_anew_in_the_same_round(store, tables, advance, monkeypatch):
    game = tables.start()
    append, late = store.log.append, []

    def once(batch):
        if not late:
            late.append(True)
            return [StaleWrite(each.game) for each in batch]
        return append(batch)

    monkeypatch.setattr(store.log, "append", once)
    assert 1 == advance.round(ALL)
    assert 1 == store.log.head(game)[0]


def test_each_commit_is_sealed_on_the_head_before_and_signed_with_the_workers_key(store, tables):
    signer = Signer(bytes(32))
    advance = Advance(store, module.Positions(store), signer)
    game = tables.start()
    for _ in range(3):
        tables.hide(game, 1, 99)
    settle(store, advance)

    rows = store.log.rows(game)
    assert 4 == store.log.head(game)[0] == rows.seq
    assert (store.log.head(game)[1], signer.key_id) == (rows.head, rows.key_id)
    assert verify(signer.public, rows.head, rows.signature)
    assert facts_of(store, game) is not None
    commits = list(store.log.commits(game))
    assert [1, 2, 3, 4] == [stored.seq for stored in commits]
    assert rows.head == commits[-1].head
