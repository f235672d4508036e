"""The history backwards: pages from the newest entry, and filters."""

from __future__ import annotations

import pytest

from service.core.http.access import reading

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def played(world):
    game, ash, birk = world.table(options={"points": 40})
    for _ in range(6):
        ash.send(game, HIDE, want=200)
        birk.send(game, HIDE, want=200)
    ash.send(game, {"type": "hide", "pennies": 100}, want=409)
    return world, game, ash, birk


def back(player, game, want=200, **query):
    return player.get(f"/v1/games/{game}/history", want=want, **query)


def all_back(player, game, **query):
    """Follow the Link headers; return all entries and the number of pages."""
    answer, entries, pages = back(player, game, **query), [], 1
    while answer.json["more"]:
        entries += answer.json["events"]
        answer, pages = player.get(answer.headers["Link"].partition(">")[0][1:], want=200), pages + 1
    assert "Link" not in answer.headers
    return entries + answer.json["events"], pages


def test_history_pages_have_all_events_from_newest_to_oldest(played):
    world, game, ash, birk = played

    for reader in (ash, birk, world.public):
        entries, pages = all_back(reader, game, limit=4)

        assert reader.events(game)[::-1] == entries
        assert pages >= 4


def test_a_page_has_a_cursor_for_older_entries(played):
    _, game, ash, _ = played
    newest = ash.events(game)[-1]["seq"]

    page = back(ash, game, limit=2).json
    older = back(ash, game, limit=2, before=page["before"]).json

    assert [newest, newest - 1] == [entry["seq"] for entry in page["events"]]
    assert (newest - 1, True) == (page["before"], page["more"])
    assert [newest - 2, newest - 3] == [entry["seq"] for entry in older["events"]]
    assert {"events": [], "before": 1, "more": False} == back(ash, game, before=1).json


@pytest.mark.parametrize(("who", "seat"), [("1", 1), ("2", 2), ("system", 0)])
def test_filter_by_actor_returns_only_the_entries_of_that_actor(played, who, seat):
    _, game, ash, _ = played

    entries, _ = all_back(ash, game, actor=who, limit=3)

    assert [entry for entry in ash.events(game)[::-1] if entry["seat"] == seat] == entries
    assert entries


def test_filter_by_type_returns_only_entries_whose_line_the_reader_can_see(played):
    world, game, ash, birk = played

    own, _ = all_back(ash, game, type="pennies_hidden", limit=2)
    hers, _ = all_back(ash, game, type="pennies_hidden", actor="2")

    assert [1] * 6 == [entry["seat"] for entry in own]
    assert [] == hers == all_back(world.public, game, type="pennies_hidden")[0]
    assert 6 == len(all_back(birk, game, type="pennies_hidden")[0])


def test_filter_by_type_refused_returns_only_own_refusals(played):
    _, game, ash, birk = played

    assert ["refusal" in entry for entry in back(ash, game, type="refused").json["events"]] == [True]
    assert [] == back(birk, game, type="refused").json["events"]


def test_search_for_a_rare_type_continues_over_empty_pages(played, monkeypatch):
    _, game, ash, _ = played
    monkeypatch.setattr(reading, "COMMITS_AT_A_TIME", 2)
    monkeypatch.setattr(reading, "MAX_BACKWARD_READS", 2)

    page = back(ash, game, type="game_begun").json
    entries, pages = all_back(ash, game, type="game_begun")

    assert ([], True) == (page["events"], page["more"])
    assert [1] == [entry["seq"] for entry in entries]
    assert pages > 3


def test_an_undone_entry_names_the_commit_that_undid_it(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    made = ash.make_game("nim")
    game = made["id"]
    birk.join(game, made["invitation"])
    ash.start(game)
    mover = ash if ash.summary(game)["pending_questions"][0]["seat"] == 1 else birk
    seq = mover.send(game, {"type": "take", "heap": 1, "objects": 1}, want=200).seq
    mover.send(game, {"type": "request_undo", "seq": seq}, want=200)

    assert [None, seq + 1, None] == [entry.get("undone_by") for entry in back(birk, game).json["events"]]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("actor", "0"),
        ("actor", "3"),
        ("actor", "-1"),
        ("actor", "1.0"),
        ("actor", "Ash"),
        ("actor", "٣"),
        ("actor", ""),
        ("actor", "9" * 400),
        ("type", "nothing_like_it"),
        ("type", ""),
        ("type", "pennies_hidden,hand_closed"),
        ("type", "\0"),
        ("before", "0"),
        ("before", "-1"),
        ("before", "newest"),
        ("before", "9" * 16),
        ("limit", "0"),
        ("limit", "1001"),
        ("seat", "9"),
        ("after", "1"),
    ],
)
def test_an_invalid_parameter_of_the_history_is_422_and_named(played, name, value):
    _, game, ash, _ = played

    problem = back(ash, game, want=422, **{name: value})

    assert ("invalid", name) == (problem.code, problem.json["parameter"])


def test_history_is_empty_before_the_start_and_refused_for_a_rivals_seat(world):
    host = world.player("Host")
    game = host.make_game()["id"]
    running, ash, _ = world.table()

    assert {"events": [], "before": 1, "more": False} == back(host, game).json
    assert "unknown-game" == back(ash, "gnone", want=404).code
    assert "not-your-seat" == back(ash, running, want=403, seat=2).code


def test_a_private_game_has_no_history_for_others(world):
    game, ash, _ = world.table(visibility="private")

    assert "private, no-store" == back(ash, game).headers["Cache-Control"]
    assert "unknown-game" == back(world.public, game, want=404).code
