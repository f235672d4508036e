"""Players, their tokens and tickets, and their inbox."""

from __future__ import annotations

import time

import pytest

from service.core.http.context.tokens import CACHE_SECONDS, digest_of
from service.store.ports.accounts import Credential
from tests.core.http.conftest import World, soon
from tests.driver import Player, Unexpected
from tests.workers.crew import eventually

HIDE = {"type": "hide", "pennies": 1}


def test_an_account_shows_its_token_once(world):
    made = world.public.post("/v1/players", {"name": "Ash"}, want=201)
    ash = Player(world.site, made.json["token"])

    me = ash.get("/v1/me", want=200).json

    assert "/v1/me" == made.headers["Location"]
    assert ("Ash", ["read", "play", "account"]) == (me["name"], me["scopes"])
    assert made.json["token_id"] == me["token_id"]
    assert made.json["token"] not in ash.get("/v1/me/tokens").text


def test_ids_do_not_reveal_names_or_tokens(world):
    one, other = (world.public.post("/v1/players", {"name": "Ash"}, want=201).json for _ in range(2))

    assert len({one["id"], other["id"], one["token_id"], other["token_id"]}) == 4
    assert one["token"] not in one["id"] + one["token_id"]


def test_names_are_stored_without_extra_spaces_and_blank_ones_are_refused(world):
    ash = world.player("  Ash \u00a0 the   Elder ")

    assert "Ash the Elder" == ash.get("/v1/me").json["name"]
    assert "Ashes" == ash.call("PATCH", "/v1/me", {"name": "Ashes"}, want=200).json["name"]
    for name in ("\u200b", " ", "\x07"):
        assert 422 == ash.call("PATCH", "/v1/me", {"name": name}).status


def test_registration_can_require_a_code_or_be_closed(world):
    closed = World(world.store, registration="closed")
    invited = World(world.store, registration="invite", registration_code="sesame")
    nobody = World(world.store, registration="invite")

    assert "registration-closed" == closed.public.post("/v1/players", {"name": "A"}, want=403).code
    assert "wrong-code" == invited.public.post("/v1/players", {"name": "A"}, want=403).code
    assert "wrong-code" == invited.public.post("/v1/players", {"name": "A", "code": "simsalabim"}, want=403).code
    assert 201 == invited.public.post("/v1/players", {"name": "A", "code": "sesame"}).status
    assert "wrong-code" == nobody.public.post("/v1/players", {"name": "A", "code": ""}, want=403).code


def test_a_token_never_grants_more_than_the_one_that_made_it(world):
    ash = world.player()
    reading = ash.post("/v1/me/tokens", {"label": "eyes", "scopes": ["read"]}, want=201).json
    eyes = Player(world.site, reading["token"])

    assert 200 == eyes.get("/v1/me").status
    assert "insufficient-scope" == ash.post("/v1/me/tokens", {"scopes": ["admin"]}, want=403).code
    assert "insufficient-scope" == eyes.post("/v1/me/tokens", {"scopes": ["read"]}, want=403).code
    assert "insufficient-scope" == eyes.call("PATCH", "/v1/me", {"name": "X"}, want=403).code
    assert "insufficient-scope" == eyes.post("/v1/games", {"kind": "pennies", "seats": 2}, want=403).code


def test_a_read_token_reads_its_seat_and_cannot_play(world):
    game, ash, _ = world.table()
    token = ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["token"]
    eyes = Player(world.site, token)

    assert eyes.view(game)["private"] is not None
    assert eyes.options(game)["options"]
    assert "insufficient-scope" == eyes.send(game, HIDE, want=403).code


def test_a_revoked_token_is_void_at_once(world):
    ash = world.player()
    made = ash.post("/v1/me/tokens", {"label": "bot", "scopes": ["play"]}, want=201).json
    bot = Player(world.site, made["token"])
    assert 200 == bot.get("/v1/me").status

    assert 204 == ash.call("DELETE", f"/v1/me/tokens/{made['id']}").status

    assert "bad-token" == bot.get("/v1/me", want=401).code
    assert [True] == [each["current"] for each in ash.get("/v1/me/tokens").json["tokens"]]


def test_a_revocation_reaches_every_process(world):
    ash = world.player()
    made = ash.post("/v1/me/tokens", {"scopes": ["play"]}, want=201).json
    elsewhere = World(world.store)
    bot = Player(elsewhere.site, made["token"])
    assert 200 == bot.get("/v1/me").status

    ash.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)

    # The other process is notified; otherwise it would trust the token for `CACHE_SECONDS` seconds.
    eventually(lambda: bot.get("/v1/me").status == 401, seconds=CACHE_SECONDS - 1)


def test_a_player_cannot_revoke_the_token_of_another(world):
    ash, birk = world.player(), world.player()
    token = birk.get("/v1/me").json["token_id"]

    assert "unknown-token" == ash.call("DELETE", f"/v1/me/tokens/{token}", want=404).code
    assert 200 == birk.get("/v1/me").status


# -- the scope `account` -----------------------------------------------------------------------------------------------


def mint(player, *scopes, **fields):
    """Create a token; return its document and a client that uses it."""
    made = player.post("/v1/me/tokens", {"scopes": list(scopes), **fields}, want=201).json
    return made, Player(player.site, made["token"])


def test_play_token_cannot_manage_the_account(world):
    ash = world.player("Ash")
    _, app = mint(ash, "play")

    refused = [
        app.get("/v1/me/tokens"),
        app.post("/v1/me/tokens", {"scopes": ["read"]}),
        app.call("DELETE", f"/v1/me/tokens/{ash.get('/v1/me').json['token_id']}"),
        app.get("/v1/me/email"),
        app.call("PUT", "/v1/me/email", {"address": "ash@example.org", "when": "asked"}),
        app.call("DELETE", "/v1/me/email"),
        app.call("PUT", "/v1/me/preferences", {"zone": "Asia/Tokyo"}),
        app.call("PATCH", "/v1/me", {"name": "Ashes"}),
        app.call("DELETE", "/v1/me/talk"),
        app.call("DELETE", "/v1/me", {"name": "Ash"}),
    ]

    assert ["insufficient-scope"] * len(refused) == [each.code for each in refused]
    assert all('scope="account:write"' in each.headers["WWW-Authenticate"] for each in refused)
    assert "Ash" == ash.get("/v1/me", want=200).json["name"]
    app.make_game()


def test_account_token_manages_the_account_and_plays(world):
    ash = world.player("Ash")
    _, manager = mint(ash, "account")

    manager.call("PATCH", "/v1/me", {"name": "Ashes"}, want=200)
    manager.get("/v1/me/tokens", want=200)
    manager.post("/v1/games", {"kind": "pennies", "seats": 2}, want=201)
    assert "insufficient-scope" == manager.post("/v1/me/tokens", {"scopes": ["admin"]}, want=403).code


def test_any_token_can_revoke_itself(world):
    made, app = mint(world.player(), "play")

    assert 204 == app.call("DELETE", f"/v1/me/tokens/{made['id']}").status
    assert 401 == app.get("/v1/me").status


def test_revoking_a_token_revokes_the_tokens_it_created(world):
    ash = world.player()
    first, one = mint(ash, "play", "account")
    second, two = mint(one, "play", "account")
    _, three = mint(two, "read")
    _, other = mint(ash, "read")
    assert [200] * 4 == [each.get("/v1/me").status for each in (one, two, three, other)]
    assert (first["id"], second["created_by"]) == (second["created_by"], first["id"])

    ash.call("DELETE", f"/v1/me/tokens/{first['id']}", want=204)

    assert [401, 401, 401, 200] == [each.get("/v1/me").status for each in (one, two, three, other)]
    assert 2 == len(ash.get("/v1/me/tokens").json["tokens"])


def test_owner_replaces_the_first_token(world):
    ash = world.player()
    first = ash.get("/v1/me").json["token_id"]
    _, app = mint(ash, "play")
    _, again = mint(ash, "play", "account")

    again.call("DELETE", f"/v1/me/tokens/{first}", want=204)

    assert [401, 401, 200] == [each.get("/v1/me").status for each in (ash, app, again)]
    assert [None] == [each["created_by"] for each in again.get("/v1/me/tokens").json["tokens"]]


def test_token_expires_together_with_the_tokens_it_created(world):
    ash = world.player()
    assert "/expires_in" == ash.post("/v1/me/tokens", {"scopes": ["read"], "expires_in": 1}, want=422).json["pointer"]
    made, app = mint(ash, "play", "account", expires_in=3600)
    minted, _ = mint(app, "read")
    later, _ = mint(app, "read", expires_in=7200)
    sooner, _ = mint(app, "read", expires_in=60)

    assert 3_600_000 == made["expires_at"] - made["created_at"]
    assert made["expires_at"] == minted["expires_at"] == later["expires_at"] == app.get("/v1/me").json["expires_at"]
    assert 60_000 == sooner["expires_at"] - sooner["created_at"]
    assert ash.get("/v1/me").json["expires_at"] is None


def test_expired_token_is_refused_by_a_process_that_remembers_it(world):
    ash = world.player()
    soon_over = world.store.schedule.now() + 500
    world.store.accounts.add_token(
        Credential("c_short", ash.id, ("read",), soon_over, minted_by="", expires_at=soon_over), digest_of("owt_short")
    )
    app = Player(world.site, "owt_short")
    assert 200 == app.get("/v1/me").status

    time.sleep(0.6)

    assert "bad-token" == app.get("/v1/me", want=401).code
    assert ["first"] == [each["label"] for each in ash.get("/v1/me/tokens").json["tokens"]]


def test_tokens_show_when_they_were_last_used(world):
    ash = world.player()
    made, app = mint(ash, "read")
    unused = {each["id"]: each["last_used_at"] for each in ash.get("/v1/me/tokens").json["tokens"]}
    app.get("/v1/me", want=200)

    used = {each["id"]: each["last_used_at"] for each in ash.get("/v1/me/tokens").json["tokens"]}

    assert unused[made["id"]] is None
    assert abs(used[made["id"]] - world.store.schedule.now()) < 60_000


# -- tickets ----------------------------------------------------------------------------------------------------------


def test_a_ticket_reads_one_game_and_resumes_its_stream(world):
    game, ash, _ = world.table(visibility="private")
    other, *_ = world.table()
    ticket = ash.post("/v1/me/tickets", {"game": game}, want=201).json["ticket"]

    assert "bad-token" == world.public.get(f"/v1/games/{other}/events", ticket=ticket, want=401).code
    assert "bad-token" == world.public.get(f"/v1/games/{game}/events", ticket="owk_x", want=401).code
    with world.public.stream(game, ticket=ticket) as messages:
        first = next(messages)
    ash.send(game, HIDE, want=200)
    with world.public.stream(game, ticket=ticket, last_event_id=first.id) as messages:
        assert first.id < next(messages).id


def test_a_ticket_reads_as_its_creator_and_grants_nothing_else(world):
    game, ash, _ = world.table(kind="battalia", visibility="private")
    ticket = ash.post("/v1/me/tickets", {"game": game}, want=201).json["ticket"]

    view = world.public.get(f"/v1/games/{game}/view", ticket=ticket, want=200)
    assert ash.view(game) == view.json
    assert "no-store" in view.headers["Cache-Control"]
    for file in ("board.svg", "board.png"):
        world.public.get(f"/v1/games/{game}/{file}", ticket=ticket, want=200)
    assert "ticket" == world.public.get(f"/v1/games/{game}/options", ticket=ticket, want=422).json["parameter"]
    assert 401 == Player(world.site, ticket).get("/v1/me").status


def test_a_ticket_is_void_a_day_after_its_last_use(world, monkeypatch):
    monkeypatch.setattr("service.core.http.access.auth.TICKET_SECONDS", 1)
    game, ash, _ = world.table(visibility="private")
    ticket = ash.post("/v1/me/tickets", {"game": game}, want=201).json["ticket"]
    world.public.get(f"/v1/games/{game}/view", ticket=ticket, want=200)
    time.sleep(1.1)

    assert "bad-token" == world.public.get(f"/v1/games/{game}/view", ticket=ticket, want=401).code


# -- the inbox --------------------------------------------------------------------------------------------------------


def test_the_inbox_lists_every_game_that_waits_for_the_player(world):
    game, ash, birk = world.table()

    (turn,) = ash.turns()
    assert (game, 1, "hide", "PEN-01", "pennies") == tuple(
        turn[name] for name in ("game", "seat", "kind", "rule", "game_kind")
    )
    assert ash.view(game)["seq"] == turn["seq"]

    ash.send(game, HIDE, want=200)
    assert [] == ash.turns()
    assert [game] == [turn["game"] for turn in birk.turns()]


def test_the_inbox_lists_the_most_urgent_game_first(world):
    ash, birk = world.player(), world.player()
    games = []
    for pace in ({"mode": "free"}, {"mode": "per_question", "hours": 48}, {"mode": "per_question", "hours": 2}):
        game = ash.make_game(pace=pace)["id"]
        birk.join(game)
        ash.start(game)
        games.append(game)

    assert games[::-1] == [turn["game"] for turn in ash.turns()]


def test_an_inbox_request_can_wait_for_a_turn(world):
    game, ash, birk = world.table()
    ash.send(game, HIDE, want=200)

    began = time.monotonic()
    with soon(birk.send, game, HIDE):
        turns = ash.turns(wait=10)

    assert [game] == [turn["game"] for turn in turns]
    assert time.monotonic() - began < 5


def test_an_unchanged_inbox_is_304(world):
    game, ash, _ = world.table()
    etag = ash.get("/v1/me/turns", want=200).headers["ETag"]

    assert 304 == ash.get("/v1/me/turns", headers={"If-None-Match": etag}).status
    waited = ash.get("/v1/me/turns", headers={"If-None-Match": etag, "Prefer": "wait=1"})
    assert (304, "wait=1") == (waited.status, waited.headers["Preference-Applied"])
    ash.send(game, HIDE, want=200)
    assert 200 == ash.get("/v1/me/turns", headers={"If-None-Match": etag}).status


def test_a_stream_of_a_revoked_token_ends(world):
    game, ash, _ = world.table()
    made = ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json
    eyes = Player(world.site, made["token"])

    with eyes.stream(game) as messages:
        assert 1 == next(messages).id
        ash.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
        with pytest.raises(StopIteration):
            next(messages)
    with pytest.raises(Unexpected), eyes.stream(game):
        pass
