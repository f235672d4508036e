"""Vacant seats that the players vote on: voters, outcomes, and what others can see."""

from __future__ import annotations

import pytest

from service.store.upkeep.repair import repair
from tests.core.http.problem import is_a_problem
from tests.features.substitutes.test_substitutes import RESIGN, game_with_an_empty_seat, secrets_of, sit, take
from tests.hostile.table import HIDE

VOTED = {"substitutes": "vote"}
YES, NO = ({"type": "cast_vote", "agree": agree} for agree in (True, False))


def voted(world, *names, **told):
    """A game in which seat 2 has resigned, and its players."""
    told.setdefault("visibility", "public")
    table = {**VOTED, **told.pop("table", {})}
    game, *players = world.table(*(names or ("Ash", "Birk", "Cyd")), options={"points": 1000}, table=table, **told)
    players[1].send(game, HIDE, want=200)
    players[1].send(game, RESIGN, want=200)
    return game, *players


def status(player, game, seat=2):
    return player.get(f"/v1/games/{game}/seats/{seat}/take", want=200).json["status"]


def ballot(world, game):
    return world.public.get(f"/v1/games/{game}/view").json["public"]["table"]["votes"]["ballot"]


def types(player, game):
    return [line["type"] for entry in player.events(game) for line in entry["lines"]]


def test_a_substitute_gets_the_seat_when_all_voters_agree(world):
    game, ash, birk, cyd = voted(world)
    cleo = world.player("Cleo")
    assert {"game": game, "seat": 2, "status": "asked"} == take(cleo, game, want=202).json
    assert ([1, 3], [], 2) == tuple(ballot(world, game)[name] for name in ("voters", "agreed", "vacant"))
    assert "asked" == status(cleo, game)
    assert cleo.view(game)["private"] is None, "nothing before they agree"
    assert ["not-your-seat"] * 2 == [cleo.send(game, each, want=403).code for each in (HIDE, YES)]
    ash.send(game, YES, want=200)
    assert cleo.view(game)["private"] is None
    cyd.send(game, YES, want=200)

    assert "taken" == status(cleo, game)
    assert ["vote_cast", "substitute_accepted", "seat_taken"] == types(ash, game)[-3:]
    assert cleo.view(game)["private"] is not None
    assert 2 == secrets_of(cleo.events(game))[0], "what the seat knew is theirs to see"
    assert cleo.id == cleo.summary(game)["seats"][1]["player"]["id"]
    assert [game] == [each["id"] for each in cleo.get("/v1/games", mine="true").json["games"]]
    assert birk.view(game)["private"] is None
    assert [] == birk.get("/v1/games", mine="true").json["games"]


@pytest.mark.parametrize("world", ["redis"], indirect=True)
def test_repair_finds_no_damage_after_votes_on_substitutes(world):
    game, ash, _, cyd = voted(world)
    cleo, dora = world.player("Cleo"), world.player("Dora")
    for player, word in ((dora, NO), (cleo, YES)):
        take(player, game, want=202)
        for voter in (ash, cyd):
            voter.send(game, word)

    assert "taken" == status(cleo, game)
    assert 0 == repair(world.store, write=False)["players"]


def test_a_rejected_player_sees_it_and_another_can_request_the_seat(world):
    game, ash, _, cyd = voted(world)
    cleo, dora = world.player("Cleo"), world.player("Dora")
    take(cleo, game, want=202)
    ash.send(game, NO, want=200)

    assert "refused" == status(cleo, game)
    assert "substitute_rejected" == types(ash, game)[-1]
    assert "seat-request-rejected" == take(cleo, game, want=403).code
    assert "none" == status(dora, game)
    take(dora, game, want=202)
    for player in (ash, cyd):
        player.send(game, YES, want=200)
    assert ("taken", "none") == (status(dora, game), status(cleo, game)), "with the seat all wishes are forgotten"
    dora.send(game, RESIGN, want=200)
    assert "asked" == take(cleo, game, want=202).json["status"], "another vacancy, another wish"


def test_only_one_of_two_concurrent_seat_requests_is_voted_on(world):
    game, ash, _, cyd = voted(world)
    cleo, dora = world.player("Cleo"), world.player("Dora")
    world.asleep = True
    for player in (cleo, dora):
        assert (
            "pending"
            == player.post(f"/v1/games/{game}/seats/2/take", {}, headers={"Prefer": "wait=0"}, want=202).json["status"]
        )
    world.work(game)
    world.asleep = False

    assert ["asked", "none"] == [status(player, game) for player in (cleo, dora)]
    assert not ash.summary(game)["stalled"]
    assert "vote-open" == take(dora, game, want=409).code
    for player in (ash, cyd):
        player.send(game, YES, want=200)
    assert ["taken", "none"] == [status(player, game) for player in (cleo, dora)]
    assert "not-vacant" == take(dora, game, want=409).code
    assert dora.view(game)["private"] is None


def test_a_seat_request_is_refused_while_another_vote_is_open(world):
    game, ash, _, _ = voted(world)
    ash.send(game, {"type": "call_vote", "kind": "abort"}, want=200)

    assert "vote-open" == take(world.player("Cleo"), game, want=409).code
    ash.send(game, NO, want=200)
    assert "asked" == take(world.player("Dora"), game, want=202).json["status"]


def test_a_repeated_seat_request_starts_one_vote(world):
    game, *_ = voted(world)
    cleo = world.player("Cleo")
    for _ in range(2):
        assert "asked" == take(cleo, game, want=202).json["status"]

    assert 1 == types(cleo, game).count("substitute_proposed")


def test_the_former_player_can_retake_the_seat_during_a_vote(world):
    game, ash, birk, cyd = voted(world)
    cleo = world.player("Cleo")
    take(cleo, game, want=202)
    assert "taken" == take(birk, game).json["status"]

    assert ["seat_taken", "substitute_rejected"] == types(ash, game)[-2:]
    assert "none" == status(cleo, game)
    assert birk.view(game)["private"] is not None
    assert "no-vote" == cyd.send(game, YES, want=409).code


def test_a_seat_request_can_be_withdrawn_and_repeated(world):
    game, ash, _, _ = voted(world)
    cleo, dora = world.player("Cleo"), world.player("Dora")
    path = f"/v1/games/{game}/seats/2/take"
    assert "unknown-seat-request" == cleo.call("DELETE", path).code
    take(cleo, game, want=202)
    assert "unknown-seat-request" == dora.call("DELETE", path).code
    assert 204 == cleo.call("DELETE", path).status

    assert ("none", None) == (status(cleo, game), ballot(world, game))
    assert "withdrawn" == next(
        line["why"] for entry in ash.events(game) for line in entry["lines"] if line["type"] == "substitute_rejected"
    )
    assert "asked" == take(dora, game, want=202).json["status"]
    assert 204 == dora.call("DELETE", path).status
    assert "asked" == take(cleo, game, want=202).json["status"], "nobody has refused them"


def test_a_seat_request_to_the_creator_can_be_withdrawn(world):
    game, ash, *_ = voted(world, table={"substitutes": "creator"})
    cleo = world.player("Cleo")
    take(cleo, game, want=202)
    assert ("asked", [cleo.id]) == (status(cleo, game), [e["id"] for e in ash.summary(game)["seats"][1]["requests"]])
    assert 204 == cleo.call("DELETE", f"/v1/games/{game}/seats/2/take").status
    assert ("none", []) == (status(cleo, game), ash.summary(game)["seats"][1]["requests"])


def test_only_the_voters_and_the_requester_see_a_seat_request(world):
    game, ash, birk, cyd = voted(world, table={"substitutes": "vote"})
    cleo = world.player("Cleo")
    take(cleo, game, want=202)

    def wishes(player):
        return [each["id"] for each in player.summary(game)["seats"][1]["requests"]]

    assert [[cleo.id]] * 3 == [wishes(player) for player in (ash, cyd, cleo)]
    assert [[]] * 3 == [wishes(player) for player in (birk, world.public, world.player("Dora"))]
    head = world.store.log.head(game)[0]
    assert cleo.id.encode() not in b"".join(stored.body for stored in world.store.log.commits(game, 1, head))


def test_a_single_remaining_player_decides_alone(world):
    game, ash, _ = game_with_an_empty_seat(world, table=VOTED)
    cleo = world.player("Cleo")
    take(cleo, game, want=202)
    ash.send(game, YES, want=200)

    assert "taken" == status(cleo, game)


def test_a_seat_can_be_voted_on_while_all_clocks_are_stopped(world):
    game, ash, _, cyd = voted(world, pace={"mode": "per_question", "hours": 24})
    ash.send(game, {"type": "call_vote", "kind": "pause"}, want=200)
    cyd.send(game, YES, want=200)
    cleo = world.player("Cleo")
    take(cleo, game, want=202)
    for player in (ash, cyd):
        player.send(game, YES, want=200)

    assert "taken" == status(cleo, game)
    assert [None] == list({asked["deadline"] for asked in cleo.summary(game)["pending_questions"] if asked["seat"]})


def test_a_sitter_who_gets_a_seat_is_no_longer_a_sitter(world):
    game, ash, _, cyd = voted(world)
    cleo = world.player("Cleo")
    take(cleo, game, want=202)
    sit(cyd, game, cleo, seat=3)
    assert cleo.get(f"/v1/games/{game}/view", seat=3, want=200).json["private"] is not None
    for player in (ash, cyd):
        player.send(game, YES, want=200)

    assert "not-your-seat" == cleo.get(f"/v1/games/{game}/view", seat=3, want=403).code
    assert cyd.summary(game)["seats"][2]["sitter"] is None
    assert "taken" == status(cleo, game)


def test_players_and_sitters_of_a_game_cannot_request_a_seat(world):
    game, ash, _, cyd = voted(world)
    dora = world.player("Dora")
    sit(cyd, game, dora, seat=3)

    assert "seated-already" == take(ash, game, want=409).code
    assert "seated-already" == take(dora, game, want=409).code


def test_a_creator_who_resigned_can_retake_only_their_own_seat(world):
    game, ash, *_ = voted(world)
    ash.send(game, RESIGN, want=200)

    assert "taken" == take(ash, game, seat=1).json["status"], "their own"
    assert "seated-already" == take(ash, game, want=409).code


@pytest.mark.parametrize("visibility", ["unlisted", "private"])
def test_a_seat_request_in_a_game_that_is_not_public_needs_an_invitation(world, visibility):
    game, ash, _, cyd = voted(world, visibility=visibility)
    cleo, dora = world.player("Cleo"), world.player("Dora")
    code = {"unlisted": "wrong-invitation", "private": "unknown-game"}[visibility]
    assert code == take(cleo, game, want=None).code
    invitation = ash.post(f"/v1/games/{game}/invitation", want=201).json["invitation"]
    take(cleo, game, want=202, invitation=invitation)
    assert "asked" == status(cleo, game)
    path = f"/v1/games/{game}/seats/2/take"
    assert (404 if visibility == "private" else 200) == dora.get(path).status
    if visibility == "private":
        assert "unknown-game" == cleo.get(f"/v1/games/{game}/view", want=404).code, "nothing before they agree"
    cyd.send(game, NO, want=200)
    assert "refused" == status(cleo, game)


def test_seat_requests_for_unknown_games_or_seats_are_404(world):
    game, *_ = voted(world)
    cleo = world.player("Cleo")
    for method in ("GET", "DELETE"):
        is_a_problem(cleo.call(method, "/v1/games/nosuchgame/seats/2/take"), 404, "unknown-game")
        is_a_problem(cleo.call(method, f"/v1/games/{game}/seats/9/take"), 404, "unknown-seat")
        is_a_problem(world.public.call(method, f"/v1/games/{game}/seats/2/take"), 401, "no-token")


def test_a_table_without_votes_cannot_have_substitutes_by_vote(world):
    refused = world.player("Ash").post(
        "/v1/games", {"kind": "pennies", "seats": 2, "table": {**VOTED, "votes": "off"}}, want=422
    )
    assert ["/table/substitutes"] == [error["pointer"] for error in refused.json["errors"]]


def test_a_client_cannot_send_the_substitute_commands_of_the_service(world):
    game, ash, *_ = voted(world)
    for type_ in ("propose_substitute", "withdraw_substitute"):
        assert ash.send(game, {"type": type_, "seat": 2}).status >= 400
    assert "substitute_proposed" not in types(ash, game)
