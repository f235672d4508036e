"""The hidden choices of another player change no byte of a push notification, neither its content nor its metadata."""

from __future__ import annotations

import pytest

from tests.notifications.pushed import Pushing
from tests.notifications.receiver import Receiver
from tests.notifications.test_push import at_once
from tests.notifications.test_secrets import repeatable

__all__ = ["at_once", "repeatable"]

SEEN = ("ttl", "topic", "urgency", "content-length")


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()


def told(browser):
    """Return each notification with the metadata that its push service sees. Duplicates are left out: a slow machine may send one twice."""
    got = list(browser.receiver.got[browser.path])
    found = [(browser.opened(each), [each.headers[name] for name in SEEN]) for each in got]
    return [each for place, each in enumerate(found) if each not in found[:place]]


def test_hidden_choices_of_others_change_no_push_notification(repeatable, tmp_path, receiver):
    seen = {}
    for hidden in (0, 1, 2, "nothing"):
        repeatable()
        receiver.got.clear()
        world = Pushing(tmp_path, receiver=receiver, rate_requests=0)
        ash, birk, cyd = players = [world.player(name) for name in ("Ash", "Birk", "Cyd")]
        browsers = [world.browser(player, f"/push/{player.name}") for player in players]
        made = ash.make_game(seats=3, options={"points": 1000})
        for player in (birk, cyd):
            player.join(made["id"], made["invitation"])
        ash.start(made["id"])
        if hidden != "nothing":
            ash.send(made["id"], {"type": "hide", "pennies": hidden}, want=200)
            ash.send(made["id"], {"type": "hide", "pennies": hidden}, want=409)
        world.carry()
        seen[hidden] = [told(browser) for browser in browsers]

    assert seen[0] == seen[1] == seen[2]
    assert [0, 1, 1] == [len(each) for each in seen[0]]
    assert 1 == len(seen["nothing"][0]), "the test would see a difference"
