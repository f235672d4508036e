"""Sending commands: responses, waiting, idempotency keys, If-Match and dry runs."""

from __future__ import annotations

import time

import pytest

from domain.registry import GAMES
from tests.core.http.conftest import soon

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def table(world):
    return world, *world.table()


def test_an_accepted_command_is_202_with_a_location(table):
    world, game, ash, _ = table
    world.asleep = True

    sent = ash.send(game, HIDE, wait=None, want=202)

    assert "pending" == sent.json["status"]
    assert f"/v1/games/{game}/commands/{sent.json['id']}" == sent.headers["Location"]
    assert "pending" == ash.get(sent.headers["Location"], want=200).json["status"]
    world.work(game)
    told = ash.get(sent.headers["Location"], want=200).json
    assert ("settled", ["pennies_hidden", "hand_closed"]) == (told["status"], [line["type"] for line in told["lines"]])


def test_a_waiting_sender_gets_the_outcome(table):
    world, game, ash, _ = table
    world.asleep = True

    began = time.monotonic()
    with soon(world.work, game):
        told = ash.send(game, HIDE, wait=10, want=200)

    assert time.monotonic() - began < 5
    assert "wait=10" == told.headers["Preference-Applied"]
    assert told.seq == told.json["seq"]
    assert told.json["head"] == told.headers["Game-Head"].split()[1]


def test_a_sender_whose_wait_times_out_gets_202(table):
    world, game, ash, _ = table
    world.asleep = True

    told = ash.send(game, HIDE, wait=1, want=202)

    assert "wait=1" == told.headers["Preference-Applied"]


@pytest.mark.parametrize(
    ("header", "applied"), [("wait=500", "wait=30"), ("respond-async, wait=2", "wait=2"), ("x", None)]
)
def test_the_applied_preference_is_returned(table, header, applied):
    _, game, ash, _ = table

    answer = ash.post(f"/v1/games/{game}/commands", HIDE, headers={"Prefer": header})

    assert applied == answer.headers.get("Preference-Applied")


# -- keys -------------------------------------------------------------------------------------------------------------


def test_a_repeated_key_has_one_effect_and_returns_the_current_status(table):
    world, game, ash, _ = table
    world.asleep = True

    first = ash.send(game, HIDE, wait=None, key="once", want=202)
    second = ash.send(game, HIDE, wait=None, key="once", want=202)
    world.work(game)
    third = ash.send(game, HIDE, wait=None, key="once", want=200)

    assert first.json["id"] == second.json["id"] == third.json["id"]
    assert "settled" == third.json["status"]
    hidden = [line for entry in ash.events(game) for line in entry["lines"] if line["type"] == "pennies_hidden"]
    assert 1 == len(hidden)


def test_a_repeated_key_of_a_refused_command_returns_the_same_refusal(table):
    world, game, ash, _ = table
    bad = {"type": "hide", "pennies": 100}
    first = ash.send(game, bad, key="k", want=409)
    head = world.store.log.head(game)

    again = ash.send(game, bad, key="k", want=409)

    assert first.json == again.json
    assert head == world.store.log.head(game)


def test_a_retry_of_a_settled_command_is_never_412(table):
    _, game, ash, _ = table
    seen = ash.view(game)["seq"]

    ash.send(game, HIDE, key="k", seen=seen, want=200)

    assert "settled" == ash.send(game, HIDE, key="k", seen=seen, want=200).json["status"]


def test_two_players_may_use_the_same_key(table):
    _, game, ash, birk = table

    assert ash.send(game, HIDE, key="k", want=200).json["id"] != birk.send(game, HIDE, key="k", want=200).json["id"]


# -- If-Match ---------------------------------------------------------------------------------------------------------


def test_a_rivals_refused_command_makes_nothing_stale(table):
    _, game, ash, birk = table
    seen = birk.view(game)["seq"]
    ash.send(game, {"type": "hide", "pennies": 100}, want=409)

    assert seen == birk.view(game)["seq"]
    birk.send(game, HIDE, seen=seen, want=200)


@pytest.mark.parametrize("form", ['"{}"', "{}", 'W/"{}"', '"{}-gzip"', " {} "])
def test_if_match_takes_quoted_bare_and_weak_forms_of_the_tag(table, form):
    _, game, ash, birk = table
    seen = birk.view(game)["seq"]

    birk.send(game, HIDE, seen=form.format(seen), want=200)
    told = ash.send(game, HIDE, seen=form.format(0), want=412)
    assert "stale" == told.code


@pytest.mark.parametrize("form", ["", "abc", '"12', '12"', 'W/12"', '"1", "2"', '"12-1.0"', "-1", "1" * 16])
def test_any_other_if_match_is_422_and_named(table, form):
    _, game, ash, _ = table
    for path in ("commands", "commands?dry_run=true"):
        told = ash.post(f"/v1/games/{game}/{path}", HIDE, headers={"If-Match": form}, want=422).json
        assert ("invalid", "If-Match") == (told["code"], told["parameter"])


def test_a_command_that_becomes_stale_while_pending_is_refused(table):
    world, game, ash, birk = table
    seen = birk.view(game)["seq"]
    world.asleep = True
    ash.send(game, HIDE, wait=None, want=202)
    sent = birk.send(game, HIDE, wait=None, seen=seen, want=202)
    world.work(game)

    assert "refused" == birk.get(sent.headers["Location"], want=200).json["status"]
    assert "stale" == birk.get(sent.headers["Location"]).json["refusal"]["code"]


def test_waiting_for_a_command_that_becomes_stale_gets_412_with_missed_events(table):
    world, game, ash, birk = table
    seen = birk.view(game)["seq"]
    world.asleep = True
    ash.send(game, HIDE, wait=None, want=202)

    with soon(world.work, game):
        told = birk.send(game, HIDE, seen=seen, want=412).json

    assert ["hand_closed"] == [line["type"] for entry in told["missed"] for line in entry["lines"]]


def test_a_command_after_the_end_of_the_game_is_refused(table):
    world, game, *_ = table
    ash, birk = world.player(), world.player()
    game = ash.make_game(options={"points": 1})["id"]
    birk.join(game)
    ash.start(game)
    for _ in range(60):
        if ash.summary(game)["status"] == "over":
            break
        ash.send(game, HIDE)
        birk.send(game, {"type": "hide", "pennies": 2})

    assert "game-over" == ash.send(game, HIDE, want=409).code


def test_commands_still_pending_at_the_end_of_the_game_are_not_played(table):
    world, game, ash, birk = table
    ash.send(game, HIDE, want=200)
    world.asleep = True
    ash.send(game, {"type": "call_vote", "kind": "abort"}, wait=None, want=202)
    birk.send(game, {"type": "cast_vote", "agree": True}, wait=None, want=202)
    pending = [player.send(game, HIDE, wait=None, want=202).headers["Location"] for player in (ash, birk)]
    world.work(game)

    assert "over" == ash.summary(game)["status"]
    told = [player.get(path, want=200).json for player, path in zip((ash, birk), pending, strict=True)]
    assert ["over", "over"] == [each["status"] for each in told]


# -- dry runs ---------------------------------------------------------------------------------------------------------


def test_a_dry_run_returns_whether_the_command_is_legal_and_stores_nothing(table):
    world, game, ash, _ = table
    before = world.store.log.head(game), world.store.schedule.census()

    good = ash.send(game, HIDE, dry_run="true", want=200).json
    bad = ash.send(game, {"type": "hide", "pennies": 100}, dry_run="true", want=200).json

    assert (True, True) == (good["dry_run"], good["accepted"])
    assert ["pennies_hidden", "hand_closed"] == [line["type"] for line in good["lines"]]
    assert (False, "too-many-pennies", "PEN-02") == (
        bad["accepted"],
        bad["refusal"]["code"],
        bad["refusal"]["rule"],
    )
    assert before == (world.store.log.head(game), world.store.schedule.census())
    assert ash.turns(), "it is still his turn"


def test_a_dry_run_costs_no_refusals_and_uses_no_key(table):
    _, game, ash, _ = table
    for _ in range(70):
        ash.send(game, {"type": "hide", "pennies": 100}, dry_run="true", key="k", want=200)

    ash.send(game, HIDE, key="k", want=200)


def test_a_dry_run_is_stale_like_any_command(table):
    _, game, ash, birk = table
    seen = birk.view(game)["seq"]
    ash.send(game, HIDE, want=200)

    assert birk.send(game, HIDE, dry_run="true", seen=seen, want=412).json["missed"]
    assert birk.send(game, HIDE, dry_run="true", seen=birk.view(game)["seq"], want=200).json["accepted"]


def test_a_dry_run_decides_on_an_imagined_state(table, monkeypatch):
    _, game, ash, birk = table
    birk.send(game, {"type": "hide", "pennies": 2}, want=200)
    decided, pennies = [], GAMES["pennies"]
    decide = type(pennies.rules).decide

    def spying(self, state, seat, command, dice):
        decided.append(state.hidden[2])
        return decide(self, state, seat, command, dice)

    monkeypatch.setattr(type(pennies.rules), "decide", spying)
    for _ in range(40):
        ash.send(game, HIDE, dry_run="true", want=200)

    assert len(set(decided)) > 1, "what Birk hid is drawn anew each time"


def test_a_dry_run_out_of_turn_is_refused(table):
    _, game, ash, _ = table
    ash.send(game, HIDE, want=200)

    refusal = ash.send(game, HIDE, dry_run="true", want=200).json["refusal"]
    assert ("not-your-turn", "You have already answered. Others have not.") == (refusal["code"], refusal["message"])


@pytest.mark.parametrize("value", ["1", "yes", ""])
def test_dry_run_is_true_or_false(table, value):
    _, game, ash, _ = table

    assert "dry_run" == ash.send(game, HIDE, dry_run=value, want=422).json["parameter"]
