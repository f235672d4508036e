"""A creation with an Idempotency-Key happens once, and only its sender gets the stored answer again."""

from __future__ import annotations

import threading

import pytest

from tests.driver import Player

LONG = "8f14e45f-ceea-467f-ab8c-0123456789ab"
TOKEN = {"label": "bot", "scopes": ["read"]}
GAME = {"kind": "pennies", "seats": 2}


def keyed(key="k"):
    return {"headers": {"Idempotency-Key": key}}


def twice(player, path, body, key="k"):
    """Send the same request twice, check that the answers are equal, and return one."""
    one, other = (player.post(path, body, **keyed(key), want=201) for _ in range(2))
    assert (one.body, one.headers.get("Location")) == (other.body, other.headers.get("Location"))
    return one


def test_a_token_is_created_once_and_returned_again_to_its_sender(world):
    ash = world.player()

    told = twice(ash, "/v1/me/tokens", TOKEN).json

    assert 2 == len(ash.get("/v1/me/tokens").json["tokens"])
    assert Player(world.site, told["token"]).get("/v1/me", want=200)


def test_the_same_key_with_another_account_or_token_creates_another(world):
    ash, birk = world.player(), world.player()
    first = ash.post("/v1/me/tokens", TOKEN, **keyed(), want=201).json["token"]
    scopes = {"label": "", "scopes": ["read", "play", "account"]}
    second = Player(world.site, ash.post("/v1/me/tokens", scopes, want=201).json["token"])

    for other in (birk, second):
        assert first != other.post("/v1/me/tokens", TOKEN, **keyed(), want=201).json["token"]


def test_a_revoked_token_cannot_repeat_its_request(world):
    ash = world.player()
    ash.post("/v1/me/tokens", TOKEN, **keyed(), want=201)
    (mine,) = (each["id"] for each in ash.get("/v1/me/tokens").json["tokens"] if each["current"])
    ash.call("DELETE", f"/v1/me/tokens/{mine}", want=204)

    assert "bad-token" == ash.post("/v1/me/tokens", TOKEN, **keyed(), want=401).code


def test_the_store_contains_no_readable_token(world):
    ash = world.player()
    told = ash.post("/v1/me/tokens", TOKEN, **keyed(), want=201).json["token"]
    store = world.store

    kept = (
        list(store.accounts._answers.values())
        if hasattr(store.accounts, "_answers")
        else [store.wire.one("GET", name) for name in store.wire.one("KEYS", "answer:*")]
    )
    assert len(kept) == 1
    assert told not in str(kept)
    assert ash.token not in str(kept)


@pytest.mark.parametrize("path", ["/v1/me/tickets", "/v1/games", "seats", "fork", "invitation"])
def test_a_repeated_key_creates_a_resource_once(world, path):
    game, ash, birk = world.table(sandbox={})
    lobby = ash.make_game()["id"]
    body = {
        "/v1/me/tickets": {"game": game},
        "/v1/games": GAME,
        "seats": {},
        "fork": {"seq": 1},
        "invitation": None,
    }[path]
    before = len(ash.get("/v1/games", mine="true").json["games"])
    where = path if path.startswith("/") else f"/v1/games/{game if path == 'fork' else lobby}/{path}"

    twice(birk if path == "seats" else ash, where, body)

    made = {"/v1/games": 1, "fork": 1}.get(path, 0)
    assert before + made == len(ash.get("/v1/games", mine="true").json["games"])


def test_a_key_reused_for_another_request_is_refused(world):
    ash = world.player()
    game = ash.post("/v1/games", GAME, **keyed(), want=201).json["id"]

    for path, body in (
        ("/v1/games", {**GAME, "seats": 3}),
        ("/v1/me/tokens", TOKEN),
        (f"/v1/games/{game}/invitation", None),
        ("/v1/games", {}),
    ):
        assert "key-reused" == ash.post(path, body, **keyed(), want=422).code
    ash.post("/v1/games", dict(reversed(GAME.items())), **keyed(), want=201)


def test_a_failed_request_does_not_use_up_its_key(world):
    ash = world.player()
    ash.post("/v1/games", {**GAME, "seats": 99}, **keyed(), want=422)

    ash.post("/v1/games", GAME, **keyed(), want=201)


@pytest.mark.parametrize("path", ["/v1/players", "/v1/me/tokens", "/v1/games"])
def test_a_deeply_nested_body_is_refused_as_without_a_key(world, path):
    ash, deep = world.player(), []
    for _ in range(200):
        deep = {"a": [deep]}
    body = b'{"name":' + b'{"a":' * 300 + b"1" + b"}" * 301

    for sent in (deep, body):
        answers = [ash.post(path, sent, headers=headers, want=422) for headers in ({}, keyed(LONG)["headers"])]
        assert answers[0].body == answers[1].body


def test_one_of_two_concurrent_requests_with_a_key_creates_the_game(world, monkeypatch):
    ash = world.player()
    began, go = threading.Event(), threading.Event()
    real = type(world.store.lobbies).create

    def slow(self, *told):
        began.set()
        go.wait(10)
        return real(self, *told)

    monkeypatch.setattr(type(world.store.lobbies), "create", slow)
    answers = []
    first = threading.Thread(target=lambda: answers.append(ash.post("/v1/games", GAME, **keyed())))
    first.start()
    began.wait(10)
    told = ash.post("/v1/games", GAME, **keyed(), want=409)
    go.set()
    first.join()

    assert ("in-progress", "1") == (told.code, told.headers["Retry-After"])
    assert answers[0].json["id"] == ash.post("/v1/games", GAME, **keyed(), want=201).json["id"]


def test_an_account_is_created_once_for_an_unguessable_key(world):
    told = twice(world.public, "/v1/players", {"name": "Ash"}, LONG).json

    assert Player(world.site, told["token"]).get("/v1/me", want=200).json["id"] == told["id"]
    assert "key-reused" == world.public.post("/v1/players", {"name": "Birk"}, **keyed(LONG), want=422).code
    other = world.public.post("/v1/players", {"name": "Ash"}, **keyed(LONG + "x"), want=201).json
    assert told["token"] != other["token"]


@pytest.mark.parametrize("key", ["1", "x" * 31])
def test_a_guessable_key_is_refused_for_an_account(world, key):
    told = world.public.post("/v1/players", {"name": "Ash"}, **keyed(key), want=422).json

    assert "Idempotency-Key" == told["parameter"]


@pytest.mark.parametrize("key", ["", " ", "x" * 201])
def test_a_key_of_invalid_length_is_refused(world, key):
    ash = world.player()

    assert "Idempotency-Key" == ash.post("/v1/games", GAME, **keyed(key), want=422).json["parameter"]


def test_requests_without_a_token_are_401_and_do_not_claim_the_key(world):
    for _ in range(2):
        world.public.post("/v1/games", GAME, **keyed(), want=401)


class Died(BaseException):
    """The API process ends here: nothing that follows in the request runs."""


@pytest.fixture
def dies(world, monkeypatch):
    """Kill a request before or after a call to the store, and expire the claim that it leaves."""

    def dying(part, method, before, request):
        real, accounts = getattr(part, method), world.store.accounts

        def killed(*told, **named):
            if not before:
                real(*told, **named)
            raise Died

        with monkeypatch.context() as patch:
            patch.setattr(part, method, killed)
            patch.setattr(accounts, "drop_answer", lambda name: None)
            with pytest.raises(Died):
                request()
        (name,) = world.store.wire.scan("answer:*")
        if not world.store.wire.one("GET", name):
            assert 0 < world.store.wire.one("TTL", name) <= 10, "the claim is short"
            world.store.wire.one("DEL", name)

    return dying


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("step", ["create", "keep_answer"])
@pytest.mark.parametrize("path", ["/v1/games", "/v1/players", "/v1/me/tokens", "seats", "bot"])
def test_a_creation_whose_process_died_happens_once(world, dies, path, step, before):
    ash, birk = world.player(), world.player()
    lobby = ash.make_game()["id"]
    store = world.store
    who, where, body, part, method = {
        "/v1/games": (ash, path, GAME, store.lobbies, "create"),
        "/v1/players": (world.public, path, {"name": "Cleo"}, store.accounts, "create"),
        "/v1/me/tokens": (ash, path, TOKEN, store.accounts, "add_token"),
        "seats": (birk, f"/v1/games/{lobby}/seats", {}, store.lobbies, "join"),
        "bot": (ash, f"/v1/games/{lobby}/seats", {"bot": "greedy"}, store.lobbies, "seat_bot"),
    }[path]
    if step == "keep_answer":
        part, method = store.accounts, step

    def counted():
        games, tokens = ash.get("/v1/games", mine="true").json["games"], ash.get("/v1/me/tokens").json["tokens"]
        return (
            len(games),
            len(tokens),
            sum(each.endswith(b"}") for each in store.wire.scan("player:*")),
            ash.summary(lobby)["seats"],
        )

    ahead = counted()
    dies(part, method, before, lambda: who.post(where, body, **keyed(LONG)))
    made_before_death = step == "keep_answer" or not before
    assert made_before_death == (ahead != counted())
    left = counted()
    again = who.post(where, body, **keyed(LONG), want=201)
    if made_before_death:
        assert left == counted(), "the retry returns what was created"
    else:
        assert ahead != counted()
    assert again.body == who.post(where, body, **keyed(LONG), want=201).body
