"""Letters that a mail server refuses, and mail servers that answer as none should: who is told, and what is counted."""

from __future__ import annotations

import socket
import threading
import time
from email.message import EmailMessage

import pytest

from service.post.letters.mailbox import MOST_BOUNCES, Mailbox, mailbox_of
from service.post.letters.mailing import Mailer
from tests.post.mail import MailServer
from tests.post.test_letters import FROM, HIDE, HOUR, Clock, Office, table
from tests.post.test_liars import Liar

DAYS = 24 * HOUR


@pytest.fixture
def office(monkeypatch):
    monkeypatch.setattr("workers.post.letters.THERE", 0)
    with MailServer() as server:
        yield Office(server)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def bounces(office, player):
    return Mailbox.of(mailbox_of(office.store, player.id)).bounces


def test_an_address_that_is_refused_gets_no_letter_of_the_day_after_the_third_and_its_owner_is_told(office, clock):
    _, ash, _ = table(office)
    office.subscribed(ash, when="daily")
    office.server.answers = ["rcpt 550 5.1.1 no such mailbox"] * 9
    for _ in range(6):
        clock.forward(DAYS)
        office.carry()

    told = office.state(ash)
    assert "bounced" == told["stopped"]
    refused = [each for each in told["letters"] if each["kind"] == "daily"]
    assert [("dead", "recipient-refused 550")] * MOST_BOUNCES == [(each["state"], each["reason"]) for each in refused]
    assert 9 - MOST_BOUNCES == len(office.server.answers), "nothing was sent after that"
    assert 3 == MOST_BOUNCES, "as the docs say"

    office.server.answers = []
    ash.call("PUT", "/v1/me/email", {"address": told["address"], "when": "daily"}, want=200)
    clock.forward(DAYS)
    assert 1 == len(office.carry())
    assert (None, 0) == (office.state(ash)["stopped"], bounces(office, ash))


@pytest.mark.parametrize("answer", ["rcpt 450 4.2.1 later", "rcpt 421 4.3.2 full", "451 4.3.0 later"])
def test_what_is_refused_for_now_counts_for_nothing(office, clock, answer):
    game, ash, birk = table(office)
    office.subscribed(ash)
    office.server.answers = [answer] * 5
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    for _ in range(5):
        office.carry()
        clock.forward(HOUR)

    assert (None, 0) == (office.state(ash)["stopped"], bounces(office, ash))
    assert 1 == len(office.carry())


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
def test_a_mail_server_that_is_never_done_is_left_when_the_time_is_up(act):
    liar = Liar(act)
    begun = time.monotonic()
    handed = Mailer(f"smtp://127.0.0.1:{liar.port}", FROM, 5.0, 0.8).hand(letter())
    liar.close()

    assert (False, False, "too-slow") == (handed.taken, handed.for_good, handed.reason)
    assert time.monotonic() - begun < 4


def test_a_mail_server_that_never_speaks_of_security_is_left_too():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        handed = Mailer(f"smtps://127.0.0.1:{silent.getsockname()[1]}", FROM, 0.5, 5.0).hand(letter())

    assert (False, False, "too-slow") == (handed.taken, handed.for_good, handed.reason)
    assert time.monotonic() - begun < 4


@pytest.mark.parametrize("said", [b"220 " + b"x" * 20_000 + b"\r\n", b"hello\r\n", b"", b"\xff\xfe\r\n", b"554 no\r\n"])
def test_an_answer_that_is_none_is_no_fault_of_the_address(said):
    def act(line, _):
        line.sendall(said)

    liar = Liar(act)
    handed = Mailer(f"smtp://127.0.0.1:{liar.port}", FROM, 1.0, 3.0).hand(letter())
    liar.close()

    assert (False, False) == (handed.taken, handed.for_good)
    assert handed.reason


def test_no_thread_is_left_behind():
    before = threading.active_count()
    with MailServer() as server:
        for _ in range(5):
            assert Mailer(server.url, FROM, 5.0).hand(letter()).taken
    until = time.monotonic() + 3
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.05)
    assert threading.active_count() <= before
