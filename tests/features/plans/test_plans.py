"""Planned turns over HTTP: storing, reading, deleting, playing, and permissions."""

from __future__ import annotations

import json

import pytest

from service.audit.auditor import audit
from service.store.redis.log.log import Log
from tests.core.http.problem import is_a_problem

HIDE = {"type": "hide", "pennies": 1}
BAD = {"type": "hide", "pennies": 100}


def plan(*commands, when="legal", then="wait", **more):
    return {"commands": list(commands), "if": when, "then": then, **more}


def put(player, game, body, want=200, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = player.call("PUT", f"/v1/games/{game}/plan", body, headers=named)
    assert want in (None, answer.status), answer.text
    return answer


def look(player, game, want=200):
    answer = player.get(f"/v1/games/{game}/plan")
    assert want == answer.status, answer.text
    return answer.json


def drop(player, game, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return player.call("DELETE", f"/v1/games/{game}/plan", headers=named)


@pytest.fixture
def table(world):
    """A game of Pennies in which Ash has answered, and Birk has not."""
    game, ash, birk = world.table(options={"points": 1000})
    ash.send(game, HIDE, want=200)
    return world, game, ash, birk


@pytest.fixture
def duel(world):
    """A game of Battalia for two: the game, the player on turn, and the other."""
    ash, birk = world.player("Ash"), world.player("Birk")
    game = ash.make_game("battalia")["id"]
    birk.join(game)
    ash.start(game)
    on_turn = {question["seat"] for question in ash.turns() if question["game"] == game}
    return world, game, *((ash, birk) if on_turn else (birk, ash))


def test_a_plan_is_played_when_its_question_comes_and_shows_its_outcome(table):
    _, game, ash, birk = table

    laid = put(ash, game, plan(HIDE)).json
    assert ("waiting", [HIDE], "legal", "wait", ["*"]) == tuple(
        laid[name] for name in ("status", "commands", "if", "then", "for")
    )
    assert laid == look(ash, game)

    birk.send(game, HIDE, want=200)

    after = look(ash, game)
    assert ("played", ["settled"]) == (after["status"], [each["status"] for each in after["outcomes"]])
    own = ash.events(game)[-1]
    assert (1, "plan", f"{laid['id']}.0") == (own["seat"], own["by"], own["command"])
    assert "settled" == ash.get(f"/v1/games/{game}/commands/{laid['id']}").json["status"]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_plan_deleted_while_its_question_comes_is_not_played(table, monkeypatch, moment):
    _, game, ash, birk = table
    laid = put(ash, game, plan(HIDE)).json
    submit, statuses = Log.submit, []

    def interrupted(self, game_id, submission, *args, **named):
        is_planned = submission["id"].startswith(laid["id"])
        if is_planned and moment == "before":
            statuses.append(drop(ash, game).status)
        receipt = submit(self, game_id, submission, *args, **named)
        if is_planned and moment == "after":
            statuses.append(drop(ash, game).status)
        return receipt

    monkeypatch.setattr(Log, "submit", interrupted)
    birk.send(game, HIDE, want=200)

    assert [409] == statuses, "the plan is being played"
    assert f"{laid['id']}.0" in [entry.get("command") for entry in ash.events(game)]


def test_a_plan_stops_at_the_first_refusal_and_shows_where_and_why(table):
    _, game, ash, birk = table

    put(ash, game, plan(BAD, HIDE))
    birk.send(game, HIDE, want=200)

    after = look(ash, game)
    assert ("stopped", 0, ["refused", "left"]) == (
        after["status"],
        after["stopped_at"],
        [each["status"] for each in after["outcomes"]],
    )
    assert "too-many-pennies" == after["outcomes"][0]["refusal"]["code"]
    assert "plan" == ash.events(game)[-1]["by"]


def test_a_plan_for_an_unchanged_board_stops_and_shows_what_has_changed(table):
    _, game, ash, birk = table

    put(ash, game, plan(HIDE, when="unchanged"))
    closed = birk.send(game, HIDE, want=200).json["seq"]

    after = look(ash, game)
    assert ("stopped", 0, "stale", closed) == (
        after["status"],
        after["stopped_at"],
        after["outcomes"][0]["refusal"]["code"],
        after["first_change"]["seq"],
    )
    assert ["hand_closed"] == [line["type"] for line in after["first_change"]["lines"]][-1:]


def test_a_plan_without_commands_ends_the_turn_on_an_unchanged_board(duel):
    _, game, first, second = duel

    laid = put(second, game, plan(when="unchanged", then="end_turn")).json
    assert ([], ["turn"]) == (laid["commands"], laid["for"])
    first.send(game, {"type": "end_turn"}, want=200)

    after = look(second, game)
    assert ("played", 1) == (after["status"], len(after["outcomes"])), after
    assert first.turns()
    assert not second.turns()


def test_a_game_played_by_plans_passes_the_audit(world):
    game, ash, birk = world.table(options={"points": 5})
    while ash.summary(game)["status"] == "running":
        ash.send(game, HIDE)
        if ash.summary(game)["status"] == "running":
            put(ash, game, plan(HIDE, BAD), None)
            birk.send(game, HIDE)

    export = ash.get(f"/v1/games/{game}/export", want=200).body
    report = audit(export, heads=[ash.summary(game)["head"]])

    assert report.is_ok, report.verdict
    bodies = [json.loads(line)["body"] for line in export.splitlines() if b'"body"' in line]
    assert {"player", "plan", "system"} == {body["actor"]["by"] for body in bodies}
    forged = export.replace(b'"by":"plan"', b'"by":"policy"', 1)
    assert not audit(forged).is_ok


def test_a_plan_is_refused_while_its_question_is_pending(table):
    _, game, ash, birk = table

    is_a_problem(put(birk, game, plan(HIDE), None), 409, "question-pending")
    look(birk, game, 404)
    birk.send(game, HIDE, want=200)
    is_a_problem(put(ash, game, plan(HIDE), None), 409, "question-pending")


def test_a_seat_has_one_plan_and_preconditions_can_guard_it(table):
    _, game, ash, _ = table

    first = put(ash, game, plan(HIDE), If_None_Match="*")
    is_a_problem(put(ash, game, plan(BAD), None, If_None_Match="*"), 412, "plan-changed")
    is_a_problem(put(ash, game, plan(BAD), None, If_Match='"other"'), 412, "plan-changed")
    second = put(ash, game, plan(BAD), If_Match=first.headers["ETag"])
    third = put(ash, game, plan(BAD, BAD), If_Match="*")
    assert 3 == len({each.headers["ETag"] for each in (first, second, third)})
    is_a_problem(drop(ash, game, If_Match=second.headers["ETag"]), 412, "plan-changed")
    assert [BAD, BAD] == look(ash, game)["commands"]

    assert 204 == drop(ash, game, If_Match=third.headers["ETag"]).status
    is_a_problem(drop(ash, game), 404, "no-plan")
    is_a_problem(drop(ash, game, If_Match="*"), 412, "plan-changed")


def test_a_plan_in_progress_cannot_be_deleted_and_a_played_one_can(table):
    world, game, ash, birk = table
    put(ash, game, plan(HIDE))

    world.asleep = True
    birk.send(game, HIDE, wait=None, want=202)
    while look(ash, game)["status"] == "waiting":  # Birk's command, and the die
        assert world.worker.round([world.store.schedule.partition(game)])
    assert "playing" == look(ash, game)["status"]
    is_a_problem(drop(ash, game), 409, "plan-in-progress")
    world.work(game)

    assert "played" == look(ash, game)["status"]
    assert 204 == drop(ash, game).status
    look(ash, game, 404)


def test_a_plan_made_on_an_older_view_is_stale(table):
    _, game, ash, _ = table
    seq = ash.view(game)["seq"]

    assert seq == put(ash, game, plan(HIDE, seen=seq)).json["seen"]
    document = is_a_problem(put(ash, game, plan(HIDE, seen=seq - 1), None), 412, "stale")
    assert seq == document["seq"]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b"[]", ""),
        ({}, "/commands"),
        ({"commands": [HIDE], "then": "wait"}, "/if"),
        ({"commands": [HIDE], "if": "legal"}, "/then"),
        (plan(HIDE, when="ever"), "/if"),
        (plan(HIDE, then="resign"), "/then"),
        (plan(HIDE, seen=-1), "/seen"),
        (plan(HIDE, seen="1"), "/seen"),
        (plan(HIDE, **{"for": []}), "/for"),
        (plan(HIDE, **{"for": "hide"}), "/for"),
        (plan(HIDE, **{"for": [7]}), "/for/0"),
        (plan(HIDE, **{"for": ["flee"]}), "/for/0"),
        (plan(HIDE, more=1), "/more"),
        (plan(), "/commands"),
        (plan(*[HIDE] * 65), "/commands"),
        (plan(7), "/commands/0"),
        (plan(HIDE, {"type": "seek"}), "/commands/1/type"),
        (plan(HIDE, {"type": "hide"}), "/commands/1/pennies"),
        (plan(HIDE, {"type": "hide", "pennies": "1"}), "/commands/1/pennies"),
        (plan({"type": "resign"}), "/commands/0/type"),
        (plan(HIDE, {"type": "resign"}), "/commands/1/type"),
        (plan(HIDE, then="end_turn"), "/then"),
        (plan(then="end_turn"), "/then"),
    ],
)
def test_an_invalid_plan_is_422_with_a_pointer_and_is_not_stored(table, body, pointer):
    _, game, ash, _ = table

    answer = put(ash, game, body if isinstance(body, bytes) else json.dumps(body).encode(), None)

    assert pointer == is_a_problem(answer, 422, "invalid")["pointer"]
    look(ash, game, 404)


def test_a_plan_with_a_malformed_large_or_compressed_body_is_refused(table):
    _, game, ash, _ = table

    is_a_problem(put(ash, game, b"{", None), 400, "malformed-json")
    is_a_problem(put(ash, game, b"x" * 70_000, None), 413, "too-large")
    is_a_problem(put(ash, game, plan(HIDE), None, Content_Encoding="gzip"), 415, "unsupported-encoding")


def test_only_the_player_of_a_seat_can_store_read_or_delete_its_plan(table):
    world, game, ash, birk = table
    put(ash, game, plan(HIDE))
    path = f"/v1/games/{game}/plan"

    for method in ("GET", "PUT", "DELETE"):
        body = plan(HIDE) if method == "PUT" else None
        is_a_problem(world.public.call(method, path, body), 401, "no-token")
        is_a_problem(world.player().call(method, path, body), 403, "not-your-seat")
        is_a_problem(birk.call(method, f"{path}?seat=1", body), 403, "not-your-seat")
        is_a_problem(ash.call(method, f"{path}?seat=9", body), 422, "invalid")
        is_a_problem(ash.call(method, "/v1/games/gnone/plan", body), 404, "unknown-game")
    look(birk, game, 404)
    assert "waiting" == look(ash, game)["status"]


def test_plans_are_refused_before_the_start_after_the_end_and_for_a_bot(world):
    ash = world.player()
    lobby = ash.make_game()["id"]
    for method in ("GET", "PUT", "DELETE"):
        body = plan(HIDE) if method == "PUT" else None
        is_a_problem(ash.call(method, f"/v1/games/{lobby}/plan", body), 409, "not-started")

    game, birk, cyd = world.table("Birk", "Cyd", options={"points": 1})
    put_off = plan(HIDE)
    birk.send(game, HIDE, want=200)
    put(birk, game, put_off)
    birk.send(game, {"type": "resign"}, want=200)
    look(birk, game, 404)
    is_a_problem(put(birk, game, put_off, None), 403, "not-your-seat")
    while cyd.summary(game)["status"] == "running":
        cyd.send(game, HIDE)
        world.work(game)
    is_a_problem(put(cyd, game, put_off, None), 409, "game-over")


def test_a_plan_is_deleted_with_its_player_and_a_substitute_can_store_one(world):
    game, ash, birk = world.table(options={"points": 1000}, visibility="public")
    birk.send(game, HIDE, want=200)
    put(birk, game, plan(BAD))
    birk.send(game, {"type": "resign"}, want=200)
    cleo = world.player("Cleo")
    cleo.post(f"/v1/games/{game}/seats/2/take", {}, want=200)
    look(cleo, game, 404)

    laid = put(cleo, game, plan(HIDE)).json
    ash.send(game, HIDE, want=200)
    world.work(game)

    assert "played" == look(cleo, game)["status"]
    assert laid["id"] == look(cleo, game)["id"]
    is_a_problem(birk.get(f"/v1/games/{game}/plan"), 403, "not-your-seat")
    assert not [entry for entry in cleo.events(game) if entry["by"] == "plan" and entry.get("refusal")]


def test_a_sitter_can_store_a_plan_that_the_player_sees(world):
    game, ash, birk = world.table(options={"points": 1000})
    ash.send(game, HIDE, want=200)
    cleo, until = world.player("Cleo"), world.store.schedule.now() + 3_600_000
    cleo.agrees_to_sit_for(ash)
    ash.post(f"/v1/games/{game}/seats/1/sitter", {"player": cleo.id, "until": until}, want=200)
    put(cleo, game, plan(HIDE))

    assert [HIDE] == look(ash, game)["commands"]
    birk.send(game, HIDE, want=200)
    assert ("played", "plan") == (look(ash, game)["status"], ash.events(game)[-1]["by"])
