"""The history in pages, as NDJSON and as a stream; each reader gets only what they can see."""

from __future__ import annotations

import json

import pytest

from domain.kernel.dice import Dice
from service.core.http.streaming import watches
from tests.core.http.conftest import soon
from tests.driver import Unexpected, play_out

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def played(world):
    """A game in which both players have moved eight times."""
    game, ash, birk = world.table(options={"points": 40})
    for _ in range(8):
        ash.send(game, HIDE, want=200)
        birk.send(game, HIDE, want=200)
    return world, game, ash, birk


def types(entries):
    return [line["type"] for entry in entries for line in entry["lines"]]


def test_each_commit_is_one_entry_with_all_its_lines_and_a_sentence_each(played):
    _, game, ash, _ = played

    first, second, *_ = ash.events(game)

    assert (1, 0, "system") == (first["seq"], first["seat"], first["by"])
    assert ["game_begun", "pennies_begun"] == [line["type"] for line in first["lines"]]
    assert (2, 1, "player") == (second["seq"], second["seat"], second["by"])
    assert ["Ash hides 1 pennies.", "Ash is ready."] == [line["text"] for line in second["lines"]]


def test_a_secret_line_is_shown_only_to_its_owner(played):
    world, game, ash, birk = played

    assert 8 == types(ash.events(game)).count("pennies_hidden") == types(birk.events(game)).count("pennies_hidden")
    assert 0 == types(world.public.events(game)).count("pennies_hidden")
    assert 16 == types(world.public.events(game)).count("hand_closed")
    assert all("command" not in entry for entry in world.public.events(game))


def test_the_heads_of_the_entries_are_those_of_the_log(played):
    world, game, ash, _ = played
    heads = {commit.seq: commit.head for commit in world.store.log.commits(game)}

    assert {entry["seq"]: entry["head"] for entry in ash.events(game)}.items() <= heads.items()


def test_pages_are_linked_and_break_between_commits(played):
    _, game, ash, _ = played
    whole = ash.events(game)

    assert whole == ash.events(game, limit=3) == ash.events(game, limit=1)
    answer = ash.get(f"/v1/games/{game}/events", limit=3, want=200)
    assert 'rel="next"' in answer.headers["Link"]
    assert (3, 3, True) == (len(answer.json["events"]), answer.json["after"], answer.json["more"])
    assert [entry for entry in whole if entry["seq"] > 10] == ash.events(game, after=10)
    newest = ash.get(f"/v1/games/{game}/events").seq
    last = ash.get(f"/v1/games/{game}/events", after=newest, want=200)
    assert ([], newest, False) == (last.json["events"], last.json["after"], last.json["more"])
    assert "Link" not in last.headers


def test_a_refusal_is_shown_only_to_its_sender(played):
    world, game, ash, birk = played
    sent = ash.send(game, {"type": "hide", "pennies": 100}, want=409).json

    entry = ash.events(game)[-1]

    assert (sent["seq"], "too-many-pennies", sent["id"]) == (
        entry["seq"],
        entry["refusal"]["code"],
        entry["command"],
    )
    for other in (birk, world.public):
        assert all("refusal" not in entry for entry in other.events(game))
        assert sent["seq"] not in [entry["seq"] for entry in other.events(game)]


def test_ndjson_has_the_whole_history_with_one_entry_per_line(played):
    _, game, ash, _ = played

    answer = ash.get(f"/v1/games/{game}/events", headers={"Accept": "application/x-ndjson"}, want=200)
    some = ash.get(f"/v1/games/{game}/events", headers={"Accept": "application/x-ndjson"}, after=3, limit=5)

    assert "application/x-ndjson" == answer.headers["Content-Type"]
    assert ash.events(game) == [json.loads(line) for line in answer.text.splitlines()]
    assert ash.events(game)[3:8] == [json.loads(line) for line in some.text.splitlines()]


def test_history_since_my_last_turn_has_only_later_entries(played):
    _, game, ash, birk = played
    mine = [entry["seq"] for entry in ash.events(game) if entry["seat"] == 1][-1]
    ash.send(game, {"type": "hide", "pennies": 100}, want=409)

    digest = ash.events(game, since="my-last-turn")

    assert [entry for entry in ash.events(game) if entry["seq"] > mine] == digest
    assert digest
    assert len(digest) > len(birk.events(game, since="my-last-turn")) > 0


def test_history_since_my_last_turn_needs_a_seat(played):
    world, game, ash, _ = played

    assert "not-your-seat" == world.public.get(f"/v1/games/{game}/events", since="my-last-turn", want=403).code
    assert "since" == ash.get(f"/v1/games/{game}/events", since="yesterday", want=422).json["parameter"]


# -- streams ----------------------------------------------------------------------------------------------------------


def test_a_stream_sends_past_events_and_then_new_ones(played):
    _, game, ash, birk = played
    known = ash.events(game)

    with ash.stream(game) as messages:
        told = [next(messages) for _ in known]
        with soon(birk.send, game, HIDE):
            news = next(messages)

    assert known == [message.data for message in told]
    assert [entry["seq"] for entry in known] == [message.id for message in told]
    assert ["hand_closed"] == types([news.data])


@pytest.mark.parametrize("how", ["header", "query", "after"])
def test_a_stream_resumes_after_the_last_message_that_was_read(played, how):
    _, game, ash, _ = played
    known = ash.events(game)
    last = known[4]["seq"]
    where = {"header": {"last": last}, "query": {"last_event_id": last}, "after": {"after": last}}[how]

    with ash.stream(game, **where) as messages:
        told = [next(messages).data for _ in known[5:]]

    assert known[5:] == told


def test_the_last_event_id_header_takes_precedence_over_the_query(played):
    """A browser repeats the query when it reconnects."""
    _, game, ash, _ = played

    with ash.stream(game, last=10, last_event_id=2) as messages:
        assert 11 == next(messages).id


def test_a_stream_skips_commits_without_visible_lines(played):
    world, game, ash, birk = played
    birk.send(game, {"type": "hide", "pennies": 100}, want=409)
    seq = world.store.log.head(game)[0]

    with ash.stream(game, last=seq - 1) as messages, soon(birk.send, game, HIDE):
        assert seq + 1 == next(messages).id


def test_a_silent_stream_sends_heartbeats(played, monkeypatch):
    world, game, ash, _ = played
    monkeypatch.setattr(watches, "HEARTBEAT_SECONDS", 0.1)
    monkeypatch.setattr(watches, "TICK_SECONDS", 0.05)

    with ash.stream(game, last=world.store.log.head(game)[0]) as messages:
        with ash.site.chunks(f"/v1/games/{game}/events", {**ash._auth(), "Accept": "text/event-stream"}) as raw:
            told = b"".join(next(raw) for _ in range(4))
        assert messages is not None

    assert b"\n\n:\n\n" in told


def test_a_stream_ends_with_the_game_and_is_204_when_resumed(world):
    game, ash, birk = world.table(options={"points": 1})

    with ash.stream(game) as messages:
        next(messages)
        play_out([ash, birk], game, Dice(b"2" * 32))
        told = list(messages)

    assert "game_ended" == told[-1].data["lines"][-1]["type"]
    assert (
        204
        == ash.get(
            f"/v1/games/{game}/events", headers={"Accept": "text/event-stream", "Last-Event-ID": str(told[-1].id)}
        ).status
    )


def test_a_stream_may_begin_before_the_game(world):
    ash = world.player()
    game = ash.make_game()["id"]
    ash.seat_bot(game)

    with ash.stream(game) as messages, soon(ash.start, game):
        assert 1 == next(messages).id


def test_the_accept_header_selects_the_format(played):
    _, game, ash, _ = played

    def form(accept):
        return ash.get(f"/v1/games/{game}/events", headers={"Accept": accept}).headers["Content-Type"]

    assert "application/json" == form("*/*") == form("application/json") == form("text/css, */*;q=0.1")
    assert "text/html; charset=utf-8" == form("text/html,application/xml;q=0.9,*/*;q=0.8")
    assert "text/plain; charset=utf-8" == form("text/plain")
    assert "application/x-ndjson" == form("application/x-ndjson")


def test_the_stream_of_a_private_game_is_refused_to_others(world):
    game, *_ = world.table(visibility="private")

    with pytest.raises(Unexpected), world.player().stream(game):
        pass
