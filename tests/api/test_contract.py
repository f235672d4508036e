"""The API does what its description says, whatever it is sent: no 5xx, and no answer that the contract does not know."""

from __future__ import annotations

import os
import traceback
from collections import Counter

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import checks
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks as openapi_checks

from domain.dice import Dice
from service.api.reference.document import document
from service.api.schemas.replies.webhooks import Delivery
from service.post.letters import links
from service.post.letters.mailbox import Mailbox, mailbox_of
from service.store.ledger.leaves import Leaf, name_of
from service.store.upkeep.heads import grow
from tests.api.conftest import World
from tests.api.test_devices import ENDPOINT
from tests.api.test_devices import body as device
from tests.driver import play_out
from tests.store.pump import SIGNER

DELIVERY = dict(Delivery.example)
CHECKS = [
    checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_headers_conformance,
    openapi_checks.response_schema_conformance,
]
ERASES = ("DELETE", "/v1/me")
"""What takes an account away: whoever asks for it asks for nothing more."""
OPERATIONS = [
    (method.upper(), path)
    for path, operations in document(World().app)["paths"].items()
    for method in operations
    if path not in ("/docs", "/openapi.yaml")  # they take nothing, and their making is slow
]


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    """A service with games of every status, and somebody who sits in all of them."""
    monkeypatch = pytest.MonkeyPatch()
    from domain.registry import GAMES
    from tests.pennies import PENNIES

    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    post = {"smtp_url": "smtp://127.0.0.1:1", "mail_from": "post@example.org", "public_url": "https://example.org"}
    data = tmp_path_factory.mktemp("fuzzed")
    world = World(rate_requests=0, rate_registrations=0, refusals=10**6, webhooks=0, data=data, **post)
    running, ash, birk = world.table("Ash", "Birk", options={"points": 100_000})
    over, *_ = world.table()
    over = ash.make_game(options={"points": 1})["id"]
    birk.join(over)
    ash.start(over)
    play_out([ash, birk], over, Dice(b"f" * 32))
    battalia = ash.make_game("battalia")["id"]
    birk.join(battalia)
    ash.start(battalia)
    box = ash.make_game(sandbox={})["id"]
    ash.join(box)
    ash.start(box)
    world.values = {
        "game": [running, battalia, over, box, ash.make_game()["id"], "gnone"],
        "key": ["nim", "battalia"],
        "picture_name": ["beginning.svg"],
        "name": ["nim_v1", "creation_v2", "none_v1"],
        "command": [ash.send(running, {"type": "hide", "pennies": 1}, want=200).json["id"], "x"],
    }
    feeds = [ash.post("/v1/me/feeds", body, want=201).json for body in ({"kind": "turns"}, {"kind": "calendar"})]
    feeds.append(ash.post("/v1/me/feeds", {"kind": "game", "game": running}, want=201).json)
    world.values["secret"] = [each["address"].rpartition("/")[2].partition(".")[0] for each in feeds]
    ash.call("PUT", "/v1/me/email", {"address": "ash@example.org"}, want=200)
    subscription = mailbox_of(world.store, ash.id)
    box = Mailbox.of(subscription)
    lent = [links.lend(world.store, subscription, box, kind, running) for kind in (links.CONFIRM, links.OPEN)]
    world.values["secret"] += [*lent * 3, box.leave]
    world.values["feed"] = [*(ash.post("/v1/me/feeds", {"kind": "turns"}, want=201).json["id"] for _ in range(9)), "x"]
    hooks = [ash.post("/v1/webhooks", {"url": "https://example.org/"}, want=201).json["id"] for _ in range(9)]
    world.values["webhook"] = [*hooks, "x"]
    for number, hook in enumerate(hooks):
        noted = {**DELIVERY, "id": f"msg_{number}", "game": running if number else None, "seq": 1 if number else None}
        world.store.subscriptions.note(hook, noted, dead=number == 2)
    world.values["delivery"] = ["msg_0", "msg_1", "msg_2", "x"]
    now = world.store.log.now()
    away = [{"from": now + (700 + n) * 86_400_000, "to": now + (700 + n) * 86_400_000 + 1} for n in range(9)]
    world.values["vacation"] = [*(ash.post("/v1/me/vacations", each, want=201).json["id"] for each in away), "x"]
    tokens = [ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["id"] for _ in range(9)]
    world.values["token"], world.values["player"] = [*tokens, "x"], [ash.id, birk.id, "x"]
    devices = [ash.post("/v1/me/devices", device(f"{ENDPOINT}{n}"), want=201).json["id"] for n in range(9)]
    world.values["device"] = [*devices, "x"]
    grow(
        world.store.ledger,
        SIGNER,
        "example.org/v1/log",
        [Leaf(name_of(f"g{n}"), 1, name_of("h")) for n in range(300)],
        0,
    )
    world.store.log.add_key(SIGNER.key_id, SIGNER.public.hex())
    world.values["tile"] = ["0/000", "0/001.p/44", "entries/000", "x"]
    world.values["seat"] = world.values["other"] = [1, 2, 3]
    talk, waits = f"/v1/games/{running}/talk", {"Prefer": "wait=10"}
    said = [ash.post(talk, {"text": f"{number}."}, headers=waits, want=200).json["seq"] for number in range(9)]
    world.values["seq"] = [*said, 10**6]
    world.ash = ash
    world.statuses = {}
    world.schema = schemathesis.openapi.from_dict(document(world.app))
    world.schema.app = world.app
    yield world
    monkeypatch.undo()


def tried(world, method, path, mode, examples):
    """Send so many generated requests to an operation, each answer held against the contract."""
    operation = world.schema[path][method]
    places = {name: st.sampled_from(values) for name, values in world.values.items() if "{" + name + "}" in path}
    count = 0

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(
        case=operation.as_strategy(generation_mode=mode), places=st.fixed_dictionaries(places), anonymous=st.booleans()
    )
    def one(case, places, anonymous):
        nonlocal count
        count += 1
        if places and case.path_parameters:
            case.path_parameters.update(places)
        headers = {"Accept-Encoding": "identity"}  # in one process nobody unpacks what comes back
        if not anonymous or count % 3:
            who = world.player() if (method, path) == ERASES else world.ash
            headers["Authorization"] = f"Bearer {who.token}"
        response = case.call(headers=headers)
        world.statuses.setdefault((method, path), Counter())[response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    one()
    assert count > 0


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_answer_is_outside_the_contract(fuzzed, method, path):
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        if mode is GenerationMode.NEGATIVE and not negatable(fuzzed, method, path):
            continue
        tried(fuzzed, method, path, mode, 12)


def test_an_answer_outside_the_contract_is_found(fuzzed, monkeypatch):
    monkeypatch.setattr("service.api.resources.games.summary.full", lambda *told: {"id": "g1", "status": "lost"})

    with pytest.raises((BaseExceptionGroup, AssertionError)) as caught:
        tried(fuzzed, "GET", "/v1/games/{game}", GenerationMode.POSITIVE, 3)

    assert "violates schema" in "".join(traceback.format_exception(caught.value))


@pytest.mark.soak
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_answer_is_outside_the_contract_however_often_it_is_tried(fuzzed, method, path):
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        if mode is GenerationMode.NEGATIVE and not negatable(fuzzed, method, path):
            continue
        tried(fuzzed, method, path, mode, int(os.environ.get("FUZZ_EXAMPLES", "400")))


def negatable(world, method, path):
    """Whether there is anything that could be sent wrong; a header may be any text."""
    operation = world.schema[path][method]
    return bool(operation.body or operation.query)


def test_the_requests_went_through_to_the_games(fuzzed):
    """Run after the others: what was sent was not just turned away at the door."""
    if not fuzzed.statuses:
        pytest.skip("nothing was tried in this process")
    reached = {operation for operation, counted in fuzzed.statuses.items() if any(code < 400 for code in counted)}

    assert len(reached) >= len(fuzzed.statuses) * 3 // 5  # of what one process of several has tried
