"""Lists of commands in one request: order, refusals, idempotency keys, If-Match, polling and dry runs."""

from __future__ import annotations

import itertools

import pytest

from domain.kernel.options import command_of, first, from_json
from service.audit.auditor import audit
from tests.core.http.conftest import soon

HIDE = {"type": "hide", "pennies": 1}
BAD = {"type": "hide", "pennies": 100}
RESIGN = {"type": "resign"}
NUMBERS = itertools.count(1)


def several(*commands):
    return {"commands": list(commands)}


@pytest.fixture
def table(world):
    return world, *world.table()


@pytest.fixture
def alone(world):
    """A game of one player and a bot that closes its hand at once."""
    ash = world.player()
    game = ash.make_game(options={"points": 1000})["id"]
    ash.seat_bot(game, "greedy")
    ash.start(game)
    return world, game, ash


def statuses(told):
    return [command["status"] for command in told["commands"]]


def test_a_successful_list_is_one_answer_with_a_commit_per_command(alone):
    _, game, ash = alone

    told = ash.send(game, several(HIDE, HIDE, HIDE), want=200)

    assert ("settled", 3, ["settled"] * 3) == (told.json["status"], told.json["settled"], statuses(told.json))
    assert [f"{told.json['id']}.{place}" for place in range(3)] == [each["id"] for each in told.json["commands"]]
    seqs = [each["seq"] for each in told.json["commands"]]
    assert seqs == sorted(set(seqs))
    assert (seqs[-1], told.json["commands"][-1]["head"]) == (told.json["seq"], told.json["head"])
    assert f"{told.json['seq']} {told.json['head']}" == told.headers["Game-Head"]
    own = [entry["command"] for entry in ash.events(game) if "command" in entry]
    assert own == [each["id"] for each in told.json["commands"]]


def test_a_refusal_in_a_list_reports_the_settled_and_the_untried_commands(alone):
    world, game, ash = alone

    told = ash.send(game, several(HIDE, BAD, HIDE), want=409).json

    assert ("too-many-pennies", "PEN-02") == (told["code"], told["rule"])
    assert ["settled", "refused", "left"] == statuses(told)
    assert "too-many-pennies" == told["commands"][1]["refusal"]["code"]
    assert (1, told["commands"][1]["seq"], game) == (told["settled"], told["seq"], told["game"])
    assert told["commands"][1]["seq"] == world.store.log.head(game)[0]


def test_a_pending_list_is_202_and_can_be_polled_whole_or_by_command(alone):
    world, game, ash = alone
    world.asleep = True
    sent = ash.send(game, several(HIDE, HIDE), wait=None, want=202)

    assert ("pending", 0, ["pending"] * 2) == (sent.json["status"], sent.json["settled"], statuses(sent.json))
    where = sent.headers["Location"]
    assert sent.json == ash.get(where, want=200).json
    world.work(game)

    whole = ash.get(where, want=200).json
    one = ash.get(where + ".1", want=200).json
    assert ("settled", ["settled"] * 2) == (whole["status"], statuses(whole))
    assert whole["commands"][1] == one
    assert "unknown-command" == ash.get(where + ".2", want=404).code
    assert "unknown-command" == ash.get(where + ".x", want=404).code


def test_each_command_of_a_list_can_be_polled_even_if_it_is_never_tried(alone):
    world, game, ash = alone
    world.asleep = True
    sent = ash.send(game, several(HIDE, BAD, HIDE), wait=None, want=202)
    where = sent.headers["Location"]

    assert sent.json["commands"] == [ash.get(f"{where}.{place}", want=200).json for place in range(3)]
    world.work(game)

    whole = ash.get(where, want=200).json
    assert ["settled", "refused", "left"] == statuses(whole)
    assert whole["commands"] == [ash.get(f"{where}.{place}", want=200).json for place in range(3)]
    for none in (".3", ".-1", ".01", ".1.1", ".", ".\u0661", "." + "9" * 5000):
        assert "unknown-command" == ash.get(where + none, want=404).code


def test_a_waiting_sender_gets_the_outcome_of_the_whole_list(alone):
    world, game, ash = alone
    world.asleep = True

    with soon(world.work, game):
        told = ash.send(game, several(HIDE, HIDE), wait=10, want=200)

    assert "settled" == told.json["status"]


def test_only_the_sender_can_poll_a_list(table):
    _, game, ash, birk = table
    where = ash.send(game, several(HIDE), wait=None).headers.get("Location") or ""
    where = where or f"/v1/games/{game}/commands/{ash.send(game, several(HIDE), key='k').json['id']}"

    for path in (where, where + ".0"):
        assert "unknown-command" == birk.get(path, want=404).code


def test_a_repeated_key_has_one_effect_and_returns_the_current_status(alone):
    world, game, ash = alone
    world.asleep = True
    first = ash.send(game, several(HIDE, BAD), wait=None, key="once", want=202)
    again = ash.send(game, several(HIDE, BAD), wait=None, key="once", want=202)
    world.work(game)
    head = world.store.log.head(game)
    third = ash.send(game, several(HIDE, BAD), wait=None, key="once", want=409)
    world.work(game)

    assert first.json == again.json
    assert ["settled", "refused"] == statuses(third.json)
    assert head == world.store.log.head(game)


@pytest.mark.parametrize("other", [several(HIDE), several(HIDE, HIDE, HIDE), several(HIDE, BAD), HIDE])
def test_a_key_used_for_a_list_is_refused_for_another_list_or_a_command(alone, other):
    _, game, ash = alone
    ash.send(game, several(HIDE, HIDE), key="k", want=200)

    assert "key-reused" == ash.send(game, other, key="k", want=422).code


def test_a_key_used_for_a_command_is_refused_for_a_list(alone):
    _, game, ash = alone
    ash.send(game, HIDE, key="k", want=200)

    assert "key-reused" == ash.send(game, several(HIDE), key="k", want=422).code


def test_a_stale_list_stores_nothing_and_returns_the_missed_events(table):
    world, game, ash, birk = table
    seen = birk.view(game)["seq"]
    ash.send(game, HIDE, want=200)

    told = birk.send(game, several(HIDE, HIDE), seen=seen, want=412).json

    assert told["missed"]
    assert "commands" not in told
    assert 2 == world.store.log.head(game)[0]


def test_an_event_between_the_commands_stops_a_list_sent_with_if_match(table):
    world, game, ash, birk = table
    seen = ash.view(game)["seq"]
    world.asleep = True
    ash.send(game, several(HIDE, HIDE), seen=seen, key="k", wait=None, want=202)
    birk.send(game, HIDE, wait=None, want=202)
    world.work(game)

    told = ash.send(game, several(HIDE, HIDE), seen=seen, key="k", want=412)

    assert ["settled", "refused"] == statuses(told.json)
    assert "stale" == told.json["commands"][1]["refusal"]["code"]
    assert ["hand_closed", "die_rolled"] == [line["type"] for entry in told.json["missed"] for line in entry["lines"]]
    assert f'"{told.json["seq"]}"' == told.headers["ETag"]


def test_a_list_with_if_match_succeeds_if_no_other_event_comes_between(table):
    _, game, ash, birk = table
    birk.send(game, HIDE, want=200)

    told = ash.send(game, several(HIDE, RESIGN), seen=ash.view(game)["seq"], want=412).json
    assert "die_rolled" in str(told["missed"]), "SYSTEM's roll is news like any other"

    told = ash.send(game, several(HIDE, RESIGN), seen=ash.view(game)["seq"], want=200).json
    assert ["settled"] * 2 == statuses(told)


def test_a_command_after_a_resignation_in_a_list_is_refused(table):
    _, game, ash, _ = table

    told = ash.send(game, several(RESIGN, HIDE, HIDE), want=409).json

    assert ("played-by-bot", ["settled", "refused", "left"]) == (told["code"], statuses(told))


def test_a_list_that_runs_past_the_end_of_the_game_is_game_over(world):
    ash = world.player()
    game = ash.make_game(options={"points": 1})["id"]
    ash.seat_bot(game, "greedy")
    ash.start(game)

    told = ash.send(game, several(*[HIDE] * 64), want=409).json

    assert ("game-over", "over") == (told["code"], told["commands"][-1]["status"])
    assert told["settled"] == statuses(told).count("settled") > 0
    assert "over" == ash.get(f"/v1/games/{game}/commands/{told['id']}").json["status"]


def test_a_game_played_in_lists_passes_the_audit(world):
    ash = world.player()
    game = ash.make_game("nim", 2)["id"]
    ash.seat_bot(game, "random")
    ash.start(game)
    for _ in range(60):
        if ash.summary(game)["status"] == "over":
            break
        offered = ash.options(game, only="answers")["options"]
        command = command_of(from_json(offered[0]), first)
        ash.send(game, several(command, command))

    report = audit(ash.get(f"/v1/games/{game}/export", want=200).body, heads=[ash.summary(game)["head"]])

    assert report.is_ok, report.verdict
    assert any(".1" in entry.get("command", "") for entry in ash.events(game)), "a second command of a list is in it"


# -- the form ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (several(), "/commands"),
        (several(*[HIDE] * 65), "/commands"),
        ({"commands": HIDE}, "/commands"),
        ({"commands": None}, "/commands"),
        (several(HIDE, 3), "/commands/1"),
        (several(HIDE, {"pennies": 1}), "/commands/1/type"),
        (several(HIDE, {"type": "hide", "pennies": "1"}), "/commands/1/pennies"),
        (several(HIDE, {"type": "hide", "pennies": 1, "seat": 2}), "/commands/1/seat"),
        (several(HIDE, {"type": "expire", "question": "1:0:0"}), "/commands/1/type"),
        (several(HIDE, several(HIDE)), "/commands/1/type"),
        ({**several(HIDE), "id": "l"}, "/id"),
        ({**several(HIDE), "type": "hide", "pennies": 1}, "/commands"),
    ],
)
@pytest.mark.parametrize("dry_run", ["true", "false"])
def test_a_fault_in_a_list_is_422_with_a_pointer_and_nothing_is_stored(table, body, pointer, dry_run):
    world, game, ash, _ = table
    before = world.store.log.head(game), world.store.schedule.census()

    told = ash.send(game, body, dry_run=dry_run, want=422).json

    assert (pointer, True) == (told["pointer"], all(each["pointer"].startswith("/") for each in told["errors"]))
    assert before == (world.store.log.head(game), world.store.schedule.census())


def test_every_fault_of_a_list_is_reported(table):
    _, game, ash, _ = table

    told = ash.send(game, several({"type": "hide"}, HIDE, {"type": "no"}), want=422).json

    assert ["/commands/0/pennies", "/commands/2/type"] == [each["pointer"] for each in told["errors"]]


def test_a_list_that_exceeds_the_limit_of_pending_commands_is_refused(table):
    world, game, ash, birk = table
    world.asleep = True
    ash.send(game, several(*[HIDE] * 64), wait=None, want=202)

    assert "too-many-pending" == birk.send(game, several(*[HIDE] * 37), wait=None, want=429).code
    birk.send(game, several(*[HIDE] * 36), wait=None, want=202)


# -- dry runs ---------------------------------------------------------------------------------------------------------


def test_a_dry_run_of_a_list_applies_each_command_to_the_previous_result(table):
    world, game, ash, _ = table
    before = world.store.log.head(game), world.store.schedule.census()

    told = ash.send(game, several(HIDE, HIDE, HIDE), dry_run="true", want=200).json

    assert (True, False) == (told["dry_run"], told["accepted"])
    assert [True, False] == [each["accepted"] for each in told["commands"]], "the hand is closed after the first"
    assert "not-your-turn" == told["commands"][1]["refusal"]["code"]
    assert before == (world.store.log.head(game), world.store.schedule.census())


def test_a_dry_run_of_a_list_includes_immediate_moves_of_system_and_bots(alone):
    _, game, ash = alone

    told = ash.send(game, several(HIDE, HIDE, HIDE), dry_run="true", want=200).json

    assert ("True", 3) == (str(told["accepted"]), len(told["commands"]))
    assert all("die_rolled" in {line["type"] for line in each["lines"]} for each in told["commands"])


def test_a_dry_run_of_a_list_limits_the_work_only_before_its_last_command(alone, monkeypatch):
    _, game, ash = alone
    monkeypatch.setattr("service.core.http.access.dry_run.MAX_AUTOMATIC_COMMANDS", 3)

    told = ash.send(game, several(HIDE, RESIGN), dry_run="true", want=200).json

    assert (True, [True, True]) == (told["accepted"], [each["accepted"] for each in told["commands"]])
    assert "seat_resigned" == told["commands"][1]["lines"][0]["type"]
    assert "too-much-work" == ash.send(game, several(RESIGN, HIDE), dry_run="true", want=503).code


def test_a_dry_run_of_a_list_does_not_reveal_a_rivals_secret(table):
    _, game, ash, birk = table
    birk.send(game, {"type": "hide", "pennies": 3}, want=200)
    shown = set()
    for _ in range(40):
        told = ash.send(game, several(HIDE, HIDE), dry_run="true", want=200).json
        (rolled,) = (line for line in told["commands"][0]["lines"] if line["type"] == "die_rolled")
        shown.add(rolled["shown"]["2"])

    assert len(shown) > 2, "what the rival hides is imagined anew each time"


def test_a_dry_run_of_a_stale_list_is_stale(table):
    _, game, ash, birk = table
    seen = birk.view(game)["seq"]
    ash.send(game, HIDE, want=200)

    assert birk.send(game, several(HIDE, HIDE), dry_run="true", seen=seen, want=412).json["missed"]


def test_a_list_cut_short_by_a_worker_of_an_older_release_is_409(alone, monkeypatch):
    _, game, ash = alone
    monkeypatch.setattr("service.store.shared.lists.next_of", lambda *_: None)

    told = ash.send(game, several(HIDE, HIDE), want=409).json

    assert ("list-interrupted", ["settled", "left"], 1) == (told["code"], statuses(told), told["settled"])
