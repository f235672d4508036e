"""For each check of the auditor, a forged file that only this check detects; all else in it is consistent."""

import json
from dataclasses import replace

import pytest

from domain.kernel.dice import dice_key
from domain.kernel.game.rules import Setup
from domain.registry import GAMES as REAL
from service.audit import verifier
from service.audit.auditor import audit
from service.store.codec import canonical
from service.store.seal import Signer, head_of
from tests.audit.alike import audited_alike
from tests.audit.forger import Forger, event
from tests.audit.games import GAMES, SIGNER, finished, running, table
from tests.pennies import PENNIES, PenniesRules
from tests.soaking import sample
from tools.simulation.selfplay import SelfPlay

OTHER = Signer(b"o" * 32)
ELSEWHERE = "ab" * 32


def report(forger, games=GAMES, by=audited_alike, **given):
    return by(forger.file() if isinstance(forger, Forger) else forger, games=games, **given)


def found(forger, **given):
    told = report(forger, **given)
    assert {d.check for d in told.divergences} == {id_ for id_, status in told.statuses.items() if status == "failed"}
    return [(d.check, d.seq) for d in told.divergences]


@pytest.fixture(params=[1, 2], ids=["form 1", "form 2"])
def whole(request):
    return Forger(finished(form=request.param))


@pytest.fixture(params=[1, 2], ids=["form 1", "form 2"])
def going(request):
    """A file without bodies; only the chain can reveal a change."""
    return Forger(running(form=request.param))


# -- file and chain ----------------------------------------------------------------------------------------------------


def test_a_wrong_digest_of_the_file_is_found(going):
    going.end["signatures"] = []
    going.ends = {"sha256": ELSEWHERE}

    assert [("AUD-02", None)] == found(going)


def test_a_wrong_count_of_commits_is_found(going):
    going.ends = {"commits": len(going.commits) - 1}

    assert [("AUD-02", None)] == found(going)


def test_a_header_of_another_game_is_found(going):
    going.headers[4] = {"game": "g8"}

    assert [("AUD-03", 4)] == found(going)


@pytest.mark.parametrize("number", [0, 3, 5])
def test_a_header_with_a_wrong_seq_is_found(going, number):
    going.headers[4] = {"seq": number}

    assert [("AUD-03", 4)] == found(going)


@pytest.mark.parametrize("seq", [1, 4])
def test_a_header_with_a_wrong_previous_head_is_found(going, seq):
    going.headers[seq] = {"previous": ELSEWHERE}

    assert [("AUD-03", seq)] == found(going)
    first = seq == 1 and ("64 zeros" if going.setup["number"] == 1 else "the digest of the set-up line")
    assert (first or "that of the header before it") in report(going).verdict


def test_a_time_that_goes_back_is_found(going):
    going.headers[4] = {"at": going.commits[2]["header"]["at"] - 1}

    assert [("AUD-03", 4)] == found(going)


def test_a_first_commit_before_the_start_is_found():
    going = Forger(running())
    going.setup["started"] = going.commits[0]["header"]["at"] + 1

    assert [("AUD-03", 1)] == found(going)


def test_a_last_line_with_a_wrong_head_is_found(going):
    going.ends = {"head": ELSEWHERE}

    assert [("AUD-03", len(going.commits))] == found(going)


# -- authentication ----------------------------------------------------------------------------------------------------


def test_a_wrong_key_id_is_found(going):
    signed = going.signed

    going.signed = lambda of, end: {**signed(of, end), "key": "00" * 8}

    assert [("AUD-04", None)] == found(going)


@pytest.mark.parametrize("of", ["head", "file"])
def test_a_signature_of_something_else_is_found(going, of):
    going.signed = lambda _, __: Forger.signed(going, of, {"head": ELSEWHERE, "sha256": ELSEWHERE})

    assert [("AUD-04", None)] == found(going)


def test_a_signature_by_another_key_is_found(going):
    signed = going.signed

    going.signed = lambda of, end: {**signed(of, end), "signature": OTHER.sign(end["sha256"])}

    assert [("AUD-04", None)] == found(going)


def test_a_file_without_signatures_gets_a_note(going):
    going.end["signatures"] = []

    assert "the file has none" == report(going).notes["AUD-04"]
    assert "AUD-04" not in report(running()).notes


def test_a_file_signed_with_the_forgers_own_key_is_not_authenticated():
    assert [("AUD-14", None)] == found(Forger(finished(), OTHER), keys=[SIGNER.public.hex()])
    assert not report(Forger(finished(), OTHER)).is_authenticated


def test_a_head_that_is_not_in_the_chain_is_found(going):
    assert [("AUD-14", None)] == found(going, heads=[ELSEWHERE])


def test_a_key_does_not_authenticate_a_divergent_file(whole):
    whole.body(3)["drawn"] += 1
    told = report(whole, keys=[SIGNER.public.hex()])

    assert not told.is_ok
    assert not told.is_authenticated


def test_an_earlier_head_authenticates_only_the_commits_up_to_it(going):
    head = head_of(canonical(json.loads(going.file().splitlines()[4])["header"]))

    assert not report(going, heads=[head]).is_authenticated
    assert "only commits 1 to 4 are vouched for" == report(going, heads=[head]).notes["AUD-14"]


# -- set-up and dice ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "fronela"),
        ("ruleset", "pennies_v2"),
        ("options", {"points": 9}),
        ("modules", ["more"]),
        ("controllers", ["player"] * 3),
        ("pace", {"mode": "per_question", "hours": 1}),
        ("commitment", ELSEWHERE),
    ],
)
def test_a_setup_that_differs_from_commit_1_is_found(whole, name, value):
    whole.setup[name] = value

    assert [("AUD-05", 1)] == found(whole, games={**GAMES, "fronela": REAL["fronela"]})


def test_a_setup_of_another_game_is_found(whole):
    whole.setup["game"] = "g8"
    for commit in whole.commits:
        commit["header"]["game"] = "g8"
    entropy = [tuple(pair) for pair in whole.seed["entropy"]]
    whole.seed["key"] = dice_key(bytes.fromhex(whole.seed["seed"]), "g8", entropy).hex()

    assert [("AUD-05", 1)] == found(whole)


@pytest.mark.parametrize("form", [1, 2])
def test_a_game_declared_as_a_sandbox_is_found(form):
    whole = Forger(finished(form=form))
    whole.setup["sandbox"] = True if form == 2 else {"dice": None}

    assert [("AUD-05", 1)] == found(whole)


def test_a_wrong_commitment_in_setup_and_commit_1_is_found(whole):
    whole.setup["commitment"] = ELSEWHERE
    event(whole.body(1), "game_begun")["commitment"] = ELSEWHERE
    whole.body(1)["submission"]["command"]["commitment"] = ELSEWHERE

    assert [("AUD-06", 1)] == found(whole)


def test_entropy_that_differs_from_commit_1_is_found(whole):
    whole.seed["entropy"][0][1] = ""
    entropy = [tuple(pair) for pair in whole.seed["entropy"]]
    whole.seed["key"] = dice_key(bytes.fromhex(whole.seed["seed"]), "g7", entropy).hex()

    assert [("AUD-06", 1)] == found(whole)


def test_a_wrong_dice_key_is_found(whole):
    whole.seed["key"] = ELSEWHERE

    assert [("AUD-06", None)] == found(whole)


def test_a_seed_revealed_early_is_found(whole):
    whole.body(3)["seed"] = whole.seed["seed"]

    assert [("AUD-06", 3)] == found(whole)


def test_a_last_commit_without_the_seed_is_found(whole):
    del whole.body(len(whole.commits))["seed"]

    assert [("AUD-06", len(whole.commits))] == found(whole)


def test_a_salt_that_does_not_follow_from_the_seed_is_found(whole):
    whole.salts[3] = ELSEWHERE

    assert [("AUD-07", 3)] == found(whole)


def test_a_salt_that_does_not_match_the_digest_is_found(whole):
    genuine = json.loads(whole.file().splitlines()[3])["header"]["digest"]
    whole.salts[3] = ELSEWHERE
    whole.headers[3] = {"digest": genuine}

    assert [("AUD-07", 3)] == found(whole)


def test_a_wrong_digest_of_a_body_is_found(whole):
    whole.headers[3] = {"digest": ELSEWHERE}

    assert [("AUD-07", 3)] == found(whole)


# -- replay ------------------------------------------------------------------------------------------------------------


def hidden(body):
    return event(body, "pennies_hidden") and body["actor"]["by"] == "player"


def by_bot(body):
    return body["actor"]["by"] == "bot"


def refused(code):
    return lambda body: (body.get("refusal") or {}).get("code") == code


FORGERIES = {
    "a roll": ("AUD-08", lambda b: event(b, "die_rolled"), lambda b: event(b, "die_rolled").update(face=7)),
    "draws": ("AUD-08", lambda b: event(b, "die_rolled"), lambda b: b.update(drawn=b["drawn"] + 1)),
    "scripted rolls of no sandbox": ("AUD-08", hidden, lambda b: b.update(rolled=1)),
    "who did it": ("AUD-09", hidden, lambda b: b["actor"].update(by="policy")),
    "whose command it was": ("AUD-09", by_bot, lambda b: b["actor"].update(seat=3)),
    "what a bot chose": ("AUD-09", by_bot, lambda b: b.update(played={"type": "hide", "pennies": 99})),
    "a choice for a player": ("AUD-09", hidden, lambda b: b.update(played={"type": "hide", "pennies": 1})),
    "an event too many": ("AUD-09", hidden, lambda b: b["events"].append({"type": "hand_closed", "seat": 1})),
    "an event too few": ("AUD-09", hidden, lambda b: b["events"].pop()),
    "an unknown event": ("AUD-09", hidden, lambda b: b["events"].append({"type": "rain"})),
    "an event with more fields": ("AUD-09", hidden, lambda b: b["events"][0].update(more=1)),
    "an app without a name": ("AUD-09", hidden, lambda b: b["actor"].update(via="")),
    "an app with a number": ("AUD-09", hidden, lambda b: b["actor"].update(via=5)),
    "an app that is a bot": ("AUD-09", by_bot, lambda b: b["actor"].update(via="Penny Helper")),
    "a body with more fields": ("AUD-09", hidden, lambda b: b.update(more=1)),
    "a refusal and what happened": ("AUD-09", refused("not-your-turn"), lambda b: b.update(events=[])),
    "a refusal's code": ("AUD-09", refused("too-many-pennies"), lambda b: b["refusal"].update(code="too-late")),
    "a refusal's facts": ("AUD-09", refused("too-many-pennies"), lambda b: b["refusal"].update(facts={"most": 98})),
    "a refusal's rule": ("AUD-09", refused("too-many-pennies"), lambda b: b["refusal"].update(rule="PEN-01")),
    "a refusal's field": ("AUD-09", refused("too-many-pennies"), lambda b: b["refusal"].update(field="type")),
    "a refusal left out": (
        "AUD-09",
        refused("too-many-pennies"),
        lambda b: (b.pop("refusal"), b.update(events=[])),
    ),
    "a fault that drew": (
        "AUD-09",
        refused("malformed"),
        lambda b: (b["refusal"].update(code="rules-fault"), b.update(drawn=b["drawn"] + 1)),
    ),
    "a fault that rolled": (
        "AUD-09",
        refused("malformed"),
        lambda b: (b["refusal"].update(code="rules-fault"), b.update(rolled=1)),
    ),
    "a fault that asked": (
        "AUD-09",
        refused("malformed"),
        lambda b: (b["refusal"].update(code="rules-fault"), b.update(due=[["1:0:1", 1]])),
    ),
    "what it was expected to be": ("AUD-11", hidden, lambda b: b["submission"].update(expected=0)),
    "what was stale": ("AUD-11", refused("stale"), lambda b: b["submission"].update(expected=None)),
    "a deadline for nobody": ("AUD-12", hidden, lambda b: b.update(due=[["77:0:1", 2_000_000_000_000]])),
}


@pytest.mark.parametrize("what", sample(FORGERIES, 4))
def test_a_commit_whose_replay_differs_is_found(whole, what):
    check, wanted, forge = FORGERIES[what]
    seq = whole.find(wanted)
    forge(whole.body(seq))

    assert [(check, seq)] == found(whole)


def test_an_event_without_a_newer_field_is_accepted():
    """Newer fields have defaults; older games lack them."""
    game = SelfPlay(REAL["battalia"], Setup(2, "", {"max_weeks": 1}), ["bot:random"] * 2, b"y" * 32)
    game.run()
    whole = Forger(game.export())
    for told in whole.body(1)["events"]:
        if told["type"] == "faction_chosen":
            del told["answers"]

    assert [] == found(whole, games=REAL)


def test_a_submission_that_was_settled_twice_is_found(whole):
    whole.body(4)["submission"]["id"] = whole.body(3)["submission"]["id"]

    assert [("AUD-09", 4)] == found(whole)


def test_a_wrong_count_of_scripted_rolls_is_found():
    game = table(points=1, script=(6, 1, 6, 1, 2, 3, 4, 5) * 20)
    game.run()
    whole = Forger(game.export())
    seq = whole.find(lambda body: body.get("rolled"))
    whole.body(seq)["rolled"] += 1

    assert [("AUD-08", seq)] == found(whole)


def test_a_commit_that_cannot_be_replayed_is_named(whole, monkeypatch):
    monkeypatch.setattr(verifier, "redecide", lambda *_: 1 // 0)

    assert [("AUD-09", 1)] == found(whole)


# -- the end -----------------------------------------------------------------------------------------------------------


def test_a_commit_after_the_end_is_found(whole):
    last = len(whole.commits)
    extra = json.loads(json.dumps(whole.commits[-2]))
    extra["body"]["seed"] = whole.body(last).pop("seed")
    extra["header"]["at"] = whole.commits[-1]["header"]["at"]
    whole.commits.append(extra)

    assert [("AUD-13", last + 1)] == found(whole)


def test_a_running_game_exported_as_finished_is_found(whole):
    whole.commits.pop()
    whole.body(len(whole.commits))["seed"] = whole.seed["seed"]

    assert [("AUD-13", len(whole.commits))] == found(whole)


@pytest.mark.parametrize("name", ["winners", "reason", "clause"])
def test_a_changed_outcome_is_found(whole, name):
    last = len(whole.commits)
    value = {"winners": [3], "reason": "whim", "clause": "PEN-09"}[name]
    event(whole.body(last), "game_ended")[name] = value

    assert [("AUD-08", last)] == found(whole)


def test_changed_scores_are_found(whole):
    last = len(whole.commits)
    event(whole.body(last), "game_ended")["scores"]["1"] += 1

    assert [("AUD-08", last)] == found(whole)


def test_an_end_that_does_not_follow_from_the_last_position_is_found(whole):
    """Uses rules that give two different outcomes for one position."""

    class Fickle(PenniesRules):
        said = 0

        def outcome(self, state):
            told = super().outcome(state)
            self.said += told is not None
            return None if self.said > self.sure else told

    sure = replace(PENNIES, rules=Fickle())
    sure.rules.sure = 1 << 30
    assert [] == found(whole, games={"pennies": sure}, by=audit)
    doubtful = replace(PENNIES, rules=Fickle())
    doubtful.rules.sure = sure.rules.said - 1

    assert [("AUD-13", len(whole.commits))] == found(whole, games={"pennies": doubtful}, by=audit)


def test_a_game_of_an_unknown_kind_is_named(whole):
    told = report(whole, games={})

    assert [("AUD-09", "this release does not know the game 'pennies'")] == [
        (d.check, d.what) for d in told.divergences
    ]


def test_progress_is_reported_every_hundred_commits_and_at_the_end():
    told = []
    audit(finished(), games=GAMES, progress=lambda done, whole: told.append((done, whole)))
    whole = len(Forger(finished()).commits)

    assert [*((done, whole) for done in range(100, whole + 1, 100)), (whole, whole)] == told
    assert len(told) > 1


# -- the form of the file ----------------------------------------------------------------------------------------------

SHAPES = {
    "another format": lambda f: f.setup.update(format="oraclewheel/import"),
    "a number to come": lambda f: f.setup.update(number=3),
    "a number that is true": lambda f: f.setup.update(number=True),
    "a set-up with more fields": lambda f: f.setup.update(more=1),
    "a set-up with fewer fields": lambda f: f.setup.pop("pace"),
    "a commitment too short": lambda f: f.setup.update(commitment="ab" * 31),
    "a commitment in capitals": lambda f: f.setup.update(commitment="AB" * 32),
    "a header with more fields": lambda f: f.headers.update({2: {"more": 1}}),
    "a previous head too long": lambda f: f.headers.update({2: {"previous": "ab" * 33}}),
    "a digest that is no hex": lambda f: f.headers.update({2: {"digest": "xy" * 32}}),
    "an instant that is no number": lambda f: f.headers.update({2: {"at": "noon"}}),
    "a commit with more": lambda f: f.commits[2].update(more=1),
    "a commit called otherwise": lambda f: f.commits[2].update(line="omit"),
    "a body that is no object": lambda f: f.commits[2].update(body=[]),
    "a salt too short": lambda f: f.salts.update({3: "ab"}),
    "a seed too short": lambda f: (f.salts.update(dict.fromkeys(range(99), "ab" * 32)), f.seed.update(seed="ab")),
    "a key too short": lambda f: f.seed.update(key="ab"),
    "a seed line with more fields": lambda f: f.seed.update(more=1),
    "a last head too short": lambda f: f.ends.update(head="ab", signatures=[]),
    "a file digest too short": lambda f: f.ends.update(sha256="ab", signatures=[]),
    "a last line with more fields": lambda f: f.end.update(more=1),
    "a signature of something unheard of": lambda f: f.ends.update(signatures=[signature(of="moon")]),
    "a signature too short": lambda f: f.ends.update(signatures=[signature(signature="ab")]),
    "a key id too short": lambda f: f.ends.update(signatures=[signature(key="ab")]),
    "a public key too short": lambda f: f.ends.update(signatures=[signature(public="ab")]),
    "a number that is not whole": lambda f: f.body(3)["submission"]["command"].update(pennies=1.0),
    "a number deep inside that is not whole": lambda f: f.body(3)["submission"]["command"].update(some=[{"a": 1.5}]),
}


def signature(**told):
    right = {"of": "head", "key": "ab" * 8, "public": "ab" * 32, "signature": "ab" * 64}
    return {**right, **told}


@pytest.mark.parametrize("what", SHAPES)
def test_a_malformed_line_is_found_and_skips_all_other_checks(whole, what):
    SHAPES[what](whole)
    told = report(whole)

    assert ["AUD-01"] == [divergence.check for divergence in told.divergences]
    assert {"failed"} == {status for check, status in told.statuses.items() if check == "AUD-01"}
    assert {"skipped"} == {status for check, status in told.statuses.items() if check != "AUD-01"}


WHERE = {
    "a set-up with more fields": lambda whole: 1,
    "a commitment too short": lambda whole: 1,
    "a header with more fields": lambda whole: 3,
    "a digest that is no hex": lambda whole: 3,
    "a commit called otherwise": lambda whole: 4,
    "a salt too short": lambda whole: 4,
    "a number deep inside that is not whole": lambda whole: 4,
    "a seed line with more fields": lambda whole: len(whole.commits) + 2,
    "a key too short": lambda whole: len(whole.commits) + 2,
    "a last line with more fields": lambda whole: len(whole.commits) + 3,
    "a last head too short": lambda whole: len(whole.commits) + 3,
    "a public key too short": lambda whole: len(whole.commits) + 3,
}


@pytest.mark.parametrize("what", WHERE)
def test_a_malformed_line_is_reported_with_its_number(whole, what):
    SHAPES[what](whole)
    (told,) = report(whole).divergences

    assert WHERE[what](whole) == told.line
    assert (told.line - 1 if 1 < told.line < len(whole.commits) + 2 else None) == told.seq


def test_a_truncated_file_is_reported_with_its_last_line(whole):
    data = whole.file()
    last = data.count(b"\n")

    for cut, line in ((data[:-1], last), (data + b"x", last + 1), (b"", 1), (data.split(b"\n")[0] + b"\n", 1)):
        assert [line] == [divergence.line for divergence in report(cut).divergences]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[:-1],
        lambda data: data.replace(b'"seq":2', b'"seq": 2', 1),
        lambda data: b"".join(data.splitlines(keepends=True)[:1]),
        lambda data: b"".join(data.splitlines(keepends=True)[:2]),
        lambda data: b"".join([data.splitlines(keepends=True)[0], *data.splitlines(keepends=True)[-2:]]),
        lambda data: b"".join(data.splitlines(keepends=True)[:-1]),
        lambda data: b"".join(data.splitlines(keepends=True)[:-2] + data.splitlines(keepends=True)[-1:]),
        lambda data: b"[]\n" + data,
        lambda data: data.replace(b'"seq":2', b'"seq":2,"seq":2', 1),
        lambda data: data.replace(b"\n", b"\r\n", 1),
    ],
    ids=range(10),
)
def test_a_file_that_is_not_in_the_format_is_found(whole, spoil):
    assert ["AUD-01"] == [check for check, _ in found(spoil(whole.file()))]
