"""Dry runs of plans: the expected outcome of each command; nothing is stored."""

from __future__ import annotations

from tests.core.http.problem import is_a_problem
from tests.features.plans.test_plans import BAD, HIDE, duel, look, plan, put, table

__all__ = ["duel", "table"]

END = {"type": "end_turn"}


def tried(player, game, body, want=200, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = player.call("PUT", f"/v1/games/{game}/plan?dry_run=true", body, headers=named)
    assert want in (None, answer.status), answer.text
    return answer


def stands(world, game, *players):
    """Everything that a dry run could have changed."""
    log = world.store.log
    return (
        log.head(game),
        [each.body for each in log.commits(game, 1, log.head(game)[0])],
        [player.get(f"/v1/games/{game}/plan").json.get("id") for player in players],
        [player.view(game) for player in players],
        world.store.outbox.census(),
    )


def test_a_dry_run_of_a_plan_assumes_that_all_others_are_silent(table):
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


def test_a_dry_run_of_a_plan_stops_at_the_first_refusal(table):
    _, game, ash, _ = table

    told = tried(ash, game, plan(HIDE, BAD, HIDE)).json

    assert (False, 1, [True, False]) == (
        told["accepted"],
        told["stopped_at"],
        [each["accepted"] for each in told["outcomes"]],
    )
    assert told["outcomes"][1]["refusal"]["code"] in ("too-many-pennies", "not-your-turn", "not-asked")


def test_a_dry_run_of_a_plan_includes_the_end_of_the_turn(duel):
    world, game, first, second = duel
    before = stands(world, game, first, second)

    told = tried(second, game, plan({"type": "mulligan"}, then="end_turn")).json

    assert (True, "turn", 2) == (told["accepted"], told["question"]["kind"], len(told["outcomes"])), told
    assert "turn_ended" in [line["type"] for line in told["outcomes"][1]["lines"]]
    other = tried(second, game, plan({"type": "mulligan"}, {"type": "mulligan"}, END)).json
    assert (False, 1) == (other["accepted"], other["stopped_at"]), "one a turn"
    assert before == stands(world, game, first, second)
    assert "waiting" == put(second, game, plan(END)).json["status"], "and the plan itself is laid as ever"


def test_a_dry_run_keeps_the_stored_plan_and_checks_preconditions(table):
    _, game, ash, _ = table
    laid = put(ash, game, plan(HIDE))

    tried(ash, game, plan(BAD))
    assert [HIDE] == look(ash, game)["commands"]
    tried(ash, game, plan(BAD), If_Match=laid.headers["ETag"])
    is_a_problem(tried(ash, game, plan(HIDE), None, If_Match='"other"'), 412, "plan-changed")
    is_a_problem(tried(ash, game, plan(HIDE), None, If_None_Match="*"), 412, "plan-changed")
    assert laid.json == look(ash, game)


def test_a_dry_run_of_an_invalid_plan_is_refused(table):
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


def test_a_dry_run_without_a_coming_question_tries_nothing(table, monkeypatch):
    _, game, ash, _ = table
    monkeypatch.setattr("service.core.http.access.dry_run.MAX_DEFAULT_ANSWERS", 0)

    told = tried(ash, game, plan(HIDE)).json

    assert (None, False, []) == tuple(told[name] for name in ("question", "accepted", "outcomes"))
    assert "stopped_at" not in told


def test_a_dry_run_ignores_stopped_clocks_and_distant_deadlines(world):
    """The player who is asked first has days left and is on vacation; the dry run assumes their silence at once."""
    clock = {"mode": "per_question", "hours": 72}
    game, ash, birk = world.table(options={"points": 1000}, pace=clock)
    ash.send(game, HIDE, want=200)
    now = world.store.schedule.now()
    birk.post("/v1/me/vacations", {"from": now, "to": now + 86_400_000}, want=201)
    world.work(game)

    told = tried(ash, game, plan(HIDE)).json

    assert (True, 1) == (told["accepted"], told["question"]["seat"])
    assert birk.turns(), "and they are asked as before"
