"""A client that waits for a command gets the result with its current rights: cached for seconds, not longer."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from service.core.http.context import lobbies, tokens
from tests.driver import Player
from tests.hostile.table import HIDE, erase, give_away, house, make_private


class Waits:
    """A client with its own token that waits for a command in a game whose worker is paused."""

    def __init__(self, world, *commands):
        self.world = world
        self.game, self.ash, self.birk = world.table(visibility="private")
        self.token = self.birk.post("/v1/me/tokens", {"label": "other", "scopes": ["play"]}, want=201).json
        self.player = Player(world.site, self.token["token"], self.birk.id)
        self.player.view(self.game)
        self.asked, self._told = [], []
        self._count()
        world.asleep = True
        body = {"commands": list(commands)} if commands else HIDE
        self._thread = threading.Thread(target=lambda: self._told.append(self._send(body)))
        self._thread.start()
        while not world.store.claims.work([self.game])[0].pending:
            time.sleep(0.01)

    def _send(self, body):
        return self.player.post(f"/v1/games/{self.game}/commands", body, headers={"Prefer": "wait=20"})

    def _count(self):
        real = self.world.store.standing

        def standing(game, credential):
            self.asked.append(game)
            return real(game, credential)

        self.world.store.standing = standing

    def answer(self):
        """Resume the worker; return the response."""
        self.world.work(self.game)
        self._thread.join(30)
        return self._told[0]


def lapsing(monkeypatch, seconds=0.4):
    """Shorten the cache lifetimes; return a function that waits until they have passed."""
    monkeypatch.setattr(tokens, "CACHE_SECONDS", seconds)
    monkeypatch.setattr(lobbies, "CACHE_SECONDS", seconds)
    return lambda: time.sleep(seconds + 0.1)


@pytest.mark.parametrize("commands", [(), (HIDE, HIDE)], ids=["one", "a list"])
def test_waiting_client_with_cached_rights_causes_no_store_lookup(world, commands):
    waits = Waits(world, *commands)

    answer = waits.answer()

    assert "bad-token" not in answer.text
    assert waits.player.id == waits.birk.id
    assert [] == waits.asked


def test_token_revoked_in_this_process_is_rejected_after_the_wait(world):
    waits = Waits(world)
    waits.birk.call("DELETE", f"/v1/me/tokens/{waits.token['id']}", want=204)

    answer = waits.answer()

    assert (401, "bad-token") == (answer.status, answer.code)
    assert [waits.game] == waits.asked


def test_token_revoked_in_another_process_is_rejected_after_the_wait(world):
    waits = Waits(world)
    world.store.accounts.revoke(waits.birk.id, waits.token["id"])

    answer = waits.answer()

    assert (401, "bad-token") == (answer.status, answer.code)


def test_revoking_another_token_causes_no_store_lookup(world):
    waits = Waits(world)
    other = waits.birk.post("/v1/me/tokens", {"label": "third", "scopes": ["play"]}, want=201).json
    waits.birk.call("DELETE", f"/v1/me/tokens/{other['id']}", want=204)

    assert 200 == waits.answer().status
    assert [] == waits.asked


def test_wait_longer_than_the_cache_lifetime_causes_one_store_lookup(world, monkeypatch):
    lapse = lapsing(monkeypatch)
    waits = Waits(world)
    lapse()

    assert 200 == waits.answer().status
    assert [waits.game] == waits.asked


@pytest.mark.parametrize("of", [tokens, lobbies])
def test_expired_token_or_lobby_cache_causes_one_store_lookup(world, monkeypatch, of):
    monkeypatch.setattr(of, "CACHE_SECONDS", 0.4)
    waits = Waits(world)
    time.sleep(0.5)

    assert 200 == waits.answer().status
    assert [waits.game] == waits.asked


@pytest.mark.parametrize(("how", "code"), [("erased", "bad-token"), ("given away", "unknown-game")])
def test_unpublished_loss_of_rights_is_found_when_the_cache_expires(world, monkeypatch, how, code):
    lapse = lapsing(monkeypatch)
    waits = Waits(world)
    if how == "erased":
        erase(world.store, waits.birk.id)
    else:
        give_away(world.store, waits.game, 2, "bot:random")
    lapse()

    assert code == waits.answer().code


def test_forgotten_token_cache_causes_a_store_lookup(world):
    waits = Waits(world)
    erase(world.store, waits.birk.id)
    house(world).tokens.forget("*")  # as when the connection for revocations was down

    assert "bad-token" == waits.answer().code


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_seat_known_to_be_lost_gets_no_result(world, visibility):
    waits = Waits(world)
    if visibility == "public":
        open_to_all(world.store, waits.game)
    give_away(world.store, waits.game, 2, "bot:random")
    house(world).lobby_cache.get(waits.game, fresh=True)  # another request has read it since

    answer = waits.answer()

    assert ("not-your-seat" if visibility == "public" else "unknown-game") == answer.code
    assert [] == waits.asked


def test_forgotten_lobby_causes_one_store_lookup(world):
    waits = Waits(world)
    make_private(world.store, waits.game)
    house(world).lobby_cache.forget(waits.game)

    assert 200 == waits.answer().status
    assert [waits.game] == waits.asked


def test_result_read_without_a_notification_is_checked_against_the_store(world, monkeypatch):
    waits = Waits(world)
    # The worker's notification is lost: an earlier revocation may have been lost too.
    board = world.store.news._board
    monkeypatch.setattr(board, "tell_of", lambda *_, **__: None)
    monkeypatch.setattr(board, "revoked", lambda _: None)
    world.store.accounts.revoke(waits.birk.id, waits.token["id"])

    assert "bad-token" == waits.answer().code


def open_to_all(store, game):
    """Make a game public in the store. No route can do this."""
    make_private(store, game, "public")


def test_token_cache_trusts_only_the_credential_that_it_read(world):
    player = world.player("Ash")
    cache = house(world).tokens
    credential = cache.find(player.token)

    assert cache.is_cached(credential)
    assert cache.is_cached(replace(credential))
    assert not cache.is_cached(replace(credential, scopes=("read",)))
    assert not cache.is_cached(replace(credential, id="c-other"))
