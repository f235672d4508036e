"""The hidden choices of another player change no byte of a webhook event, in any format and for any reader."""

from __future__ import annotations

import itertools
import secrets

import orjson
import pytest

from domain.kernel.dice import Dice
from service.features.webhooks.formats import FORMATS
from service.features.webhooks.webhook import READERS
from tests.clock import StoreClock
from tests.notifications.hooked import Hooked

WAYS = list(itertools.product(FORMATS, READERS))


@pytest.fixture
def repeatable(monkeypatch):
    """Random numbers and time that repeat exactly after each `begin`."""
    clock = StoreClock(monkeypatch, 0)

    def begin():
        numbers, dice = itertools.count(), Dice(b"r" * 32)
        monkeypatch.setattr(secrets, "token_bytes", lambda size=32: next(numbers).to_bytes(size, "big"))
        monkeypatch.setattr(secrets, "token_urlsafe", lambda size=32: f"{next(numbers):043}")
        monkeypatch.setattr(secrets, "choice", dice.choose)
        clock.now = 1_800_000_000_000

    return begin


def got(world, who):
    """Return the media types and bodies that arrived, by format and reader."""
    told = {}
    for way in WAYS:
        words = world.receiver.got[f"/{who.name}/{'/'.join(way)}"]
        # Each once, because a slow machine may send one twice. The head is left out: it is part of the id.
        bodies = {word.id: (word.headers["content-type"], without_heads(word.body)) for word in words}
        told[way] = list(bodies.values())
    return told


def without_heads(body):
    """Remove the head: it is salted, so it differs but reveals nothing."""
    if not body.startswith(b'{"type"'):
        return body
    document = orjson.loads(body)
    document["data"]["entry"].pop("head")
    return orjson.dumps(document)


def test_hidden_choices_of_others_change_no_webhook_event(repeatable):
    seen = {}
    for hidden in (0, 1, 2):
        repeatable()
        world = Hooked(rate_requests=0, webhooks=0)
        ash, birk = world.player("Ash"), world.player("Birk")
        for player in (ash, birk):
            for format_, reader in WAYS:
                world.hook(player, f"/{player.name}/{format_}/{reader}", format=format_, reader=reader)
        made = ash.make_game(seats=3)
        for player in (birk, world.player("Cyd")):
            player.join(made["id"], made["invitation"])
        ash.start(made["id"])
        ash.send(made["id"], {"type": "hide", "pennies": hidden}, want=200)
        ash.send(made["id"], {"type": "hide", "pennies": hidden}, want=409)
        world.post_out()
        seen[hidden] = got(world, birk), got(world, ash)
        world.close()

    assert seen[0][0] == seen[1][0] == seen[2][0]
    assert all(2 <= len(words) for words in seen[0][0].values()), "they were told that somebody acted"
    for way in WAYS:
        told = [seen[hidden][1][way] for hidden in (0, 1, 2)]
        if way[1] == "public":
            assert told[0] == told[1] == told[2]
        elif way[0] == "json":
            assert told[0] != told[1], "the test would see a difference"
            assert len(told[0]) > len(seen[0][0][way]), "their own refusal is theirs to hear of"
