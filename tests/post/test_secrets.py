"""What a rival hid changes no byte of any word, in whatever format and with whosever eyes."""

from __future__ import annotations

import itertools
import secrets

import orjson
import pytest

from domain.dice import Dice
from service.post.webhooks.webhook import FORMATS, READERS
from tests.clock import StoreClock
from tests.post.hooked import Hooked

WAYS = list(itertools.product(FORMATS, READERS))


@pytest.fixture
def repeatable(monkeypatch):
    """Chance and time that are the same each time they are begun anew."""
    clock = StoreClock(monkeypatch, 0)

    def begin():
        numbers, dice = itertools.count(), Dice(b"r" * 32)
        monkeypatch.setattr(secrets, "token_bytes", lambda size=32: next(numbers).to_bytes(size, "big"))
        monkeypatch.setattr(secrets, "token_urlsafe", lambda size=32: f"{next(numbers):043}")
        monkeypatch.setattr(secrets, "choice", dice.choose)
        clock.now = 1_800_000_000_000

    return begin


def got(world, who):
    """The media types and bodies that came, by format and reader, and what their owner reads of them."""
    told = {}
    for way in WAYS:
        words = world.receiver.got[f"/{who.name}/{'/'.join(way)}"]
        # Each once, though a slow machine may have had one sent twice; the head is in the ids as well.
        bodies = {word.id: (word.headers["content-type"], without_heads(word.body)) for word in words}
        told[way] = list(bodies.values())
    return told


def without_heads(body):
    """A head is salted: it tells nothing, and differs."""
    if not body.startswith(b'{"type"'):
        return body
    document = orjson.loads(body)
    document["data"]["entry"].pop("head")
    return orjson.dumps(document)


def test_what_a_rival_hid_changes_no_word(repeatable):
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
