"""An audit finds changes and reports where they are."""

import json
import random
from dataclasses import replace

import pytest

from domain.kernel.dice import dice_key
from domain.kernel.terms import SYSTEM
from service.audit.auditor import audit
from service.audit.report import AFTER_THE_END, CHECKS
from service.store.codec import canonical
from service.store.seal import Signer, head_of
from tests.audit import forger
from tests.audit.forger import event
from tests.audit.games import GAMES, SIGNER, finished, running, table
from tests.pennies import PENNIES, PenniesRules


def check(data, **given):
    return audit(data, games=GAMES, **given)


def test_a_game_that_was_played_passes_every_check():
    report = check(finished())

    assert () == report.divergences
    assert {"ok"} == {status for id_, status in report.statuses.items() if id_ < "AUD-14"}
    assert "self-consistent, not authenticated" == report.verdict
    assert 1 == report.facts["stale"]
    assert 6 == report.facts["refusals"]
    assert "points" == report.facts["outcome"]["reason"]


def test_export_of_a_running_game_has_only_headers_and_leaves_checks_open():
    report = check(running())
    lines = [json.loads(line) for line in running().splitlines()]

    assert all(line.keys() == {"header", "line"} for line in lines[1:-1])
    assert report.is_ok
    assert set(AFTER_THE_END) == {id_ for id_, status in report.statuses.items() if status == "open"}
    assert "as far as a running game can be checked" in report.verdict


def test_only_the_signing_key_authenticates_an_export():
    right, wrong = SIGNER.public.hex(), Signer(b"w" * 32).public.hex()

    assert check(finished(), keys=[right]).is_authenticated
    assert check(finished(), keys=[wrong, right]).is_authenticated
    assert "AUD-14" == check(finished(), keys=[wrong]).divergences[0].check


def test_a_head_authenticates_all_commits_up_to_it():
    heads = [head_of(canonical(json.loads(line)["header"])) for line in finished().splitlines()[1:-2]]

    assert check(finished(), heads=[heads[-1]]).is_authenticated
    assert not check(finished(), heads=[heads[4]]).is_authenticated
    assert "only commits 1 to 5 are vouched for" == check(finished(), heads=[heads[4]]).notes["AUD-14"]
    assert "AUD-14" == check(finished(), heads=["0" * 64]).divergences[0].check


def mutations(data, count, seed):
    """Byte-level changes of every sort; each result differs from the data."""
    chance = random.Random(seed)
    made = []
    while len(made) < count:
        sort = ("flip", "set", "delete", "insert", "swap", "double", "drop")[len(made) % 7]
        place = chance.randrange(len(data))
        lines = data.splitlines(keepends=True)
        match sort:
            case "flip":
                changed = data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]
            case "set":
                changed = data[:place] + bytes([chance.choice(b'0123456789abcdef"{},\n ')]) + data[place + 1 :]
            case "delete":
                changed = data[:place] + data[place + chance.randrange(1, 4) :]
            case "insert":
                changed = data[:place] + chance.randbytes(chance.randrange(1, 3)) + data[place:]
            case "swap":
                one, other = chance.sample(range(len(lines)), 2)
                lines[one], lines[other] = lines[other], lines[one]
                changed = b"".join(lines)
            case "double":
                changed = b"".join(lines[: place % len(lines)] + lines[max(0, place % len(lines) - 1) :])
            case "drop":
                del lines[place % len(lines)]
                changed = b"".join(lines)
        if changed != data:
            made.append((sort, place, changed))
    return made


@pytest.mark.parametrize("export", [finished, running], ids=["finished", "running"])
def test_each_of_200_mutations_is_found_and_located(export):
    for sort, place, changed in mutations(export(), 200, 7):
        report = check(changed)

        assert not report.is_ok, (sort, place)
        first = report.divergences[0]
        assert first.check in CHECKS
        assert first.what
        assert first.seq is not None or first.line is not None or first.check == "AUD-04", (sort, place, first)


def test_a_changed_byte_in_a_commit_is_reported_with_its_seq():
    lines = finished().splitlines(keepends=True)
    for seq in range(1, len(lines) - 2):
        broken = lines[seq].replace(b'"asked_at":1', b'"asked_at":2', 1)
        report = check(b"".join([*lines[:seq], broken, *lines[seq + 1 :]]))

        assert ("AUD-07", seq) in {(d.check, d.seq) for d in report.divergences}


class Forger(forger.Forger):
    def first(self):
        return check(self.file()).divergences[0]


def test_the_forger_reproduces_an_unchanged_export():
    assert Forger(finished()).file() == finished()


def test_a_loaded_die_is_found():
    forger = Forger(finished())
    seq = forger.find(lambda body: event(body, "die_rolled"))
    die = event(forger.body(seq), "die_rolled")
    die["face"] = die["face"] % 6 + 1

    assert ("AUD-08", seq, "PEN-03") == (forger.first().check, forger.first().seq, forger.first().rule)


def test_a_skipped_draw_is_found():
    forger = Forger(finished())
    seq = forger.find(lambda body: event(body, "die_rolled"))
    forger.body(seq)["drawn"] += 1

    assert ("AUD-08", seq) == (forger.first().check, forger.first().seq)


def test_a_changed_event_is_found():
    forger = Forger(finished())
    seq = forger.find(lambda body: event(body, "pennies_hidden"))
    event(forger.body(seq), "pennies_hidden")["pennies"] = 0

    assert ("AUD-09", seq, "PEN-01") == (forger.first().check, forger.first().seq, forger.first().rule)


def test_an_accepted_command_that_the_rules_refuse_is_found():
    forger = Forger(finished())
    seq = forger.find(lambda body: event(body, "pennies_hidden"))
    event(forger.body(seq), "pennies_hidden")["pennies"] = 50
    forger.body(seq)["submission"]["command"]["pennies"] = 50

    assert ("AUD-09", seq, "PEN-02") == (forger.first().check, forger.first().seq, forger.first().rule)


def test_a_refusal_of_a_legal_command_is_found():
    forger = Forger(finished())
    seq = forger.find(lambda body: event(body, "pennies_hidden") and body["actor"]["by"] == "player")
    body = forger.body(seq)
    del body["events"]
    body.pop("due", None)
    body["refusal"] = {"code": "not-your-turn", "message": "No.", "rule": None, "field": None, "facts": {}}

    assert ("AUD-09", seq) == (forger.first().check, forger.first().seq)


def test_a_refusal_of_a_current_command_as_stale_is_found():
    forger = Forger(finished())
    seq = forger.find(lambda body: event(body, "pennies_hidden") and body["actor"]["by"] == "player")
    body = forger.body(seq)
    del body["events"]
    body.pop("due", None)
    body["refusal"] = {"code": "stale", "message": "No.", "rule": None, "field": None, "facts": {"seq": 1}}

    assert ("AUD-11", seq) == (forger.first().check, forger.first().seq)


def test_an_accepted_stale_command_is_found():
    forger = Forger(finished())
    seq = forger.find(lambda body: event(body, "pennies_hidden") and body["actor"]["by"] == "player")
    forger.body(seq)["submission"]["expected"] = 1 if seq > 3 else 0

    assert ("AUD-11", seq) == (forger.first().check, forger.first().seq)


def test_a_submission_that_was_settled_twice_is_found():
    forger = Forger(finished())
    forger.body(4)["submission"]["id"] = forger.body(3)["submission"]["id"]

    assert ("AUD-09", 4) == (forger.first().check, forger.first().seq)
    assert "by commit 3" in forger.first().what


def test_a_changed_message_of_a_refusal_is_accepted():
    forger = Forger(finished())
    seq = forger.find(lambda body: body.get("refusal"))
    forger.body(seq)["refusal"]["message"] = "In other words, no."

    assert check(forger.file()).is_ok


def test_a_changed_code_of_a_refusal_is_found():
    forger = Forger(finished())
    seq = forger.find(lambda body: body.get("refusal"))
    forger.body(seq)["refusal"]["code"] = "too-late"

    assert ("AUD-09", seq) == (forger.first().check, forger.first().seq)


def test_commands_with_a_rules_fault_are_exempt_and_listed():
    forger = Forger(finished())
    seq = forger.find(lambda body: (body.get("refusal") or {}).get("code") == "malformed")
    forger.body(seq)["refusal"]["code"] = "rules-fault"
    report = check(forger.file())

    assert report.is_ok
    assert 1 == report.facts["faults"]
    assert str(seq) in report.notes["AUD-09"]


def test_a_rules_fault_with_effects_is_found():
    forger = Forger(finished())
    seq = forger.find(lambda body: (body.get("refusal") or {}).get("code") == "malformed")
    forger.body(seq)["refusal"]["code"] = "rules-fault"
    forger.body(seq)["drawn"] += 1

    assert ("AUD-09", seq) == (forger.first().check, forger.first().seq)


def test_an_expiry_without_a_deadline_is_found():
    game = table()
    game.begin()
    game.say(SYSTEM, {"type": "expire", "question": "1:0:1"})
    game.run()
    report = check(game.export())

    assert ("AUD-12", 2, "PEN-01") == (
        report.divergences[0].check,
        report.divergences[0].seq,
        report.divergences[0].rule,
    )


def test_a_question_that_expired_before_its_deadline_is_found():
    forger = Forger(finished())
    seq = forger.find(lambda body: event(body, "die_rolled"))
    forger.body(seq)["submission"]["asked_at"] = 5

    assert ("AUD-12", seq) == (forger.first().check, forger.first().seq)


def test_a_deadline_for_an_unknown_question_is_found():
    forger = Forger(finished())
    seq = forger.find(lambda body: event(body, "die_rolled"))
    forger.body(seq)["due"] = [["77:0:1", 2000000000000]]

    assert ("AUD-12", seq) == (forger.first().check, forger.first().seq)


@pytest.mark.parametrize(
    ("name", "value"), [("winners", [1, 2]), ("reason", "whim"), ("scores", {"1": 9, "2": 9, "3": 9})]
)
def test_a_changed_outcome_is_found(name, value):
    forger = Forger(finished())
    last = len(forger.commits)
    event(forger.body(last), "game_ended")[name] = value

    assert last == forger.first().seq
    assert forger.first().check in ("AUD-08", "AUD-13")


def test_a_game_cut_short_is_found():
    forger = Forger(finished())
    forger.commits.pop()
    forger.body(len(forger.commits))["seed"] = forger.seed["seed"]

    assert ("AUD-13", len(forger.commits)) == (forger.first().check, forger.first().seq)


def test_a_commit_after_the_end_is_found():
    forger = Forger(finished())
    extra = json.loads(json.dumps(forger.commits[-2]))
    del forger.body(len(forger.commits))["seed"]
    extra["body"]["seed"] = forger.seed["seed"]
    extra["header"]["at"] = forger.commits[-1]["header"]["at"]
    forger.commits.append(extra)

    assert ("AUD-13", len(forger.commits)) == (forger.first().check, forger.first().seq)


def test_a_seed_that_does_not_match_the_commitment_is_found():
    forger = Forger(finished())
    other = b"y" * 32
    forger.seed["seed"] = other.hex()
    forger.seed["key"] = dice_key(other, "g7", [tuple(pair) for pair in forger.seed["entropy"]]).hex()
    forger.body(len(forger.commits))["seed"] = other.hex()

    assert ("AUD-06", 1) == (forger.first().check, forger.first().seq)


def test_a_wrong_dice_key_is_found():
    forger = Forger(finished())
    forger.seed["key"] = "ab" * 32

    assert "AUD-06" == forger.first().check


def test_missing_entropy_is_found():
    forger = Forger(finished())
    forger.seed["entropy"][0][1] = ""

    assert "AUD-06" == forger.first().check


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ruleset", "pennies_v2"),
        ("options", {"points": 9}),
        ("controllers", ["player"] * 3),
        ("sandbox", True),
    ],
)
def test_a_setup_that_differs_from_commit_1_is_found(name, value):
    forger = Forger(finished())
    forger.setup[name] = value

    assert "AUD-05" == forger.first().check


def test_an_impossible_final_position_is_found():
    class Lossy(PenniesRules):
        def faults(self, state):
            return ["a penny is missing"]

    report = audit(finished(), games={"pennies": replace(PENNIES, rules=Lossy())})

    assert [("AUD-10", report.facts["commits"])] == [(d.check, d.seq) for d in report.divergences]


def test_a_game_of_an_unknown_kind_cannot_be_replayed():
    report = audit(finished(), games={})

    assert "AUD-09" == report.divergences[0].check


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"\n\n\n\n", b"{}\n{}\n{}\n{}\n", b"\xff\xfe\n" * 5, b"[" * 5000 + b"\n", b'{"line":"setup"}\n' * 4],
    ids=range(7),
)
def test_bytes_that_are_not_an_export_are_reported(data):
    assert "AUD-01" == check(data).divergences[0].check


def test_a_fractional_number_is_found():
    forger = Forger(finished())
    forger.body(3)["submission"]["command"]["pennies"] = 1.5

    assert ("AUD-01", 3) == (forger.first().check, forger.first().seq)


@pytest.mark.parametrize("junk", [None, 5, "x", [], {}, [[]], {"type": "x"}], ids=str)
def test_a_malformed_body_is_reported_with_its_seq(junk):
    for name in ("submission", "actor", "drawn", "events", "due", "refusal", "played", "news"):
        forger = Forger(finished())
        seq = forger.find(lambda body: event(body, "pennies_hidden"))
        forger.body(seq)[name] = junk

        if junk is None and name in ("refusal", "played"):
            continue
        assert seq == forger.first().seq, name


def test_a_sandbox_is_replayed_with_its_script_and_proves_nothing():
    game = table(points=1, script=(6, 1, 6, 1, 2, 3, 4, 5) * 20)
    game.run()
    report = check(game.export(SIGNER), keys=[SIGNER.public.hex()])

    assert report.is_ok
    assert game.position.rolled > 0
    assert "a sandbox, which proves nothing" in report.verdict


def test_a_changed_sandbox_script_is_found():
    game = table(points=1, script=(6, 1, 6, 1, 2, 3, 4, 5) * 20)
    game.run()
    forger = Forger(game.export())
    forger.seed["dice"][0] = 5

    assert "AUD-08" == forger.first().check
