"""After a failover to an older replica the log is shorter or different: no cache, client or worker continues from lost commits."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from domain.kernel.dice import Dice
from domain.registry import GAMES
from service.core.positions.cache import Positions
from service.core.positions.game_config import load_game_config
from service.store.chain import BrokenLog, WentBack
from tests.core.http.conftest import World
from tests.hostile.table import SECRET
from tests.pennies import PENNIES

DICE = Dice(b"went back")


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    """Register the pennies game."""
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


@pytest.fixture
def world(redis_store):
    return World(redis_store)


def keys_of(store):
    return [key for key in store.wire.one("KEYS", "*") if b"g:" in key or key.endswith((b"ready", b"due", b"leases"))]


def dump(store):
    """Save all games, as a replica has them at this moment."""
    return {key: store.wire.one("DUMP", key) for key in keys_of(store)}


def fail_over(store, saved):
    """Restore a saved state, as when an older replica takes over; the processes keep running."""
    for key in keys_of(store):
        store.wire.one("DEL", key)
    for key, value in saved.items():
        store.wire.one("RESTORE", key, 0, value)


def rounds(game, players, count=1, pennies=0):
    for _ in range(count):
        for player in players:
            player.send(game, {"type": "hide", "pennies": pennies}, want=200)


@pytest.fixture
def lost(world):
    """A game that lost two rounds, and the view of it before the loss."""
    game, ash, birk = world.table("Ash", "Birk", options={"points": 100})
    rounds(game, (ash, birk))
    old = dump(world.store)
    rounds(game, (ash, birk), 2)
    before = ash.get(f"/v1/games/{game}/view")
    ash.options(game)
    fail_over(world.store, old)
    return game, ash, birk, before


def test_options_match_a_fresh_process_after_the_log_diverged(world, lost):
    game, ash, birk, _ = lost
    # More commits than were lost, but different ones: the numbers alone show nothing.
    rounds(game, (ash, birk), 3, pennies=1)
    ash.send(game, {"type": "hide", "pennies": 1}, want=200)

    fresh = World(world.store)
    told = fresh.site.call("GET", f"/v1/games/{game}/options", {"Authorization": f"Bearer {birk.token}"}, None)
    assert told.json == birk.options(game)
    facts = load_game_config(world.store, game)
    assert Positions(world.store).read_newest(facts) == world.app.extensions["oraclewheel"].positions.read_newest(facts)


@pytest.mark.parametrize("cached", range(1, 9))
def test_cached_position_at_any_seq_is_dropped_if_its_head_is_replaced(world, cached):
    game, ash, birk = world.table("Ash", "Birk", options={"points": 100})
    old = dump(world.store)
    rounds(game, (ash, birk), 3)
    positions, facts = Positions(world.store), load_game_config(world.store, game)
    position = positions.read_at(facts, cached)
    positions.store_cached(game, replace(positions.refresh(facts), position=position))
    fail_over(world.store, old)
    rounds(game, (ash, birk), 3, pennies=1)

    assert Positions(world.store).read_newest(facts) == positions.read_newest(facts)
    assert Positions(world.store).read_at(facts, cached) == positions.read_at(facts, cached)


def test_past_position_does_not_come_from_a_cache_of_the_lost_log(world):
    game, ash, _ = world.table("Ash", "Birk", options={"points": 100})
    old = dump(world.store)
    ash.send(game, {"type": "hide", "pennies": 0}, want=200)
    positions, facts = Positions(world.store), load_game_config(world.store, game)
    positions.read_newest(facts)
    fail_over(world.store, old)
    ash.send(game, {"type": "hide", "pennies": 2}, want=200)

    assert 2 == positions.read_at(facts, 2).state.hidden[1]


def test_worker_continues_a_game_that_is_no_longer_over_after_failover(world):
    game, ash, birk = world.table("Ash", "Birk", options={"points": 1})
    old = dump(world.store)
    for _ in range(200):
        if ash.summary(game)["status"] == "over":
            break
        for player in (ash, birk):
            player.send(game, {"type": "hide", "pennies": 1})
    assert "over" == ash.summary(game)["status"]
    fail_over(world.store, old)

    assert 200 == ash.send(game, {"type": "hide", "pennies": 0}).status


def test_game_back_in_its_lobby_uses_the_entropy_of_its_new_start(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    made = ash.make_game(options={"points": 100})
    game = made["id"]
    birk.join(game, made["invitation"])
    old = dump(world.store)
    ash.start(game)
    rounds(game, (ash, birk))
    fail_over(world.store, old)
    assert "lobby" == ash.summary(game)["status"]
    assert "not-started" == ash.get(f"/v1/games/{game}/options").code
    ash.call("PATCH", f"/v1/games/{game}/seats/1", {"entropy": "ab" * 16}, want=200)
    ash.start(game)
    rounds(game, (ash, birk), 2)

    from service.cli.commands.check_release import check

    assert check(world.store, game, "pennies").divergence is None


def test_client_ahead_of_the_log_gets_log_diverged_with_both_heads(world, lost):
    game, ash, _, before = lost
    tag, (seq, head) = before.headers["ETag"], before.headers["Game-Head"].split()
    stands = ash.get(f"/v1/games/{game}/view").headers["Game-Head"].split()
    asked = {
        "If-None-Match, view": ("GET", "view", {"If-None-Match": tag}),
        "If-None-Match, options": ("GET", "options", {"If-None-Match": tag}),
        "If-None-Match, several": ("GET", "view", {"If-None-Match": f'W/"1000", {tag}'}),
        "after": ("GET", f"events?after={seq}", {}),
        "Last-Event-ID": ("GET", "events", {"Last-Event-ID": seq}),
        "last_event_id": ("GET", f"events?last_event_id={seq}", {}),
        "Game-Head": ("GET", "view", {"Game-Head": f"{seq} {head}"}),
        "Game-Head of events": ("GET", "events", {"Game-Head": f"{seq} {head}"}),
        "NDJSON": ("GET", f"events?after={seq}", {"Accept": "application/x-ndjson"}),
        "If-Match": ("POST", "commands", {"If-Match": tag}),
    }
    for name, (method, path, headers) in asked.items():
        body = {"type": "hide", "pennies": 0} if method == "POST" else None
        answer = ash.call(method, f"/v1/games/{game}/{path}", body, headers=headers)
        assert (409, "log-diverged") == (answer.status, answer.code), name
        assert int(seq) >= answer.json["client"]["seq"] > int(stands[0]), name
        assert {"seq": int(stands[0]), "head": stands[1]} == answer.json["server"], name
        if name.startswith("Game-Head"):
            assert {"seq": int(seq), "head": head} == answer.json["client"]


def test_lost_head_is_detected_although_the_log_has_grown_past_it(world, lost):
    game, ash, birk, before = lost
    rounds(game, (ash, birk), 4, pennies=1)
    for path in ("view", "options", "events", "board.svg", "commands/none"):
        answer = ash.get(f"/v1/games/{game}/{path}", headers={"Game-Head": before.headers["Game-Head"]})
        assert "log-diverged" == answer.code, path
    now = ash.get(f"/v1/games/{game}/view").headers["Game-Head"]
    assert 200 == ash.get(f"/v1/games/{game}/view", headers={"Game-Head": now}).status
    first = next(world.store.log.commits(game)).head
    assert 200 == ash.get(f"/v1/games/{game}/view", headers={"Game-Head": f"1 {first}"}).status


@pytest.mark.parametrize(
    "head", ["", "x", "1", "-1 " + "0" * 64, "1 " + "0" * 63, "1 " + "G" * 64, "9" * 16 + " " + "0" * 64]
)
def test_invalid_game_head_header_is_rejected(world, head):
    game, ash, _ = world.table()
    answer = ash.get(f"/v1/games/{game}/view", headers={"Game-Head": head})
    assert answer.code in ("invalid", "log-diverged")
    assert answer.status in (422, 409)


def test_stream_ahead_of_the_log_ends_with_log_diverged(world, lost):
    game, ash, _, before = lost
    headers = {"Accept": "text/event-stream", "Last-Event-ID": before.headers["Game-Head"].split()[0]}
    with ash.site.chunks(f"/v1/games/{game}/events", {**headers, **ash._auth()}) as chunks:
        told = b"".join(itertools.islice(chunks, 5))
    assert b"event: log-diverged\n" in told
    now, head = world.store.log.head(game)
    assert f"id: {now}\n".encode() in told, "it resumes from where the log stands"
    assert head.encode() in told


def test_open_stream_gets_log_diverged_although_the_numbers_fit_again(world):
    game, ash, birk = world.table("Ash", "Birk", options={"points": 100})
    old = dump(world.store)
    rounds(game, (ash, birk))
    headers = {"Accept": "text/event-stream", **ash._auth()}
    with ash.site.chunks(f"/v1/games/{game}/events", headers) as chunks:
        told = b""
        while f"id: {world.store.log.head(game)[0]}\n".encode() not in told:
            told += next(chunks)
        fail_over(world.store, old)
        rounds(game, (ash, birk), 3, pennies=1)
        told = b"".join(itertools.islice(chunks, 20))
    assert b"event: log-diverged\n" in told
    assert b'"lines"' not in told, "nothing of the other history is told as if it went on"


def test_command_lost_by_the_store_does_not_stay_pending(world):
    game, ash, _ = world.table("Ash", "Birk")
    old = dump(world.store)
    world.asleep = True
    settle, world.store.log.outcome = world.store.log.outcome, lambda *told: _lose(world.store, old, settle, *told)

    answer = ash.send(game, {"type": "hide", "pennies": 0}, wait=1)
    assert "log-diverged" == answer.code


def _lose(store, old, outcome, *told):
    fail_over(store, old)
    return outcome(*told)


# -- the log itself -------------------------------------------------------------------------------------------------------


def test_commits_are_read_only_if_they_extend_the_given_head(world):
    game, ash, birk = world.table("Ash", "Birk", options={"points": 100})
    rounds(game, (ash, birk))
    log = world.store.log
    heads = {stored.seq: stored.head for stored in log.commits(game)}
    assert [2, 3, 4] == [stored.seq for stored in log.commits(game, 2, onto=heads[1])]
    assert [] == list(log.commits(game, 5, onto=heads[4]))
    for first, onto in ((2, heads[2]), (5, heads[3]), (6, heads[4]), (2, "0" * 64)):
        with pytest.raises(WentBack):
            list(log.commits(game, first, onto=onto))

    for seq in (1, 2, 4):
        entry = world.store.wire.one("XRANGE", world.store.keys.game(game).commits, seq, seq)[0]
        saved = dump(world.store)
        world.store.wire.one("XDEL", world.store.keys.game(game).commits, entry[0])
        with pytest.raises(BrokenLog):
            list(log.commits(game))
        fail_over(world.store, saved)


def test_reading_limit_of_a_resigned_player_is_recomputed_after_the_failover(world):
    game, ash, birk = world.table("Ash", "Birk", options={"points": 100})
    rounds(game, (ash, birk))
    old = dump(world.store)
    rounds(game, (ash, birk), 3)
    birk.send(game, {"type": "resign"}, want=200)
    lost = world.store.log.head(game)[0]
    birk.events(game)
    fail_over(world.store, old)
    birk.send(game, {"type": "resign"}, want=200)
    at = world.store.log.head(game)[0]
    while world.store.log.head(game)[0] <= lost:
        rounds(game, (ash,))

    told = [entry["seq"] for entry in birk.events(game) if SECRET in types_of(entry)]
    assert told
    assert all(seq < at for seq in told)


def types_of(entry):
    return [line["type"] for line in entry["lines"]]
