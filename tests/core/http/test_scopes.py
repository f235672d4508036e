"""Scopes of tokens: every operation of the contract with each scope, and with a token for one game."""

from __future__ import annotations

import itertools
import re

import pytest

from service.api_reference.document import document
from service.core.accounts.scopes import DESCRIPTIONS, OWNER, SCOPES, SINGLE, expand
from service.core.http.context.tokens import digest_of
from service.core.http.reference.routes import documented
from service.store.ports.accounts import Credential
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.driver import Player

METHODS = {"get", "post", "put", "patch", "delete"}
NUMBERS = itertools.count()


def operations(world):
    """Method, path and scopes of every operation that reads a token."""
    for path, item in document(world.app)["paths"].items():
        for method in METHODS & item.keys():
            for needs in item[method]["security"]:
                for scopes in needs.values():
                    yield method.upper(), path, {*scopes}


def bearer(world, player, scopes, game=None):
    """The player with a new token."""
    number = next(NUMBERS)
    made = Credential(f"c{number}", player.id, tuple(scopes), 1, "", game, minted_by="")
    world.store.accounts.add_token(made, digest_of(f"token{number}"))
    return Player(world.site, f"token{number}", player.id)


def tried(player, method, path, game):
    """The response to an empty request about the game."""
    here = re.sub("{[^}]*}", "1", path.replace("{game}", game))
    return player.call(method, here, {} if method in ("POST", "PUT", "PATCH") else None)


def is_denied(answer):
    if answer.status == 403 and answer.code == "insufficient-scope":
        is_a_problem(answer, 403, "insufficient-scope")
        assert 'error="insufficient_scope"' in answer.headers["WWW-Authenticate"]
        return True
    return False


@pytest.fixture
def guarded():
    """A service whose metrics need a token as well."""
    return World(metrics="token")


PAIRS = [("notifications:write", "games:read"), ("webhooks:write", "games:read")]
"""What an app needs to be sent the content of games."""


@pytest.mark.parametrize("scopes", [*((each,) for each in SINGLE), *PAIRS])
def test_operation_is_allowed_with_its_scopes_only(guarded, scopes):
    game, ash, _ = guarded.table()
    player = bearer(guarded, ash, scopes)

    found = {(method, path): is_denied(tried(player, method, path, game)) for method, path, _ in operations(guarded)}

    declared = {(method, path): not needed <= {*scopes} for method, path, needed in operations(guarded)}
    assert len(declared) > 80
    assert declared == found
    assert False in declared.values(), "a scope that no operation needs"


WITHOUT_GAME = {
    ("GET", "/v1/kinds"),
    ("GET", "/v1/kinds/{key}"),
    ("GET", "/v1/kinds/{key}/clauses"),
    ("GET", "/v1/kinds/{key}/guide"),
    ("GET", "/v1/kinds/{key}/guide/{picture_name}"),
    ("GET", "/v1/kinds/{key}/rulesets/{name}"),
    ("GET", "/v1/me"),
    ("POST", "/v1/me/tickets"),
}
"""Operations that a token for one game may use although no game is in the path."""


def test_token_for_one_game_is_denied_everything_else(guarded):
    game, ash, birk = guarded.table()
    other, *_ = guarded.table()
    player = bearer(guarded, ash, SINGLE, game)

    for method, path, _ in operations(guarded):
        here = "{game}" in path
        assert is_denied(tried(player, method, path, other)) == (here or (method, path) not in WITHOUT_GAME), path
        if here:
            assert not is_denied(tried(player, method, path, game)), (method, path)
    assert is_denied(player.post("/v1/me/tickets", {"game": other}))
    assert birk.name == birk.get("/v1/me", want=200).json["name"]


def test_token_for_one_game_plays_it(world):
    game, ash, _ = world.table()
    other = ash.make_game()["id"]
    scopes = ["games:read", "games:play"]
    made = ash.post("/v1/me/tokens", {"scopes": scopes, "game": game, "expires_in": 3600}, want=201).json
    player = Player(world.site, made["token"])

    player.send(game, {"type": "hide", "pennies": 1}, want=200)
    ticket = player.post("/v1/me/tickets", {"game": game}, want=201).json["ticket"]

    assert (scopes, game) == (made["scopes"], made["game"])
    assert player.view(game) == ash.view(game)
    world.public.get(f"/v1/games/{game}/view", ticket=ticket, want=200)
    assert is_denied(player.get(f"/v1/games/{other}"))
    assert is_denied(player.post(f"/v1/games/{game}/talk", {"text": "Hello"}))
    player.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)


def test_token_is_for_a_game_that_its_player_can_see(world):
    game, *_ = world.table("Ash", "Birk", visibility="private")
    cora = world.player("Cora")

    for unseen in (game, "gnone"):
        is_a_problem(cora.post("/v1/me/tokens", {"scopes": ["read"], "game": unseen}), 404, "unknown-game")
    for wrong in ("", 5, None, "x" * 65):
        is_a_problem(cora.post("/v1/me/tokens", {"scopes": ["read"], "game": wrong}), 422, "invalid")


def test_new_token_has_no_scope_beyond_those_of_its_parent(world):
    ash = world.player()
    for scopes in itertools.chain(([each] for each in SCOPES), ([*OWNER], ["account:write", "games:play"])):
        parent = bearer(world, ash, [*scopes, "account:write"])
        held = expand([*scopes, "account:write"])
        for wanted in SCOPES:
            answer = parent.post("/v1/me/tokens", {"scopes": [wanted]})
            assert is_denied(answer) == (not expand([wanted]) <= held), (scopes, wanted)
            assert answer.status in (201, 403)


def test_old_names_keep_their_rights():
    read = {"account:read", "games:read"}

    assert read == expand(["read"])
    assert set(SINGLE) - {"account:write", "admin"} == expand(["play"])
    assert set(SINGLE) - {"admin"} == expand(["account"]) == expand(OWNER)
    assert {"admin"} == expand(["admin"])


@pytest.mark.parametrize(("auth", "scope"), [("required", ""), ("optional", "play"), ("none", "games:read")])
def test_route_without_exactly_one_scope_is_rejected(auth, scope):
    with pytest.raises(ValueError, match="listThings"):
        documented("List things", operation="listThings", answer="Things.", gives={200: None}, auth=auth, scope=scope)


def test_introduction_describes_every_scope(world):
    text = document(world.app)["info"]["description"]

    assert [] == [name for name, meaning in DESCRIPTIONS.items() if f"* `{name}`: {meaning}" not in text]
