"""A webhook receiver can detect that a log went back: a known seq arrives again with another head."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from service.core.notifications.notification import notification_id
from service.core.positions.cache import Positions
from service.core.positions.visibility import Resignations
from service.features.email.content import MessageContext
from service.features.email.mailbox import Mailbox
from service.features.email.writer import EmailWriter
from service.features.push import push_message
from service.store.ports.outbox import Subscription
from tests.hostile.test_log_went_back import dump, fail_over, rounds
from tests.notifications.hooked import Hooked


@pytest.fixture
def hooked(redis_store):
    hooked = Hooked(redis_store)
    yield hooked
    hooked.close()


def test_event_id_depends_on_the_head_and_is_equal_in_each_attempt(hooked):
    game, ash, birk = hooked.table("Ash", "Birk", options={"points": 100})
    hook = hooked.hook(ash, events=["commit"])["id"]
    hooked.receiver.act["/hook"] = Once(503)
    rounds(game, (ash, birk))
    hooked.post_out()

    stood = {stored.seq: stored.head for stored in hooked.store.log.commits(game)}
    came = hooked.receiver.got["/hook"]
    assert came[0].id == came[1].id
    assert [notification_id(hook, game, seq, stood[seq]) for seq in [each.json["data"]["seq"] for each in came]] == [
        each.id for each in came
    ]


class Once:
    """A receiver that answers with this status once, and then accepts everything."""

    def __init__(self, status):
        self.status = status

    def __call__(self, *_):
        status, self.status = self.status, 204
        return status


def heads(words):
    return [(word.json["data"]["seq"], word.json["data"]["entry"]["head"]) for word in words]


def test_known_seq_arrives_with_another_head_and_id_after_a_rollback(hooked):
    game, ash, birk = hooked.table("Ash", "Birk", options={"points": 100})
    hooked.hook(ash, events=["commit"])
    rounds(game, (ash, birk))
    hooked.post_out()
    old = dump(hooked.store)
    rounds(game, (ash, birk), 2)
    hooked.post_out()
    before = dict(heads(hooked.receiver.got["/hook"]))
    count = len(hooked.receiver.got["/hook"])

    fail_over(hooked.store, old)
    rounds(game, (ash, birk), 3, pennies=1)
    hooked.post_out()
    came = heads(hooked.receiver.got["/hook"][count:])
    again = [seq for seq, head in came if seq in before]

    assert again, "what happens anew is told, though its seqs were told before"
    words = hooked.receiver.got["/hook"]
    assert len(words) == len({word.id for word in words}), "who drops what they have drops none of it"
    assert all(before[seq] != head for seq, head in came if seq in before)
    assert max(seq for seq, _ in came) > max(before)


def named(hooked, player, game):
    """Return a player's pending question, and the ids of its push notification and its email."""
    desk = MessageContext(hooked.store, Positions(hooked.store), Resignations())
    (question,) = [turn["id"] for turn in player.turns() if turn["game"] == game]
    told = push_message.build_question(desk, "device", player.id, "UTC", game, "asked", question)
    box = Mailbox("ash@example.org", verified=True)
    subscription = Subscription("letters", "email", player.id, None, 1, {})
    settings = replace(hooked.settings, public_url="https://games.example.org")
    return (
        question,
        told.id,
        EmailWriter(desk, settings).write_question(subscription, box, game, question, "asked")["Message-ID"],
    )


def test_equal_question_id_after_a_rollback_has_new_notification_and_email_ids(hooked):
    """Browsers replace a known notification silently, and mail programs drop known messages."""
    game, ash, birk = hooked.table("Ash", "Birk", options={"points": 100})
    old = dump(hooked.store)
    rounds(game, (ash, birk))
    before = named(hooked, ash, game)
    assert before == named(hooked, ash, game), "the same each time"

    fail_over(hooked.store, old)
    rounds(game, (ash, birk), pennies=1)
    after = named(hooked, ash, game)

    assert before[0] == after[0]
    assert before[1] != after[1]
    assert before[2] != after[2]


def test_feed_etag_changes_after_a_rollback(hooked):
    game, ash, birk = hooked.table("Ash", "Birk", options={"points": 100})
    feed = urlsplit(ash.post("/v1/me/feeds", {"kind": "game", "game": game}, want=201).json["url"]).path
    old = dump(hooked.store)
    rounds(game, (ash, birk))
    before = hooked.public.get(feed, want=200)

    fail_over(hooked.store, old)
    rounds(game, (ash, birk), pennies=1)
    after = hooked.public.get(feed, headers={"If-None-Match": before.headers["ETag"]})

    assert 200 == after.status
    assert before.headers["ETag"] != after.headers["ETag"]
