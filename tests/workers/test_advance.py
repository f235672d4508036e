"""Commands become commits in order, exactly once, despite any failure."""

from __future__ import annotations

import time
from dataclasses import replace

import orjson
import pytest

from domain import RELEASE
from domain.kernel.record import Position
from domain.kernel.terms import SYSTEM
from service.core.positions.cache import SNAPSHOT_EVERY, Positions, fold
from service.core.positions.game_config import load_game_config
from service.core.positions.rows import build_rows, load_current_rows
from service.ops.doctor.resubmit import resubmit
from service.store.seal import verify
from tests.pennies import PENNIES, PenniesKnowledge, PenniesRules
from tests.store.pump import outcome
from workers import advance as module
from workers.advance import Advance
from workers.commits import settling

ALL = range(256)


def settle(store, advance):
    """Run rounds until no game is ready."""
    while advance.round(range(store.partitions)):
        pass


def bodies(store, game):
    return [orjson.loads(stored.body) for stored in store.log.commits(game)]


def replayed(store, game):
    facts = load_game_config(store, game)
    return fold(facts.game, Position(), store.log.commits(game))


def assert_rows_are_true(store, game):
    position = replayed(store, game)
    rows = load_current_rows(store, Positions(store), game, (1, 2))
    assert rows == store.views.rows(game, (1, 2)), "they are kept for who comes next"
    told = build_rows(PENNIES, position)
    assert (told.seq, told.head, told.public) == (rows.seq, rows.head, rows.public)
    assert (told.private, told.seen) == (dict(rows.private), rows.seen)
    assert told.asked == rows.asked


def test_a_game_is_played_to_its_end(store, tables, advance):
    game = tables.start()
    settle(store, advance)

    for _ in range(200):
        if store.lobbies.get(game).status == "over":
            break
        tables.hide(game, 1, 1)
        tables.hide(game, 2, 2)
        settle(store, advance)

    last = bodies(store, game)[-1]
    assert "over" == store.lobbies.get(game).status
    assert "game_ended" == last["events"][-1]["type"]
    assert store.lobbies.seed(game).hex() == last["seed"]
    assert_rows_are_true(store, game)


def test_only_the_last_commit_reveals_the_seed(store, tables, advance):
    game = tables.start("bot:greedy", "bot:random", points=2)
    settle(store, advance)

    told = bodies(store, game)
    assert ["seed" in body for body in told] == [False] * (len(told) - 1) + [True]


def test_every_head_is_signed_including_refusals(store, tables, advance):
    game = tables.start()
    settle(store, advance)
    tables.hide(game, 1, 99)
    settle(store, advance)

    head, signature, key = store.log.signature(game)
    assert store.log.head(game) == (2, head)
    assert verify(bytes.fromhex(store.log.keys()[key]), head, signature)
    assert "too-many-pennies" == bodies(store, game)[-1]["refusal"]["code"]


def test_commands_are_settled_in_the_order_of_submission(store, tables, advance):
    game = tables.start()
    tables.hide(game, 1, 0, id_="first")
    tables.hide(game, 1, 1, id_="second")
    tables.hide(game, 2, 0, id_="third")
    settle(store, advance)

    told = bodies(store, game)
    assert ["begin", "first", "second", "third"] == [body["submission"]["id"] for body in told[:4]]
    assert "refusal" in told[2]


def test_a_round_settles_many_games_in_batches(store, tables, advance):
    games = [tables.start() for _ in range(50)]
    sizes = []
    while games_at_once := advance.round(ALL):
        sizes.append(games_at_once)
    assert 20 <= sizes[0] <= 32, "at most 32, and as many as there are partitions with games"
    assert 50 == sum(sizes)
    assert {1} == {store.log.head(game)[0] for game in games}


def test_bots_play_by_themselves_without_starving_other_games(store, tables, advance):
    game = tables.start("bot:greedy", "bot:random", points=1000)
    other = tables.start()
    advance.round(ALL)

    assert store.log.head(game)[0] <= module.COMMITS_A_CLAIM
    assert 1 == store.log.head(other)[0]


def test_resigned_seat_is_played_by_a_bot_at_once(store, tables, advance):
    game = tables.start()
    tables.say(game, 2, type="resign")
    tables.hide(game, 1, 0)
    settle(store, advance)

    told = bodies(store, game)
    assert "resign" == told[1]["submission"]["command"]["type"]
    assert any(body["actor"]["by"] == "bot" and body["actor"]["seat"] == 2 for body in told)


def test_stale_cache_is_dropped_and_the_command_still_settled(store, tables, advance):
    game = tables.start()
    settle(store, advance)
    other = Advance.in_process(store)
    tables.hide(game, 1, 0)
    settle(store, other)
    tables.hide(game, 2, 0)
    settle(store, advance)

    assert [1, 2, 3, 4] == [stored.seq for stored in store.log.commits(game)]
    assert_rows_are_true(store, game)


def test_two_alternating_workers_neither_lose_nor_duplicate_commands(store, tables, advance):
    workers = [advance, Advance.in_process(store)]
    game = tables.start(points=100000)
    for number in range(40):
        tables.hide(game, 1 + number % 2, 0, id_=f"n{number}")
        workers[number % 2].round(ALL)
        workers[number % 3 % 2].round(ALL)

    ids = [body["submission"]["id"] for body in bodies(store, game)]
    assert [f"n{number}" for number in range(40)] == [id_ for id_ in ids if id_.startswith("n")]
    assert_rows_are_true(store, game)


class BrokenRules(PenniesRules):
    """Pennies whose rules fail in several ways, depending on the number of pennies."""

    def decide(self, state, seat, command, dice):
        match getattr(command, "pennies", None):
            case 71:
                raise ZeroDivisionError
            case 72:
                until = time.monotonic() + 60
                while time.monotonic() < until:
                    try:
                        time.sleep(0.01)
                    except Exception:  # noqa: BLE001 - what careless rules would do
                        continue
            case 73:
                return super().decide(state, seat, command.__class__(0), dice)
        return super().decide(state, seat, command, dice)


class BrokenKnowledge(PenniesKnowledge):
    """Pennies whose view fails while it cannot be seen."""

    unseen = ()

    def view(self, state):
        if 73 in self.unseen:
            raise RuntimeError("cannot be shown")
        return super().view(state)


def break_pennies():
    return replace(PENNIES, rules=BrokenRules(), knowledge=BrokenKnowledge())


@pytest.fixture
def broken(monkeypatch):
    from domain.registry import GAMES

    game = break_pennies()
    monkeypatch.setitem(GAMES, "pennies", game)
    return game


def test_exception_in_the_rules_is_a_refusal_and_the_game_continues(store, tables, advance, broken):
    game = tables.start()
    tables.hide(game, 1, 71)
    tables.hide(game, 1, 0)
    settle(store, advance)

    told = bodies(store, game)
    assert ["rules-fault"] == [body["refusal"]["code"] for body in told if "refusal" in body]
    assert "events" in told[2]
    assert not store.lobbies.get(game).stalled


@pytest.mark.soak
def test_exception_in_a_view_is_a_rules_fault(store, tables, advance, broken):
    game = tables.start()
    settle(store, advance)
    broken.knowledge.unseen = (73,)
    tables.hide(game, 1, 73)
    settle(store, advance)
    broken.knowledge.unseen = ()
    tables.hide(game, 1, 0)
    settle(store, advance)

    told = bodies(store, game)
    assert "rules-fault" == told[1]["refusal"]["code"]
    assert "events" in told[2]
    assert_rows_are_true(store, game)


def test_rule_that_never_ends_is_refused_after_three_attempts(store, tables, advance, broken, monkeypatch):
    game = other = tables.start()
    # In another partition than the game of a waiting player, which would otherwise delay it for half a minute.
    while store.schedule.partition(other) == store.schedule.partition(game):
        other = tables.start()
    settle(store, advance)
    monkeypatch.setattr(module, "LEASE", 1)
    impatient = Advance.in_process(store, patience=0.05)
    tables.hide(game, 1, 72)
    attempts = 0
    while store.log.head(game)[0] == 1:
        tables.hide(other, 1, 99)
        attempts += impatient.round(ALL) > 0
        time.sleep(0.01)
        for partition in ALL:
            store.schedule.sweep(partition)
        assert attempts < 30

    settle(store, advance)
    assert "rules-fault" == bodies(store, game)[-1]["refusal"]["code"]
    assert store.log.head(other)[0] > 1
    tables.hide(game, 1, 0)
    settle(store, advance)
    assert "events" in bodies(store, game)[-1]


def test_refused_command_of_the_system_stalls_the_game(store, tables, advance, broken, monkeypatch):
    game = tables.start("ada", "bot:greedy")
    monkeypatch.setitem(PENNIES.bots.by_name, "greedy", lambda state, seat, dice: {"type": "hide", "pennies": 71})
    settle(store, advance)

    assert store.lobbies.get(game).stalled
    assert [game] == list(store.schedule.stalled())
    assert ["act"] == [
        body["submission"]["command"]["type"] for body in bodies(store, game) if body.get("refusal") is not None
    ]
    tables.hide(game, 1, 0)
    settle(store, advance)
    assert "events" in bodies(store, game)[-1], "the others may go on"


def test_late_deadline_does_not_stall_the_game(store, tables, advance):
    game = tables.start()
    tables.hide(game, 1, 0)
    settle(store, advance)
    tables.say(game, SYSTEM, type="expire", question="1:0:1")
    settle(store, advance)

    assert "already-answered" == bodies(store, game)[-1]["refusal"]["code"]
    assert not store.lobbies.get(game).stalled
    assert [] == list(store.schedule.stalled())
    tables.say(game, SYSTEM, type="put_off", question="9:9:9", by=1)
    tables.say(game, SYSTEM, type="juggle")
    settle(store, advance)
    assert "malformed" == bodies(store, game)[-1]["refusal"]["code"]
    assert store.lobbies.get(game).stalled, "any other refusal of SYSTEM's is news to the operator"


def test_game_with_events_of_a_newer_release_is_not_settled(store, tables, advance, monkeypatch):
    game = tables.start()
    settle(store, advance)
    other = Advance.in_process(store)
    monkeypatch.setattr(PENNIES.rules, "events", {}, raising=False)
    tables.hide(game, 1, 0)
    for _ in range(5):
        other.round(ALL)
    assert 1 == store.log.head(game)[0]
    assert "pending" == outcome(store, game, "c3") or outcome(store, game, "c2") == "pending"


def test_a_long_game_is_loaded_from_its_snapshot(store, tables, advance):
    game = tables.start("bot:random", "bot:random", points=100000)
    while store.log.head(game)[0] <= SNAPSHOT_EVERY + 50:
        advance.round(ALL)

    seq, _ = store.log.snapshot(game)
    facts = load_game_config(store, game)
    positions = Positions(store)
    assert SNAPSHOT_EVERY <= seq
    assert 0 == seq % SNAPSHOT_EVERY
    assert replayed(store, game) == positions.read_newest(facts)
    for seq in (1, 30, SNAPSHOT_EVERY, SNAPSHOT_EVERY + 30):
        assert fold(PENNIES, Position(), store.log.commits(game, 1, seq)) == positions.read_at(facts, seq)


def test_rows_of_another_release_are_rewritten_before_they_are_served(store, tables, advance):
    game = tables.start()
    settle(store, advance)
    rows = load_current_rows(store, Positions(store), game, (1, 2))
    old = replace(rows, release="0.0.1", public=b'"old"', private={1: b'"old"', 2: b'"old"'})
    assert store.views.rewrite(game, old)
    assert b'"old"' == store.views.rows(game).public

    served = load_current_rows(store, Positions(store), game, (1, 2))
    assert (RELEASE, rows.public, dict(rows.private)) == (served.release, served.public, dict(served.private))
    assert rows == store.views.rows(game, (1, 2))


def test_stalled_game_continues_after_the_fault_is_fixed(store, tables, advance, broken, monkeypatch):
    game = tables.start("ada", "bot:greedy")
    honest = PENNIES.bots.by_name["greedy"]
    monkeypatch.setitem(PENNIES.bots.by_name, "greedy", lambda state, seat, dice: {"type": "hide", "pennies": 71})
    settle(store, advance)
    assert ["1:0:2"] == resubmit(store, game)
    settle(store, advance)
    assert store.lobbies.get(game).stalled, "it was not set right yet"
    monkeypatch.setitem(PENNIES.bots.by_name, "greedy", honest)

    assert ["1:0:2"] == resubmit(store, game)
    settle(store, advance)
    assert not store.lobbies.get(game).stalled
    assert [] == list(store.schedule.stalled())
    assert "bot" == bodies(store, game)[-1]["actor"]["by"]


def test_batch_computes_the_views_once_with_all_changes(store, tables, monkeypatch):
    game, advance = tables.start(), Advance.in_process(store)
    settle(store, advance)
    load_current_rows(store, Positions(store), game, (1,))
    tables.hide(game, 1, 99)
    settle(store, advance)  # the worker learns that the game has a reader
    made, real = [], settling.build_parts
    monkeypatch.setattr(settling, "build_parts", lambda *told: made.append(told[2]) or real(*told))
    before = store.log.head(game)[0]
    for number in range(4):
        tables.hide(game, 1 + number % 2, number % 2)
    tables.hide(game, 1, 99)
    settle(store, advance)

    assert store.log.head(game)[0] >= before + 5
    assert [before] == made
    rows = store.views.rows(game, (1, 2))
    assert rows == load_current_rows(store, Positions(store), game, (1, 2))
