"""Players, tokens, tickets and rate limit buckets, on a server and in a cluster."""

from __future__ import annotations

import time

from service.store.ports.accounts import ANNOUNCED, RECALLED, Credential, Player, Preferences, SecretAddress, Vacation


def player(number=1, **told) -> Player:
    return Player(**{"id": f"p{number}", "name": "Änn ☂", "made_at": 1000 + number, **told})


def credential(number=1, **told) -> Credential:
    fields = {"id": f"c{number}", "player": "p1", "scopes": ("read", "play"), "made_at": 2000 + number, "label": "x"}
    return Credential(**{**fields, **told})


def test_an_account_is_found_by_id_and_by_its_token(store):
    store.accounts.create(player(), credential(), "digest")

    assert player() == store.accounts.player("p1")
    assert credential() == store.accounts.by_token("digest")
    assert store.accounts.player("p2") is None
    assert store.accounts.by_token("other") is None


def test_many_players_are_read_at_once(store):
    for number in (1, 2):
        store.accounts.create(player(number), credential(number, player=f"p{number}"), f"d{number}")

    assert {"p1": player(1), "p2": player(2)} == store.accounts.players(["p2", "p1", "nobody"])
    assert {} == store.accounts.players([])


def test_rename_changes_a_player_and_does_not_create_an_unknown_one(store):
    store.accounts.create(player(), credential(), "digest")
    store.accounts.rename("p1", "Bob")
    store.accounts.rename("p2", "Nobody")

    assert player(name="Bob") == store.accounts.player("p1")
    assert store.accounts.player("p2") is None


def test_a_player_has_several_tokens_oldest_first(store):
    store.accounts.create(player(), credential(2), "d2")
    store.accounts.add_token(credential(3), "d3")
    store.accounts.add_token(credential(1, scopes=("admin",)), "d1")

    assert [credential(1, scopes=("admin",)), credential(2), credential(3)] == list(store.accounts.tokens("p1"))
    assert [] == list(store.accounts.tokens("p2"))


def test_revoked_token_is_removed_and_the_others_stay(store):
    store.accounts.create(player(), credential(1), "d1")
    store.accounts.add_token(credential(2), "d2")

    assert store.accounts.revoke("p1", "c1")
    assert not store.accounts.revoke("p1", "c1")
    assert not store.accounts.revoke("p2", "c2"), "it is another player's"
    assert store.accounts.by_token("d1") is None
    assert credential(2) == store.accounts.by_token("d2")
    assert [credential(2)] == list(store.accounts.tokens("p1"))


def test_first_token_of_an_older_release_owns_the_account(store):
    store.accounts.create(player(1), credential(1, made_at=1001), "d1")
    store.accounts.add_token(credential(2), "d2")

    owner, other = store.accounts.tokens("p1")

    assert ("read", "play", "account") == owner.scopes == store.accounts.by_token("d1").scopes
    assert ("read", "play") == other.scopes == store.accounts.by_token("d2").scopes


def test_token_of_this_release_has_the_scopes_it_was_created_with(store):
    store.accounts.create(player(1), credential(1, made_at=1001, minted_by=""), "d1")

    assert ("read", "play") == store.accounts.by_token("d1").scopes


def test_revoking_a_token_revokes_the_tokens_that_it_minted(store):
    store.accounts.create(player(), credential(1, minted_by=""), "d1")
    for number, minted_by in ((2, "c1"), (3, "c2"), (4, "c3"), (5, "c1")):
        assert store.accounts.add_token(credential(number, minted_by=minted_by), f"d{number}")
    told = []
    store.news.on_revoked(told.append)

    assert {"c2", "c3", "c4"} == set(store.accounts.revoke("p1", "c2"))

    assert [None, None, None] == [store.accounts.by_token(each) for each in ("d2", "d3", "d4")]
    assert ["c1", "c5"] == [each.id for each in store.accounts.tokens("p1")]
    assert {("p1", "c1"), ("p1", "c5")} == store.accounts.held([("p1", f"c{number}") for number in range(1, 6)])


def test_kept_token_gets_the_parent_of_its_revoked_ancestor(store):
    store.accounts.create(player(), credential(1, minted_by=""), "d1")
    for number, minted_by in ((2, "c1"), (3, "c2"), (4, "c3"), (5, "c2")):
        store.accounts.add_token(credential(number, minted_by=minted_by), f"d{number}")

    assert {"c2", "c5"} == set(store.accounts.revoke("p1", "c2", keep="c3"))

    assert ["c1", "c3", "c4"] == [each.id for each in store.accounts.tokens("p1")]
    assert "c1" == store.accounts.by_token("d3").minted_by
    assert {"c1", "c3", "c4"} == set(store.accounts.revoke("p1", "c1")), "it belongs to the first one's family"


def test_revoked_token_cannot_mint_tokens(store):
    store.accounts.create(player(), credential(1, minted_by=""), "d1")
    store.accounts.revoke("p1", "c1")

    assert not store.accounts.add_token(credential(2, minted_by="c1"), "d2")
    assert store.accounts.by_token("d2") is None


def test_expired_token_is_not_found_and_does_not_count_toward_the_limit(store):
    store.accounts.create(player(), credential(1, minted_by=""), "d1")
    store.accounts.add_token(credential(2, minted_by="c1", expires_at=2002), "d2")

    assert store.accounts.by_token("d2") is None
    assert ["c1"] == [each.id for each in store.accounts.tokens("p1")]
    assert not store.accounts.holds("p1", "c2")
    assert store.accounts.add_token(credential(3, minted_by="c1"), "d3", most=2)
    assert not store.accounts.add_token(credential(4, minted_by="c1"), "d4", most=2)


def test_last_uses_are_stored_until_the_token_is_revoked(store):
    store.accounts.create(player(), credential(1, minted_by=""), "d1")
    store.accounts.add_token(credential(2, minted_by="c1"), "d2")
    store.accounts.mark_used("p1", "c2", 3000)
    assert {"c2": 3000} == store.accounts.last_uses("p1")

    store.accounts.revoke("p1", "c2")

    assert {} == store.accounts.last_uses("p1")


def test_revocation_is_published(store):
    told = []
    store.news.on_revoked(told.append)
    store.accounts.create(player(), credential(1), "d1")
    told.clear()
    store.accounts.revoke("p1", "c1")

    until = time.monotonic() + 2
    while not told and time.monotonic() < until:
        time.sleep(0.005)
    assert ["c1"] == told


def test_ticket_stays_valid_for_a_time_after_each_use(store):
    ticket = credential(game="g1", scopes=("read",))
    store.accounts.add_ticket(ticket, "t1", 60)

    assert store.accounts.by_token("t1") is None, "a ticket is no token"
    assert ticket == store.accounts.use_ticket("t1", 1)
    assert ticket == store.accounts.use_ticket("t1", 1)
    assert store.accounts.use_ticket("t2", 1) is None
    time.sleep(1.1)
    assert store.accounts.use_ticket("t1", 1) is None


def test_ticket_that_is_not_used_in_time_expires(store):
    store.accounts.add_ticket(credential(game="g1"), "t1", 1)
    time.sleep(1.05)

    assert store.accounts.use_ticket("t1", 60) is None


def test_rate_limit_allows_the_burst_and_then_returns_a_wait(store):
    answers = [store.accounts.allow("b", 3, 0.1) for _ in range(4)]

    assert [True, True, True, False] == [allowed for allowed, _, _ in answers]
    assert [2, 1, 0, 0] == [left for _, left, _ in answers]
    assert 9 <= answers[3][2] <= 10
    assert store.accounts.allow("another", 3, 0.1)[0]


def test_rate_limit_bucket_refills(store):
    assert store.accounts.allow("b", 1, 20)[0]
    assert not store.accounts.allow("b", 1, 20)[0]
    time.sleep(0.06)

    assert store.accounts.allow("b", 1, 20)[0]


def test_expensive_call_takes_more_of_the_rate_limit(store):
    assert (True, 3) == store.accounts.allow("b", 10, 0.001, cost=7)[:2]
    assert not store.accounts.allow("b", 10, 0.001, cost=4)[0]
    assert (True, 0) == store.accounts.allow("b", 10, 0.001, cost=3)[:2]


def test_player_without_games_has_an_empty_list_of_games(store):
    assert [] == list(store.accounts.games_of("p1"))


# -- secret addresses --------------------------------------------------------------------------------------------------


def secret_address(number=1, **told) -> SecretAddress:
    fields = {
        "id": f"f{number}",
        "player": "p1",
        "credential": "c1",
        "purpose": "feed",
        "kind": "turns",
        "made_at": number,
    }
    return SecretAddress(**{**fields, **told})


def test_secret_address_is_found_by_digest_and_listed_by_purpose(store):
    store.accounts.create(player(), credential(), "digest")
    store.accounts.create(player(2), credential(2, player="p2"), "digest 2")
    of_game = secret_address(2, kind="game", game="g1", seated=True)
    for address in (of_game, secret_address(1), secret_address(3, purpose="letter"), secret_address(4, player="p2")):
        assert store.accounts.add_address(address, f"d{address.made_at}")

    assert of_game == store.accounts.by_address("d2")
    assert store.accounts.by_address("d5") is None
    assert [secret_address(1), of_game] == list(store.accounts.addresses("p1", "feed"))


def test_revoked_secret_address_is_not_found_and_the_others_stay(store):
    store.accounts.create(player(), credential(), "digest")
    store.accounts.create(player(2), credential(2, player="p2"), "digest 2")
    for number in (1, 2):
        store.accounts.add_address(secret_address(number), f"d{number}")

    assert not store.accounts.drop_address("p2", "feed", "f1"), "it is another player's"
    assert not store.accounts.drop_address("p1", "letter", "f1"), "it is for something else"
    assert store.accounts.drop_address("p1", "feed", "f1")
    assert not store.accounts.drop_address("p1", "feed", "f1")

    assert store.accounts.by_address("d1") is None
    assert [secret_address(2)] == list(store.accounts.addresses("p1", "feed"))
    assert secret_address(2) == store.accounts.by_address("d2")


def test_number_of_secret_addresses_of_one_purpose_is_limited(store):
    store.accounts.create(player(), credential(), "digest")
    store.accounts.create(player(2), credential(2, player="p2"), "digest 2")
    assert store.accounts.add_address(secret_address(1), "d1", 1)
    assert not store.accounts.add_address(secret_address(2), "d2", 1)
    assert store.accounts.by_address("d2") is None
    assert store.accounts.add_address(secret_address(3, purpose="letter"), "d3", 1)
    assert store.accounts.add_address(secret_address(4, player="p2"), "d4", 1)
    assert store.accounts.add_address(secret_address(5), "d5")


def test_vacation_is_stored_and_deleted_with_the_games_it_was_announced_to(store):
    later, sooner = Vacation("v1", "p1", 500, 600, 1), Vacation("v2", "p1", 300, 400, 2)
    for vacation in (later, sooner, Vacation("v3", "p2", 100, 200, 3)):
        store.accounts.add_vacation(vacation)
    store.accounts.told_vacation("p1", "v1", "g1", ANNOUNCED)
    store.accounts.told_vacation("p1", "v1", "g2", ANNOUNCED)
    store.accounts.recall_vacation("p1", "v1")
    store.accounts.told_vacation("p1", "v1", "g2", RECALLED)

    told = Vacation("v1", "p1", 500, 600, 1, True, {"g1": ANNOUNCED, "g2": RECALLED})
    assert [sooner, told] == list(store.accounts.vacations("p1"))
    assert ["p1", "p2"] == list(store.accounts.vacationers(0))
    store.accounts.drop_vacation("p1", "v1")
    store.accounts.drop_vacation("p1", "v9")
    assert [sooner] == list(store.accounts.vacations("p1"))
    assert ["p1"] == list(store.accounts.vacationers(250))
    assert [] == list(store.accounts.vacations("p3"))


def test_preferences_survive_a_rename_and_are_not_stored_for_unknown_players(store):
    store.accounts.create(player(), credential(), "digest")

    assert store.accounts.preferences("p1") is None
    for preferences in (Preferences("Europe/Sofia", ("22:00", "08:00")), Preferences(), Preferences("Asia/Tokyo")):
        store.accounts.prefer("p1", preferences)
        assert preferences == store.accounts.preferences("p1")
    store.accounts.rename("p1", "Other")
    assert Preferences("Asia/Tokyo") == store.accounts.preferences("p1")
    assert "Other" == store.accounts.player("p1").name
    store.accounts.prefer("p2", Preferences())
    assert (None, None) == (store.accounts.preferences("p2"), store.accounts.player("p2"))
