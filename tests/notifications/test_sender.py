"""Webhook requests: allowed addresses, time limits, and protection against hostile receivers."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from service.core.outbound.addresses import AllowedAddresses, ForbiddenAddress, NoAddress, is_public
from service.core.outbound.sender import Sender
from service.core.outbound.targets import InvalidTarget, Target, normalize_host, parse_target
from service.ops.settings import BadSetting, Settings
from tests.notifications.receiver import Receiver, document, drip, endless, hang, nonsense, redirect

LOOPBACK = AllowedAddresses((ipaddress.ip_network("127.0.0.0/8"),), frozenset())
ALL_PORTS = AllowedAddresses((), frozenset())


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()


def post(receiver, path="/hook", reach=LOOPBACK, seconds=1.0, **target):
    where = {"secure": False, "host": "127.0.0.1", "port": receiver.port, "path": path, **target}
    return Sender(reach, seconds).post(Target(**where), {"webhook-id": "msg_1"}, b"{}")


@pytest.mark.parametrize(
    "address",
    [
        *(
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.8.8.8",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.1.1",
        ),
        *(
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "198.18.0.1",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
        ),
        *("::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b::7f00:1"),
        *("64:ff9b::808:808", "64:ff9b:1::1", "2002:7f00:1::", "2002:808:808::1", "2001::1", "2001:db8::1", "fe80::1"),
        *("fe80::1%lo", "fc00::1", "fd12::1", "ff02::1", "ff0e::1", "fec0::1", "100::1", "4000::1"),
    ],
)
def test_non_public_address_is_refused(address):
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001:80b::200e"])
def test_public_address_is_allowed(address):
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    ("host", "found", "reason"),
    [
        ("one.example", ["127.0.0.1"], "forbidden-address"),
        ("both.example", ["93.184.216.34", "10.0.0.1"], "forbidden-address"),
        ("mapped.example", ["::ffff:127.0.0.1"], "forbidden-address"),
        ("none.example", None, "no-address"),
    ],
)
def test_host_name_with_a_forbidden_or_no_address_is_not_connected_to(monkeypatch, receiver, host, found, reason):
    def looked_up(*_, **__):
        if found is None:
            raise socket.gaierror("no")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 80)) for each in found]

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("it is connected to"))

    assert reason == post(receiver, host=host, reach=ALL_PORTS).reason


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "0177.0.0.1", "localhost"])
def test_no_spelling_of_loopback_is_allowed(host, receiver):
    url = f"http://{host}:{receiver.port}/hook"
    answered = Sender(ALL_PORTS, 1).post(parse_target(url, ALL_PORTS), {}, b"{}")

    assert answered.reason in ("forbidden-address", "no-address")
    assert not receiver.got


def test_connection_uses_the_address_that_was_checked(monkeypatch, receiver):
    """The name is resolved once, so that DNS rebinding has no effect."""
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    looked = []

    def rebinding(host, port, **_):
        looked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in next(answers)]

    connected = []
    real = socket.create_connection
    monkeypatch.setattr(socket, "getaddrinfo", rebinding)

    def connect(address, *more):
        connected.append(address)
        monkeypatch.undo()
        return real(address, *more)

    monkeypatch.setattr(socket, "create_connection", connect)
    answered = post(receiver, host="rebinding.example")

    assert ("ok", 204) == (answered.reason, answered.status)
    assert (["rebinding.example"], [("127.0.0.1", receiver.port)]) == (looked, connected)
    assert f"rebinding.example:{receiver.port}" == receiver.got["/hook"][0].headers["host"]


def test_redirects_are_not_followed(receiver):
    receiver.act["/hook"] = redirect(receiver.url("/elsewhere"))

    answered = post(receiver)

    assert ("status", 307) == (answered.reason, answered.status)
    assert not receiver.got["/elsewhere"]


def test_proxy_settings_of_the_environment_are_ignored(monkeypatch, receiver):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert post(receiver).is_accepted
    assert "/hook" == receiver.got["/hook"][0].path


@pytest.mark.parametrize("act", [hang(8), drip(8)], ids=["hang", "drip"])
def test_hanging_or_slow_receiver_times_out(receiver, act):
    receiver.act["/hook"] = act

    begun = time.monotonic()
    answered = post(receiver, seconds=0.7)

    assert "too-slow" == answered.reason
    assert time.monotonic() - begun < 3


def test_receiver_that_never_starts_tls_times_out():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        target = Target(True, "127.0.0.1", silent.getsockname()[1], "/")
        answered = Sender(LOOPBACK, 0.7).post(target, {}, b"{}")

    assert "too-slow" == answered.reason
    assert time.monotonic() - begun < 3


@pytest.mark.parametrize("status", [200, 500])
def test_endless_response_body_is_not_read(receiver, status):
    receiver.act["/hook"] = endless(status)

    begun = time.monotonic()
    answered = post(receiver, seconds=5)

    assert status == answered.status
    assert time.monotonic() - begun < 3


def test_invalid_http_response_is_a_failure(receiver):
    receiver.act["/hook"] = nonsense

    assert "bad-answer" == post(receiver).reason


@pytest.mark.parametrize(("status", "taken"), [(200, True), (204, True), (304, False), (404, False), (503, False)])
def test_delivery_succeeds_only_with_status_2xx(receiver, status, taken):
    receiver.act["/hook"] = lambda *_: status

    answered = post(receiver)

    assert (taken, status) == (answered.is_accepted, answered.status)


def test_closed_port_fails_with_no_connection(receiver):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]

    assert "no-connection" == post(receiver, port=port).reason


def test_port_that_is_no_longer_allowed_is_not_connected_to(receiver):
    assert "forbidden-address" == post(receiver, reach=AllowedAddresses(LOOPBACK.networks, frozenset({443}))).reason
    assert not receiver.got


# -- certificates -----------------------------------------------------------------------------------------------------


@pytest.fixture
def certified(tmp_path):
    """A receiver with a certificate for ``hooks.example``, and a context that trusts it."""
    import datetime as dt

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hooks.example")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("hooks.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "both.pem"
    file.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(file)
    trusted = ssl.create_default_context()
    trusted.load_verify_locations(file)
    receiver = Receiver(tls)
    yield receiver, trusted
    receiver.close()


@pytest.fixture
def names(monkeypatch):
    """Resolve names under ``example`` to loopback."""
    real = socket.getaddrinfo

    def looked_up(host, port, *more, **told):
        return real("127.0.0.1" if str(host).endswith(".example") else host, port, *more, **told)

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)


@pytest.mark.parametrize(
    ("host", "trusts", "reason"),
    [("hooks.example", True, "ok"), ("hooks.example", False, "no-security"), ("other.example", True, "no-security")],
)
def test_certificate_must_be_trusted_and_match_the_host_name(certified, names, host, trusts, reason):
    receiver, trusted = certified
    sender = Sender(LOOPBACK, 3, trusted if trusts else None)

    assert reason == sender.post(Target(True, host, receiver.port, "/hook"), {}, b"{}").reason
    assert (reason == "ok") is bool(receiver.got["/hook"])


# -- documents --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "reason", "body"),
    [
        (document(b"12345678"), "ok", b"12345678"),
        (document(b"123456789"), "ok", None),
        (document(b""), "ok", b""),
        (document(b"12345678", 404), "status", None),
        (endless(200), "ok", None),
        (redirect("http://127.0.0.1/"), "status", None),
        (hang(3), "too-slow", None),
        (nonsense, "bad-answer", None),
    ],
    ids=["whole", "too large", "empty", "missing", "endless", "moved", "silent", "nonsense"],
)
def test_document_is_read_up_to_its_limit(receiver, act, reason, body):
    receiver.act["/file"] = act

    found = Sender(LOOPBACK, 1.0).get(Target(False, "127.0.0.1", receiver.port, "/file"), {"Accept": "text/plain"}, 8)

    assert (reason, body) == (found.result.reason, found.body)
    assert b"" == receiver.got["/file"][0].body
    assert "text/plain" == receiver.got["/file"][0].headers["accept"]


def test_document_of_a_private_address_is_not_read(receiver):
    found = Sender(ALL_PORTS, 1.0).get(Target(False, "127.0.0.1", receiver.port, "/file"), {}, 8)

    assert ("forbidden-address", None) == (found.result.reason, found.body)
    assert [] == receiver.got["/file"]


# -- the form of addresses --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "example.org",
            "ftp://example.org/",
            "file:///etc/passwd",
            "//example.org/",
            "http:/example.org",
            "http://",
        ),
        *("http://user@example.org/", "http://user:word@example.org/", "http://example.org@127.0.0.1/", "http://a b/"),
        *(
            "http://example.org\\@127.0.0.1/",
            "http://example.org/#part",
            "http://example.org/\n",
            "http://exämple.org/",
        ),
        *(
            "http://[::1",
            "http://[::ffff:8.8.8.8]/",
            "http://[fe80::1%25eth0]/",
            "http://127.0.0.1/",
            "http://10.1.2.3/",
        ),
        *(
            "http://[::1]/",
            "http://example.org:0/",
            "http://example.org:99999/",
            "http://example.org:25/",
            "http://-a/",
        ),
        *("javascript:alert(1)", "http://169.254.169.254/latest/meta-data", "https://" + "a" * 1000, "http://[zz]/"),
    ],
)
def test_malformed_or_forbidden_url_is_refused(url):
    with pytest.raises(InvalidTarget):
        parse_target(url, AllowedAddresses())


def test_valid_url_is_parsed():
    assert Target(True, "example.org", 443, "/") == parse_target("https://example.org", AllowedAddresses())
    assert Target(False, "Ex-1.example", 80, "/a/b?c=d@e") == parse_target(
        "http://Ex-1.example/a/b?c=d@e", AllowedAddresses()
    )
    assert "[2606:4700::1]:8443" == parse_target("https://[2606:4700::1]:8443/", ALL_PORTS).authority
    assert "example.org" == parse_target("https://example.org:443/?q", AllowedAddresses()).authority
    assert "/?q" == parse_target("https://example.org?q", AllowedAddresses()).path


def test_operator_can_allow_networks_and_ports():
    reach = AllowedAddresses.from_settings(
        Settings(webhook_networks=("127.0.0.0/8", "fd00::/8"), webhook_ports=("443", "5000"))
    )

    assert reach.resolve_host("127.0.0.1", 5000, 1) == ["127.0.0.1"]
    assert "127.0.0.1" == parse_target("http://127.0.0.1:5000/", reach).host
    with pytest.raises(ForbiddenAddress):
        reach.resolve_host("10.0.0.1", 5000, 1)
    with pytest.raises(NoAddress):
        reach.resolve_host("a" * 70 + ".example", 443, 1)
    for wrong in ({"webhook_networks": ("10.0.0.1/8",)}, {"webhook_ports": ("https",)}, {"webhook_ports": ("0",)}):
        with pytest.raises(BadSetting):
            AllowedAddresses.from_settings(Settings(**wrong))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "0x7f000001", "2130706433", "0177.0.0.1", "0177.0.0.1:8443"])
def test_every_spelling_of_an_ip_address_is_normalized(host):
    assert "127.0.0.1" == normalize_host(f"http://{host}/hook?x=1")


def test_host_name_is_normalized_without_case_and_port():
    assert "example.org" == normalize_host("https://Example.ORG:8443/x")
    assert "2001:db8::1" == normalize_host("https://[2001:DB8:0::1]:443/x")
