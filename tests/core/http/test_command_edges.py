"""Edge cases of sending commands: key lengths, missed events, and who can read an outcome."""

from __future__ import annotations

import json

import pytest

from domain.kernel.errors import StaleSubmission
from domain.registry import GAMES
from service.store.ports.waiting import MOST_WAITING
from tests.core.http.conftest import soon

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def table(world):
    return world, *world.table()


@pytest.mark.parametrize("key", ["k" * 200, "k", f"  {'k' * 200} "])
def test_a_key_has_up_to_two_hundred_characters(table, key):
    _, game, ash, _ = table

    first = ash.send(game, HIDE, key=key, want=200)
    assert first.json["id"] == ash.send(game, HIDE, key=key.strip(), want=200).json["id"]


@pytest.mark.parametrize("key", ["", "   ", "k" * 201])
def test_an_empty_or_too_long_key_is_refused(table, key):
    world, game, ash, _ = table
    head = world.store.log.head(game)

    problem = ash.send(game, HIDE, key=key, want=422).json
    assert ("Idempotency-Key", head) == (problem["parameter"], world.store.log.head(game))
    assert "1 to 200" in problem["detail"]


def test_a_key_reused_for_another_command_is_refused_and_names_the_header(table):
    world, game, ash, _ = table
    ash.send(game, HIDE, key="k", want=200)
    head = world.store.log.head(game)

    problem = ash.send(game, {"type": "hide", "pennies": 0}, key="k").json
    assert ("key-reused", "Idempotency-Key") == (problem["code"], problem["parameter"])
    assert head == world.store.log.head(game)


@pytest.mark.parametrize("seen", ['"0"', '"1"'])
def test_a_stale_command_gets_the_missed_events_and_the_current_seq(table, seen):
    _, game, ash, birk = table
    ash.send(game, HIDE, want=200)
    now = birk.view(game)["seq"]

    told = birk.send(game, HIDE, seen=seen, want=412)
    after = int(seen.strip('"'))
    assert (now, f'"{now}"') == (told.json["seq"], told.headers["ETag"])
    assert list(range(after + 1, now + 1)) == [entry["seq"] for entry in told.json["missed"]]


def test_missed_events_contain_only_lines_visible_to_the_sender(table):
    _, game, ash, birk = table
    ash.send(game, HIDE, want=200)

    for player, own in ((ash, ["pennies_hidden", "hand_closed"]), (birk, ["hand_closed"])):
        for dry_run in ("true", "false"):
            told = player.send(game, HIDE, seen=1, dry_run=dry_run, want=412).json
            assert [own] == [[line["type"] for line in entry["lines"]] for entry in told["missed"]]


@pytest.mark.parametrize("seen", ["1", 'W/"1"', '"1"'])
def test_if_match_accepts_bare_and_weak_forms_of_the_current_etag(table, seen):
    _, game, ash, _ = table

    ash.send(game, HIDE, seen=seen, want=200)


def test_a_malformed_if_match_is_refused(table):
    _, game, ash, _ = table

    refused = ash.send(game, HIDE, seen='"x"', want=422)
    assert ("invalid", "If-Match") == (refused.code, refused.json["parameter"])


def test_a_command_that_became_stale_while_waiting_is_answered_with_its_id(table):
    world, game, ash, birk = table
    seen = birk.view(game)["seq"]
    world.asleep = True
    ash.send(game, HIDE, wait=None, want=202)
    with soon(world.work, game):
        told = birk.send(game, HIDE, seen=seen, want=412)

    assert "refused" == birk.get(f"/v1/games/{game}/commands/{told.json['id']}", want=200).json["status"]
    assert seen + 1 == told.json["seq"] == birk.view(game)["seq"]
    assert [seen + 1, seen + 2] == [entry["seq"] for entry in told.json["missed"]], "and how his own was refused"


def test_the_answer_to_a_refused_command_has_its_id_and_the_head(table):
    world, game, ash, _ = table
    told = ash.send(game, {"type": "hide", "pennies": 100}, wait=3, want=409)

    seq, head = world.store.log.head(game)
    assert (game, seq) == (told.json["game"], told.json["seq"])
    assert (f"{seq} {head}", "wait=3") == (told.headers["Game-Head"], told.headers["Preference-Applied"])
    status = ash.get(f"/v1/games/{game}/commands/{told.json['id']}", want=200)
    assert ("refused", "too-many-pennies") == (status.json["status"], status.json["refusal"]["code"])
    assert told.headers["Game-Head"] == status.headers["Game-Head"]
    assert head == status.json["head"]


def test_only_the_sender_can_read_the_outcome_of_a_command(table):
    world, game, ash, birk = table
    id_ = ash.send(game, HIDE, want=200).json["id"]

    assert "settled" == ash.get(f"/v1/games/{game}/commands/{id_}", want=200).json["status"]
    for command in (id_, id_[:-1] + ("0" if id_[-1] != "0" else "1"), "nothing", "begin"):
        assert "unknown-command" == birk.get(f"/v1/games/{game}/commands/{command}", want=404).code
    assert "unknown-command" == ash.get(f"/v1/games/{game}/commands/nothing", want=404).code
    assert 401 == world.public.get(f"/v1/games/{game}/commands/{id_}").status
    other, _, _ = world.table()
    assert 404 == ash.get(f"/v1/games/{other}/commands/{id_}").status


def test_a_pending_command_shows_the_head_of_its_game(table):
    world, game, ash, _ = table
    world.asleep = True
    seq, head = world.store.log.head(game)

    sent = ash.send(game, HIDE, wait=None, want=202)
    assert f"{seq} {head}" == sent.headers["Game-Head"]
    waiting = ash.get(sent.headers["Location"], want=200)
    assert ({"id": sent.json["id"], "status": "pending"}, f"{seq} {head}") == (
        waiting.json,
        waiting.headers["Game-Head"],
    )


def test_a_game_with_too_many_pending_commands_refuses_more(table):
    world, game, ash, birk = table
    world.asleep = True
    for _ in range(MOST_WAITING):
        ash.send(game, HIDE, wait=None, want=202)

    told = birk.send(game, HIDE, wait=None, want=429)
    assert "too-many-pending" == told.code
    assert int(told.headers["Retry-After"]) >= 1
    world.asleep = False
    world.work(game)
    birk.send(game, HIDE, want=200)


def test_commands_and_dry_runs_before_the_start_are_refused(world):
    ash = world.player()
    game = ash.make_game()["id"]

    for dry_run in ("true", "false"):
        assert "not-started" == ash.send(game, HIDE, dry_run=dry_run, want=409).code


def test_a_dry_run_returns_only_its_result_the_seq_and_the_head(table):
    world, game, ash, birk = table
    birk.send(game, HIDE, want=200)
    seq, head = world.store.log.head(game)

    good = ash.send(game, HIDE, dry_run="true", want=200)
    bad = ash.send(game, {"type": "hide", "pennies": 100}, dry_run="true", want=200)
    assert {"dry_run", "accepted", "seq", "lines"} == set(good.json)
    assert {"dry_run", "accepted", "seq", "refusal"} == set(bad.json)
    assert ash.view(game)["seq"] == good.json["seq"] == bad.json["seq"]
    assert f"{seq} {head}" == good.headers["Game-Head"]
    assert [1, 1] == [line["seat"] for line in good.json["lines"]]
    assert 1 == good.json["lines"][0]["pennies"], "its sender reads it as his own"


def test_a_stale_dry_run_is_412_with_the_missed_events(table):
    _, game, ash, birk = table
    seen = birk.view(game)["seq"]
    ash.send(game, HIDE, want=200)

    told = birk.send(game, HIDE, dry_run="true", seen=seen, want=412)
    assert (StaleSubmission.code, seen + 1) == (told.code, told.json["seq"])
    assert [seen + 1] == [entry["seq"] for entry in told.json["missed"]]


def test_a_dry_run_after_the_end_is_refused_without_imagining_a_position(world, monkeypatch):
    ash, birk = world.player(), world.player()
    game = ash.make_game(options={"points": 1})["id"]
    birk.join(game)
    ash.start(game)
    while ash.summary(game)["status"] != "over":
        ash.send(game, HIDE)
        birk.send(game, {"type": "hide", "pennies": 2})
    monkeypatch.setattr(type(GAMES["pennies"].knowledge), "imagine", lambda *_: pytest.fail("it is over"))

    assert "game-over" == ash.send(game, HIDE, dry_run="true", want=200).json["refusal"]["code"]


def test_repeated_dry_runs_of_a_command_roll_new_dice_each_time(table, monkeypatch):
    _, game, ash, _ = table
    rolls, pennies = [], type(GAMES["pennies"].rules)
    decide = pennies.decide

    def rolling(self, state, seat, command, dice):
        rolls.append(dice.below(10**9))
        return decide(self, state, seat, command, dice)

    monkeypatch.setattr(pennies, "decide", rolling)
    for _ in range(5):
        ash.send(game, HIDE, dry_run="true", want=200)

    assert 5 == len(set(rolls))


def test_two_settled_commands_answer_with_their_own_lines(table):
    _, game, ash, birk = table

    for player, seat, pennies in ((ash, 1, 1), (birk, 2, 0)):
        told = player.send(game, {"type": "hide", "pennies": pennies}, want=200).json
        own = [line for line in told["lines"] if line["type"] == "pennies_hidden"]
        assert ("settled", [(seat, pennies)]) == (told["status"], [(line["seat"], line["pennies"]) for line in own])
        assert json.dumps(told)


def test_only_an_if_match_beyond_the_end_of_the_log_is_log_diverged(table):
    world, game, ash, birk = table
    ash.send(game, {"type": "hide", "pennies": 100}, want=409)
    ends = world.store.log.head(game)[0]

    told = birk.send(game, HIDE, seen=ends + 1, dry_run="true")
    assert ("log-diverged", 409) == (told.code, told.status)
    for dry_run in ("true", "false"):
        assert "log-diverged" != birk.send(game, HIDE, seen=ends, dry_run=dry_run).code
