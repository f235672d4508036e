"""Side workers are killed while they send email: every email arrives, and duplicates have the same id."""

from __future__ import annotations

from collections import Counter

import pytest

from domain.kernel.terms import PlayerId
from service.core.notifications.kinds import EMAIL
from service.features.email import links
from service.features.email.mailbox import Mailbox
from service.store.ports.accounts import Credential, Player
from service.store.ports.outbox import Subscription
from tests.notifications.mail import MailServer
from tests.workers.conftest import Tables
from tests.workers.crew import Crew, eventually

PEOPLE = 4


def subscribed(store, name):
    """Create an account with a confirmed email address."""
    store.accounts.create(Player(PlayerId(name), name.title(), 1), Credential(f"c{name}", name, ("play",), 1), name)
    box = Mailbox(f"{name}@example.org", verified=True, leave=f"secret-of-{name}")
    made = Subscription(f"s{name}", EMAIL, PlayerId(name), None, 1, box.terms())
    assert store.subscriptions.add(made, 1)
    links.register_unsubscribe_secret(store, made, box.leave)
    return made


def chaos(store, url, folder, each, kills):
    people = [f"ada{number}" for number in range(PEOPLE)]
    subscriptions = [subscribed(store, name) for name in people]
    tables = Tables(store)
    wanted = set()
    with MailServer() as mail:
        crew = Crew(
            url,
            folder,
            1,
            ORACLEWHEEL_SMTP_URL=mail.url,
            ORACLEWHEEL_MAIL_FROM="post@games.example.org",
            ORACLEWHEEL_PUBLIC_URL="https://games.example.org",
        )
        for name, subscription in zip(people, subscriptions, strict=True):
            for _ in range(each):
                game = tables.start(name, "bob")
                assert store.outbox.listen([game], subscription.id) == [True]
                wanted.add((f"{name}@example.org", f"<{game}@games.example.org>"))

        def come():
            return {(to[0], letter["References"]) for to, letter in list(mail.letters)}

        try:
            crew.start()
            side = crew.start("side")
            for _ in range(kills):
                before = len(mail.letters)
                eventually(lambda before=before: len(mail.letters) > before or come() == wanted, seconds=60, every=0.02)
                crew.kill(side)
                side = crew.start("side")
            eventually(lambda: come() == wanted, seconds=120, every=0.1)
            eventually(lambda: store.outbox.census().pending == 0, seconds=30)
            assert [0, 0] == crew.stop(30)
        finally:
            crew.end()
        ids = Counter(letter["Message-ID"] for _, letter in mail.letters)
        assert wanted == come()
        assert len(wanted) == len(ids), "a letter that came twice is the same letter"
        assert sum(ids.values()) <= len(wanted) + kills * PEOPLE


@pytest.mark.soak
def test_killed_side_workers_lose_no_email(redis_store, redis_url, tmp_path):
    chaos(redis_store, redis_url, tmp_path, each=3, kills=3)


@pytest.mark.soak
def test_repeatedly_killed_side_workers_lose_no_email(redis_store, redis_url, tmp_path):
    chaos(redis_store, redis_url, tmp_path, each=15, kills=20)
