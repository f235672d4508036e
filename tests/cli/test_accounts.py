"""``oraclewheel accounts``: what it prints, what it changes, and what it refuses."""

from __future__ import annotations

import pwd

import pytest
from click.testing import CliRunner

from service.cli import main
from service.cli.operator import operator_name
from service.core.accounts import apps
from service.core.feature import Feature
from service.core.http.context.tokens import digest_of
from service.core.notifications.kinds import EMAIL
from service.features.email.mailbox import Mailbox
from service.ops import accounts as administration
from service.store.ports.accounts import SESSION, Credential, Player
from service.store.ports.outbox import Subscription

REASON = ("--reason", "Insults in three games.")


@pytest.fixture
def run(redis_store, redis_url, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)

    def ran(*arguments, typed=None):
        return CliRunner().invoke(main, ["accounts", *arguments], catch_exceptions=False, input=typed)

    for number, name in enumerate(("Ash", "Ashley", "Birk"), 1):
        made = Credential(f"c{number}", f"p{number}", ("read", "play", "account"), number, minted_by="")
        redis_store.accounts.create(Player(f"p{number}", name, number), made, digest_of(f"t{number}"))
    return ran


def email(store, player, address, *, verified):
    terms = Mailbox(address, verified=verified).terms()
    store.subscriptions.add(Subscription(f"s{player}", EMAIL, player, None, 1, terms), 1)


def test_accounts_are_found_by_id_name_and_confirmed_email(run, redis_store):
    email(redis_store, "p3", "Birk@example.org", verified=True)
    email(redis_store, "p2", "ashley@example.org", verified=False)

    found = {text: run("find", text) for text in ("p3", "ASH", "birk@Example.org", "ashley@example.org", "x")}

    ids = {text: [line.split()[0] for line in each.stdout.splitlines()] for text, each in found.items()}
    assert {"p3": ["p3"], "ASH": ["p1", "p2"], "birk@Example.org": ["p3"], "ashley@example.org": [], "x": []} == ids
    assert [0, 0, 0, 1, 1] == [each.exit_code for each in found.values()]
    assert "There is no such account." in found["x"].stderr
    assert 2 == run("find", " ").exit_code


def test_account_is_shown_without_addresses(run, redis_store):
    email(redis_store, "p1", "ash@example.org", verified=True)
    redis_store.accounts.add_token(Credential("c9", "p1", (), 1, minted_by="", kind=SESSION), digest_of("t9"))
    run("suspend", "p1", *REASON)

    shown = run("show", "p1").output

    assert "name          Ash\n" in shown
    assert "credentials   1 token, 1 session\napps          0\n" in shown
    assert "subscriptions 1\n" in shown
    assert "until it is restored\n" in shown
    assert "reason        Insults in three games.\n" in shown
    assert "example.org" not in shown


def test_suspension_and_restoring_are_logged_with_the_users_name(run, redis_store):
    assert (
        "p1: suspended until 2999-08-01 00:00 UTC.\n" == run("suspend", "p1", "--until", "2999-08-01", *REASON).output
    )
    assert 32_490_460_800_000 == redis_store.accounts.suspension("p1").until
    assert "(suspended)" in run("find", "p1").output
    assert "p1: restored.\n" == run("restore", "p1", "--reason", "The appeal was right.").output
    assert redis_store.accounts.suspension("p1") is None

    lines = run("log").output.splitlines()
    assert [
        ["account.restore", "p1", "The appeal was right."],
        ["account.suspend", "p1", "Insults in three games."],
    ] == [line.split("  ")[2:] for line in lines]
    assert {operator_name()} == {line.split("  ")[1] for line in lines}
    assert "There are no entries.\n" == run("log", "--account", "p2").output


def test_reset_revokes_everything_and_prints_a_token_that_works(run, redis_store):
    email(redis_store, "p1", "ash@example.org", verified=True)
    token = run("reset-sign-in", "p1", *REASON).output.strip()

    assert redis_store.accounts.by_token(digest_of("t1")) is None
    assert ("p1", ("read", "play", "account")) == (
        redis_store.accounts.by_token(digest_of(token)).player,
        redis_store.accounts.by_token(digest_of(token)).scopes,
    )
    assert redis_store.accounts.by_token(digest_of("t2")) is not None


def test_reset_removes_ways_back_only_if_asked(run, redis_store, monkeypatch):
    from service.features.passkeys import storage

    removed = []
    monkeypatch.setattr(storage, "erase_passkeys", lambda _, player: removed.append(player))

    run("reset-sign-in", "p1", *REASON)
    assert [] == removed
    run("reset-sign-in", "p1", *REASON, "--remove-ways-back")
    assert {"p1"} == {*removed}


def test_reset_removes_what_a_session_adds_meanwhile(run, redis_store, monkeypatch):
    ways, calls, revoke_all = ["old"], [], apps.revoke_all

    def revoke(store, player_id):
        if not calls:
            ways.append("added")
            store.accounts.add_token(Credential("c8", "p1", (), 1, minted_by=""), "late")
        calls.append(revoke_all(store, player_id))
        if len(calls) == 1 and "added" in ways:
            store.accounts.add_token(Credential("c9", "p1", (), 1, minted_by=""), "by the added way")

    monkeypatch.setattr(apps, "revoke_all", revoke)
    monkeypatch.setattr(administration, "load", lambda _: lambda *_: ways.clear())

    feature = Feature("x", "X.", reset_sign_in="x")
    administration.reset_sign_in(redis_store, [feature], "root", "p1", "Stolen.", remove_ways=True)

    assert [] == ways
    assert ["reset by operator"] == [each.label for each in redis_store.accounts.tokens("p1")]


def test_erasing_asks_first(run, redis_store):
    assert 1 == run("erase", "p1", *REASON, typed="n\n").exit_code
    assert redis_store.accounts.player("p1") is not None
    assert [] == redis_store.operators.newest(1)

    asked = run("erase", "p1", *REASON, typed="y\n")
    assert "Erase the account Ash (p1)?" in asked.output
    assert redis_store.accounts.player("p1") is None
    assert "p2: erased.\n" == run("erase", "p2", *REASON, "--yes").output


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("suspend", "p1"), 2, "Missing option '--reason'"),
        (("restore", "p1"), 2, "Missing option '--reason'"),
        (("reset-sign-in", "p1"), 2, "Missing option '--reason'"),
        (("erase", "p1", "--yes"), 2, "Missing option '--reason'"),
        (("suspend", "p1", "--reason", "x"), 1, "The reason must have 3 to 500 characters"),
        (("suspend", "p1", "--until", "2001-01-01", *REASON), 1, "must end in the future"),
        (("suspend", "p1", "--until", "soon", *REASON), 2, "does not match the format"),
        (("suspend", "p0", *REASON), 1, "There is no account with the id 'p0'."),
        (("restore", "p1", *REASON), 1, "The account is not suspended."),
        (("reset-sign-in", "p0", *REASON), 1, "There is no account with the id 'p0'."),
        (("erase", "p0", "--yes", *REASON), 1, "There is no account with the id 'p0'."),
        (("show", "p0"), 1, "There is no account with the id 'p0'."),
        (("log", "--count", "0"), 2, "not in the range"),
    ],
)
def test_bad_arguments_change_nothing_and_say_why(run, redis_store, arguments, status, said):
    result = run(*arguments)

    assert status == result.exit_code
    assert said in result.stderr
    assert [] == redis_store.operators.newest(1)
    assert "p1" == redis_store.accounts.by_token(digest_of("t1")).player


def test_user_without_a_name_is_logged_by_number(monkeypatch):
    def unknown(_):
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)

    assert operator_name().startswith("user ")
