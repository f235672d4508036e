"""The request ID connects a command, its commit and every delivery attempt."""

from __future__ import annotations

import pytest
import structlog

from domain.registry import GAMES
from service.ops.logging import configure
from service.store.ports.outbox import CAUSES
from service.store.ports.waiting import request_of
from tests.notifications.hooked import Hooked
from tests.pennies import PENNIES
from tests.store.pump import command, started, submit
from tests.workers.crew import eventually
from workers.advance import Advance

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture(scope="module", autouse=True)
def configured():
    """Configure logging before the tests capture it, as an earlier test may have done already."""
    configure("info")


@pytest.fixture
def hooked(monkeypatch):
    monkeypatch.setattr("service.ops.logging._told", "debug")
    made = Hooked()
    yield made
    made.close()


def sent(player, game, name):
    headers = {"X-Request-Id": name, "Prefer": "wait=5"}
    return player.post(f"/v1/games/{game}/commands", HIDE, headers=headers, want=200).json["seq"]


def lines(logs, event):
    return [(line["request_id"], line["seq"]) for line in logs if line["event"] == event]


def test_command_commit_and_delivery_logs_share_the_request_id(hooked):
    game, ash, birk = hooked.table()
    hook = hooked.hook(birk)
    hooked.post_out()
    with structlog.testing.capture_logs() as logs:
        first, second = sent(ash, game, "req-1"), sent(birk, game, "req-2")
        eventually(lambda: hooked.post_out() or not hooked.store.outbox.census().pending)

    decided, told = lines(logs, "command_decided"), lines(logs, "delivery_succeeded")
    assert {("req-1", first), ("req-2", second)} <= set(decided)
    assert {("req-1", first), ("req-2", second)} <= set(told)
    ends = [seq for _, seq in decided if seq not in (first, second)]
    assert ends, "SYSTEM ends the round that the second has made complete"
    assert {("req-2", seq) for seq in ends} <= set(decided), "which is of the request that has caused it"
    assert {seq for _, seq in told} == {seq for _, seq in decided}
    told_line = next(line for line in logs if line["event"] == "delivery_succeeded")
    assert (hook["id"], "webhook", game, 204) == tuple(told_line[n] for n in ("subscription", "kind", "game", "status"))
    assert not any(hooked.receiver.url() in str(line) for line in logs)


def test_failed_delivery_attempts_are_logged_with_the_request_id(hooked):
    game, ash, birk = hooked.table()
    hooked.hook(birk)
    hooked.post_out()
    hooked.receiver.act["/hook"] = lambda *_: 500
    with structlog.testing.capture_logs() as logs:
        seq = sent(ash, game, "req-1")
        eventually(lambda: hooked.post_out() or not hooked.store.outbox.census().pending)

    tried = [line for line in logs if line["event"] == "delivery_failed"]
    assert [("req-1", seq)] * 3 == [(line["request_id"], line["seq"]) for line in tried]
    assert [1, 2, 3] == [line["attempt"] for line in tried]
    assert ["failed", "failed", "dead"] == [line["state"] for line in tried]


def test_commands_are_not_logged_at_info_level(hooked, monkeypatch):
    monkeypatch.setattr("service.ops.logging._told", "info")
    game, ash, _ = hooked.table()
    with structlog.testing.capture_logs() as logs:
        sent(ash, game, "req-1")

    assert [] == logs


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


def play(store, game, number, **beside):
    """Commit a command that was submitted with extra fields."""
    submit(store, game, {**command(f"c{number}", 1, pennies=1), **beside})
    Advance.in_process(store).round([store.schedule.partition(game)])
    return store.log.head(game)[0]


def test_request_ids_are_kept_for_the_latest_commits_of_a_subscribed_game(store):
    game = started(store)
    first = play(store, game, 0, request="r0")
    assert "" == store.outbox.caused(game, first), "nobody is told of it"

    store.outbox.listen([game], "s1")
    seqs = [play(store, game, number, request=f"r{number}") for number in range(1, CAUSES + 3)]
    assert [""] * 2 + [f"r{number}" for number in range(3, CAUSES + 3)] == [
        store.outbox.caused(game, seq) for seq in seqs
    ]
    assert "" == store.outbox.caused(game, seqs[-1] + 1)
    assert "" == store.outbox.caused("nowhere", 1)


def test_command_without_a_valid_request_id_is_still_settled(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    seqs = [
        play(store, game, 1),
        play(store, game, 2, request=None),
        play(store, game, 3, request="of a line\nwith more"),
    ]

    assert ["", "", ""] == [store.outbox.caused(game, seq) for seq in seqs]
    assert seqs == sorted(set(seqs))


def test_request_id_is_not_stored_in_commits(redis_store):
    game = started(redis_store)
    redis_store.outbox.listen([game], "s1")
    seq = play(redis_store, game, 1, request="r-in-no-commit")

    assert "r-in-no-commit" == redis_store.outbox.caused(game, seq)
    assert not [each for each in redis_store.log.commits(game, 1, seq) if b"r-in-no-commit" in each.header + each.body]
    names = [name for name in redis_store.wire.scan("*") if name.endswith(b":commits")]
    assert names
    assert b"r-in-no-commit" not in b"".join(redis_store.wire.one("DUMP", name) for name in names)


@pytest.mark.parametrize("given", [None, 5, "", "a b", "x" * 65, {"a": 1}, "é"])
def test_invalid_request_id_is_replaced_by_an_empty_string(given):
    assert "" == request_of({"request": given})
    assert "" == request_of({})
    assert "01J8:x/y+z=" == request_of({"request": "01J8:x/y+z="})
