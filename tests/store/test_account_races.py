"""Accounts that are erased, and tokens that are revoked, while another process changes the account."""

from __future__ import annotations

from itertools import count

import pytest

from service.store.ports.accounts import FEED, Preferences, SecretAddress, Suspension
from service.store.redis import keys
from tests.store.test_accounts import credential, player

CALLS = ("one", "all", "many", "call")
"""The methods of a client that send something."""


def meanwhile(monkeypatch, store, change, other):
    """Change an account once for each of the change's calls of the store, and do ``other`` before that call. Yields the accounts."""
    own = {name: getattr(store.wire, name) for name in CALLS}
    for number in count():
        id_, calls = f"p{number}", count()
        store.accounts.create(player(number), credential(1, player=id_, minted_by=""), f"first {id_}")
        store.accounts.add_token(credential(2, player=id_, minted_by=""), f"second {id_}")

        def send(method, *arguments, number=number, id_=id_, calls=calls):
            if next(calls) == number:
                with monkeypatch.context() as patch:
                    for name, was in own.items():
                        patch.setattr(store.wire, name, was)
                    other(store, id_)
            return method(*arguments)

        with monkeypatch.context() as patch:
            for name, was in own.items():
                patch.setattr(store.wire, name, lambda *a, was=was, send=send: send(was, *a))
            change(store, id_)
        is_last = next(calls) <= number
        if is_last:
            other(store, id_)
        yield id_
        if is_last:
            return


def erase(store, id_):
    store.accounts.erase(id_)


def add(store, id_, number=3, asker=""):
    """Add a token that depends on no other one, as those that are created in a session after a sign-in."""
    store.accounts.add_token(credential(number, player=id_, minted_by=""), f"{number} {id_}", asker=asker)


@pytest.mark.parametrize(
    "change",
    [
        lambda store, id_: store.accounts.rename(id_, "Zed"),
        lambda store, id_: store.accounts.prefer(id_, Preferences("Europe/Oslo")),
        lambda store, id_: store.accounts.suspend(id_, Suspension("Cheating", 1)),
        add,
        lambda store, id_: store.accounts.add_address(SecretAddress("f1", id_, "", FEED, "turns", 1), f"d {id_}"),
    ],
    ids=["rename", "prefer", "suspend", "token", "address"],
)
def test_account_that_is_erased_meanwhile_stays_erased(store, monkeypatch, change):
    for id_ in meanwhile(monkeypatch, store, change, erase):
        assert {} == store.accounts.players([id_])
        assert [] == list(store.accounts.tokens(id_)) == list(store.accounts.addresses(id_, FEED))
        assert [None, None] == [store.accounts.by_token(f"{each} {id_}") for each in ("first", 3)]
        assert store.accounts.by_address(f"d {id_}") is None
        assert [] == [
            each for each in store.wire.one("ZRANGE", keys.PLAYER_NAMES, 0, -1) if each.endswith(id_.encode())
        ]
        assert 0 == store.wire.one("EXISTS", f"player:{{{id_}}}")


def entries(store, id_):
    """The player's entries in the index of names."""
    return [each for each in store.wire.one("ZRANGE", keys.PLAYER_NAMES, 0, -1) if each.endswith(id_.encode())]


def rename(name):
    return lambda store, id_: store.accounts.rename(id_, name)


def test_player_who_is_renamed_twice_at_once_is_found_by_the_newest_name(store, monkeypatch):
    for id_ in meanwhile(monkeypatch, store, rename("Zed"), rename("Yan")):
        name = store.accounts.player(id_).name

        assert id_ in [each.id for each in store.accounts.named(name, 100)[0]]
        assert 1 == len(entries(store, id_))


def test_player_is_found_after_a_change_of_case(store):
    store.accounts.create(player(name="ash"), credential(), "digest")
    store.accounts.rename("p1", "Ash")

    assert [player(name="Ash")] == store.accounts.named("ash", 10)[0]


def test_account_without_a_date_counts_as_erased(store):
    """Releases before this one could leave such accounts behind."""
    store.wire.one("HSET", "player:{p1}", "name", "Zed")

    assert store.accounts.player("p1") is None
    assert [] == [*store.accounts.every()]
    assert (False, None) == store.accounts.status("p1")


def test_token_that_is_revoked_meanwhile_leaves_no_new_token_behind(store, monkeypatch):
    def ask(store, id_):
        add(store, id_, asker="c1")

    for id_ in meanwhile(monkeypatch, store, ask, lambda store, id_: store.accounts.revoke_all(id_)):
        assert [] == list(store.accounts.tokens(id_))
        assert store.accounts.by_token(f"3 {id_}") is None


def test_all_tokens_are_revoked_although_more_are_created_meanwhile(store, monkeypatch):
    """Each call of the store is preceded by another token, until the token that asks for them is revoked."""
    numbers = count(4)
    for id_ in meanwhile(
        monkeypatch,
        store,
        lambda store, id_: store.accounts.revoke_all(id_, keep="c1"),
        lambda store, id_: add(store, id_, next(numbers), asker="c2"),
    ):
        assert ["c1"] == [each.id for each in store.accounts.tokens(id_)]
    assert next(numbers) > 8
