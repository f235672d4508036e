"""Refused email and misbehaving mail servers: bounce counts, reasons, and failures."""

from __future__ import annotations

import socket
import threading
import time
from email.message import EmailMessage

import pytest

from service.core.outbound import mail_server
from service.core.outbound.smtp import Mailer
from service.features.email.mailbox import MAX_BOUNCES, Mailbox, find_mailbox
from tests.clock import StoreClock
from tests.notifications.mail import MailServer
from tests.notifications.test_email import FROM, HIDE, HOUR, Office, table
from tests.notifications.test_liars import Liar
from tests.soaking import sample

DAYS = 24 * HOUR


@pytest.fixture
def office(monkeypatch):
    monkeypatch.setattr("service.features.email.handler.ONLINE_MILLISECONDS", 0)
    with MailServer() as server:
        yield Office(server)


@pytest.fixture
def clock(monkeypatch):
    return StoreClock(monkeypatch)


def bounces(office, player):
    return Mailbox.from_subscription(find_mailbox(office.store, player.id)).bounces


def test_daily_email_stops_after_three_bounces_and_the_reason_is_shown(office, clock):
    _, ash, _ = table(office)
    office.subscribed(ash, when="daily")
    office.server.answers = ["rcpt 550 5.1.1 no such mailbox"] * 9
    for _ in range(6):
        clock.forward(DAYS)
        office.carry()

    told = office.state(ash)
    assert "bounced" == told["disabled_reason"]
    refused = [each for each in told["emails"] if each["kind"] == "daily"]
    assert [("dead", "recipient-refused 550 5.1.1")] * MAX_BOUNCES == [
        (each["state"], each["reason"]) for each in refused
    ]
    assert 9 - MAX_BOUNCES == len(office.server.answers), "nothing was sent after that"
    assert 3 == MAX_BOUNCES, "as the docs say"

    office.server.answers = []
    ash.call("PUT", "/v1/me/email", {"address": told["address"], "when": "daily"}, want=200)
    clock.forward(DAYS)
    assert 1 == len(office.carry())
    assert (None, 0) == (office.state(ash)["disabled_reason"], bounces(office, ash))


@pytest.mark.parametrize("answer", sample(["rcpt 450 4.2.1 later", "rcpt 421 4.3.2 full", "451 4.3.0 later"], 3))
def test_temporary_refusal_does_not_count_as_a_bounce(office, clock, answer):
    game, ash, birk = table(office)
    office.subscribed(ash)
    office.server.answers = [answer] * 5
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    for _ in range(5):
        office.carry()
        clock.forward(HOUR)

    assert (None, 0) == (office.state(ash)["disabled_reason"], bounces(office, ash))
    assert 1 == len(office.carry())


@pytest.mark.parametrize(
    ("answer", "reason", "bounced"),
    [
        ("rcpt 550 5.1.1 no such mailbox", "recipient-refused 550 5.1.1", True),
        ("rcpt 553 5.1.3 bad syntax", "recipient-refused 553 5.1.3", True),
        ("550 5.1.1 no such mailbox", "refused 550 5.1.1", True),
        ("rcpt 554 5.7.1 relay access denied", "recipient-refused 554 5.7.1", False),
        ("rcpt 550 5.1.8 bad sender domain", "recipient-refused 550 5.1.8", False),
        ("rcpt 552 5.2.2 mailbox full", "recipient-refused 552 5.2.2", False),
        ("rcpt 550 no", "recipient-refused 550", False),
        ("rcpt 450 4.1.1 later", "recipient-refused 450 4.1.1", False),
        ("554 5.7.1 spam", "refused 554 5.7.1", False),
    ],
)
def test_only_address_codes_are_bounces(answer, reason, bounced):
    with MailServer() as server:
        server.answers = [answer]
        handed = Mailer(server.url, FROM, 5.0).send(letter())

    assert (False, bounced, reason) == (handed.is_accepted, handed.is_bounced, handed.reason)


@pytest.mark.parametrize("answer", sample(["rcpt 554 5.7.1 relay access denied", "554 5.7.1 spam"], 2))
def test_policy_refusal_by_the_relay_disables_no_email(office, clock, answer):
    game, ash, birk = table(office, options={"points": 100})
    office.subscribed(ash)
    for _ in range(4):
        office.server.answers = [answer] * 9
        for player in (ash, birk):
            player.send(game, HIDE, want=200)
        assert [] == office.carry()
        clock.forward(HOUR)
    office.server.answers = []
    clock.forward(HOUR)

    assert (None, 0) == (office.state(ash)["disabled_reason"], bounces(office, ash))
    assert 1 == len(office.carry()), "the question of now is still delivered"


def test_many_bounces_at_once_are_blamed_on_the_server_and_retried(office, clock):
    players = [
        player
        for names in (("Ash", "Birk"), ("Cleo", "Dov"))
        for player in office.world.table(*names, options={"points": 100})[1:]
    ]
    for player in players:
        office.subscribed(player, when="daily")
    office.server.answers = ["rcpt 550 5.1.1 unknown"] * 99
    for _ in range(5):
        clock.forward(DAYS)
        assert [] == office.carry()

    assert [None] * 4 == [office.state(player)["disabled_reason"] for player in players]
    assert all(bounces(office, player) <= 1 for player in players)
    office.server.answers = []
    clock.forward(HOUR)
    assert office.carry(), "what failed last is tried again"
    assert not mail_server.list_failures(office.store)


def test_failures_of_the_mail_server_are_counted_until_it_accepts_email(office, clock):
    game, ash, birk = table(office, options={"points": 100})
    office.subscribed(ash)
    office.server.answers = ["rcpt 554 5.7.1 relay access denied"] * 2
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    for number in (1, 2):
        office.carry()
        assert number == len(mail_server.list_failures(office.store))
        clock.forward(HOUR)
    office.carry()

    assert () == mail_server.list_failures(office.store)


def test_bounces_of_one_address_are_no_failure_of_the_mail_server(office, clock):
    _, ash, _ = table(office)
    office.subscribed(ash, when="daily")
    office.server.answers = ["rcpt 550 5.1.1 no such mailbox"] * 3
    for _ in range(3):
        clock.forward(DAYS)
        office.carry()

    assert "bounced" == office.state(ash)["disabled_reason"]
    assert () == mail_server.list_failures(office.store)


def letter():
    made = EmailMessage()
    made["From"], made["To"] = FROM, "ada@example.org"
    return made


def drips(line, over):
    line.sendall(b"220 ")
    while not over.wait(0.05):
        line.sendall(b"x")


def greets_without_end(line, over):
    line.sendall(b"220 here\r\n")
    line.recv(1000)
    while not over.wait(0.01):
        line.sendall(b"250-more\r\n")


@pytest.mark.parametrize("act", [drips, greets_without_end])
def test_mail_server_that_never_finishes_times_out(act):
    liar = Liar(act)
    begun = time.monotonic()
    handed = Mailer(f"smtp://127.0.0.1:{liar.port}", FROM, 5.0, 0.8).send(letter())
    liar.close()

    assert (False, False, "too-slow") == (handed.is_accepted, handed.is_bounced, handed.reason)
    assert time.monotonic() - begun < 4


def test_mail_server_that_never_starts_tls_times_out():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        handed = Mailer(f"smtps://127.0.0.1:{silent.getsockname()[1]}", FROM, 0.5, 5.0).send(letter())

    assert (False, False, "too-slow") == (handed.is_accepted, handed.is_bounced, handed.reason)
    assert time.monotonic() - begun < 4


@pytest.mark.parametrize("said", [b"220 " + b"x" * 20_000 + b"\r\n", b"hello\r\n", b"", b"\xff\xfe\r\n", b"554 no\r\n"])
def test_invalid_smtp_response_does_not_count_as_a_bounce(said):
    def act(line, _):
        line.sendall(said)

    liar = Liar(act)
    handed = Mailer(f"smtp://127.0.0.1:{liar.port}", FROM, 1.0, 3.0).send(letter())
    liar.close()

    assert (False, False) == (handed.is_accepted, handed.is_bounced)
    assert handed.reason


def test_mailer_leaves_no_thread_of_an_email_running():
    """One thread, made at the first use in a process, watches the deadlines of all connections."""
    before = set(threading.enumerate())
    with MailServer() as server:
        for _ in range(5):
            assert Mailer(server.url, FROM, 5.0).send(letter()).is_accepted
    until = time.monotonic() + 3
    while (left := threads_since(before)) and time.monotonic() < until:
        time.sleep(0.05)
    assert left == set()


def threads_since(before):
    return {each for each in threading.enumerate() if each not in before and each.name != "deadline"}
