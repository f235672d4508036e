"""Plans that are only tried: what each command would come to when the question comes, and nothing is written."""

from __future__ import annotations

from tests.api.problem import is_a_problem
from tests.api.test_planned_turns import BAD, HIDE, duel, look, plan, put, table

__all__ = ["duel", "table"]

END = {"type": "end_turn"}


def tried(player, game, body, want=200, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = player.call("PUT", f"/v1/games/{game}/plan?dry_run=true", body, headers=named)
    assert want in (None, answer.status), answer.text
    return answer


def stands(world, game, *players):
    """All that a trial could have changed."""
    log = world.store.log
    return (
        log.head(game),
        [each.body for each in log.commits(game, 1, log.head(game)[0])],
        [player.get(f"/v1/games/{game}/plan").json.get("id") for player in players],
        [player.view(game) for player in players],
        world.store.outbox.census(),
    )


def test_a_plan_is_tried_for_the_question_that_comes_when_everybody_is_silent(table):
    world, game, ash, birk = table
    before = stands(world, game, ash, birk)

    told = tried(ash, game, plan(HIDE)).json

    assert (True, True, ["*"]) == tuple(told[name] for name in ("dry_run", "accepted", "for"))
    assert (1, ash.view(game)["seq"]) == (told["question"]["seat"], told["seq"])
    assert [True] == [each["accepted"] for each in told["outcomes"]]
    assert told["outcomes"][0]["lines"]
    assert "stopped_at" not in told
    assert before == stands(world, game, ash, birk)
    look(ash, game, 404)


def test_the_first_command_that_would_be_refused_is_named_with_why_and_what_follows_is_not_tried(table):
    _, game, ash, _ = table

    told = tried(ash, game, plan(HIDE, BAD, HIDE)).json

    assert (False, 1, [True, False]) == (
        told["accepted"],
        told["stopped_at"],
        [each["accepted"] for each in told["outcomes"]],
    )
    assert told["outcomes"][1]["refusal"]["code"] in ("too-many-pennies", "not-your-turn", "not-asked")


def test_what_ends_the_turn_is_tried_as_well_and_a_turn_of_battalia_is_waited_for(duel):
    world, game, first, second = duel
    before = stands(world, game, first, second)

    told = tried(second, game, plan({"type": "mulligan"}, then="end_turn")).json

    assert (True, "turn", 2) == (told["accepted"], told["question"]["kind"], len(told["outcomes"])), told
    assert "turn_ended" in [line["type"] for line in told["outcomes"][1]["lines"]]
    other = tried(second, game, plan({"type": "mulligan"}, {"type": "mulligan"}, END)).json
    assert (False, 1) == (other["accepted"], other["stopped_at"]), "one a turn"
    assert before == stands(world, game, first, second)
    assert "waiting" == put(second, game, plan(END)).json["status"], "and the plan itself is laid as ever"


def test_a_plan_that_lies_there_stays_and_preconditions_are_held_to(table):
    _, game, ash, _ = table
    laid = put(ash, game, plan(HIDE))

    tried(ash, game, plan(BAD))
    assert [HIDE] == look(ash, game)["commands"]
    tried(ash, game, plan(BAD), If_Match=laid.headers["ETag"])
    is_a_problem(tried(ash, game, plan(HIDE), None, If_Match='"other"'), 412, "plan-changed")
    is_a_problem(tried(ash, game, plan(HIDE), None, If_None_Match="*"), 412, "plan-changed")
    assert laid.json == look(ash, game)


def test_what_would_not_be_laid_is_not_tried_either(table):
    world, game, ash, birk = table
    seq = ash.view(game)["seq"]

    is_a_problem(tried(birk, game, plan(HIDE), None), 409, "question-pending")
    is_a_problem(tried(ash, game, plan(HIDE, seen=seq - 1), None), 412, "stale")
    is_a_problem(tried(ash, game, plan({"type": "resign"}), None), 422, "invalid")
    is_a_problem(tried(ash, game, plan(HIDE, then="end_turn"), None), 422, "invalid")
    is_a_problem(tried(ash, game, b"{", None), 400, "malformed-json")
    is_a_problem(ash.call("PUT", f"/v1/games/{game}/plan?dry_run=perhaps", plan(HIDE)), 422, "invalid")
    is_a_problem(world.public.call("PUT", f"/v1/games/{game}/plan?dry_run=true", plan(HIDE)), 401, "no-token")
    is_a_problem(tried(world.player(), game, plan(HIDE), None), 403, "not-your-seat")
    lobby = ash.make_game()["id"]
    is_a_problem(tried(ash, lobby, plan(HIDE), None), 409, "not-started")


def test_a_question_that_does_not_come_is_said_and_nothing_is_tried(table, monkeypatch):
    _, game, ash, _ = table
    monkeypatch.setattr("service.api.access.dry_run.MOST_SILENT", 0)

    told = tried(ash, game, plan(HIDE)).json

    assert (None, False, []) == tuple(told[name] for name in ("question", "accepted", "outcomes"))
    assert "stopped_at" not in told


def test_clocks_that_stand_and_deadlines_far_away_are_no_hindrance(world):
    """Who is asked before has days, and is away besides: their silence is tried at once."""
    clock = {"mode": "per_question", "hours": 72}
    game, ash, birk = world.table(options={"points": 1000}, pace=clock)
    ash.send(game, HIDE, want=200)
    now = world.store.schedule.now()
    birk.post("/v1/me/vacations", {"from": now, "to": now + 86_400_000}, want=201)
    world.work(game)

    told = tried(ash, game, plan(HIDE)).json

    assert (True, 1) == (told["accepted"], told["question"]["seat"])
    assert birk.turns(), "and they are asked as before"
