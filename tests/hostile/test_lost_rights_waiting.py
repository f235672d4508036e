"""Whoever waits for a command is told what came of it as they would be let in then: believed for seconds, and not longer."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from service.api.context import lobbies, tokens
from tests.driver import Player
from tests.hostile.table import HIDE, erase, give_away, house, make_private


class Waits:
    """Somebody with a token of their own who waits for a command in a game where the worker sleeps."""

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
        """The worker wakes up; what they are told."""
        self.world.work(self.game)
        self._thread.join(30)
        return self._told[0]


def lapsing(monkeypatch, seconds=0.4):
    """What is remembered is believed for less time than the wait takes."""
    monkeypatch.setattr(tokens, "TRUSTED", seconds)
    monkeypatch.setattr(lobbies, "KEPT", seconds)
    return lambda: time.sleep(seconds + 0.1)


@pytest.mark.parametrize("commands", [(), (HIDE, HIDE)], ids=["one", "a list"])
def test_who_is_believed_yet_is_told_without_a_question_to_the_store(world, commands):
    waits = Waits(world, *commands)

    answer = waits.answer()

    assert "bad-token" not in answer.text
    assert waits.player.id == waits.birk.id
    assert [] == waits.asked


def test_a_token_that_was_revoked_is_believed_no_longer(world):
    waits = Waits(world)
    waits.birk.call("DELETE", f"/v1/me/tokens/{waits.token['id']}", want=204)

    answer = waits.answer()

    assert (401, "bad-token") == (answer.status, answer.code)
    assert [waits.game] == waits.asked


def test_a_token_that_another_process_revoked_is_believed_no_longer(world):
    waits = Waits(world)
    world.store.accounts.revoke(waits.birk.id, waits.token["id"])

    answer = waits.answer()

    assert (401, "bad-token") == (answer.status, answer.code)


def test_another_token_that_was_revoked_costs_nobody_a_question(world):
    waits = Waits(world)
    other = waits.birk.post("/v1/me/tokens", {"label": "third", "scopes": ["play"]}, want=201).json
    waits.birk.call("DELETE", f"/v1/me/tokens/{other['id']}", want=204)

    assert 200 == waits.answer().status
    assert [] == waits.asked


def test_who_has_waited_for_longer_than_is_believed_is_asked_about(world, monkeypatch):
    lapse = lapsing(monkeypatch)
    waits = Waits(world)
    lapse()

    assert 200 == waits.answer().status
    assert [waits.game] == waits.asked


@pytest.mark.parametrize("of", [tokens, lobbies])
def test_each_of_both_is_asked_about_when_it_has_lapsed(world, monkeypatch, of):
    monkeypatch.setattr(of, "TRUSTED" if of is tokens else "KEPT", 0.4)
    waits = Waits(world)
    time.sleep(0.5)

    assert 200 == waits.answer().status
    assert [waits.game] == waits.asked


@pytest.mark.parametrize(("how", "code"), [("erased", "bad-token"), ("given away", "unknown-game")])
def test_what_nobody_publishes_is_found_out_when_what_is_remembered_has_lapsed(world, monkeypatch, how, code):
    lapse = lapsing(monkeypatch)
    waits = Waits(world)
    if how == "erased":
        erase(world.store, waits.birk.id)
    else:
        give_away(world.store, waits.game, 2, "bot:random")
    lapse()

    assert code == waits.answer().code


def test_news_of_all_tokens_that_were_missed_make_the_store_be_asked(world):
    waits = Waits(world)
    erase(world.store, waits.birk.id)
    house(world).tokens.forget("*")  # as when the line that revocations come by was down

    assert "bad-token" == waits.answer().code


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_seat_that_the_process_knows_is_lost_is_not_told_for(world, visibility):
    waits = Waits(world)
    if visibility == "public":
        open_to_all(world.store, waits.game)
    give_away(world.store, waits.game, 2, "bot:random")
    house(world).lobby_cache.get(waits.game, fresh=True)  # somebody else's request has read it since

    answer = waits.answer()

    assert ("not-your-seat" if visibility == "public" else "unknown-game") == answer.code
    assert [] == waits.asked


def test_a_lobby_that_was_forgotten_is_asked_for(world):
    waits = Waits(world)
    make_private(world.store, waits.game)
    house(world).lobby_cache.forget(waits.game)

    assert 200 == waits.answer().status
    assert [waits.game] == waits.asked


def test_what_was_read_and_not_told_is_told_by_what_the_store_says(world, monkeypatch):
    waits = Waits(world)
    # What the worker says is lost on the way: then a revocation before it may not have been heard of either.
    board = world.store.news._board
    monkeypatch.setattr(board, "tell_of", lambda *_, **__: None)
    monkeypatch.setattr(board, "revoked", lambda _: None)
    world.store.accounts.revoke(waits.birk.id, waits.token["id"])

    assert "bad-token" == waits.answer().code


def open_to_all(store, game):
    """What no route does, as in `make_private`."""
    make_private(store, game, "public")


def test_a_credential_is_believed_as_it_was_read_and_no_other(world):
    player = world.player("Ash")
    cache = house(world).tokens
    credential = cache.credential(player.token)

    assert cache.believes(credential)
    assert cache.believes(replace(credential))
    assert not cache.believes(replace(credential, scopes=("read",)))
    assert not cache.believes(replace(credential, id="c-other"))
