"""Facts, skipped checks, positions and progress of an audit report."""

from __future__ import annotations

import json

import pytest

from service.audit.auditor import audit
from service.audit.report import AFTER_THE_END, CHECKS
from service.store.codec import plain
from tests.audit.alike import audited_alike
from tests.audit.forger import Forger, event
from tests.audit.games import GAMES, SIGNER, eventful, finished, running, table

UNLOGGED = {"AUD-15", "AUD-16"}
"""Checks that need the log of heads, which these files do not mention."""
DECIDED = {"AUD-08", "AUD-09", "AUD-10", "AUD-11", "AUD-12", "AUD-13"}
BY_RULES = "malformed"


@pytest.fixture
def whole():
    return Forger(finished())


def report(forger, games=GAMES, **given):
    return audited_alike(forger.file() if isinstance(forger, Forger) else forger, games=games, **given)


def statuses(told):
    """The checks grouped by status."""
    return {status: {id_ for id_ in CHECKS if told.statuses[id_] == status} for status in set(told.statuses.values())}


@pytest.mark.parametrize("form", [1, 2])
def test_the_facts_of_a_finished_game_are_counted_from_its_commits(form):
    game = eventful(form=form)
    game.run()
    told = report(finished(form=form)).facts

    assert {
        "game": "g7",
        "kind": "pennies",
        "ruleset": "",
        "form": form,
        "status": "over",
        "sandbox": False,
        "commits": len(game.log),
        "head": game.position.head,
        "refusals": 6,
        "stale": 1,
        "faults": 0,
        "draws": game.position.drawn,
        "outcome": plain(game.position.table.outcome),
    } == {**told, "ruleset": ""}
    assert json.loads(finished(form=form).splitlines()[0])["ruleset"] == told["ruleset"]


def test_the_facts_of_a_running_game_come_from_its_headers():
    told = report(running()).facts

    assert {"game", "kind", "ruleset", "form", "status", "sandbox", "commits", "head"} == told.keys()
    assert ("running", 10) == (told["status"], told["commits"])


def test_a_running_game_has_open_checks_and_skipped_authentication():
    told = report(running())

    assert {
        "open": set(AFTER_THE_END),
        "ok": {"AUD-01", "AUD-02", "AUD-03", "AUD-04"},
        "skipped": {"AUD-14", *UNLOGGED},
    } == (statuses(told))
    assert {"AUD-14": "no key and no head was given"} == dict(told.notes)


def test_a_key_without_a_matching_signature_is_noted():
    told = report(running(), keys=["ab" * 32])

    assert {"AUD-14": "nothing that was given vouches for the file"} == dict(told.notes)


def test_a_malformed_line_skips_all_other_checks():
    told = report(finished()[:-1])

    assert {"failed": {"AUD-01"}, "skipped": set(CHECKS) - {"AUD-01"}} == statuses(told)


def test_a_wrong_setup_skips_the_replay(whole):
    whole.setup["options"] = {"points": 9}
    told = report(whole, keys=[SIGNER.public.hex()])

    assert {"failed": {"AUD-05"}, "skipped": DECIDED | UNLOGGED} == {
        status: ids for status, ids in statuses(told).items() if status != "ok"
    }


def test_a_wrong_dice_key_skips_the_replay(whole):
    whole.seed["key"] = "ab" * 32
    told = report(whole, keys=[SIGNER.public.hex()])

    assert {"failed": {"AUD-06"}, "skipped": DECIDED | UNLOGGED} == {
        status: ids for status, ids in statuses(told).items() if status != "ok"
    }
    assert [len(whole.commits) + 2] == [divergence.line for divergence in told.divergences]


def test_the_replay_stops_at_the_first_divergent_commit(whole):
    seq = whole.find(lambda body: event(body, "die_rolled"))
    event(whole.body(seq), "die_rolled")["face"] = 7
    told = report(whole, keys=[SIGNER.public.hex()])

    assert {"failed": {"AUD-08"}, "skipped": DECIDED - {"AUD-08"} | UNLOGGED} == {
        status: ids for status, ids in statuses(told).items() if status != "ok"
    }


def test_a_game_of_an_unknown_kind_skips_the_other_replay_checks():
    told = report(finished(), games={}, keys=[SIGNER.public.hex()])

    assert {"failed": {"AUD-09"}, "skipped": DECIDED - {"AUD-09"} | UNLOGGED} == {
        status: ids for status, ids in statuses(told).items() if status != "ok"
    }
    assert "'pennies'" in told.divergences[0].what


@pytest.mark.parametrize("ends", [{"sha256": "ab" * 32}, {"commits": 3}])
def test_a_fault_of_the_last_line_is_reported_with_its_number(whole, ends):
    going = Forger(running())
    for forger in (whole, going):
        forger.end["signatures"] = []
        forger.ends = ends
        (told,) = report(forger).divergences
        assert ("AUD-02", forger.file().count(b"\n"), None) == (told.check, told.line, told.seq)


def test_a_commit_with_a_rules_fault_is_counted_and_named(whole):
    seq = whole.find(lambda body: (body.get("refusal") or {}).get("code") == BY_RULES)
    whole.body(seq)["refusal"]["code"] = "rules-fault"
    told = report(whole)

    assert told.is_ok
    assert (1, 6) == (told.facts["faults"], told.facts["refusals"])
    assert f"[{seq}]" in told.notes["AUD-09"]
    assert "AUD-09" not in report(finished()).notes


def test_each_check_is_reported_once_at_its_first_failure(whole):
    whole.headers = {4: {"previous": "ab" * 32}, 6: {"previous": "ab" * 32}}
    told = report(whole)

    assert [("AUD-03", 4)] == [(divergence.check, divergence.seq) for divergence in told.divergences]


def test_several_heads_authenticate_the_longest_prefix(whole):
    heads = [json.loads(line)["header"]["previous"] for line in whole.file().splitlines()[1:-2]]
    told = report(whole, heads=[heads[4], heads[2]])

    assert not told.is_authenticated
    assert "only commits 1 to 4 are vouched for" == told.notes["AUD-14"]
    assert "ok" == report(whole, heads=[json.loads(whole.file().splitlines()[-1])["head"]]).statuses["AUD-14"]


def test_progress_is_reported_every_hundred_commits_and_at_the_end():
    game = table(points=60)
    game.run()
    whole, told = len(game.log), []
    audit(game.export(), games=GAMES, progress=lambda done, of: told.append((done, of)))

    assert whole > 200
    assert [*((done, whole) for done in range(100, whole, 100)), (whole, whole)] == told


def first_hidden(body):
    return event(body, "pennies_hidden") and body["actor"]["by"] == "player"


def refused(body):
    return (body.get("refusal") or {}).get("code") == "too-many-pennies"


@pytest.mark.parametrize(
    ("wanted", "forge", "says"),
    [
        (
            first_hidden,
            lambda b: b["events"].append({"type": "hand_closed", "seat": 1}),
            'event 3 is {"seat":1,"type":"hand_closed"} in the file and null when decided again',
        ),
        (first_hidden, lambda b: b["events"][0].update(pennies=0), "event 1 is "),
        (refused, lambda b: b["refusal"].update(code="too-late"), 'the refusal is {"code":"too-late",'),
        (refused, lambda b: b["refusal"].update(code="too-late"), 'in the file and {"code":"too-many-pennies",'),
        (
            refused,
            lambda b: (b.pop("refusal"), b.update(events=[])),
            'what it came to is null in the file and {"code":"too-many-pennies",',
        ),
        (first_hidden, lambda b: b["actor"].update(by="policy"), '\'by\' is "policy" in the file and "player" when'),
        (first_hidden, lambda b: b.update(drawn=99), "draws so far are 99 in the file and 3 when decided again"),
    ],
)
def test_a_divergence_shows_both_the_recorded_and_the_replayed_value(whole, wanted, forge, says):
    forge(whole.body(whole.find(wanted)))
    (told,) = report(whole).divergences

    assert says in told.what


def test_a_changed_message_of_a_refusal_is_no_finding(whole):
    whole.body(whole.find(refused))["refusal"]["message"] = "No."

    assert () == report(whole).divergences
