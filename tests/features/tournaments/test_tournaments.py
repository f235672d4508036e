"""Tournaments over HTTP, from their creation to their end."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from service.core.accounts.ratings import Rating
from service.features.tournaments import api, storage
from service.ops.settings import Settings
from tests.core.http.problem import is_a_problem
from tests.features.tournaments.conftest import DAILY, SWISS

DAY = 24 * 3_600_000


def names(document):
    return [(each["player"]["name"], each["state"]) for each in document["entries"]]


# -- a whole tournament -------------------------------------------------------------------------------------------------


def test_a_swiss_tournament_runs_by_itself(arena):
    id_ = arena.started()
    document = arena.read(id_)
    first = document["rounds"][0]["tables"]

    assert ("running", 1) == (document["state"], document["round"])
    titles = [arena.organizer.summary(table["game"])["title"] for table in first]
    assert ["Autumn Nim, round 1, table 1", "Autumn Nim, round 1, table 2"] == titles
    assert {1, 2, 3, 4} == {entry for table in first for entry in table["entries"]}
    for table in first:
        summary = arena.organizer.summary(table["game"])
        holders = {each["number"]: each["player"]["id"] for each in document["entries"]}
        assert "running" == summary["status"]
        assert arena.organizer.id == summary["creator"]
        assert [holders[entry] for entry in table["entries"]] == [seat["player"]["id"] for seat in summary["seats"]]

    document = arena.finish(id_)

    assert ("finished", 3) == (document["state"], len(document["rounds"]))
    games = [table["game"] for each in document["rounds"] for table in each["tables"]]
    assert 6 == len(set(games))
    rows = document["standings"][0]["rows"]
    assert 12 == sum(row["values"]["points"] for row in rows)
    assert [1, 2, 3, 4] == [row["place"] for row in rows]
    assert document["ended_at"] >= document["started_at"]


def test_places_are_those_of_the_outcomes(arena):
    id_ = arena.started()
    arena.play(id_)

    for table in arena.read(id_)["rounds"][0]["tables"]:
        summary = arena.organizer.summary(table["game"])
        winner = summary["outcome"]["winners"][0]
        assert [1 if seat == winner else 2 for seat in (1, 2)] == table["ranks"]
        assert (summary["head"], "last-object") == (table["head"], table["reason"])


def test_seed_is_secret_until_the_start_and_matches_its_commitment(arena):
    made = arena.create()
    arena.enter(made["id"], "Ash", "Birk")
    assert None is made["seed"] is arena.read(made["id"])["seed"]
    arena.organizer.post(f"/v1/tournaments/{made['id']}/start", {}, want=200)

    seed = arena.read(made["id"])["seed"]

    assert made["commitment"] == hashlib.sha256(bytes.fromhex(seed)).hexdigest()


def test_a_resigned_seat_is_last(arena):
    id_ = arena.started("Ash", "Birk", rounds=1)
    table = arena.read(id_)["rounds"][0]["tables"][0]
    arena.players["Ash"].send(table["game"], {"type": "resign"}, want=200)
    while arena.organizer.summary(table["game"])["status"] != "over":
        arena.players["Birk"].move(table["game"], dice_of(table["game"]), want=None)

    document = arena.read(id_)
    holders = {each["number"]: each["player"]["name"] for each in document["entries"]}
    ranks = dict(zip(table["entries"], document["rounds"][0]["tables"][0]["ranks"], strict=True))

    assert {"Ash": 2, "Birk": 1} == {holders[entry]: rank for entry, rank in ranks.items()}


def dice_of(game):
    from domain.kernel.dice import Dice

    return Dice(game.encode())


def test_the_document_says_why_games_wait(arena):
    unlimited = arena.runner
    arena.runner = replace(unlimited, settings=Settings(running_games=1))
    id_ = arena.started()
    assert "too-many-running-games" == arena.read(id_)["waiting"]

    arena.runner = unlimited
    arena.runner.advance_all()

    assert None is arena.read(id_)["waiting"]


# -- entries ------------------------------------------------------------------------------------------------------------


def test_registering_twice_changes_nothing(arena):
    id_ = arena.create()["id"]
    arena.enter(id_, "Ash")
    before = arena.read(id_)["entries"]
    arena.enter(id_, "Ash")

    assert before == arena.read(id_)["entries"]
    assert "entered" == arena.read(id_, arena.players["Ash"])["your_entry"]
    assert None is arena.read(id_)["your_entry"]


def test_a_reserve_gets_a_place_that_becomes_free(arena):
    id_ = arena.create()["id"]
    arena.enter(id_, "Ash", "Birk", "Cleo", "Dora", "Emil")
    assert ("Emil", "reserve") == names(arena.read(id_))[-1]

    birk = arena.players["Birk"]
    birk.call("DELETE", f"/v1/tournaments/{id_}/entries/{birk.id}", want=200)

    assert [("Ash", "entered"), ("Cleo", "entered"), ("Dora", "entered"), ("Emil", "entered")] == names(arena.read(id_))
    is_a_problem(birk.call("DELETE", f"/v1/tournaments/{id_}/entries/{birk.id}"), 404, "unknown-entry")


def test_a_substitute_plays_from_the_next_round(arena):
    id_ = arena.started("Ash", "Birk", "Cleo", "Dora", "Emil")
    ash = arena.players["Ash"]
    ash.call("DELETE", f"/v1/tournaments/{id_}/entries/{ash.id}", want=200)
    arena.play(id_)
    arena.runner.advance_all()

    document = arena.read(id_)
    place = next(each for each in document["entries"] if each["player"]["name"] == "Emil")
    assert ["Ash", "Emil"] == [each["player"]["name"] for each in place["holders"]]
    table = next(each for each in document["rounds"][1]["tables"] if place["number"] in each["entries"])
    seated = [seat["player"]["name"] for seat in arena.organizer.summary(table["game"])["seats"]]
    assert "Emil" in seated
    assert "Ash" not in seated


def test_opponents_of_a_withdrawn_entry_win_without_a_game(arena):
    id_ = arena.started("Ash", "Birk", "Cleo", "Dora", format="round_robin", rounds=None)
    ash = arena.players["Ash"]
    ash.call("DELETE", f"/v1/tournaments/{id_}/entries/{ash.id}", want=200)
    document = arena.finish(id_)

    place = next(each["number"] for each in document["entries"] if each["player"]["id"] == ash.id)
    for each in document["rounds"][1:]:
        table = next(table for table in each["tables"] if place in table["entries"])
        assert None is table["game"]
        assert [2 if entry == place else 1 for entry in table["entries"]] == table["ranks"]


def test_erasing_an_account_withdraws_it_and_cancels_its_tournaments(arena):
    own = arena.create()["id"]
    id_ = arena.started()
    arena.players["Ash"].call("DELETE", "/v1/me", {"name": "Ash"}, want=204)
    arena.organizer.call("DELETE", "/v1/me", {"name": "Orga"}, want=204)

    assert "cancelled" == arena.read(own)["state"]
    document = arena.read(id_)
    assert "running" == document["state"]
    assert ("", "withdrawn") in names(document)
    assert "Ash" not in str(document["entries"])


def test_players_who_blocked_each_other_do_not_meet_organizers(arena):
    id_, ash = arena.create()["id"], arena.world.player("Ash")
    arena.organizer.call("PUT", f"/v1/me/blocks/{ash.id}", {}, want=200)

    is_a_problem(ash.post(f"/v1/tournaments/{id_}/entries", {}), 403, "not-admitted")
    assert [] == arena.read(id_)["entries"]


def test_unreliable_players_cannot_register(arena, monkeypatch):
    id_, ash = arena.create(min_reliability=90)["id"], arena.world.player("Ash")
    lobbies = type(arena.store.lobbies)
    monkeypatch.setattr(lobbies, "reliability", lambda *_: type("R", (), {"percent": 89})())

    is_a_problem(ash.post(f"/v1/tournaments/{id_}/entries", {}), 403, "not-eligible")
    monkeypatch.setattr(lobbies, "reliability", lambda *_: type("R", (), {"percent": 90})())
    ash.post(f"/v1/tournaments/{id_}/entries", {}, want=201)


@pytest.mark.parametrize(
    ("value", "is_admitted"), [(9.99, False), (10, True), (20, True), (20.01, False), (None, False)]
)
def test_ratings_out_of_range_cannot_register(arena, monkeypatch, value, is_admitted):
    id_, ash = arena.create(min_rating=10, max_rating=20)["id"], arena.world.player("Ash")
    found = {} if value is None else {ash.id: Rating(value, 0, 1)}
    asked = []
    monkeypatch.setattr(api, "find_ratings", lambda *about: asked.append(about[2:]) or found)
    answer = ash.post(f"/v1/tournaments/{id_}/entries", {})

    assert [("nim", 2, [ash.id])] == asked
    if is_admitted:
        assert [value] == [each["rating"] for each in arena.read(id_)["entries"]]
    else:
        is_a_problem(answer, 403, "not-eligible")


# -- the organizer ------------------------------------------------------------------------------------------------------


def test_only_the_organizer_can_start_and_cancel(arena):
    id_ = arena.create()["id"]
    arena.enter(id_, "Ash", "Birk")
    ash, birk = arena.players["Ash"], arena.players["Birk"]
    for method, path in (("POST", "/start"), ("DELETE", ""), ("DELETE", f"/entries/{birk.id}")):
        body = {} if method == "POST" else None
        is_a_problem(ash.call(method, f"/v1/tournaments/{id_}{path}", body), 403, "not-organizer")
        is_a_problem(arena.world.public.call(method, f"/v1/tournaments/{id_}{path}", body), 401, "no-token")

    arena.organizer.call("DELETE", f"/v1/tournaments/{id_}", want=200)

    assert "cancelled" == arena.read(id_)["state"]
    is_a_problem(arena.organizer.call("DELETE", f"/v1/tournaments/{id_}"), 409, "tournament-over")
    is_a_problem(arena.organizer.post(f"/v1/tournaments/{id_}/start", {}), 409, "tournament-started")
    is_a_problem(ash.call("DELETE", f"/v1/tournaments/{id_}/entries/{ash.id}"), 409, "tournament-over")
    is_a_problem(arena.world.player().post(f"/v1/tournaments/{id_}/entries", {}), 409, "entries-closed")


def test_organizers_can_withdraw_players_only_before_the_start(arena):
    id_ = arena.create()["id"]
    arena.enter(id_, "Ash", "Birk", "Cleo")
    ash, birk = arena.players["Ash"], arena.players["Birk"]
    arena.organizer.call("DELETE", f"/v1/tournaments/{id_}/entries/{ash.id}", want=200)
    arena.organizer.post(f"/v1/tournaments/{id_}/start", {}, want=200)
    answer = arena.organizer.call("DELETE", f"/v1/tournaments/{id_}/entries/{birk.id}")

    is_a_problem(answer, 409, "tournament-started")
    assert [("Birk", "entered"), ("Cleo", "entered")] == names(arena.read(id_))


def test_it_cannot_start_with_too_few_entries(arena):
    id_ = arena.create(min_entries=3)["id"]
    arena.enter(id_, "Ash", "Birk")

    problem = is_a_problem(arena.organizer.post(f"/v1/tournaments/{id_}/start", {}), 409, "too-few-entries")

    assert "3 entries" in problem["detail"]
    assert "registration" == arena.read(id_)["state"]


def test_cancelling_leaves_running_games_and_creates_no_more(arena):
    id_ = arena.started()
    arena.organizer.call("DELETE", f"/v1/tournaments/{id_}", want=200)
    arena.play(id_)
    arena.runner.advance_all()

    assert 1 == arena.read(id_)["round"]
    assert all(table["ranks"] for table in arena.read(id_)["rounds"][0]["tables"])


def test_number_of_tournaments_of_an_organizer_is_limited(arena, monkeypatch):
    monkeypatch.setattr(api, "MOST", 1)
    first = arena.create()["id"]

    is_a_problem(arena.organizer.post("/v1/tournaments", SWISS), 429, "too-many-tournaments")
    arena.organizer.call("DELETE", f"/v1/tournaments/{first}", want=200)
    arena.create()


def test_tournaments_created_at_the_same_time_do_not_exceed_the_limit(arena, monkeypatch):
    monkeypatch.setattr(api, "MOST", 1)
    count, other = storage.read_tournaments, []

    def interrupted(store, ids):
        found = count(store, ids)
        if not other:
            other.append(None)  # another request comes between the count and the write
            arena.create(name="Other")
        return found

    monkeypatch.setattr(storage, "read_tournaments", interrupted)
    is_a_problem(arena.organizer.post("/v1/tournaments", SWISS), 429, "too-many-tournaments")

    assert ["Other"] == listed(arena.organizer, mine="true")


def test_creating_again_with_the_same_key_gives_the_same_tournament(arena):
    sent = [
        arena.organizer.post("/v1/tournaments", SWISS, headers={"Idempotency-Key": "k" * 32}, want=201) for _ in "12"
    ]

    assert sent[0].json == sent[1].json
    assert 1 == len(arena.world.public.get("/v1/tournaments", want=200).json["tournaments"])


# -- bad input ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pointer", "changed"),
    [
        ("/name", {"name": ""}),
        ("/kind", {"kind": "chess"}),
        ("/seats", {"seats": 3}),
        ("/seats", {"seats": 1}),
        ("/pace", {"pace": None}),
        ("/pace/mode", {"pace": {"mode": "free"}}),
        ("/pace/hours", {"pace": {"mode": "per_question"}}),
        ("/format", {"format": "ladder"}),
        ("/rounds", {"rounds": None}),
        ("/places", {"places": 1}),
        ("/visibility", {"visibility": "private"}),
        ("/starts_at", {"starts_at": 1}),
        ("/table/undo", {"table": {"undo": "maybe"}}),
        ("/ruleset", {"ruleset": "nim_v99"}),
        ("/entropy", {"entropy": "5eed"}),
        ("/sandbox", {"sandbox": {}}),
        ("/title", {"title": "A title"}),
        ("/name", {"name": "\u202egnirpS"}),
        ("/name", {"name": "x" * 39}),
        ("/text", {"text": "a\x00b"}),
    ],
)
def test_bad_settings_are_named(arena, pointer, changed):
    body = {name: value for name, value in {**SWISS, **changed}.items() if value is not None}
    problem = is_a_problem(arena.organizer.post("/v1/tournaments", body), 422, "invalid")

    found = [each["pointer"] for each in problem.get("errors", [problem])]
    assert any(each.startswith(pointer) for each in found), found
    assert [] == arena.world.public.get("/v1/tournaments", want=200).json["tournaments"]


def test_unknown_tournaments_are_a_problem(arena):
    ash = arena.world.player()
    is_a_problem(ash.get("/v1/tournaments/r0"), 404, "unknown-tournament")
    is_a_problem(ash.call("DELETE", "/v1/tournaments/r0"), 404, "unknown-tournament")
    is_a_problem(ash.post("/v1/tournaments/r0/start", {}), 404, "unknown-tournament")
    is_a_problem(ash.post("/v1/tournaments/r0/entries", {}), 404, "unknown-tournament")
    is_a_problem(ash.call("DELETE", f"/v1/tournaments/r0/entries/{ash.id}"), 404, "unknown-tournament")


# -- lists --------------------------------------------------------------------------------------------------------------


def listed(player, **query):
    return [each["settings"]["name"] for each in player.get("/v1/tournaments", want=200, **query).json["tournaments"]]


def test_lists_show_the_newest_first_and_filter(arena):
    made = [arena.create(name=name)["id"] for name in ("One", "Two", "Three")]
    arena.organizer.call("DELETE", f"/v1/tournaments/{made[0]}", want=200)
    arena.enter(made[1], "Ash")

    assert {"One", "Two", "Three"} == set(listed(arena.world.public))
    assert {"Two", "Three"} == set(listed(arena.world.public, state="registration"))
    assert ["One"] == listed(arena.world.public, state="cancelled")
    assert ["Two"] == listed(arena.players["Ash"], mine="true")
    assert {"One", "Two", "Three"} == set(listed(arena.organizer, mine="true"))
    is_a_problem(arena.world.public.get("/v1/tournaments", mine="true"), 401, "no-token")
    is_a_problem(arena.world.public.get("/v1/tournaments", state="over"), 422, "invalid")


def test_lists_have_pages(arena):
    for name in ("One", "Two", "Three"):
        arena.create(name=name)
    answer = arena.world.public.get("/v1/tournaments", limit=2, want=200)
    rest = arena.world.public.get("/v1/tournaments", limit=2, cursor=answer.json["next"], want=200)

    assert 2 == len(answer.json["tournaments"])
    assert 1 == len(rest.json["tournaments"])
    assert None is rest.json["next"]
    assert 3 == len({each["id"] for page in (answer, rest) for each in page.json["tournaments"]})
    assert "Link" in answer.headers
    for wrong in ("x", "1", "-r1", "1" * 40 + "-r1"):
        is_a_problem(arena.world.public.get("/v1/tournaments", cursor=wrong), 422, "invalid")


def test_unlisted_tournaments_are_only_in_the_lists_of_their_players(arena):
    hidden = [arena.create(name=f"Hidden {number}", visibility="unlisted")["id"] for number in range(3)]
    arena.create(name="One")
    hidden.append(arena.create(name="Hidden 3", visibility="unlisted")["id"])
    arena.create(name="Two")
    arena.enter(hidden[0], "Ash")

    assert ["One", "Two"] == sorted(listed(arena.world.public, limit=2))
    assert ["One", "Two"] == sorted(listed(arena.organizer))
    assert ["Hidden 0"] == listed(arena.players["Ash"], mine="true")
    assert 6 == len(listed(arena.organizer, mine="true"))
    first = arena.world.public.get("/v1/tournaments", limit=1, want=200).json
    rest = arena.world.public.get("/v1/tournaments", limit=1, cursor=first["next"], want=200).json
    assert ["One", "Two"] == sorted(each["tournaments"][0]["settings"]["name"] for each in (first, rest))
    assert None is rest["next"]


def test_registration_opens_at_its_time(arena):
    now = arena.store.schedule.now()
    id_ = arena.create(opens_at=now + DAY, starts_at=now + 2 * DAY)["id"]

    assert "announced" == arena.read(id_)["state"]
    is_a_problem(arena.world.player().post(f"/v1/tournaments/{id_}/entries", {}), 409, "entries-closed")


def test_settings_are_shown_as_they_could_be_sent_again(arena):
    settings = arena.create(late_rounds=1, pace={**DAILY, "bank_hours": 24})["settings"]

    assert {**SWISS, "late_rounds": 1, "pace": {**DAILY, "bank_hours": 24}}.items() <= settings.items()
    assert settings == arena.organizer.post("/v1/tournaments", settings, want=201).json["settings"]


# -- the feed -----------------------------------------------------------------------------------------------------------


def entries_of(answer):
    root = ET.fromstring(answer.body)
    atom = "{http://www.w3.org/2005/Atom}"
    return [
        tuple(each.findtext(f"{atom}{name}") for name in ("id", "title", "content"))
        for each in root.iter(f"{atom}entry")
    ]


def test_feed_has_an_entry_for_each_round_and_the_end(arena):
    id_ = arena.started(rounds=2)
    first = arena.world.public.get(f"/v1/tournaments/{id_}/feed", want=200)
    assert ["Round 1"] == [title for _, title, _ in entries_of(first)]

    document = arena.finish(id_)
    answer = arena.world.public.get(f"/v1/tournaments/{id_}/feed", want=200)

    found = entries_of(answer)
    assert ["Autumn Nim is over", "Round 2", "Round 1"] == [title for _, title, _ in found]
    assert entries_of(first)[0][0] == found[2][0]
    names = {each["number"]: each["player"]["name"] for each in document["entries"]}
    table = document["rounds"][0]["tables"][0]
    players = ", ".join(
        f"{names[entry]} ({rank})" for entry, rank in zip(table["entries"], table["ranks"], strict=True)
    )
    assert f"Table 1: {players}" == found[2][2].splitlines()[0]
    assert f"1. {names[document['standings'][0]['rows'][0]['entry']]}" == found[0][2].splitlines()[0]
    etag = answer.headers["ETag"]
    assert 304 == arena.world.public.get(f"/v1/tournaments/{id_}/feed", headers={"If-None-Match": etag}).status
    assert etag != first.headers["ETag"]


def test_feed_of_an_unknown_tournament_is_a_problem(arena):
    is_a_problem(arena.world.public.get("/v1/tournaments/r0/feed"), 404, "unknown-tournament")
    assert [] == entries_of(arena.world.public.get(f"/v1/tournaments/{arena.create()['id']}/feed", want=200))
