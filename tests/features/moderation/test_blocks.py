"""Blocked players: neither can reach the other, in any way that the API has, and the blocked one is not told."""

from __future__ import annotations

import time

import pytest

from domain.table.vacations import SITS_IN
from service.features.moderation import blocks
from service.features.moderation.blocks import BLOCKED_BY, BLOCKS
from service.store.ports.side_data import NO_GAME
from service.store.upkeep.vacations import tell_of
from tests.core.http.problem import is_a_problem
from tests.driver import Player
from tests.features.chat.test_chat import history, say, words
from tests.features.substitutes.test_substitutes import game_with_an_empty_seat, take

DAY = 24 * 3_600_000
CLOCK = {"mode": "per_question", "hours": 24}


def block(player, other, want=200):
    return player.call("PUT", f"/v1/me/blocks/{other.id}", {}, want=want)


def listed(player):
    return [each["player"]["id"] for each in player.get("/v1/me/blocks", want=200).json["blocks"]]


@pytest.fixture
def pair(world):
    """Ash has blocked Birk."""
    ash, birk = world.player("Ash"), world.player("Birk")
    block(ash, birk)
    return ash, birk


@pytest.fixture(params=["by the blocker", "by the blocked"])
def ways(request, pair):
    """Both directions: who tries to reach whom."""
    ash, birk = pair
    return (ash, birk) if request.param == "by the blocker" else (birk, ash)


# -- the list ---------------------------------------------------------------------------------------------------------


def test_blocked_players_are_listed_and_can_be_unblocked(world):
    ash, birk, cyra = world.player("Ash"), world.player("Birk"), world.player("Cyra")
    made = block(ash, birk).json
    block(ash, cyra)

    assert {"id": birk.id, "name": "Birk"} == made["player"]
    assert 0 < made["blocked_at"] <= world.store.schedule.now()
    assert made == ash.get("/v1/me/blocks", want=200).json["blocks"][0]
    assert ([birk.id, cyra.id], []) == (listed(ash), listed(birk))
    ash.call("DELETE", f"/v1/me/blocks/{birk.id}", want=204)
    assert [cyra.id] == listed(ash)


def test_blocking_again_keeps_the_first_time(world):
    ash, birk = world.player(), world.player()
    made = block(ash, birk).json
    time.sleep(0.002)

    assert made == block(ash, birk).json


def test_bad_requests_get_a_clear_problem(world, pair):
    ash, birk = pair
    is_a_problem(block(ash, ash, None), 404, "unknown-player")
    is_a_problem(ash.call("PUT", "/v1/me/blocks/p0", {}), 404, "unknown-player")
    is_a_problem(ash.call("DELETE", "/v1/me/blocks/p0"), 404, "unknown-block")
    is_a_problem(birk.call("DELETE", f"/v1/me/blocks/{ash.id}"), 404, "unknown-block")
    wrong = is_a_problem(ash.call("PUT", f"/v1/me/blocks/{birk.id}", {"why": "x"}), 422, "invalid")
    assert "/why" == wrong["pointer"]
    reader = ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["token"]
    is_a_problem(block(Player(ash.site, reader), birk, None), 403, "insufficient-scope")
    for method, path in (("GET", ""), ("PUT", f"/{birk.id}"), ("DELETE", f"/{birk.id}")):
        body = {} if method == "PUT" else None
        is_a_problem(world.public.call(method, f"/v1/me/blocks{path}", body), 401, "no-token")
    assert [birk.id] == listed(ash)


def test_number_of_blocks_is_limited(world, monkeypatch):
    monkeypatch.setattr(blocks, "MOST", 1)
    ash, birk, cyra = world.player(), world.player(), world.player()
    block(ash, birk)

    answer = block(ash, cyra, None)
    is_a_problem(answer, 429, "too-many-blocks")
    assert int(answer.headers["Retry-After"]) > 0
    block(ash, birk)
    assert [birk.id] == listed(ash)


def test_blocked_player_is_told_nothing(world, pair):
    _, birk = pair

    assert [] == birk.get("/v1/me/turns", want=200).json["turns"]
    assert [] == listed(birk)
    for path in ("/v1/me", "/v1/me/blocks", "/v1/me/sitting", "/v1/me/reports"):
        assert "Ash" not in birk.get(path, want=200).text


def test_erasing_an_account_removes_its_blocks_and_those_against_it(world):
    ash, birk, cyra = world.player("Ash"), world.player("Birk"), world.player("Cyra")
    block(ash, birk)
    block(cyra, ash)
    block(cyra, birk)

    ash.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)

    names = [
        name.decode() for name in world.store.wire.one("KEYS", "*") if ash.id in name.decode() and b"block" in name
    ]
    assert [] == names
    assert ([birk.id], {}) == (listed(cyra), world.store.notes.all(NO_GAME, BLOCKS + birk.id))
    assert [cyra.id] == list(world.store.notes.all(NO_GAME, BLOCKED_BY + birk.id))


# -- games that have not started --------------------------------------------------------------------------------------


def test_neither_can_join_a_game_of_the_other(ways):
    one, other = ways
    made = other.make_game(visibility="public")

    is_a_problem(one.post(f"/v1/games/{made['id']}/seats", {}), 403, "not-admitted")
    is_a_problem(one.post(f"/v1/games/{made['id']}/seats", {"invitation": made["invitation"]}), 403, "not-admitted")
    assert [None] == [each["player"] for each in other.summary(made["id"])["seats"][1:]]


def test_problem_is_the_same_for_both(pair):
    ash, birk = pair
    told = []
    for one, other in ((ash, birk), (birk, ash)):
        document = one.post(f"/v1/games/{other.make_game(visibility='public')['id']}/seats", {}, want=403).json
        told.append(document)

    assert told[0] == told[1]
    assert "block" not in str(told[1]).lower()


def test_private_game_stays_hidden_without_the_invitation(pair):
    ash, birk = pair
    made = ash.make_game(visibility="private")

    is_a_problem(birk.post(f"/v1/games/{made['id']}/seats", {}), 404, "unknown-game")


def test_blocked_player_gets_no_second_seat(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    made = ash.make_game(seats=3, sandbox={})
    birk.join(made["id"], made["invitation"])
    block(ash, birk)

    is_a_problem(birk.post(f"/v1/games/{made['id']}/seats", {"invitation": made["invitation"]}), 403, "not-admitted")
    assert ash.summary(made["id"])["seats"][2]["player"] is None


def test_game_of_a_third_player_is_open_to_both(world, pair):
    cyra = world.player("Cyra")
    made = cyra.make_game(seats=3, visibility="public")

    for each in pair:
        each.join(made["id"])


def test_unblocking_lets_both_join_again(pair):
    ash, birk = pair
    ash.call("DELETE", f"/v1/me/blocks/{birk.id}", want=204)

    birk.join(ash.make_game(visibility="public")["id"])
    ash.join(birk.make_game(visibility="public")["id"])


def test_unblocking_does_not_undo_the_block_of_the_other(pair):
    ash, birk = pair
    block(birk, ash)
    ash.call("DELETE", f"/v1/me/blocks/{birk.id}", want=204)

    is_a_problem(ash.post(f"/v1/games/{birk.make_game(visibility='public')['id']}/seats", {}), 403, "not-admitted")


# -- seats of running games -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("blocker", ["creator", "taker"])
@pytest.mark.parametrize("policy", ["open", "creator", "vote"])
def test_vacant_seat_is_not_given_to_a_blocked_player(world, policy, blocker):
    game, ash, _ = game_with_an_empty_seat(world, table={"substitutes": policy})
    cyra = world.player("Cyra")
    block(*((ash, cyra) if blocker == "creator" else (cyra, ash)))

    is_a_problem(take(cyra, game, want=None), 403, "not-admitted")
    assert [] == ash.summary(game)["seats"][1]["requests"]


def test_request_for_a_seat_is_withdrawn_by_a_block(world):
    game, ash, _ = game_with_an_empty_seat(world, table={"substitutes": "creator"})
    cyra = world.player("Cyra")
    take(cyra, game, want=202)

    block(ash, cyra)

    assert [] == ash.summary(game)["seats"][1]["requests"]
    is_a_problem(take(ash, game, want=None, player=cyra.id), 404, "unknown-seat-request")


def test_creator_cannot_give_a_seat_to_a_player_who_blocked_them(world):
    game, ash, _ = game_with_an_empty_seat(world, table={"substitutes": "creator"})
    cyra = world.player("Cyra")
    take(cyra, game, want=202)
    # Without the withdrawal, as when both happen at the same time.
    world.store.notes.put(NO_GAME, BLOCKS + cyra.id, ash.id, b"1")
    world.store.notes.put(NO_GAME, BLOCKED_BY + ash.id, cyra.id, b"1")

    is_a_problem(take(ash, game, want=None, player=cyra.id), 403, "not-admitted")


def test_player_can_return_to_their_own_seat(world):
    game, ash, birk = game_with_an_empty_seat(world)
    block(ash, birk)

    take(birk, game)


# -- sitters ----------------------------------------------------------------------------------------------------------


def test_neither_can_ask_the_other_to_sit_in(world, ways):
    one, other = ways
    cyra = world.player("Cyra")
    made = one.make_game(options={"points": 100})
    cyra.join(made["id"], made["invitation"])
    one.start(made["id"])
    until = world.store.schedule.now() + DAY

    answer = one.post(f"/v1/games/{made['id']}/seats/1/sitter", {"player": other.id, "until": until})
    away = one.post("/v1/me/vacations", {"from": until, "to": until + DAY, "seat": SITS_IN, "sitter": other.id})

    for each in (answer, away):
        is_a_problem(each, 409, "sitter-not-agreed")
    assert [] == other.get("/v1/me/sitting", want=200).json["agreements"]


def test_neither_can_agree_to_sit_in(ways):
    one, other = ways

    is_a_problem(one.call("PUT", f"/v1/me/sitting/{other.id}", {}), 403, "not-admitted")


def test_block_ends_agreements_and_sitting(world):
    game, ash, _ = world.table(options={"points": 100})
    cyra = world.player("Cyra")
    cyra.agrees_to_sit_for(ash)
    ash.agrees_to_sit_for(cyra)
    until = world.store.schedule.now() + DAY
    ash.post(f"/v1/games/{game}/seats/1/sitter", {"player": cyra.id, "until": until}, want=200)

    block(ash, cyra)

    assert [[], []] == [each.get("/v1/me/sitting", want=200).json["agreements"] for each in (ash, cyra)]
    assert ash.summary(game)["seats"][0]["sitter"] is None


def test_sitter_of_a_planned_vacation_does_not_take_over_after_a_block(world):
    game, ash, birk = world.table(options={"points": 100}, pace=CLOCK, table={"vacation_days": 30})
    cyra = world.player("Cyra")
    cyra.agrees_to_sit_for(birk)
    now = world.store.schedule.now()
    away = {"from": now + DAY, "to": now + 2 * DAY, "seat": SITS_IN, "sitter": cyra.id}
    block(cyra, ash)  # another block changes nothing
    birk.post("/v1/me/vacations", away, want=201)
    assert birk.summary(game)["seats"][1]["sitter"] is not None

    block(cyra, birk)

    assert birk.summary(game)["seats"][1]["sitter"] is None
    later = ash.make_game(options={"points": 100}, pace=CLOCK, table={"vacation_days": 30})
    birk.join(later["id"], later["invitation"])
    ash.start(later["id"])
    tell_of(world.store, birk.id)
    assert birk.summary(later["id"])["seats"][1]["sitter"] is None


# -- chat -------------------------------------------------------------------------------------------------------------


def test_each_sees_old_messages_of_the_other_but_no_new_ones(world):
    game, ash, birk, cyra = world.table("Ash", "Birk", "Cyra")
    say(ash, game, "One.")
    say(birk, game, "Two.")
    time.sleep(0.002)
    block(ash, birk)
    say(ash, game, "Three.")
    say(birk, game, "Four.")

    assert ["One.", "Two.", "Three.", None] == words(ash, game)
    assert ["One.", "Two.", None, "Four."] == words(birk, game)
    assert ["One.", "Two.", "Three.", "Four."] == words(cyra, game) == words(world.public, game)
    assert (None, "muted", "Birk sent a message that you have muted.") == history(ash, game)[3]
    assert (None, "closed", "Ash sent a message that is private.") == history(birk, game)[2]
    assert [] == birk.get(f"/v1/games/{game}/mutes", want=200).json["muted"]

    ash.call("DELETE", f"/v1/me/blocks/{birk.id}", want=204)
    assert ["One.", "Two.", "Three.", "Four."] == words(ash, game) == words(birk, game)


def test_open_stream_shows_no_new_message_of_a_blocked_player(world):
    game, ash, birk = world.table()
    block(ash, birk)

    with ash.stream(game) as to_ash, birk.stream(game) as to_birk:
        say(birk, game, "Hello?")
        told = {}
        for name, messages in (("ash", to_ash), ("birk", to_birk)):
            lines = (line for message in messages if message.data for line in message.data["lines"])
            told[name] = next(line.get("words") for line in lines if line["type"] == "said")

    assert {"ash": None, "birk": "Hello?"} == told


def test_second_seat_does_not_get_around_the_block(world):
    """In a sandbox one player has several seats: all messages of theirs are hidden."""
    ash, birk = world.player("Ash"), world.player("Birk")
    made = ash.make_game(seats=3, sandbox={})
    for _ in range(2):
        birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    block(ash, birk)

    say(birk, made["id"], "From seat 2.", seat=2)
    say(birk, made["id"], "From seat 3.", seat=3)

    assert [None, None] == words(ash, made["id"])
    assert ["From seat 2.", "From seat 3."] == words(birk, made["id"]) == words(birk, made["id"], seat=3)


def test_own_messages_and_the_running_game_are_untouched(world):
    game, ash, birk = world.table(options={"points": 100})
    before = world.store.lobbies.get(game)
    block(ash, birk)

    assert before == world.store.lobbies.get(game)
    for each in (ash, birk):
        each.send(game, {"type": "hide", "pennies": 1}, want=200)


def test_older_of_two_blocks_counts_for_messages(world):
    game, ash, birk = world.table()
    block(ash, birk)
    say(birk, game, "Hello?")
    time.sleep(0.002)
    block(birk, ash)

    assert [None] == words(ash, game)
    birk.call("DELETE", f"/v1/me/blocks/{ash.id}", want=204)
    assert [None] == words(ash, game)
