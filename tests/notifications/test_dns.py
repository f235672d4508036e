"""A hanging DNS resolver delays only the deliveries that wait for it, and names are resolved again for each attempt."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from email.message import EmailMessage
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.core.outbound import dns
from service.core.outbound.dns import resolve
from service.core.outbound.smtp import Mailer
from tests.notifications.hooked import Hooked
from tests.notifications.mail import MailServer

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def over():
    """An event that ends the hanging lookups."""
    made = threading.Event()
    yield made
    made.set()


@pytest.fixture
def names(monkeypatch, over):
    """Lookups under ``hangs.example`` hang until the test ends; ``here.example`` resolves to the given addresses."""
    real, found = socket.getaddrinfo, {}

    def looked(host, port, *more, **told):
        if str(host).endswith("hangs.example"):
            over.wait(60)
            raise socket.gaierror("no")
        if host in found:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in found[host]]
        return real(host, port, *more, **told)

    monkeypatch.setattr(socket, "getaddrinfo", looked)
    return found


def test_hanging_lookup_times_out(names):
    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        resolve("a.hangs.example", 80, 0.3)
    assert time.monotonic() - begun < 2


def test_number_of_hanging_lookups_is_limited(names, over, monkeypatch):
    monkeypatch.setattr(dns, "_places", threading.BoundedSemaphore(2))
    names["here.example"] = ["192.0.2.1"]
    for _ in range(2):
        with pytest.raises(TimeoutError):
            resolve("a.hangs.example", 80, 0.1)
    with pytest.raises(TimeoutError):
        resolve("here.example", 80, 1)

    over.set()
    until = time.monotonic() + 5
    while dns._places._value < 2 and time.monotonic() < until:
        time.sleep(0.01)
    for _ in range(3):
        assert ["192.0.2.1"] == resolve("here.example", 80, 1), "what was answered gives its place back"


def test_ip_address_is_not_looked_up(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("it is looked up"))
    assert ["127.0.0.1"] == resolve("127.0.0.1", 80, 1)
    assert ["2001:db8::1"] == resolve("2001:0db8::0001", 80, 1)


@pytest.mark.soak
def test_hanging_lookup_delays_neither_other_deliveries_nor_the_drain_for_long(names):
    given_up, at_once = 2, 2
    world = Hooked(webhook_seconds=given_up, webhook_retries=("3600",))
    game, ash, birk = world.table()
    world.hook(ash, "/hook")
    hooks = [
        birk.post("/v1/webhooks", {"url": f"http://{n}.hangs.example:{world.receiver.port}/"}, want=201).json
        for n in range(6)
    ]
    for player in (ash, birk):
        player.send(game, HIDE, wait=5)
    begun = time.monotonic()
    world.post_out()
    seconds = time.monotonic() - begun

    came = [got.at - begun for got in world.receiver.got["/hook"]]
    assert len(came) >= 2
    assert max(came) < given_up, "the others wait for nobody"
    assert seconds < given_up * (len(hooks) / at_once + 2), (
        "and whoever drains the outbox is done when they have been given up"
    )
    for hook in hooks:
        (noted,) = birk.get(f"/v1/webhooks/{hook['id']}/deliveries").json["deliveries"]
        assert ("failed", "too-slow", None) == tuple(noted[name] for name in ("state", "reason", "status"))
    world.close()


def test_host_name_is_resolved_again_for_each_attempt(names):
    """First no address, then a forbidden one, then the receiver. A delivered event is not sent again."""
    world = Hooked(webhook_retries=("0", "0", "0"))
    game, ash, _ = world.table()
    hook = ash.post("/v1/webhooks", {"url": f"http://here.example:{world.receiver.port}/hook"}, want=201).json
    answers = [[], ["127.0.0.1", "10.0.0.1"], ["127.0.0.1"]]
    real = socket.getaddrinfo

    def changing(host, port, *more, **told):
        if host == "here.example" and answers:
            names[host] = answers.pop(0)
        return real(host, port, *more, **told)

    socket.getaddrinfo = changing
    try:
        ash.send(game, HIDE, wait=5)
        world.post_out()
    finally:
        socket.getaddrinfo = real

    noted = ash.get(f"/v1/webhooks/{hook['id']}/deliveries").json["deliveries"][::-1]
    assert [("failed", "no-address"), ("failed", "forbidden-address"), ("delivered", "ok")] == [
        (each["state"], each["reason"]) for each in noted
    ][:3]
    assert 1 == len({each["id"] for each in noted[:3]})
    assert noted[0]["id"] == world.receiver.got["/hook"][0].id
    world.close()


def test_hanging_lookup_of_the_mail_server_times_out(names):
    letter = EmailMessage()
    letter["From"], letter["To"] = "a@example.org", "b@example.org"
    begun = time.monotonic()
    handed = Mailer("smtp://mail.hangs.example:25", "a@example.org", 0.5).send(letter)

    assert (False, False, "too-slow") == (handed.is_accepted, handed.is_bounced, handed.reason)
    assert time.monotonic() - begun < 4


def test_hanging_lookup_of_the_local_host_name_does_not_stop_email(monkeypatch, over):
    monkeypatch.setattr("service.core.outbound.smtp.HOSTNAME_SECONDS", 0.3)
    letter = EmailMessage()
    letter["From"], letter["To"] = "a@example.org", "b@example.org"
    with MailServer() as server:
        # Only for the client: the test's mail server looks up its own name.
        nameless = SimpleNamespace(**{**vars(socket), "getfqdn": lambda: over.wait(60) and ""})
        monkeypatch.setattr("service.core.outbound.smtp.socket", nameless)
        begun = time.monotonic()
        assert Mailer(server.url, "a@example.org", 5.0).send(letter).is_accepted
        assert time.monotonic() - begun < 5
        over.set()


REAL = """
import ctypes, fcntl, os, socket, struct, sys, time
with socket.socket() as line:  # the loopback of this namespace is down as yet
    fcntl.ioctl(line, 0x8914, struct.pack("16sh14x", b"lo", 0x1 | 0x40))
silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
silent.bind(("127.0.0.1", 53))
from service.core.outbound.addresses import AllowedAddresses
from service.core.outbound.sender import Sender
from service.core.outbound.targets import Target
begun = time.monotonic()
answered = Sender(AllowedAddresses((), frozenset()), 1.0).post(Target(False, "hooks.example.org", 80, "/"), {}, b"")
silent.settimeout(1)
print(answered.reason, round(time.monotonic() - begun, 1), len(silent.recvfrom(512)[0]) > 0)
"""


def _namespaces():
    try:
        return subprocess.run(["unshare", "-rmn", "true"], check=False, capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not _namespaces(), reason="it takes Linux that lets one have a network of one's own")
def test_lookup_by_the_system_resolver_times_out_and_lets_the_process_end(tmp_path):
    """The C library waits ten seconds and more for a name server that never answers."""
    (tmp_path / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:5 attempts:3\n")
    (tmp_path / "hangs.py").write_text(REAL)
    inside = f'mount --bind {tmp_path}/resolv.conf /etc/resolv.conf && exec "{sys.executable}" {tmp_path}/hangs.py'
    begun = time.monotonic()
    done = subprocess.run(
        ["unshare", "-rmn", "sh", "-c", inside],
        cwd=Path(__file__).parents[2],
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    reason, seconds, asked = done.stdout.split()

    assert ("too-slow", "True") == (reason, asked)
    assert float(seconds) < 3
    assert time.monotonic() - begun < 12, "and the process ends, though the lookup does not"
