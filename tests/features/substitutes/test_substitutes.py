"""Seats that change hands after the start: substitutes, sitters, and what former players can see."""

from __future__ import annotations

import time

import pytest

from domain.table.redecide import redecide
from service.core.history.lines import decode_commit
from service.core.positions.game_config import load_game_config
from service.store.ports.lobbies import Seating, Sitter
from service.store.redis.lobbies.record import read_seating, seating_lines
from service.store.upkeep.repair import repair
from tests.core.http.problem import is_a_problem
from tests.driver import Player
from tests.hostile.table import HIDE, SECRET, hurried, second
from tests.workers.test_advance import bodies

RESIGN = {"type": "resign"}
LONG = 10**10


def game_with_an_empty_seat(world, **told):
    """A game in which seat 2 has hidden once and resigned; the game and both players."""
    told.setdefault("visibility", "public")
    game, ash, birk = world.table(options={"points": 1000}, **told)
    birk.send(game, HIDE, want=200)
    ash.send(game, HIDE, want=200)
    birk.send(game, RESIGN, want=200)
    return game, ash, birk


def take(taker, game, seat=2, want=200, **body):
    return taker.post(f"/v1/games/{game}/seats/{seat}/take", body, want=want)


def go_on(game, other, newcomer):
    """Continue the game. The bot has already moved in this round, so the newcomer begins in the next one."""
    for player in (other, newcomer, other, newcomer):
        player.send(game, HIDE, want=200)


def secrets_of(entries):
    return [entry["seq"] for entry in entries if SECRET in [line["type"] for line in entry["lines"]]]


def test_a_substitute_plays_the_seat_and_sees_its_past_secrets(world):
    game, ash, _ = game_with_an_empty_seat(world)
    cleo = world.player("Cleo")
    assert {"game": game, "seat": 2, "status": "taken"} == take(cleo, game).json

    assert cleo.view(game)["private"] is not None
    table = cleo.get(f"/v1/games/{game}/view").json["public"]["table"]
    assert ("player", []) == (table["seats"][1]["controller"], table["chairs"]["vacant"])
    assert 2 == secrets_of(cleo.events(game))[0], "what the seat hid before it was theirs is told to the newcomer"
    go_on(game, ash, cleo)
    ash.send(game, HIDE, want=200)
    cleo.send(game, {"commands": [HIDE]}, want=200)
    seats = ash.summary(game)["seats"]
    assert (cleo.id, "Cleo", None) == (seats[1]["player"]["id"], seats[1]["player"]["name"], seats[1]["bot"])
    assert "take_seat" not in ash.options(game), "no client says it"


def test_the_former_player_sees_only_public_data_once_the_seat_is_taken(world):
    game, ash, birk = game_with_an_empty_seat(world)
    assert birk.view(game, at=2)["private"] is not None, "a seat that nobody has taken is still theirs to read"
    cleo = world.player("Cleo")
    take(cleo, game)
    go_on(game, ash, cleo)

    assert birk.view(game)["private"] is None
    assert birk.get(f"/v1/games/{game}/view", want=200).json == world.public.get(f"/v1/games/{game}/view").json
    assert [] == secrets_of(birk.events(game))
    assert birk.view(game, at=2) == world.public.view(game, at=2)
    assert "not-your-seat" == birk.get(f"/v1/games/{game}/view", seat=2, want=403).code
    assert "not-your-seat" == birk.send(game, HIDE, want=403).code
    assert [] == birk.turns()


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_the_former_player_gets_the_same_answers_as_the_public(world, visibility):
    game, ash, birk = game_with_an_empty_seat(world, visibility=visibility)
    cleo, invitation = world.player("Cleo"), {}
    if visibility != "public":
        invitation = {"invitation": ash.post(f"/v1/games/{game}/invitation", want=201).json["invitation"]}
    take(cleo, game, **invitation)
    go_on(game, ash, cleo)
    own = cleo.send(game, {"type": "hide", "pennies": 999}).json["id"]
    paths = ["view", "events", "events?digest=turn", "board.svg", "export", "options", ""]
    paths += [f"view?at={seq}" for seq in range(1, world.store.log.head(game)[0] + 1)]
    for path in paths:
        theirs, anybodys = (player.get(f"/v1/games/{game}/{path}".rstrip("/")) for player in (birk, world.public))
        assert (theirs.status, theirs.body) == (anybodys.status, anybodys.body) or theirs.status in (401, 403), path
    for path in ("view?seat=2", "options?seat=2", "plan?seat=2", f"commands/{own}"):
        assert birk.get(f"/v1/games/{game}/{path}").status in (403, 404), path


def test_a_change_of_seat_takes_effect_in_other_processes_at_once(world):
    game, ash, birk = game_with_an_empty_seat(world)
    other = second(world)
    elsewhere = Player(other.site, birk.token)
    elsewhere.get(f"/v1/games/{game}/view", want=200)
    assert other.app.extensions["oraclewheel"].lobby_cache.get_cached(game) is not None
    cleo = world.player("Cleo")
    take(cleo, game)
    go_on(game, ash, cleo)
    told = [elsewhere.view(game)["private"] for _ in range(20)][-1]

    assert told is None


def test_the_stream_of_the_former_player_ends(world, monkeypatch):
    hurried(monkeypatch)
    game, ash, birk = game_with_an_empty_seat(world)
    cleo = world.player("Cleo")
    heard = []
    with birk.stream(game) as messages:
        heard.append(next(messages))
        take(cleo, game)
        go_on(game, ash, cleo)
        heard += list(messages)
    last = max(message.id for message in heard if message.id is not None)

    assert last < cleo.get(f"/v1/games/{game}/view").seq, "the commit of the newcomer was not theirs any more"


def test_a_seat_can_be_taken_only_once(world):
    game, _, birk = game_with_an_empty_seat(world)
    cleo, dora = world.player("Cleo"), world.player("Dora")
    take(cleo, game)

    assert "not-vacant" == take(dora, game, want=409).code
    assert "not-vacant" == take(birk, game, want=409).code
    assert "not-vacant" == take(dora, game, seat=1, want=409).code
    assert "unknown-seat" == take(dora, game, seat=3, want=404).code


def test_a_repeated_request_takes_the_seat_once(world):
    game, _, _ = game_with_an_empty_seat(world)
    cleo = world.player("Cleo")
    key = {"Idempotency-Key": "once"}
    first = cleo.post(f"/v1/games/{game}/seats/2/take", {}, headers=key, want=200)
    seq = world.store.log.head(game)[0]

    assert "not-vacant" == cleo.post(f"/v1/games/{game}/seats/2/take", {}, headers=key, want=409).code
    assert "taken" == first.json["status"]
    assert seq == world.store.log.head(game)[0]


def test_only_one_of_two_concurrent_requests_takes_the_seat(world):
    game, _, _ = game_with_an_empty_seat(world)
    cleo, dora = world.player("Cleo"), world.player("Dora")
    world.asleep = True
    no_wait = {"Prefer": "wait=0"}
    for player in (cleo, dora):
        pending = player.post(f"/v1/games/{game}/seats/2/take", {}, headers=no_wait, want=202)
        assert "pending" == pending.json["status"]
    world.work(game)

    assert cleo.id == cleo.summary(game)["seats"][1]["player"]["id"]
    assert not cleo.summary(game)["stalled"]
    assert dora.view(game)["private"] is None
    assert [game] == [each["id"] for each in cleo.get("/v1/games", mine="true").json["games"]]
    assert [] == dora.get("/v1/games", mine="true").json["games"]


def test_games_are_listed_as_vacant_while_they_have_a_vacant_seat(world):
    game, ash, _ = game_with_an_empty_seat(world)
    game_with_an_empty_seat(world, visibility="unlisted")
    full = world.table(visibility="public")[0]

    def listed(**query):
        return [each["id"] for each in world.public.get("/v1/games", seat="vacant", **query, want=200).json["games"]]

    assert [game] == listed() == listed(kind="pennies") == listed(status="running")
    assert [] == listed(kind="nim") == listed(status="over")
    assert [False, True] == [each["vacant"] for each in world.public.summary(game)["seats"]]
    assert full != game
    take(world.player("Cleo"), game)
    assert [] == listed()
    assert "invalid" == world.public.get("/v1/games", seat="taken", want=422).code
    assert ash.summary(game)["seats"][1]["vacant"] is False


def test_a_game_that_is_over_offers_no_seat(world):
    game, ash, birk = world.table(options={"points": 1}, visibility="public")
    birk.send(game, RESIGN, want=200)
    assert [game] == [each["id"] for each in ash.get("/v1/games", seat="vacant").json["games"]]
    while ash.summary(game)["status"] != "over":
        ash.send(game, HIDE)

    assert [] == ash.get("/v1/games", seat="vacant").json["games"]
    assert "game-over" == take(world.player("Cleo"), game, want=409).code


@pytest.mark.parametrize("world", ["redis"], indirect=True)
def test_repair_rebuilds_the_lists_of_vacant_seats_and_of_own_games(world):
    game, _, _ = game_with_an_empty_seat(world)
    taken, _, birk = game_with_an_empty_seat(world)
    cleo = world.player("Cleo")
    take(cleo, taken)
    wire = world.store.wire
    lists = [name for name in wire.one("KEYS", "*games:*") if name.endswith(b":vacant")]
    assert lists
    for name in (*lists, *wire.one("KEYS", "player:*:games")):
        wire.one("DEL", name)
    repair(world.store, write=True)

    assert [game] == [each["id"] for each in world.public.get("/v1/games", seat="vacant").json["games"]]
    assert [taken] == [each["id"] for each in cleo.get("/v1/games", mine="true").json["games"]]
    assert [] == birk.get("/v1/games", mine="true").json["games"]
    assert 0 == repair(world.store, write=False)["lists"]


@pytest.mark.parametrize("world", ["redis"], indirect=True)
def test_repair_finds_no_damage_for_a_former_player(world):
    game, _, birk = world.table(options={"points": 1000}, visibility="public")
    birk.send(game, RESIGN, want=200)  # before any turn of theirs was counted
    take(world.player("Cleo"), game)

    assert 0 == repair(world.store, write=False)["players"]
    assert [] == birk.get("/v1/games", mine="true").json["games"]


def test_the_former_player_can_retake_a_vacant_seat(world):
    game, ash, birk = game_with_an_empty_seat(world, table={"substitutes": "closed"})
    cleo = world.player("Cleo")
    assert "substitutes-closed" == take(cleo, game, want=403).code
    take(birk, game)

    assert birk.view(game)["private"] is not None
    go_on(game, ash, birk)


def test_only_the_creator_and_the_requester_see_a_seat_request(world):
    game, ash, birk = game_with_an_empty_seat(world, table={"substitutes": "creator"})
    cleo, dora = world.player("Cleo"), world.player("Dora")
    for player in (cleo, dora, cleo):
        assert "asked" == take(player, game, want=202).json["status"]
    wishes = ash.summary(game)["seats"][1]["requests"]
    assert [(cleo.id, "Cleo"), (dora.id, "Dora")] == [(each["id"], each["name"]) for each in wishes]
    assert [cleo.id] == [each["id"] for each in cleo.summary(game)["seats"][1]["requests"]]
    assert [] == birk.summary(game)["seats"][1]["requests"] == world.public.summary(game)["seats"][1]["requests"]

    assert "not-creator" == take(cleo, game, want=403, player=dora.id).code
    assert "unknown-seat-request" == take(ash, game, want=404, player=birk.id).code
    assert "taken" == take(ash, game, player=dora.id).json["status"]
    assert dora.view(game)["private"] is not None
    assert [] == ash.summary(game)["seats"][1]["requests"]
    assert cleo.view(game)["private"] is None


@pytest.mark.parametrize("visibility", ["unlisted", "private"])
def test_taking_a_seat_in_a_game_that_is_not_public_needs_an_invitation(world, visibility):
    game, ash, birk = game_with_an_empty_seat(world, visibility=visibility)
    cleo = world.player("Cleo")
    code = {"unlisted": "wrong-invitation", "private": "unknown-game"}[visibility]
    status = {"unlisted": 403, "private": 404}[visibility]
    assert code == take(cleo, game, want=status).code
    assert code == take(cleo, game, want=status, invitation="x" * 26).code
    assert "not-creator" == birk.post(f"/v1/games/{game}/invitation", want=403).code
    invitation = ash.post(f"/v1/games/{game}/invitation", want=201).json["invitation"]
    take(cleo, game, invitation=invitation)

    assert cleo.view(game)["private"] is not None
    if visibility == "private":
        assert "unknown-game" == birk.get(f"/v1/games/{game}/view", want=404).code


def test_a_player_cannot_take_a_second_seat(world):
    game, ash, birk, _ = world.table("Ash", "Birk", "Cleo", visibility="public")
    birk.send(game, RESIGN, want=200)

    assert "seated-already" == take(ash, game, want=409).code


def test_the_log_does_not_reveal_who_took_a_seat(world):
    game, ash, _ = game_with_an_empty_seat(world)
    cleo = world.player("Cleopatra")
    take(cleo, game)
    go_on(game, ash, cleo)
    head = world.store.log.head(game)[0]
    bodies = b"".join(stored.body for stored in world.store.log.commits(game, 1, head))

    assert b'"seat_taken"' in bodies
    assert cleo.id.encode() not in bodies
    assert b"Cleopatra" not in bodies
    assert ash.id.encode() not in bodies


@pytest.mark.parametrize(
    ("body", "pointer"),
    [({"player": 1}, "/player"), ({"invitation": 7}, "/invitation"), ({"bot": "greedy"}, "/bot")],
)
def test_an_invalid_seat_request_is_422_with_a_pointer(world, body, pointer):
    game, _, _ = game_with_an_empty_seat(world)
    refused = take(world.player("Cleo"), game, want=422, **body)

    assert [pointer] == [error["pointer"] for error in refused.json["errors"]]


def test_seats_of_unknown_or_unstarted_games_cannot_be_taken(world):
    game, _, _ = game_with_an_empty_seat(world)
    cleo = world.player("Cleo")
    assert "unknown-game" == take(cleo, "nosuchgame", want=404).code
    assert "no-token" == take(world.public, game, want=401).code
    made = cleo.make_game(visibility="public")
    assert "not-started" == take(cleo, made["id"], want=409).code


# -- sitters ----------------------------------------------------------------------------------------------------------


def sit(player, game, sitter, want=200, seat=2, until=None, **body):
    if sitter.token:
        sitter.agrees_to_sit_for(player)
    now = player.get(f"/v1/games/{game}").json["created_at"]
    body = {"player": sitter.id, "until": now + LONG if until is None else until, **body}
    return player.post(f"/v1/games/{game}/seats/{seat}/sitter", body, want=want)


def test_named_player_learns_nothing_of_the_game_before_they_agree(world):
    game, _, birk = world.table(options={"points": 1000}, visibility="private")
    cleo = world.player("Cleo")
    body = {"player": cleo.id, "until": world.store.schedule.now() + LONG}
    sitter = f"/v1/games/{game}/seats/2/sitter"

    refused = birk.post(sitter, body, want=409)

    assert ("sitter-not-agreed", "/player") == (refused.code, refused.json["pointer"])
    assert birk.summary(game)["seats"][1]["sitter"] is None
    assert [] == cleo.turns() == cleo.get("/v1/games", mine="true").json["games"]
    assert "unknown-game" == cleo.get(f"/v1/games/{game}", want=404).code
    asked = cleo.get("/v1/me/sitting", want=200)
    assert game not in asked.text
    assert [({"id": birk.id, "name": birk.get("/v1/me").json["name"]}, None)] == [
        (each["player"], each["agreed_at"]) for each in asked.json["agreements"]
    ]

    cleo.agrees_to_sit_for(birk)
    birk.post(sitter, body, want=200)
    assert cleo.view(game)["private"] is not None


def test_a_sitter_can_decline_and_withdraw(world):
    game, _, birk = world.table()
    cleo, dan = world.player("Cleo"), world.player("Dan")
    body = {"player": cleo.id, "until": world.store.schedule.now() + LONG}
    sitter = f"/v1/games/{game}/seats/2/sitter"
    birk.post(sitter, body, want=409)
    cleo.call("DELETE", f"/v1/me/sitting/{birk.id}", want=204)
    assert [] == cleo.get("/v1/me/sitting").json["agreements"]
    assert "unknown-sitter-request" == cleo.call("DELETE", f"/v1/me/sitting/{birk.id}", want=404).code

    cleo.agrees_to_sit_for(birk)
    cleo.agrees_to_sit_for(dan)
    birk.post(sitter, body, want=200)
    cleo.call("DELETE", f"/v1/me/sitting/{birk.id}", want=204)
    assert "sitter-not-agreed" == birk.post(sitter, body, want=409).code
    assert 200 == cleo.get(f"/v1/games/{game}/view").status, "where they sit in already they stay"

    assert "unknown-player" == cleo.call("PUT", "/v1/me/sitting/nobody", {}, want=404).code
    assert "unknown-player" == cleo.call("PUT", f"/v1/me/sitting/{cleo.id}", {}, want=404).code


def test_a_sitter_sees_and_plays_the_seat_and_is_marked_in_the_history(world):
    game, ash, birk = world.table(options={"points": 1000})
    cleo = world.player("Cleo")
    sit(birk, game, cleo)
    assert cleo.view(game)["private"] == birk.view(game)["private"] is not None
    assert [game] == [turn["game"] for turn in cleo.turns()]
    assert [game] == [each["id"] for each in cleo.get("/v1/games", mine="true").json["games"]]
    cleo.send(game, HIDE, want=200)
    ash.send(game, HIDE, want=200)
    birk.send(game, HIDE, want=200)

    told = [(entry["seat"], entry["by"]) for entry in ash.events(game) if entry["seat"]]
    assert [(2, "sitter"), (1, "player"), (2, "player")] == told
    assert "not-for-sitters" == cleo.send(game, RESIGN, want=409).code
    assert cleo.send(game, RESIGN, dry_run="true", want=200).json["accepted"] is False
    seat = birk.summary(game)["seats"][1]
    assert cleo.id == seat["sitter"]["player"]["id"]
    assert ash.summary(game)["seats"][1]["sitter"] is None


def test_a_sitter_cannot_vote_to_end_the_game(world):
    game, ash, birk = world.table(pace={"mode": "per_question", "hours": 24})
    cleo, vote, yes = world.player("Cleo"), {"type": "call_vote"}, {"type": "cast_vote", "agree": True}
    sit(birk, game, cleo)
    for ends in ({"kind": "abort"}, {"kind": "concede", "seat": 1}):
        assert "not-for-sitters" == cleo.send(game, {**vote, **ends}, want=409).code
    ash.send(game, {**vote, "kind": "abort"}, want=200)
    assert "not-for-sitters" == cleo.send(game, yes, want=409).code
    cleo.send(game, {**yes, "agree": False}, want=200)
    ash.send(game, {**vote, "kind": "pause"}, want=200)
    cleo.send(game, yes, want=200)

    table = birk.view(game)["public"]["table"]
    assert ("running", ["vote"]) == (
        birk.summary(game)["status"],
        [each["why"] for each in table["clocks"]["stopped"]],
    )


def test_a_sitter_cannot_change_the_mutes_of_the_player(world):
    game, _, birk = world.table()
    cleo = world.player("Cleo")
    sit(birk, game, cleo)
    birk.post(f"/v1/games/{game}/mutes", {"seat": 1}, want=201)
    is_a_problem(cleo.post(f"/v1/games/{game}/mutes", {"seat": 1}), 403, "not-your-seat")
    is_a_problem(cleo.call("DELETE", f"/v1/games/{game}/mutes/1"), 403, "not-your-seat")

    assert [1] == birk.get(f"/v1/games/{game}/mutes", want=200).json["muted"]
    assert [1] == cleo.get(f"/v1/games/{game}/mutes", want=200).json["muted"]


def test_a_sitter_has_no_access_before_their_time_or_after_removal(world):
    game, ash, birk = world.table(options={"points": 1000})
    cleo = world.player("Cleo")
    now = world.store.schedule.now()
    sit(birk, game, cleo, until=now + 10**7, **{"from": now + 10**6})
    assert cleo.view(game)["private"] is None
    assert "not-your-seat" == cleo.send(game, HIDE, want=403).code
    assert [] == cleo.turns()
    sit(birk, game, cleo, until=now + 10**7)
    assert cleo.view(game)["private"] is not None
    birk.call("DELETE", f"/v1/games/{game}/seats/2/sitter", want=204)

    assert cleo.view(game)["private"] is None
    assert "not-your-seat" == cleo.send(game, HIDE, want=403).code
    assert "no-sitter" == birk.call("DELETE", f"/v1/games/{game}/seats/2/sitter", want=404).code
    assert "not-your-seat" == ash.call("DELETE", f"/v1/games/{game}/seats/2/sitter", want=403).code


def test_a_private_game_is_unknown_to_a_sitter_after_their_time(world):
    game, _, birk = world.table(options={"points": 1000}, visibility="private")
    cleo = world.player("Cleo")
    until = world.store.schedule.now() + 1500
    sit(birk, game, cleo, until=until)
    assert [game] == [each["id"] for each in cleo.get("/v1/games?mine=true").json["games"]]

    while world.store.schedule.now() < until:
        time.sleep(0.05)

    for path in ("", "/view", "/events", "/talk"):
        is_a_problem(cleo.get(f"/v1/games/{game}{path}"), 404, "unknown-game")
    is_a_problem(cleo.post("/v1/webhooks", {"url": "https://example.org/x", "game": game}), 404, "unknown-game")
    assert [] == cleo.get("/v1/games?mine=true").json["games"]
    assert 200 == birk.get(f"/v1/games/{game}/view").status


def test_naming_sitters_is_rate_limited(world):
    game, _, birk = world.table(options={"points": 1000})
    cleo, until = world.player("Cleo"), world.store.schedule.now() + LONG
    for _ in range(30):
        sit(birk, game, cleo, until=until)
        cleo.call("DELETE", f"/v1/games/{game}/seats/2/sitter", want=204)

    refused = sit(birk, game, cleo, until=until, want=None)

    is_a_problem(refused, 429, "too-many-requests")
    assert int(refused.headers["Retry-After"]) > 600
    assert [] == cleo.get("/v1/games?mine=true").json["games"]


def test_the_stream_of_a_sitter_ends_with_their_time(world, monkeypatch):
    hurried(monkeypatch)
    game, _, birk = world.table(options={"points": 1000})
    cleo = world.player("Cleo")
    sit(birk, game, cleo)
    with cleo.stream(game) as messages:
        next(messages)
        birk.call("DELETE", f"/v1/games/{game}/seats/2/sitter", want=204)
        birk.send(game, HIDE, want=200)
        heard = [line["type"] for message in messages for line in (message.data or {}).get("lines", ())]

    assert SECRET not in heard


def test_a_sitter_loses_access_when_the_seat_changes_hands(world):
    game, _, birk = world.table(options={"points": 1000}, visibility="public")
    cleo, dora = world.player("Cleo"), world.player("Dora")
    sit(birk, game, cleo)
    birk.send(game, RESIGN, want=200)
    assert cleo.view(game)["private"] is None
    take(dora, game)

    assert cleo.view(game)["private"] is None
    assert dora.view(game)["private"] is not None
    assert "not-your-seat" == sit(birk, game, cleo, want=403).code


def test_a_rival_cannot_be_a_sitter(world):
    game, ash, birk = world.table(options={"points": 1000})

    assert "seated-already" == sit(birk, game, ash, want=409).code


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"until": 1}, "/until"),
        ({"until": "soon"}, "/until"),
        ({"until": 2**53 - 1}, "/until"),
        ({"until": -1}, "/until"),
        ({"from": "now"}, "/from"),
        ({"player": 3}, "/player"),
        ({"seat": 2}, "/seat"),
    ],
)
def test_an_invalid_sitter_is_422_with_a_pointer(world, body, pointer):
    game, _, birk = world.table()
    cleo = world.player("Cleo")
    asked = {"player": cleo.id, "until": world.store.schedule.now() + LONG, **body}
    refused = birk.post(f"/v1/games/{game}/seats/2/sitter", asked, want=422)

    assert [pointer] == [error["pointer"] for error in refused.json["errors"]]


def test_only_the_player_of_a_seat_can_name_a_sitter(world):
    game, ash, birk = world.table()
    cleo = world.player("Cleo")
    assert "not-your-seat" == sit(ash, game, cleo, want=403).code
    assert "unknown-seat" == sit(birk, game, cleo, seat=3, want=404).code
    nobody = Player(world.site, None, "pnobody")
    unknown = sit(birk, game, nobody, want=404)
    assert ("unknown-player", "/player") == (unknown.code, unknown.json["pointer"])
    assert "no-token" == world.public.post(f"/v1/games/{game}/seats/2/sitter", {}, want=401).code


# -- data outside the log ---------------------------------------------------------------------------------------------


def test_a_seating_is_read_as_it_was_written():
    seating = Seating(7, {1: 3, 2: 9}, {2: 11}, ((2, "p1"), (2, "p2")), (Sitter(1, "p3", 5, 6),), refused=((2, "p4"),))

    assert seating == read_seating(seating_lines(seating))
    with pytest.raises(ValueError, match="lord"):
        read_seating("lord 2 3\n")


def test_a_sitter_is_offered_only_commands_they_may_send(world):
    game, ash, birk = world.table(options={"points": 1000}, pace={"mode": "per_question", "hours": 24})
    cleo = world.player("Cleo")
    sit(birk, game, cleo)

    def offered(player):
        options = player.get(f"/v1/games/{game}/options", want=200).json["table"]
        return [(each["type"], each["fixed"].get("kind")) for each in options]

    assert {("resign", None), ("call_vote", "abort"), ("call_vote", "concede")} == set(offered(birk)) - set(
        offered(cleo)
    )
    assert ("call_vote", "pause") in offered(cleo)
    ash.send(game, {"type": "call_vote", "kind": "abort"}, want=200)
    cast = [
        {choice for part in each["open"] for choice in part["one_of"]}
        for player in (birk, cleo)
        for each in player.get(f"/v1/games/{game}/options", want=200).json["table"]
        if each["type"] == "cast_vote"
    ]
    assert [{True, False}, {False}] == cast
    assert "not-for-sitters" == cleo.send(game, {"type": "cast_vote", "agree": True}, want=409).code
    cleo.send(game, {"type": "cast_vote", "agree": False}, want=200)
    assert ("cast_vote", None) not in offered(cleo)


@pytest.mark.parametrize("world", ["redis"], indirect=True)
@pytest.mark.parametrize("table", [{}, {"substitutes": "vote"}])
def test_a_process_killed_while_taking_a_seat_leaves_consistent_data(world, monkeypatch, table):
    game, ash, _ = game_with_an_empty_seat(world, table=table)
    cleo = world.player("Cleo")

    def dies(*_, **__):
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(type(world.store.log), "submit", dies)
        with pytest.raises(SystemExit):
            take(cleo, game, want=None)

    assert [] == cleo.get("/v1/games", mine="true").json["games"]
    assert 0 == repair(world.store, write=True)["players"]
    assert take(cleo, game, want=None).status in (200, 202)
    if table:
        ash.send(game, {"type": "cast_vote", "agree": True}, want=200)
    assert [game] == [each["id"] for each in cleo.get("/v1/games", mine="true").json["games"]]
    assert 0 == repair(world.store, write=False)["players"]


@pytest.mark.parametrize("substitutes", ["open", "creator"])
def test_a_player_who_takes_two_seats_at_once_gets_one(world, substitutes):
    game, *players = world.table(
        *("Ash", "Birk", "Cyd"), options={"points": 1000}, visibility="public", table={"substitutes": substitutes}
    )
    for player in players[1:]:
        player.send(game, RESIGN, want=200)
    cleo, no_wait = world.player("Cleo"), {"Prefer": "wait=0"}
    taker, body = (cleo, {}) if substitutes == "open" else (players[0], {"player": cleo.id})
    for seat in (2, 3) if body else ():
        take(cleo, game, seat, want=202)
    world.asleep = True
    for seat in (2, 3):
        told = taker.post(f"/v1/games/{game}/seats/{seat}/take", body, headers=no_wait, want=202)
        assert "pending" == told.json["status"]
    world.asleep = False
    world.work(game)

    chairs = [chair.holder == cleo.id for chair in world.store.lobbies.get(game).chairs]
    assert [False, True, False] == chairs
    assert [3] == cleo.view(game)["public"]["table"]["chairs"]["vacant"]
    is_a_problem(take(cleo, game, 3, want=None), 409, "seated-already")
    assert not cleo.summary(game)["stalled"]
    assert ["seated-already"] == [
        body["refusal"]["code"] for body in bodies(world.store, game) if body.get("refusal") is not None
    ]
    opened = load_game_config(world.store, game)
    position = opened.initial_position()
    for stored in world.store.log.commits(game):
        commit = decode_commit(opened.game, stored)
        again, position = redecide(opened.game, position, commit, opened.chance)
        assert (commit.events, commit.refusal) == (again.events, again.refusal)
