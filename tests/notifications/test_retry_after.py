"""Retry-After of a busy receiver is respected, up to a maximum."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from service.core.outbound.retries import MAX_RETRY_AFTER, parse_retry_after
from tests.notifications.hooked import Hooked

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def world():
    made = Hooked(webhook_retries=("2", "2"))
    yield made
    made.close()


def busy(status, after):
    """Answer with this status and Retry-After value."""

    def act(_, handler):
        handler.send_response(status)
        handler.send_header("Retry-After", after)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return act


def waits(player, hook):
    """Return the seconds from the last failed attempt to the next one."""
    last = player.get(f"/v1/webhooks/{hook['id']}/deliveries").json["deliveries"][0]
    assert "failed" == last["state"]
    return (last["next_attempt_at"] - last["at"]) / 1000


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("7", 7),
        (" 7 ", 7),
        ("3600", MAX_RETRY_AFTER),
        ("3601", MAX_RETRY_AFTER),
        ("9" * 5000, MAX_RETRY_AFTER),
        ("-7", 0),
        ("7.5", 0),
        ("\u0667", 0),
        ("soon", 0),
        ("", 0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", MAX_RETRY_AFTER),
        ("Fri, 99 Dec 9999 23:59:59 GMT", 0),
        ("Fri, 31 Dec 0000 23:59:59 +9999", 0),
        (",", 0),
        ("x" * 60000, 0),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_at_most_an_hour(text, seconds):
    assert seconds == parse_retry_after(text)


def test_retry_after_date_is_relative_to_now():
    assert 60 <= parse_retry_after(formatdate(time.time() + 90, usegmt=True)) <= 91


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(("after", "seconds"), [("600", 600), ("999999", MAX_RETRY_AFTER), ("1", 2), ("soon", 2)])
def test_retry_after_of_429_and_503_is_respected_within_limits(world, status, after, seconds):
    game, ash, _ = world.table()
    hook = world.hook(ash)
    world.receiver.act["/hook"] = busy(status, after)
    ash.send(game, HIDE, wait=5)
    world.post_out()

    assert seconds == round(waits(ash, hook))
    assert 1 == len(world.receiver.got["/hook"])


def test_retry_after_of_500_is_ignored(world):
    game, ash, _ = world.table()
    hook = world.hook(ash)
    world.receiver.act["/hook"] = busy(500, "600")
    ash.send(game, HIDE, wait=5)
    world.post_out()

    assert 2 == round(waits(ash, hook))


def test_retry_after_also_delays_other_games_without_counting_attempts(monkeypatch):
    monkeypatch.setattr("service.features.notifications.dispatcher.RECLAIM_MILLISECONDS", 0)
    world = Hooked(webhook_retries=("0", "0"))
    ash, birk = world.player("Ash"), world.player("Birk")
    world.hook(ash)
    games = []
    for _ in range(4):
        made = ash.make_game(seats=2)
        birk.join(made["id"], made["invitation"])
        ash.start(made["id"])
        games.append(made["id"])
    busy_for = [busy(429, "2")]
    world.receiver.act["/hook"] = lambda *told: busy_for.pop()(*told) if busy_for else 204
    begun = time.monotonic()
    world.post_out()

    assert 1 == len(world.receiver.got["/hook"])
    until = begun + 15
    while world.store.outbox.census().pending and time.monotonic() < until:
        time.sleep(0.1)
        world.post_out()
    got = world.receiver.got["/hook"]
    assert set(games) == {each.json["data"]["game"] for each in got}
    assert all(each.at - got[0].at >= 1.9 for each in got[1:])
    assert 1 + len({each.id for each in got}) == len(got)
    world.close()


def test_retry_after_does_not_delay_another_webhook_of_the_owner(world):
    game, ash, _ = world.table()
    world.hook(ash, "/busy")
    world.hook(ash, "/free")
    world.receiver.act["/busy"] = busy(429, "600")
    ash.send(game, HIDE, wait=5)
    world.post_out()

    assert 1 == len(world.receiver.got["/busy"])
    assert world.receiver.got["/free"]
