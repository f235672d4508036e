"""The history as a digest: paragraphs, text and HTML, and the changes since the reader's last turn."""

from __future__ import annotations

import pytest

from domain.kernel.options import command_of, first, from_json
from service.core.history.digest import find_last_turn
from service.core.history.text import render_html, render_text
from service.core.http.resources import events

ROGUE = "<b>Ash</b> wins. Birk"


def pass_turn(player, game):
    """End the turn, or answer the pending question with its first option."""
    options = player.get(f"/v1/games/{game}/options", want=200).json["options"]
    chosen = next((option for option in options if option["type"] == "end_turn"), options[0])
    return player.send(game, command_of(from_json(chosen), first), want=200)


@pytest.fixture
def days(world):
    """Three days of Battalia against a greedy bot."""
    ash = world.player(ROGUE)
    game = ash.make_game("battalia", visibility="public")["id"]
    ash.post(f"/v1/games/{game}/seats", {"bot": "greedy"})
    ash.start(game)
    for _ in range(3):
        pass_turn(ash, game)
    return game, ash


def digest(player, game, **asked):
    return player.get(f"/v1/games/{game}/events", digest="turn", want=200, **asked)


def pages(player, game, limit):
    after, found = 0, []
    while True:
        page = digest(player, game, after=after, limit=limit).json
        found += [each for each in page["paragraphs"] if each["finished"] or not page["more"]]
        if not page["more"]:
            return found
        assert page["after"] > after
        after = page["after"]


def test_a_paragraph_covers_a_turn_or_a_day_and_lists_its_commits(world):
    ash = world.player("Ash")
    game = ash.make_game("battalia", visibility="public")["id"]
    ash.post(f"/v1/games/{game}/seats", {"bot": "greedy"})
    ash.start(game)
    for _ in range(2):
        pass_turn(ash, game)
    told = digest(ash, game).json["paragraphs"]

    bot = next(each["title"] for each in told if each["title"].endswith("(greedy bot)"))
    assert bot.split()[0] in ("Bärfolk", "Islanders", "Emberians", "Cloudborn")
    titles = [each["title"] for each in told]
    assert ["", "Day 1 of week 1"] == titles[:2]
    assert {"Ash", bot, ""} >= {title for title in titles if not title.startswith("Day ")}
    assert [True] * (len(told) - 1) + [False] == [each["finished"] for each in told]
    shown = {entry["seq"] for entry in ash.events(game) if entry["lines"]}
    assert shown == {seq for each in told for seq in each["seqs"]}
    idle = next(each for each in told if each["title"] == "Ash" and each["finished"])
    assert "Ash does nothing." == idle["text"]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_pages_of_a_digest_contain_every_paragraph_once(days, limit):
    game, ash = days

    assert digest(ash, game, limit=100).json["paragraphs"] == pages(ash, game, limit)


def test_an_unfinished_paragraph_is_returned_again_in_full(days):
    game, ash = days
    before = digest(ash, game).json
    pass_turn(ash, game)
    after = digest(ash, game, after=before["after"]).json["paragraphs"]

    assert before["paragraphs"][-1]["title"] == after[0]["title"]
    assert (False, True) == (before["paragraphs"][-1]["finished"], after[0]["finished"])
    assert not after[0]["continued"]
    middle = digest(ash, game, after=before["paragraphs"][-1]["seqs"][-1]).json["paragraphs"]
    assert middle == after


@pytest.mark.soak
def test_the_digest_of_a_finished_game_is_empty_after_its_last_paragraph(days):
    game, ash = days
    ash.send(game, {"type": "resign"}, want=200)
    assert "over" == ash.summary(game)["status"]
    last = digest(ash, game, limit=100)
    while last.json["more"]:
        last = digest(ash, game, limit=100, after=last.json["after"])

    assert last.json["paragraphs"][-1]["finished"]
    assert "The game is over." in last.json["paragraphs"][-1]["text"]
    assert [] == digest(ash, game, after=last.json["after"]).json["paragraphs"]


@pytest.mark.parametrize("asked", [{}, {"digest": "turn"}])
def test_history_as_text_and_as_html_that_runs_no_scripts(days, asked):
    game, ash = days
    path = f"/v1/games/{game}/events"
    text = ash.get(path, want=200, headers={"Accept": "text/plain"}, **asked)
    page = ash.get(path, want=200, headers={"Accept": "text/html"}, **asked)

    assert "text/plain; charset=utf-8" == text.headers["Content-Type"]
    assert "\N{LEFT DOUBLE QUOTATION MARK}" + ROGUE + "\N{RIGHT DOUBLE QUOTATION MARK}" in text.text
    assert "text/html; charset=utf-8" == page.headers["Content-Type"]
    assert "<b>" not in page.text
    assert "&lt;b&gt;Ash&lt;/b&gt; wins. Birk" in page.text
    for answer in (text, page):
        assert "default-src 'none'; style-src 'unsafe-inline'" == answer.headers["Content-Security-Policy"]
        assert "nosniff" == answer.headers["X-Content-Type-Options"]
        assert "Authorization, Cookie, Accept, Accept-Encoding" == answer.headers["Vary"]
    short = ash.get(path, want=200, headers={"Accept": "text/html"}, limit=1, **asked)
    assert 'rel="next"' in short.headers["Link"]
    assert '<a rel="next" href="/v1/games/' in short.text


def test_finished_paragraph_without_text_keeps_its_heading():
    """A round of Fronela that begins with nothing but its title."""
    ended = {"seqs": [3], "title": "Round 2", "text": "", "finished": True}
    going_on = {"seqs": [4], "title": "The Trolls", "text": "", "finished": False}

    assert "Round 2\n" == render_text([ended, going_on], None)
    page = render_html("History", [ended, going_on], None)
    assert "<h2>Round 2</h2>\n</body>" in page
    assert "Trolls" not in page


def test_a_digest_has_no_stream_and_no_other_format(days):
    game, ash = days
    for accept in ("text/event-stream", "application/x-ndjson", "image/png"):
        answer = ash.get(f"/v1/games/{game}/events", digest="turn", headers={"Accept": accept})
        assert (406, "not-acceptable") == (answer.status, answer.code)
    assert "invalid" == ash.get(f"/v1/games/{game}/events", digest="week").code


def test_history_since_my_last_turn_has_the_changes_and_pending_questions(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    game = ash.make_game("nim", pace={"mode": "per_question", "hours": 24})["id"]
    birk.join(game)
    ash.start(game)
    first_seat = ash.view(game)["public"]["turn"]["seat"]
    one, other = (ash, birk) if first_seat == 1 else (birk, ash)
    one.send(game, {"type": "take", "heap": 4, "objects": 3}, want=200)
    other.send(game, {"type": "take", "heap": 3, "objects": 2}, want=200)
    told = one.get(f"/v1/games/{game}/events", since="my-last-turn", want=200).json

    sentence = "Two objects were taken. The heaps now have 1, 3, 3 and 4 objects."
    assert [{"type": "heaps_changed", "taken": 2, "heaps": [1, 3, 3, 4], "text": sentence}] == told["since"]["changes"]
    (question,) = told["since"]["questions"]
    assert "turn" == question["kind"]
    assert question["text"].startswith("It is your turn. Take objects from one heap. Deadline: ")
    assert question["text"].endswith(" UTC.")
    assert "If time runs out, the default move of the rules is played." == question["timeout_text"]
    assert f"{sentence} {question['text']} {question['timeout_text']}" == told["since"]["text"]
    text = one.get(
        f"/v1/games/{game}/events", since="my-last-turn", digest="turn", headers={"Accept": "text/plain"}
    ).text
    assert text.startswith(f"{sentence}\n{question['text']}\n{question['timeout_text']}\n\n")
    assert "since" not in one.get(f"/v1/games/{game}/events", want=200).json
    assert [] == other.get(f"/v1/games/{game}/events", since="my-last-turn", want=200).json["since"]["changes"]


def test_digest_since_my_last_turn_is_consistent_while_that_turn_is_settled(world, monkeypatch):
    ash, birk = world.player("Ash"), world.player("Birk")
    game = ash.make_game("nim")["id"]
    birk.join(game)
    ash.start(game)
    player = ash if ash.view(game)["public"]["turn"]["seat"] == 1 else birk

    def settled_first(*args):
        player.send(game, {"type": "take", "heap": 4, "objects": 3}, want=200)
        return find_last_turn(*args)

    monkeypatch.setattr(events, "find_last_turn", settled_first)

    page = player.get(f"/v1/games/{game}/events", since="my-last-turn", digest="turn", want=200)

    assert page.json["since"]["seq"] == page.json["after"]


def test_the_next_page_since_my_last_turn_continues_after_the_first(days):
    game, ash = days
    page = ash.get(f"/v1/games/{game}/events", since="my-last-turn", limit=1, want=200)

    assert page.json["more"]
    assert f"after={page.json['after']}" in page.headers["Link"]
    assert "since" not in page.headers["Link"]


def test_a_player_who_has_no_seat_has_no_last_turn(days, world):
    game, _ = days
    assert "not-your-seat" == world.player().get(f"/v1/games/{game}/events", since="my-last-turn").code
