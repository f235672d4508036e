"""Side workers are killed while they push: every notification arrives, and duplicates have the same id."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from domain.kernel.terms import PlayerId
from service.core.notifications.kinds import PUSH
from service.features.push.device import DeviceTerms, device_id
from service.features.push.encryption import encode_public_key
from service.ops.keys.push_key import push_key
from service.store.ports.accounts import Credential, Player
from service.store.ports.outbox import Subscription
from tests.notifications.pushed import Browser, vouched
from tests.notifications.receiver import Receiver
from tests.notifications.test_chaos import Whims, no
from tests.workers.conftest import Tables
from tests.workers.crew import Crew, eventually

PEOPLE = 4


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()


def subscribed(store, receiver, name):
    """Create an account with a subscribed browser whose push service fails now and then."""
    store.accounts.create(Player(PlayerId(name), name.title(), 1), Credential(f"c{name}", name, ("play",), 1), name)
    browser = Browser(receiver, f"/{name}")
    told = browser.subscription
    device = DeviceTerms(told["endpoint"], told["keys"]["p256dh"], told["keys"]["auth"], f"c{name}")
    browser.id = device_id(device.endpoint)
    assert store.subscriptions.add(Subscription(browser.id, PUSH, PlayerId(name), None, 1, device.terms()), 1)
    receiver.act[browser.path] = Whims(no)
    return browser


def taken(browser):
    """Return the notifications received by the push service, accepted or refused, including duplicates."""
    return [(told["game"], told["id"]) for told in browser.notices]


def chaos(store, url, folder, receiver, each, kills):
    begun = time.monotonic()
    browsers = {name: subscribed(store, receiver, name) for name in [f"ada{number}" for number in range(PEOPLE)]}
    tables = Tables(store)
    wanted = set()
    crew = Crew(
        url,
        folder,
        1,
        ORACLEWHEEL_DATA=str(folder / "data"),
        ORACLEWHEEL_PUSH_CONTACT="mailto:post@games.example.org",
        ORACLEWHEEL_WEBHOOK_NETWORKS="127.0.0.0/8",
        ORACLEWHEEL_WEBHOOK_PORTS=str(receiver.port),
        ORACLEWHEEL_WEBHOOK_RETRIES="1",
    )
    for name, browser in browsers.items():
        for _ in range(each):
            game = tables.start(name, "bob")
            assert [True] == store.outbox.listen([game], browser.id)
            wanted.add((name, game))

    def come():
        return {(name, game) for name, browser in browsers.items() for game, _ in taken(browser)}

    def count():
        return sum(map(len, list(receiver.got.values())))

    try:
        crew.start()
        side = crew.start("side")
        for _ in range(kills):
            before = count()
            eventually(lambda before=before: count() > before or come() == wanted, seconds=60, every=0.02)
            crew.kill(side)
            side = crew.start("side")
        eventually(lambda: come() == wanted, seconds=120, every=0.1)
        for browser in browsers.values():
            receiver.act[browser.path].over = True
        # A failed notification is retried after as long as it is old, so the last failure can take as long as the whole test.
        eventually(lambda: store.outbox.census().pending == 0, seconds=60 + time.monotonic() - begun, every=0.1)
        assert [0, 0] == crew.stop(30)
    finally:
        crew.end()
    key = encode_public_key(push_key(folder / "data" / "push.key"))
    for name, browser in browsers.items():
        ids = Counter(taken(browser))
        assert {game for who, game in wanted if who == name} == {game for game, _ in ids}
        assert each == len(ids), "a notice that came twice is the same notice"
        assert "mailto:post@games.example.org" == vouched(receiver.got[browser.path][-1], key)["sub"]
        assert all(note["state"] != "dead" for note in store.subscriptions.noted(browser.id))
        delivered = [note["id"] for note in store.subscriptions.noted(browser.id) if note["state"] == "delivered"]
        assert {id_ for _, id_ in ids} >= set(delivered)


@pytest.mark.soak
def test_killed_side_workers_lose_no_push_notification(redis_store, redis_url, tmp_path, receiver):
    chaos(redis_store, redis_url, tmp_path, receiver, each=3, kills=3)


@pytest.mark.soak
def test_repeatedly_killed_side_workers_lose_no_push_notification(redis_store, redis_url, tmp_path, receiver):
    chaos(redis_store, redis_url, tmp_path, receiver, each=15, kills=20)
