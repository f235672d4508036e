"""Side workers are killed every second while receivers hang, misbehave or are away: every event arrives, in order, known by its id."""

from __future__ import annotations

import os
import random
import time

import pytest

from domain.kernel.terms import PlayerId
from service.core.notifications.game_subscriptions import subscribe_all
from service.core.notifications.kinds import WEBHOOK
from service.core.notifications.notification import notification_id
from service.core.queue import SIDE
from service.features.webhooks.signatures import generate_secret
from service.features.webhooks.webhook import WebhookTerms
from service.store.ports.outbox import Subscription
from tests.notifications.receiver import Receiver, drip, endless, hang, nonsense, redirect
from tests.workers.conftest import Tables
from tests.workers.crew import Crew, eventually
from tests.workers.test_advance import bodies
from workers.process import BEHIND

TABLES = 3
SIDES = 2
STILL = 60
"""Seconds to wait for another event before giving up."""


class Whims:
    """A receiver that answers normally or, at random, misbehaves until `over` is set."""

    def __init__(self, *acts):
        self.acts, self.chance, self.over = acts, random.Random(5), False

    def __call__(self, got, handler):
        if self.over or self.chance.random() < 0.4:
            return 204
        return self.chance.choice(self.acts)(got, handler)


def no(*_):
    return 503


@pytest.fixture
def receiver():
    made = Receiver()
    made.whims = {
        "/hangs": Whims(hang(4), drip(4)),
        "/lies": Whims(nonsense, endless(500), redirect("http://127.0.0.1:1/"), no),
        "/away": Whims(no),
    }
    made.whims["/away"].chance = random.Random()
    made.whims["/away"].chance.random = lambda: 1.0  # it is never available
    made.act.update(made.whims)
    yield made
    made.close()


def hooked(store, receiver, path):
    """Create a webhook of Ada for all her games."""
    webhook = WebhookTerms(receiver.url(path), "json", ("commit",), "seat", ((generate_secret(), 0),))
    made = Subscription(f"w{path[1:]}", WEBHOOK, PlayerId("ada"), None, 1, webhook.terms())
    assert store.subscriptions.add(made, 0)
    subscribe_all(store, made)
    return webhook


def expected(store, path, game):
    """Return the ids of all events of a game in the order of its commits. Refusals to other seats are not sent to Ada."""
    return [
        notification_id(f"w{path[1:]}", game, commit.seq, commit.head)
        for commit, body in zip(store.log.commits(game), bodies(store, game), strict=True)
        if "refusal" not in body or body["actor"]["seat"] == 1
    ]


def got(receiver, path, game):
    """Return the received events of a game in the order of arrival."""
    return [each for each in list(receiver.got[path]) if each.json["data"]["game"] == game]


def first_ids(receiver, path, game):
    return list(dict.fromkeys(each.id for each in got(receiver, path, game)))


def chaos(store, url, folder, receiver, kills):
    crew = Crew(
        url,
        folder,
        1,
        ORACLEWHEEL_WEBHOOK_NETWORKS="127.0.0.0/8",
        ORACLEWHEEL_WEBHOOK_PORTS=str(receiver.port),
        ORACLEWHEEL_WEBHOOK_SECONDS="1",
        ORACLEWHEEL_WEBHOOK_RETRIES=",".join(["1"] * 500),
        ORACLEWHEEL_RATE_WEBHOOKS="0",  # all of these deliveries are of one account
    )
    paths = ["/well", *receiver.whims]
    webhooks = {path: hooked(store, receiver, path) for path in paths}
    tables = Tables(store)
    games = [tables.start(points=100_000) for _ in range(TABLES)]
    for game in games:
        for path in paths:
            store.outbox.listen([game], f"w{path[1:]}")
    chance = random.Random(7)
    try:
        crew.start()
        sides = [crew.start("side") for _ in range(SIDES)]
        usual = os.getpriority(os.PRIO_PROCESS, 0)
        eventually(lambda: usual + BEHIND[SIDE] == os.getpriority(os.PRIO_PROCESS, sides[0].pid), every=0.1)
        for kill in range(kills):
            before = sum(map(len, receiver.got.values()))
            until = time.monotonic() + 1
            while time.monotonic() < until:
                for game in games:
                    for seat in (1, 2):
                        tables.hide(game, seat, kill % 4)
                time.sleep(0.25)
            eventually(lambda before=before: sum(map(len, receiver.got.values())) > before, seconds=30, every=0.1)
            victim = sides.pop(chance.randrange(len(sides)))
            crew.kill(victim)
            sides.append(crew.start("side"))
        _all_have_come(store, receiver, "/well", games, "though the others still hang, lie and are away")
        for whim in receiver.whims.values():
            whim.over = True
        for path in receiver.whims:
            _all_have_come(store, receiver, path, games, path)
        eventually(lambda: store.outbox.census().pending == 0, seconds=30)
        assert [0] * (SIDES + 1) == crew.stop(30)
    finally:
        crew.end()
    for path in paths:
        for game in games:
            words = got(receiver, path, game)
            assert expected(store, path, game) == first_ids(receiver, path, game)
            heads = {commit.seq: commit.head for commit in store.log.commits(game)}
            seqs = [word.json["data"]["seq"] for word in words]
            assert [notification_id(f"w{path[1:]}", game, seq, heads[seq]) for seq in seqs] == [
                word.id for word in words
            ]
            assert all(word.verified(webhooks[path].secrets[0][0]) for word in words[-3:])
    assert 0 == store.outbox.census().dead


def _all_have_come(store, receiver, path, games, why):
    def come():
        return all(set(expected(store, path, game)) <= set(first_ids(receiver, path, game)) for game in games)

    count, until = -1, 0.0
    while not come():
        if (now := sum(len(first_ids(receiver, path, game)) for game in games)) > count:
            count, until = now, time.monotonic() + STILL  # wait as long as new ones arrive
        elif time.monotonic() > until:
            missing = [len(set(expected(store, path, game)) - set(first_ids(receiver, path, game))) for game in games]
            raise AssertionError(f"{missing} words are missing: {why}")
        time.sleep(0.2)


@pytest.mark.soak
def test_every_event_arrives_in_order_despite_killed_workers_and_bad_receivers(
    redis_store, redis_url, tmp_path, receiver
):
    chaos(redis_store, redis_url, tmp_path, receiver, 6)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_every_event_arrives_in_order_during_a_minute_of_kills(redis_store, redis_url, tmp_path, receiver):
    chaos(redis_store, redis_url, tmp_path, receiver, 60)
