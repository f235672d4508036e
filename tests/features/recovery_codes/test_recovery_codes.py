"""Recovery codes over the API: shown once, stored as hashes, each used once."""

from __future__ import annotations

import re
import threading

import pytest

from service.core.accounts.scopes import OWNER
from service.core.http.context.tokens import digest_of
from service.features import FEATURES
from service.ops import accounts as administration
from service.store.ports.accounts import APP, Credential, SecretAddress, Suspension
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.core.http.test_sessions import Browser
from tests.driver import Player

MINE, SIGN_IN = "/v1/me/recovery-codes", "/v1/sign-in/recovery-code"


@pytest.fixture
def ash(world):
    return world.player("Ash")


def make(player):
    return player.post(MINE, {}, want=201).json["codes"]


def use(world, code):
    return world.public.post(SIGN_IN, {"code": code})


def fails(answer):
    return is_a_problem(answer, 403, "sign-in-failed")


def left(player):
    return player.get(MINE, want=200).json["left"]


def test_each_code_signs_in_once(world, ash):
    codes = make(ash)
    assert 10 == len(set(codes)) == left(ash)

    for number, code in enumerate(codes, 1):
        token = use(world, code).json["token"]
        fails(use(world, code))
        again = Player(world.site, token)
        assert ("Ash", 10 - number) == (again.get("/v1/me", want=200).json["name"], left(again))


def test_a_code_can_start_a_session_and_needs_a_page_of_this_site(world, ash):
    code, browser = make(ash)[0], Browser(world.site)
    body = {"code": code, "session": True}
    from_elsewhere = {"Sec-Fetch-Site": "cross-site"}
    is_a_problem(browser.call("POST", SIGN_IN, body, headers=from_elsewhere), 403, "csrf")

    signed_in = browser.call("POST", SIGN_IN, body, want=201)

    assert {"id", "name", "token_id"} == set(signed_in.json)
    assert "Ash" == browser.call("GET", "/v1/me", want=200).json["name"]
    assert 10 == len(browser.call("POST", MINE, {}, want=201).json["codes"])


def test_a_lost_response_can_be_requested_again_with_its_key(world, ash):
    made = {"Idempotency-Key": "0" * 32}
    codes = [ash.post(MINE, {}, headers=made, want=201).json["codes"] for _ in range(2)]
    assert codes[0] == codes[1]
    browser, sent = Browser(world.site), {"code": codes[0][0], "session": True}
    first = browser.call("POST", SIGN_IN, sent, headers={"Idempotency-Key": "1" * 32}, want=201)
    browser.jar.clear()

    again = browser.call("POST", SIGN_IN, sent, headers={"Idempotency-Key": "1" * 32}, want=201)

    assert first.json == again.json and "Ash" == browser.call("GET", "/v1/me", want=200).json["name"]
    fails(use(world, codes[0][0]))


def test_an_app_cannot_make_codes_or_tokens(world, ash):
    made = Credential("c1", ash.id, OWNER, world.store.schedule.now(), minted_by="", kind=APP, label="An app")
    world.store.accounts.add_token(made, digest_of("owa_1"))
    app = Player(world.site, "owa_1")
    assert 200 == app.get(MINE).status

    for path, body in ((MINE, {}), ("/v1/me/tokens", {"scopes": ["read"]}), ("/v1/session", None)):
        assert "An app cannot" in is_a_problem(app.post(path, body), 403, "insufficient-scope")["detail"]
    is_a_problem(app.call("DELETE", "/v1/me", {"name": "Ash"}), 403, "insufficient-scope")


def test_a_code_of_a_suspended_account_stays_valid(world, ash):
    code = make(ash)[0]
    world.store.accounts.suspend(ash.id, Suspension("Spam.", 1, None))
    problem = is_a_problem(use(world, code), 403, "suspended")
    assert "Spam." == problem["reason"]

    world.store.accounts.restore(ash.id)

    assert 201 == use(world, code).status


def test_an_operator_can_remove_the_codes_of_an_account(world, ash):
    first, second = make(ash)[:2]
    administration.reset_sign_in(world.store, FEATURES, "root", ash.id, "Stolen.", remove_ways=False)
    assert 201 == use(world, first).status

    administration.reset_sign_in(world.store, FEATURES, "root", ash.id, "Stolen.", remove_ways=True)

    fails(use(world, second))


def test_a_code_can_be_typed_in_capitals_without_hyphens_and_misread(world, ash):
    code, other = make(ash)[:2]

    assert 201 == use(world, f" {code.replace('-', ' ').upper()} ").status
    assert 201 == use(world, other.replace("0", "O").replace("1", "l")).status


def test_new_codes_replace_all_earlier_ones(world, ash):
    first, second = make(ash), make(ash)
    assert 10 == left(ash)

    for code in first:
        fails(use(world, code))
    assert 201 == use(world, second[0]).status


def test_the_store_has_no_code(world, ash):
    codes = make(ash)
    wire = world.store.accounts._wire
    kept = b""
    for name in wire.one("KEYS", "*"):
        kept += name + wire.one("DUMP", name)

    assert ash.id.encode() in kept
    assert [] == [code for code in codes if code.encode() in kept or code.replace("-", "").encode() in kept]


def test_codes_are_twenty_random_letters_without_those_that_look_alike(ash):
    codes = make(ash)

    assert all(re.fullmatch(r"([0-9a-hjkmnp-tv-z]{5}-){3}[0-9a-hjkmnp-tv-z]{5}", code) for code in codes)
    assert 25 < len(set("".join(codes)))


def test_of_two_uses_of_a_code_at_once_one_signs_in(world, ash):
    code = make(ash)[0]
    start, statuses = threading.Barrier(4), []

    def together():
        start.wait()
        statuses.append(use(world, code).status)

    threads = [threading.Thread(target=together) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert [201, 403, 403, 403] == sorted(statuses)
    assert 9 == left(ash)


def test_codes_are_not_made_by_two_requests_at_once(world, ash):
    world.store.accounts.claim_answer(f"recovery-codes:{ash.id}", 10)

    is_a_problem(ash.post(MINE, {}), 409, "in-progress")

    world.store.accounts.drop_answer(f"recovery-codes:{ash.id}")
    assert 10 == len(make(ash)) == len(make(ash))


def test_an_interrupted_change_leaves_the_earlier_codes(world, ash, monkeypatch):
    codes = make(ash)
    add, added = type(world.store.accounts).add_address, []

    def add_three(accounts, *told):
        added.append(told)
        if len(added) > 3:
            raise RuntimeError("killed")
        return add(accounts, *told)

    monkeypatch.setattr(type(world.store.accounts), "add_address", add_three)
    assert 500 == ash.post(MINE, {}).status
    monkeypatch.undo()

    assert 201 == use(world, codes[0]).status
    assert 10 == len(make(ash)) == left(ash)


def test_wrong_codes_are_limited_by_address(world, ash):
    world = World(world.store, rate_wrong_sign_ins=3)
    code, *more = make(ash)
    assert [201] * 4 == [use(world, each).status for each in more[:4]]
    for number in range(3):
        fails(use(world, f"{number}" * 20))

    problem = is_a_problem(use(world, code), 429, "too-many-guesses")

    assert "Retry-After" in use(world, code).headers and "sign-ins" in problem["title"]


def test_erasing_an_account_removes_its_codes(world, ash):
    code = make(ash)[0]

    ash.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)

    fails(use(world, code))
    assert [] == world.store.accounts.addresses(ash.id, "recovery")


def test_a_code_of_an_account_that_is_gone_does_not_sign_in(world, ash):
    code = make(ash)[0]
    world.store.accounts.erase(ash.id)

    fails(use(world, code))


def test_only_a_token_with_the_scopes_of_the_account_makes_codes(world, ash):
    bot = Player(
        world.site, ash.post("/v1/me/tokens", {"scopes": ["games:read", "games:play"]}, want=201).json["token"]
    )

    for player, status, problem in ((bot, 403, "insufficient-scope"), (world.public, 401, "no-token")):
        is_a_problem(player.get(MINE), status, problem)
        is_a_problem(player.post(MINE, {}), status, problem)
    assert {"left": 0, "created_at": None} == ash.get(MINE).json


@pytest.mark.parametrize("body", [{}, {"code": ""}, {"code": 7}, {"code": None}, {"code": "x" * 61}, {"code": ["x"]}])
def test_an_invalid_body_is_422_with_a_pointer(world, body):
    assert "/code" == is_a_problem(world.public.post(SIGN_IN, body), 422, "invalid")["pointer"]


@pytest.mark.parametrize("code", ["-", "é", "\0", "0" * 20, "owt_abc", "\ud83d\ude00"])
def test_a_strange_code_fails_like_any_wrong_one(world, ash, code):
    make(ash)

    fails(use(world, code))


def test_a_secret_of_another_kind_is_no_recovery_code(world, ash):
    made = SecretAddress("f1", ash.id, "", "feed", "turns", 1)
    world.store.accounts.add_address(made, digest_of("abc"))

    fails(use(world, "abc"))
