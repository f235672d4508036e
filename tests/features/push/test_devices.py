"""Devices for push notifications: validation, ownership and limits."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import stat

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from service.ops.settings import Settings
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem

POINT = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
ENDPOINT = "https://push.example.net/abc"


@pytest.fixture
def world(tmp_path):
    return World(data=tmp_path)


def body(endpoint=ENDPOINT, p256dh=POINT, auth=AUTH, **told):
    return {"endpoint": endpoint, "keys": {"p256dh": p256dh, "auth": auth}, **told}


def test_a_device_has_a_hash_of_its_endpoint_as_id_and_shows_no_secrets(world):
    ash = world.player()
    made = ash.post("/v1/me/devices", body(label="desk"), want=201)

    assert "d" + hashlib.sha256(ENDPOINT.encode()).hexdigest()[:24] == made.json["id"]
    assert f"/v1/me/devices/{made.json['id']}" == made.headers["Location"]
    listed = ash.get("/v1/me/devices", want=200)
    assert [made.json] == listed.json["devices"]
    assert "push.example.net" == made.json["service"]
    for secret in (ENDPOINT, POINT, AUTH):
        assert secret not in made.text + listed.text


def test_registering_an_endpoint_again_updates_the_device(world):
    ash = world.player()
    first = ash.post("/v1/me/devices", body(label="desk"), want=201).json
    again = ash.post("/v1/me/devices", body(label="lap", reminders=False), want=200).json

    assert {**first, "label": "lap", "reminders": False} == again
    assert [again] == ash.get("/v1/me/devices", want=200).json["devices"]


def test_an_endpoint_belongs_to_the_player_who_registered_it_last(world):
    ash, birk = world.player(), world.player()
    id_ = ash.post("/v1/me/devices", body(), want=201).json["id"]
    assert id_ == birk.post("/v1/me/devices", body(), want=201).json["id"]

    assert [] == ash.get("/v1/me/devices", want=200).json["devices"]
    assert [id_] == [each["id"] for each in birk.get("/v1/me/devices", want=200).json["devices"]]
    is_a_problem(ash.call("DELETE", f"/v1/me/devices/{id_}"), 404, "unknown-device")
    birk.call("DELETE", f"/v1/me/devices/{id_}", want=204)
    is_a_problem(birk.call("DELETE", f"/v1/me/devices/{id_}"), 404, "unknown-device")


def test_a_device_in_the_lists_of_two_players_belongs_to_the_owner_on_record(world):
    """An older release could leave this state when both players registered at once."""
    ash, birk = world.player(), world.player()
    id_ = ash.post("/v1/me/devices", body(), want=201).json["id"]
    found = world.store.subscriptions.get(id_)
    credential = world.store.accounts.tokens(birk.id)[0].id
    later = dataclasses.replace(found, owner=birk.id, terms={**found.terms, "credential": credential})
    assert world.store.subscriptions.change(later)
    if "redis" in type(world.store).__module__:
        assert [id_] == [each.id for each in world.store.subscriptions.of([ash.id])], "the list of ids says both"

    assert [] == ash.get("/v1/me/devices", want=200).json["devices"]
    is_a_problem(ash.post(f"/v1/me/devices/{id_}/test", {}), 404, "unknown-device")


def test_the_later_of_two_concurrent_registrations_owns_the_device(world, monkeypatch):
    """Birk's request finds no device; Ash adds one before Birk's is stored."""
    ash, birk, clicks = world.player("Ash"), world.player("Birk"), []
    real = world.store.subscriptions.add

    def clicked(*told):
        if not clicks:
            clicks.append("Ash")
            ash.post("/v1/me/devices", body(), want=201)
        return real(*told)

    monkeypatch.setattr(world.store.subscriptions, "add", clicked)
    made = birk.post("/v1/me/devices", body(), want=201).json

    assert [made] == birk.get("/v1/me/devices", want=200).json["devices"]
    assert [] == ash.get("/v1/me/devices", want=200).json["devices"]
    assert [] == list(world.store.subscriptions.of([ash.id]))


@pytest.mark.parametrize("moment", ["counted", "added"])
def test_concurrent_registrations_of_the_last_allowed_device_create_one(world, monkeypatch, moment):
    """The first request finds no device; a second one adds it before the first counts devices or adds its own."""
    ash, clicks = world.player(), []
    for number in range(Settings().devices - 1):
        ash.post("/v1/me/devices", body(f"{ENDPOINT}/{number}"), want=201)
    name = {"counted": "of", "added": "add"}[moment]
    real = getattr(world.store.subscriptions, name)

    def clicked(*told):
        if not clicks:
            clicks.append("the other one")
            ash.post("/v1/me/devices", body(f"{ENDPOINT}/last"), want=201)
        return real(*told)

    monkeypatch.setattr(world.store.subscriptions, name, clicked)
    ash.post("/v1/me/devices", body(f"{ENDPOINT}/last"), want=201)
    monkeypatch.undo()

    listed = ash.get("/v1/me/devices", want=200).json["devices"]
    assert Settings().devices == len(listed) == len({each["id"] for each in listed})
    is_a_problem(ash.post("/v1/me/devices", body(f"{ENDPOINT}/more")), 429, "too-many-devices")


@pytest.mark.parametrize(
    ("told", "pointer"),
    [
        ({}, "/endpoint"),
        (body(endpoint=7), "/endpoint"),
        (body(endpoint=""), "/endpoint"),
        (body(endpoint="push.example.net/abc"), "/endpoint"),
        (body(endpoint="http://push.example.net/abc"), "/endpoint"),
        (body(endpoint="https://ada@push.example.net/abc"), "/endpoint"),
        (body(endpoint="https://push.example.net/abc#x"), "/endpoint"),
        (body(endpoint="https://push.example.net:22/abc"), "/endpoint"),
        (body(endpoint="https://127.0.0.1/abc"), "/endpoint"),
        (body(endpoint="https://10.0.0.1/abc"), "/endpoint"),
        (body(endpoint="https://169.254.169.254/latest"), "/endpoint"),
        (body(endpoint="https://[::1]/abc"), "/endpoint"),
        (body(endpoint="https://[2606:4700::1111]/abc"), "/endpoint"),
        (body(endpoint="https://push.example.net/" + "x" * 1000), "/endpoint"),
        ({"endpoint": ENDPOINT}, "/keys"),
        ({"endpoint": ENDPOINT, "keys": "x"}, "/keys"),
        ({"endpoint": ENDPOINT, "keys": {"auth": AUTH}}, "/keys/p256dh"),
        (body(p256dh=""), "/keys/p256dh"),
        (body(p256dh="%%%"), "/keys/p256dh"),
        (body(p256dh=POINT[:-2]), "/keys/p256dh"),
        (body(p256dh="C" + POINT[1:]), "/keys/p256dh"),
        (body(p256dh=POINT[:-6] + "AAAAAA"), "/keys/p256dh"),
        (body(p256dh="\u00e9" * 87), "/keys/p256dh"),
        ({"endpoint": ENDPOINT, "keys": {"p256dh": POINT}}, "/keys/auth"),
        (body(auth=""), "/keys/auth"),
        (body(auth="AAAA"), "/keys/auth"),
        (body(auth="%" * 22), "/keys/auth"),
        (body(auth=AUTH + "AA"), "/keys/auth"),
        (body(label=7), "/label"),
        (body(label="x" * 81), "/label"),
        (body(reminders="yes"), "/reminders"),
        (body(expirationTime=None), "/expirationTime"),
    ],
)
def test_an_invalid_device_is_422_with_a_pointer_and_is_not_stored(world, told, pointer):
    ash = world.player()
    document = is_a_problem(ash.post("/v1/me/devices", told), 422, "invalid")

    assert pointer in [error["pointer"] for error in document["errors"]]
    assert [] == ash.get("/v1/me/devices", want=200).json["devices"]


def test_base64_padding_is_accepted(world):
    world.player().post("/v1/me/devices", body(p256dh=POINT + "=", auth=AUTH + "=="), want=201)


def test_the_device_limit_does_not_count_devices_of_revoked_tokens(tmp_path):
    world = World(data=tmp_path, devices=2)
    ash, birk = world.player(), world.player()
    for number in range(2):
        ash.post("/v1/me/devices", body(f"{ENDPOINT}/{number}"), want=201)
    mine = birk.post("/v1/me/devices", body(f"{ENDPOINT}/birk"), want=201).json["id"]
    is_a_problem(ash.post("/v1/me/devices", body(f"{ENDPOINT}/2")), 429, "too-many-devices")
    ash.post("/v1/me/devices", body(f"{ENDPOINT}/1"), want=200)

    is_a_problem(ash.post("/v1/me/devices", body(f"{ENDPOINT}/birk")), 429, "too-many-devices")
    assert [mine] == [each["id"] for each in birk.get("/v1/me/devices", want=200).json["devices"]], "it is Birk's still"

    old = ash.get("/v1/me/tokens", want=200).json["tokens"][0]["id"]
    ash.token = ash.post("/v1/me/tokens", {"scopes": ["play", "account"], "label": ""}, want=201).json["token"]
    ash.call("DELETE", f"/v1/me/tokens/{old}", want=204)
    assert [] == ash.get("/v1/me/devices", want=200).json["devices"]
    ash.post("/v1/me/devices", body(f"{ENDPOINT}/2"), want=201)


def test_devices_need_a_token_and_changes_need_more_than_the_read_scope(world):
    ash = world.player()
    id_ = ash.post("/v1/me/devices", body(), want=201).json["id"]
    is_a_problem(world.public.get("/v1/me/devices"), 401, "no-token")
    is_a_problem(world.public.post("/v1/me/devices", body()), 401, "no-token")
    ash.token = ash.post("/v1/me/tokens", {"scopes": ["read"], "label": ""}, want=201).json["token"]
    ash.get("/v1/me/devices", want=200)
    is_a_problem(ash.post("/v1/me/devices", body()), 403, "insufficient-scope")
    is_a_problem(ash.call("DELETE", f"/v1/me/devices/{id_}"), 403, "insufficient-scope")
    is_a_problem(ash.post(f"/v1/me/devices/{id_}/test", {}), 403, "insufficient-scope")


def test_the_push_key_is_a_valid_point_and_is_created_once(world, tmp_path):
    key = world.public.get("/v1/push", want=200).json["key"]

    point = base64.urlsafe_b64decode(key + "=")
    assert ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    assert (65, 4) == (len(point), point[0])
    assert 0o600 == stat.S_IMODE((tmp_path / "push.key").stat().st_mode)
    assert key == World(data=tmp_path).public.get("/v1/push", want=200).json["key"]


def test_a_service_without_push_has_no_key_and_no_devices(tmp_path):
    world = World(data=tmp_path, push="off")
    ash = world.player()

    assert {"key": None} == ash.get("/v1/push", want=200).json
    is_a_problem(ash.post("/v1/me/devices", body()), 409, "push-disabled")
    assert [] == list(tmp_path.iterdir())


def test_test_notifications_are_limited(world, monkeypatch):
    monkeypatch.setattr("service.features.push.api.ASKED", 2)
    ash = world.player()
    id_ = ash.post("/v1/me/devices", body(), want=201).json["id"]
    for _ in range(2):
        ash.post(f"/v1/me/devices/{id_}/test", {}, want=202)
    is_a_problem(ash.post(f"/v1/me/devices/{id_}/test", {}), 429, "too-many-requests")
