"""Forgeries by an operator with the seed and the signing key: dice, start, moved deadlines, senders, and malformed bodies."""

import pytest

from domain.kernel.game.rules import Setup
from domain.kernel.record import Position
from domain.kernel.terms import SYSTEM, Seat
from domain.registry import GAMES as REAL
from service.audit.auditor import audit
from service.cli.commands.audit import text
from service.core.pace.calendar import HOUR
from service.store import seal
from service.store.seal import key_id
from tests.audit import independent
from tests.audit.forger import Forger, event
from tests.audit.games import GAMES, SIGNER, finished, running, table
from tools.simulation.selfplay import SelfPlay

ALL = {**REAL, **GAMES}
HOURLY = {"mode": "per_question", "hours": 1}
SCRIPT = (6, 1, 6, 1, 2, 3, 4, 5) * 20


def report(forger):
    data = forger.file() if isinstance(forger, Forger) else forger
    return audit(data, games=ALL, keys=[SIGNER.public.hex()])


def found(forger):
    return [(d.check, d.seq) for d in report(forger).divergences]


def beginnings(forger):
    """The parts of a finished file that describe the start of the game."""
    return forger.setup, forger.body(1)["submission"]["command"], event(forger.body(1), "game_begun")


# -- chance and beginning ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sandbox", [True, False])
def test_scripted_dice_are_found_outside_a_sandbox(sandbox):
    game = table(points=1, script=SCRIPT)
    game.run()
    forger = Forger(game.export(SIGNER))
    for told in beginnings(forger):
        told["sandbox"] = sandbox

    assert ([] if sandbox else [("AUD-06", None)]) == found(forger)


class Given(SelfPlay):
    """A game that starts from a position chosen by the operator, but is not marked as a sandbox."""

    def say(self, seat, command, **given):
        if command["type"] == "begin":
            command = {**command, "position": self.given}
        return super().say(seat, command, **given)


def liked():
    setup = Setup(2, "", {"max_weeks": 1})
    before = SelfPlay(REAL["battalia"], setup, ["bot:greedy"] * 2, b"q" * 32)
    before.run(30)
    game = Given(REAL["battalia"], setup, ["bot:greedy"] * 2, b"w" * 32)
    game.given = before.position.state
    assert Position() == game.position
    game.run()
    return Forger(game.export(SIGNER))


def test_start_from_a_given_position_is_found_outside_a_sandbox():
    forger = liked()
    assert [("AUD-05", 1)] == found(forger)
    for told in beginnings(forger):
        told["sandbox"] = True

    assert [] == found(forger)


# -- keys that anyone can sign with ------------------------------------------------------------------------------------

ONE = bytes([1, *[0] * 31])
"""The neutral point: a signature with it as key and as first half is valid for every message."""


@pytest.mark.parametrize(
    "public", [ONE, (2**255 - 18).to_bytes(32, "little"), bytes([1, *[0] * 30, 0x80])], ids=range(3)
)
def test_weak_signing_key_authenticates_nothing(public):
    forger = Forger(finished())
    forger.signed = lambda of, _: {
        "of": of,
        "key": key_id(public),
        "public": public.hex(),
        "signature": (ONE + bytes(32)).hex(),
    }
    told = audit(forger.file(), games=ALL, keys=[public.hex()])

    assert [("AUD-04", None)] == [(d.check, d.seq) for d in told.divergences]
    assert not told.is_authenticated


def test_every_weak_key_on_the_list_has_small_order():
    """Checked with the auditor's own arithmetic: eight times each point is the neutral point."""
    for y in seal._SMALL:
        x = independent.recover(y % independent.P, 0)
        eight = independent.times(8, (x, y % independent.P, 1, x * y % independent.P))

        assert 0 == eight[0] % independent.P
        assert 0 == (eight[1] - eight[2]) % independent.P


# -- deadlines that are moved ------------------------------------------------------------------------------------------


def moved(pace, by, question="1:0:1"):
    game = table(points=2, pace=pace)
    game.begin()
    game.say(SYSTEM, {"type": "put_off", "question": question, "by": by})
    game.run()
    return game.export(SIGNER)


@pytest.mark.parametrize("by", [-HOUR, -1, 0])
def test_deadline_postponed_to_an_earlier_or_equal_time_is_found(by):
    assert [("AUD-12", 2)] == found(moved(HOURLY, by))


def test_deadline_postponed_to_a_later_time_is_valid():
    assert [] == found(moved(HOURLY, 1))


def test_postponed_deadline_is_found_in_a_game_without_deadlines():
    """Otherwise the default move could be played in a game without a clock."""
    assert [("AUD-12", 2)] == found(moved({"mode": "free"}, 1))


# -- who sends ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [-2, -1, 4, 99])
def test_command_of_a_nonexistent_seat_is_found(seat):
    game = table(points=1)
    game.begin()
    game.say(Seat(seat), {"type": "resign"})
    game.run()

    assert [("AUD-09", 2)] == found(game.export(SIGNER))


FAULTS = {
    "another seat": {"seat": 2},
    "a bot's hand": {"by": "bot"},
    "nobody's seat": {"sender": 55, "seat": 55},
    "system's word": {"sender": 0, "seat": 1, "by": "player"},
}


def faulty():
    forger = Forger(finished())
    seq = forger.find(lambda body: (body.get("refusal") or {}).get("code") == "too-many-pennies")
    forger.body(seq)["refusal"]["code"] = "rules-fault"
    return forger, seq


@pytest.mark.parametrize("what", FAULTS)
def test_false_sender_of_a_command_with_rules_fault_is_found(what):
    forger, seq = faulty()
    forger.body(seq)["actor"].update(FAULTS[what])

    assert [("AUD-09", seq)] == found(forger)


def test_replaced_command_with_rules_fault_is_found():
    forger, seq = faulty()
    forger.body(seq)["played"] = {"type": "hide", "pennies": 1}

    assert [("AUD-09", seq)] == found(forger)


def test_verdict_counts_commands_that_were_not_decided_again():
    forger, _ = faulty()

    assert "authenticated; 1 command with rules-fault, not decided again" == report(forger).verdict


def test_verdict_says_if_deadlines_could_not_be_checked():
    forger = Forger(finished())
    for told in beginnings(forger):
        told["pace"] = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "Nowhere/At_All"}

    assert "authenticated; deadlines not all checked" == report(forger).verdict


# -- what a body is ----------------------------------------------------------------------------------------------------


def hidden(body):
    return event(body, "pennies_hidden") and body["actor"]["sender"] == 1


def refused(body):
    return (body.get("refusal") or {}).get("code") == "too-many-pennies"


BODIES = {
    "an id that is a number": (hidden, lambda b: b["submission"].update(id=5)),
    "an id that is nothing": (hidden, lambda b: b["submission"].update(id=None)),
    "an id that is a list": (hidden, lambda b: b["submission"].update(id=[])),
    "an instant that is true": (hidden, lambda b: b["submission"].update(asked_at=True)),
    "a seq that is true": (refused, lambda b: b["submission"].update(expected=True)),
    "a credential that is an object": (hidden, lambda b: b["actor"].update(credential={"a": 1})),
    "a seat that is true": (hidden, lambda b: b["actor"].update(sender=True, seat=True)),
    "a hand that nobody has": (hidden, lambda b: b["actor"].update(by="angel")),
    "a sentence that is a list": (refused, lambda b: b["refusal"].update(message=[1])),
    "facts that are a list": (refused, lambda b: b["refusal"].update(facts=[])),
    "a seed that is nothing": (hidden, lambda b: b.update(seed=None)),
}


@pytest.mark.parametrize("what", BODIES)
def test_value_of_the_wrong_type_in_a_body_is_found(what):
    forger = Forger(finished())
    wanted, forge = BODIES[what]
    seq = forger.find(wanted)
    forge(forger.body(seq))

    assert [seq] == [where for _, where in found(forger)]


def test_unknown_field_of_an_event_is_found():
    forger = liked()
    for told in beginnings(forger):
        told["sandbox"] = True
    event(forger.body(1), "position_set")["more"] = 1

    assert [("AUD-09", 1)] == found(forger)


def test_unknown_field_nested_in_an_event_is_found():
    game = SelfPlay(REAL["fronela"], Setup(4, "", {}), ["bot:random"] * 4, b"f" * 32)
    game.run()
    forger = Forger(game.export(SIGNER))
    seq = forger.find(lambda body: event(body, "battle_rolled"))
    event(forger.body(seq), "battle_rolled")["attack"][0]["more"] = 1

    assert [("AUD-09", seq)] == found(forger)


# -- what is shown -----------------------------------------------------------------------------------------------------

ESCAPE = "\x1b[2J\x1b[HAuthenticated\x9b8m\u202e"


def test_escape_sequences_in_a_file_cannot_overwrite_the_verdict():
    forger = Forger(running())
    forger.setup["ruleset"] = ESCAPE
    forger.setup["kind"] = "a\nAuthenticated.\r"
    shown = text(report(forger))

    assert all(line.isprintable() for line in shown.split("\n"))
    assert r"\x1b[2J\x1b[HAuthenticated\x9b8m\u202e" in shown
    assert [] == [line for line in shown.split("\n") if line == "Authenticated."]


def test_escape_sequences_in_a_divergence_cannot_overwrite_the_verdict():
    forger = Forger(finished())
    forger.body(3)["events"] = [{"type": ESCAPE}]
    told = report(forger)

    assert not told.is_ok
    assert told.verdict.isprintable()


@pytest.mark.parametrize("pace", [{"mode": "per_question", "hours": "x" * 4000}, {"mode": "free", "bot_seconds": "5"}])
def test_pace_with_a_text_value_is_found_with_a_short_verdict(pace):
    forger = Forger(finished())
    for told in beginnings(forger):
        told["pace"] = pace

    assert "AUD-12" == report(forger).divergences[0].check
    assert len(report(forger).verdict) < 400
