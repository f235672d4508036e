"""Passkeys over the API: adding, signing in, removing, and every attack on both ceremonies."""

from __future__ import annotations

import threading

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from service.core.accounts.scopes import OWNER
from service.core.http.context.tokens import digest_of
from service.features import FEATURES
from service.features.passkeys import storage
from service.ops import accounts as administration
from service.store.ports.accounts import APP, Credential, Suspension
from service.store.ports.side_data import NO_GAME
from tests.clock import StoreClock
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.core.http.test_sessions import Browser
from tests.driver import Player
from tests.features.passkeys.authenticator import ATTESTED, PRESENT, Authenticator, decode, encode

ORIGIN = "https://games.example.org"
OPTIONS, SIGN_IN = "/v1/sign-in/passkey/options", "/v1/sign-in/passkey"
MINUTE = 60_000


@pytest.fixture
def world():
    return World(public_url=ORIGIN)


@pytest.fixture
def ash(world):
    return world.player("Ash")


def options(player):
    return player.post("/v1/me/passkeys/options", {}, want=200).json["publicKey"]


def add(player, authenticator=None, name="Laptop", **wrong):
    """Add a passkey and return its authenticator and its document."""
    authenticator = authenticator or Authenticator(ORIGIN)
    body = {"name": name, "credential": authenticator.create(options(player), **wrong)}
    return authenticator, player.post("/v1/me/passkeys", body, want=201).json


def challenge(world):
    return world.public.post(OPTIONS, {}, want=200).json["publicKey"]


def sign_in(world, authenticator, **wrong):
    return world.public.post(SIGN_IN, {"credential": authenticator.get(challenge(world), **wrong)})


def fails(answer):
    return is_a_problem(answer, 403, "sign-in-failed")


def test_a_passkey_signs_in_without_a_name(world, ash):
    laptop, made = add(ash)

    signed_in = sign_in(world, laptop)

    assert (201, ash.id) == (signed_in.status, signed_in.json["id"])
    again = Player(world.site, signed_in.json["token"])
    assert "Ash" == again.get("/v1/me", want=200).json["name"]
    (listed,) = again.get("/v1/me/passkeys").json["passkeys"]
    assert listed["last_used_at"] >= listed["created_at"] == made["created_at"] and made["last_used_at"] is None


def test_a_passkey_can_start_a_session_and_needs_a_page_of_this_site(world, ash):
    laptop, _ = add(ash)
    browser, body = Browser(world.site), {"credential": laptop.get(challenge(world)), "session": True}
    from_elsewhere = {"Sec-Fetch-Site": "cross-site"}
    is_a_problem(browser.call("POST", SIGN_IN, body, headers=from_elsewhere), 403, "csrf")

    assert "token" not in browser.call("POST", SIGN_IN, body, want=201).json

    assert "Ash" == browser.call("GET", "/v1/me", want=200).json["name"]
    asked = browser.call("POST", "/v1/me/passkeys/options", {}, want=200).json["publicKey"]
    phone = {"name": "Phone", "credential": Authenticator(ORIGIN).create(asked)}
    browser.call("POST", "/v1/me/passkeys", phone, want=201)


def test_an_app_cannot_add_or_remove_passkeys(world, ash):
    _, laptop = add(ash)
    made = Credential("c1", ash.id, OWNER, world.store.schedule.now(), minted_by="", kind=APP, label="An app")
    world.store.accounts.add_token(made, digest_of("owa_1"))
    app = Player(world.site, "owa_1")

    body = {"name": "x", "credential": Authenticator(ORIGIN).create(options(ash))}
    is_a_problem(app.post("/v1/me/passkeys/options", {}), 403, "insufficient-scope")
    is_a_problem(app.post("/v1/me/passkeys", body), 403, "insufficient-scope")
    is_a_problem(app.call("DELETE", f"/v1/me/passkeys/{laptop['id']}"), 403, "insufficient-scope")


def test_the_options_ask_for_a_passkey_that_is_found_without_a_name(world, ash):
    laptop, _ = add(ash)
    asked = options(ash)

    assert {"id": "games.example.org", "name": "Oracle Wheel"} == asked["rp"]
    assert ("required", "preferred") == tuple(
        asked["authenticatorSelection"][name] for name in ("residentKey", "userVerification")
    )
    assert "none" == asked["attestation"] and ash.id.encode() == decode(asked["user"]["id"])
    assert [encode(laptop.id)] == [each["id"] for each in asked["excludeCredentials"]]
    assert ("games.example.org", []) == tuple(challenge(world)[name] for name in ("rpId", "allowCredentials"))


def test_several_passkeys_are_named_and_removed_one_by_one(world, ash):
    (laptop, first), (phone, second) = add(ash, name="Laptop"), add(ash, name="Phone")
    assert ["Laptop", "Phone"] == [each["name"] for each in ash.get("/v1/me/passkeys").json["passkeys"]]

    assert 204 == ash.call("DELETE", f"/v1/me/passkeys/{first['id']}").status
    is_a_problem(ash.call("DELETE", f"/v1/me/passkeys/{first['id']}"), 404, "unknown-passkey")

    fails(sign_in(world, laptop))
    assert 201 == sign_in(world, phone).status
    birk = world.player("Birk")
    is_a_problem(birk.call("DELETE", f"/v1/me/passkeys/{second['id']}"), 404, "unknown-passkey")


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://games.example.org.evil.example"},
        {"origin": "http://games.example.org"},
        {"origin": "https://games.example.org:8443"},
        {"rp": "evil.example"},
        {"type": "webauthn.create"},
        {"cross_origin": True},
        {"flags": 0},
        {"key": ec.generate_private_key(ec.SECP256R1())},
        {"challenge": encode(b"c" * 32)},
        {"user": b"pnobody"},
        {"user": b"\xff"},
    ],
    ids=lambda wrong: "another-key" if "key" in wrong else str(wrong),
)
def test_a_signature_for_anything_else_does_not_sign_in(world, ash, wrong):
    laptop, _ = add(ash)

    fails(sign_in(world, laptop, **wrong))

    assert 201 == sign_in(world, laptop).status


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://evil.example"},
        {"rp": "evil.example"},
        {"type": "webauthn.get"},
        {"cross_origin": True},
        {"flags": ATTESTED},
        {"flags": PRESENT},
        {"challenge": encode(b"c" * 32)},
    ],
    ids=str,
)
def test_a_registration_for_anything_else_is_rejected(ash, wrong):
    body = {"name": "Laptop", "credential": Authenticator(ORIGIN).create(options(ash), **wrong)}

    problem = is_a_problem(ash.post("/v1/me/passkeys", body), 422, "passkey-rejected")

    assert "/credential" == problem["pointer"]
    assert [] == ash.get("/v1/me/passkeys").json["passkeys"]


def test_user_verification_is_preferred_and_not_required(world, ash):
    laptop, _ = add(ash, flags=PRESENT | ATTESTED)

    assert 201 == sign_in(world, laptop, flags=PRESENT).status


def test_a_challenge_works_once(world, ash):
    laptop, _ = add(ash)
    asked = challenge(world)
    body = {"credential": laptop.get(asked)}
    assert 201 == world.public.post(SIGN_IN, body).status

    fails(world.public.post(SIGN_IN, body))
    fails(world.public.post(SIGN_IN, {"credential": laptop.get(asked)}))


def test_a_challenge_of_a_failed_sign_in_is_used_up(world, ash):
    laptop, _ = add(ash)
    asked = challenge(world)
    fails(world.public.post(SIGN_IN, {"credential": laptop.get(asked, rp="evil.example")}))

    fails(world.public.post(SIGN_IN, {"credential": laptop.get(asked)}))


def test_a_challenge_is_bound_to_its_account_and_ceremony(world, ash):
    birk, laptop = world.player("Birk"), Authenticator(ORIGIN)
    of_birk = {"name": "Laptop", "credential": laptop.create(options(birk))}
    is_a_problem(ash.post("/v1/me/passkeys", of_birk), 422, "passkey-rejected")
    to_sign_in = {**options(ash), "challenge": challenge(world)["challenge"]}
    body = {"name": "Laptop", "credential": laptop.create(to_sign_in)}
    is_a_problem(ash.post("/v1/me/passkeys", body), 422, "passkey-rejected")

    add(ash, laptop)
    fails(world.public.post(SIGN_IN, {"credential": laptop.get({"rpId": "games.example.org", **options(ash)})}))


@pytest.mark.parametrize("later", [5 * MINUTE, -MINUTE])
def test_a_challenge_expires_after_five_minutes_and_when_the_clock_is_set_back(monkeypatch, later):
    clock = StoreClock(monkeypatch, 1_900_000_000_000)
    world = World(public_url=ORIGIN)
    ash = world.player("Ash")
    laptop, _ = add(ash)
    asked = challenge(world)
    body = {"name": "Phone", "credential": Authenticator(ORIGIN).create(options(ash))}
    early = challenge(world)
    clock.forward(5 * MINUTE - 1)
    assert 201 == world.public.post(SIGN_IN, {"credential": laptop.get(early)}).status
    clock.forward(later - 5 * MINUTE + 1)

    fails(world.public.post(SIGN_IN, {"credential": laptop.get(asked)}))
    is_a_problem(ash.post("/v1/me/passkeys", body), 422, "passkey-rejected")


def test_the_store_forgets_challenges_after_five_minutes(world):
    asked = challenge(world)
    name = storage._name(decode(asked["challenge"]))

    left = world.store.accounts._wire.one("TTL", f"once:{name}")

    assert 290 < left <= 300


def test_a_copied_passkey_is_refused_by_its_sign_count(world, ash):
    laptop, _ = add(ash)
    assert 201 == sign_in(world, laptop).status
    assert 201 == sign_in(world, laptop).status

    laptop.count = 1

    fails(sign_in(world, laptop))


def test_a_synced_passkey_does_not_count(world, ash):
    phone, _ = add(ash, Authenticator(ORIGIN, counts=False))

    assert [201, 201] == [sign_in(world, phone).status for _ in range(2)]


def test_a_passkey_does_not_sign_in_to_another_account(world, ash):
    """Neither with the other account's handle, nor after its owner has registered the other passkey's id."""
    birk = world.player("Birk")
    laptop, _ = add(ash)
    of_birk = Authenticator(ORIGIN)
    of_birk.id = laptop.id
    add(birk, of_birk)

    fails(sign_in(world, of_birk, user=ash.id.encode()))

    assert ash.id == sign_in(world, laptop).json["id"]


def test_of_two_uses_of_a_challenge_at_once_one_signs_in(world, ash):
    phone, _ = add(ash, Authenticator(ORIGIN, counts=False))
    body = {"credential": phone.get(challenge(world))}
    start, statuses = threading.Barrier(4), []

    def use():
        start.wait()
        statuses.append(world.public.post(SIGN_IN, body).status)

    threads = [threading.Thread(target=use) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert [201, 403, 403, 403] == sorted(statuses)


def test_a_passkey_that_is_removed_during_a_sign_in_stays_removed(world, ash, monkeypatch):
    from service.features.passkeys import ceremonies

    laptop, made = add(ash)
    verify = ceremonies.verify_authentication

    def remove_first(*told):
        ash.call("DELETE", f"/v1/me/passkeys/{made['id']}", want=204)
        return verify(*told)

    monkeypatch.setattr(ceremonies, "verify_authentication", remove_first)

    fails(sign_in(world, laptop))

    assert [] == ash.get("/v1/me/passkeys").json["passkeys"]


def test_an_account_has_at_most_twenty_passkeys(world, ash):
    for _ in range(20):
        add(ash)

    body = {"name": "Laptop", "credential": Authenticator(ORIGIN).create(options(ash))}
    is_a_problem(ash.post("/v1/me/passkeys", body), 429, "too-many-passkeys")

    assert 20 == len(ash.get("/v1/me/passkeys").json["passkeys"])


def test_failed_sign_ins_are_limited_by_address(ash, world):
    world = World(world.store, public_url=ORIGIN, rate_wrong_sign_ins=3)
    laptop, _ = add(ash)
    assert [201] * 4 == [sign_in(world, laptop).status for _ in range(4)]
    for _ in range(3):
        fails(sign_in(world, laptop, rp="evil.example"))

    problem = is_a_problem(sign_in(world, laptop), 429, "too-many-guesses")

    assert "Retry-After" in sign_in(world, laptop).headers and "sign-ins" in problem["detail"]


def test_requests_for_challenges_are_limited_by_address(world, monkeypatch):
    monkeypatch.setattr("service.features.passkeys.api.CHALLENGES_HOUR", 3)
    for _ in range(3):
        challenge(world)

    is_a_problem(world.public.post(OPTIONS, {}), 429, "too-many-requests")


def test_erasing_an_account_removes_its_passkeys(world, ash):
    laptop, _ = add(ash)

    ash.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)

    fails(sign_in(world, laptop))
    assert {} == world.store.notes.all(NO_GAME, f"passkeys:{ash.id}")


def test_a_suspended_account_does_not_sign_in(world, ash):
    laptop, _ = add(ash)
    world.store.accounts.suspend(ash.id, Suspension("Spam.", 1, None))

    assert "Spam." == is_a_problem(sign_in(world, laptop), 403, "suspended")["reason"]


def test_an_operator_can_remove_the_passkeys_of_an_account(world, ash):
    laptop, _ = add(ash)

    administration.reset_sign_in(world.store, FEATURES, "root", ash.id, "Stolen.", remove_ways=True)

    fails(sign_in(world, laptop))


def test_only_a_token_with_the_scopes_of_the_account_manages_passkeys(world, ash):
    token = ash.post("/v1/me/tokens", {"scopes": ["games:read", "games:play"]}, want=201).json["token"]
    bot = Player(world.site, token)

    for method, path, body in (
        ("GET", "/v1/me/passkeys", None),
        ("POST", "/v1/me/passkeys/options", {}),
        ("POST", "/v1/me/passkeys", {"name": "x", "credential": {}}),
        ("DELETE", "/v1/me/passkeys/k0", None),
    ):
        is_a_problem(bot.call(method, path, body), 403, "insufficient-scope")
        is_a_problem(world.public.call(method, path, body), 401, "no-token")


@pytest.mark.parametrize("url", ["http://games.example.org", "https://192.0.2.1", "https://[2001:db8::1]:8443"])
def test_passkeys_need_tls_and_a_domain(url):
    world = World(public_url=url)
    ash = world.player("Ash")

    is_a_problem(ash.post("/v1/me/passkeys/options", {}), 409, "passkeys-disabled")
    is_a_problem(world.public.post(OPTIONS, {}), 409, "passkeys-disabled")
    is_a_problem(world.public.post(SIGN_IN, {"credential": {}}), 409, "passkeys-disabled")


@pytest.mark.parametrize(
    ("url", "party", "origin"),
    [
        ("http://localhost:8000", "localhost", "http://localhost:8000"),
        ("https://Games.example.org:443/", "games.example.org", "https://games.example.org"),
        ("https://games.example.org:8443", "games.example.org", "https://games.example.org:8443"),
    ],
)
def test_the_relying_party_is_the_public_url(url, party, origin):
    world = World(public_url=url)
    ash = world.player("Ash")
    laptop = Authenticator(origin)

    add(ash, laptop)

    assert party == challenge(world)["rpId"]
    assert 201 == sign_in(world, laptop).status


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/name"),
        ({"name": "", "credential": {}}, "/name"),
        ({"name": "x" * 81, "credential": {}}, "/name"),
        ({"name": 7, "credential": {}}, "/name"),
        ({"name": "x"}, "/credential"),
        ({"name": "x", "credential": []}, "/credential"),
        ({"name": "x", "credential": None}, "/credential"),
        ({"name": "x", "credential": {}, "more": 1}, "/more"),
    ],
)
def test_invalid_bodies_are_422_with_a_pointer(world, ash, body, pointer):
    problem = is_a_problem(ash.post("/v1/me/passkeys", body), 422, "invalid")
    assert pointer in [each["pointer"] for each in problem["errors"]]

    if pointer == "/credential":
        sent = {name: value for name, value in body.items() if name == "credential"}
        assert pointer == is_a_problem(world.public.post(SIGN_IN, sent), 422, "invalid")["pointer"]


STRANGE = (
    *(None, 7, True, "", "\0", "A", "A" * 5000, [], [[]], ["a new one"], {}, {"a": [[]]}),
    *(encode(each) for each in (b"{}", b"\xa1" * 3000, b"\x9b" + b"\xff" * 8, b"[" * 9000)),
)
"""Values of another type, not base64, not JSON, and CBOR that is deep or says that it is long."""


def places(value, path=()):
    """The path of each part of a JSON object, of parts of parts also."""
    for name, part in value.items():
        yield (*path, name)
        if isinstance(part, dict):
            yield from places(part, (*path, name))


def changed(value, path, strange):
    """A copy in which the part is something strange, or missing if that is Ellipsis."""
    name, *rest = path
    if rest:
        return {**value, name: changed(value[name], rest, strange)}
    return {each: part for each, part in {**value, name: strange}.items() if part is not ...}


def test_malformed_credentials_are_refused_and_never_an_error(world, ash):
    """Each with a valid challenge, if that is not what is malformed."""
    world = World(world.store, public_url=ORIGIN, rate_wrong_sign_ins=0)
    laptop, _ = add(ash)
    for path in places(laptop.get(challenge(world))):
        for strange in (*STRANGE, ...):
            fails(world.public.post(SIGN_IN, {"credential": changed(laptop.get(challenge(world)), path, strange)}))

    new = Authenticator(ORIGIN)
    for path in places(new.create(options(ash))):
        for strange in (*STRANGE, ...):
            body = {"name": "x", "credential": changed(new.create(options(ash)), path, strange)}
            if path == ("response", "transports"):
                assert 201 == ash.post("/v1/me/passkeys", body).status
                assert options(ash)["excludeCredentials"]
            else:
                is_a_problem(ash.post("/v1/me/passkeys", body), 422, "passkey-rejected")
