"""Bodies and snapshots are decoded to what was encoded; malformed documents are refused with the place of the error."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from domain.kernel.game.rules import Setup
from domain.kernel.lifecycle import PositionSet
from domain.kernel.record import Commit, Position, RuleRefusal, Submission
from domain.kernel.terms import SYSTEM, Seat
from service.store import codec
from service.store.codec import BadDocument, UnknownEvent, canonical
from tests.pennies import PENNIES, DieRolled, HandClosed
from tools.simulation.selfplay import SelfPlay

SAID = Submission("s1", Seat(1), {"type": "hide", "pennies": 1}, 90, 4, "key-7")
COMMIT = Commit(5, 100, SAID, "player", 3, 0, (HandClosed(Seat(1)),), seat=Seat(1), release="0.0.9")
BODY = {
    "submission": {"id": "s1", "command": {"type": "hide", "pennies": 1}, "expected": 4, "asked_at": 90},
    "actor": {"sender": 1, "seat": 1, "by": "player", "credential": "key-7"},
    "drawn": 3,
    "events": [{"type": "hand_closed", "seat": 1}],
}


def body(commit, seed=None):
    return json.loads(canonical(codec.encode_body(commit, seed)))


def game():
    played = SelfPlay(PENNIES, Setup(3, "", {"points": 2}), ["player:random"] * 3, b"c" * 32)
    played.begin()
    for _ in range(4):
        played.step()
    return played


def test_body_has_the_submission_and_its_events_and_no_empty_fields():
    assert BODY == body(COMMIT)
    assert COMMIT == codec.decode_commit(PENNIES, 5, 100, "0.0.9", BODY)


@pytest.mark.parametrize(
    ("change", "written"),
    [
        ({"rolled": 2}, {"rolled": 2}),
        ({"played": {"type": "hide", "pennies": 0}}, {"played": {"type": "hide", "pennies": 0}}),
        ({"due": (("5:0:1", 700), ("5:0:2", 800))}, {"due": [["5:0:1", 700], ["5:0:2", 800]]}),
        ({"by": "bot", "seat": Seat(2)}, {"actor": {**BODY["actor"], "by": "bot", "seat": 2}}),
    ],
)
def test_optional_fields_are_encoded_and_decoded(change, written):
    commit = replace(COMMIT, **change)

    assert {**BODY, **written} == body(commit)
    assert commit == codec.decode_commit(PENNIES, 5, 100, "0.0.9", body(commit))


def test_refusal_replaces_the_events_with_all_its_fields():
    refusal = RuleRefusal("too-many", "You do not have as many.", "PEN-02", "pennies", {"most": 3})
    commit = replace(COMMIT, events=(), refusal=refusal)
    written = body(commit)

    assert "events" not in written
    assert {
        "code": "too-many",
        "message": "You do not have as many.",
        "rule": "PEN-02",
        "field": "pennies",
        "facts": {"most": 3},
    } == written["refusal"]
    assert commit == codec.decode_commit(PENNIES, 5, 100, "0.0.9", written)


def test_seed_is_in_the_body_only_if_it_is_given():
    assert {**BODY, "seed": "7a" * 32} == body(COMMIT, b"z" * 32)


def test_position_of_a_sandbox_is_in_the_event_and_not_repeated_in_the_command():
    state = game().position.state
    begin = {"type": "begin", "game": "g", "position": state}
    commit = replace(COMMIT, submission=replace(SAID, command=begin), events=(PositionSet(state),))
    written = body(commit)

    assert {"type": "begin", "game": "g"} == written["submission"]["command"]
    assert (PositionSet(state),) == codec.decode_commit(PENNIES, 5, 100, "0.0.9", written).events


def test_submission_is_decoded_as_it_was_encoded():
    document = codec.encode_submission(SAID)

    assert {
        "id": "s1",
        "seat": 1,
        "command": {"type": "hide", "pennies": 1},
        "asked_at": 90,
        "expected": 4,
        "credential": "key-7",
    } == document
    assert SAID == codec.decode_submission(PENNIES, document)


def test_only_the_position_in_a_begin_command_is_decoded_to_a_state():
    state = game().position.state
    for command, wanted in (
        ({"type": "begin", "position": json.loads(canonical(codec.encode_state(state)))}, state),
        ({"type": "begin", "position": None}, None),
        ({"type": "hide", "position": {"any": "thing"}}, {"any": "thing"}),
    ):
        document = codec.encode_submission(Submission("s", SYSTEM, command, 1))
        assert wanted == codec.decode_submission(PENNIES, document).command["position"]
    without = codec.encode_submission(Submission("s", SYSTEM, {"type": "begin"}, 1))
    assert {"type": "begin"} == codec.decode_submission(PENNIES, without).command


def test_seats_in_an_event_are_decoded_from_text_to_numbers():
    rolled = DieRolled(3, {Seat(1): 2, Seat(2): 0})
    document = json.loads(canonical(codec.encode_event(rolled)))

    assert {"type": "die_rolled", "face": 3, "shown": {"1": 2, "2": 0}} == document
    assert rolled == codec.decode_event(PENNIES, document)


@pytest.mark.parametrize(
    ("document", "error", "says"),
    [
        ({"type": "rain"}, UnknownEvent, "rain"),
        ({"type": "hand_closed", "seat": 1, "zeal": 1, "more": 2}, BadDocument, "hand_closed has no field 'more'"),
        ({"type": "hand_closed"}, BadDocument, "hand_closed: .*seat"),
        ({"type": "hand_closed", "seat": "1"}, BadDocument, "hand_closed: .*int"),
    ],
)
def test_malformed_event_is_refused_by_name(document, error, says):
    with pytest.raises(error, match=says):
        codec.decode_event(PENNIES, document)


def test_beginning_by_unknown_table_rules_is_an_unknown_event():
    begun = codec.encode_event(game_begun())

    assert game_begun() == codec.decode_event(PENNIES, begun)
    with pytest.raises(UnknownEvent, match="table rules 'table_v99'"):
        codec.decode_event(PENNIES, {**begun, "table_rules": "table_v99"})


def game_begun():
    played = SelfPlay(PENNIES, Setup(2, "", {"points": 2}), ["player:random"] * 2, b"c" * 32)
    return played.begin().events[0]


def state_document(**changes):
    return json.loads(canonical(codec.encode_state(game().position.state))) | changes


def test_state_is_decoded_as_it_was_encoded_and_its_schema_names_its_fields():
    assert game().position.state == codec.decode_state(PENNIES, state_document())
    assert state_document().keys() == codec.state_schema(PENNIES.rules)["$defs"]["State"]["properties"].keys()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"more": 1}, "keys that a position does not have"),
        ({"round": "first"}, "`int`.*round"),
        ({"goal": 2**31}, "out of all bounds"),
        ({"goal": -(2**31)}, "out of all bounds"),
        ({"points": {"1": 2**40}}, "out of all bounds"),
        ({"more": [[2**40]]}, "out of all bounds"),
    ],
)
def test_malformed_state_is_refused(changes, says):
    with pytest.raises(BadDocument, match=says):
        codec.decode_state(PENNIES, state_document(**changes))


def test_state_without_a_field_that_has_a_default_is_refused():
    document = state_document()
    del document["round"]

    with pytest.raises(BadDocument, match="some are missing"):
        codec.decode_state(PENNIES, document)


def test_position_in_a_log_may_lack_a_newer_field_but_has_no_unknown_one():
    """A release that adds a field to a state still reads the sandboxes of earlier releases."""
    position = state_document()
    del position["round"]

    read = codec.decode_event(PENNIES, {"type": "position_set", "position": position})
    assert 1 == read.position.round
    with pytest.raises(BadDocument, match="keys that a position does not have"):
        codec.decode_event(PENNIES, {"type": "position_set", "position": position | {"more": 1}})


@pytest.mark.parametrize("number", [2**31 - 1, 1 - 2**31, True])
def test_numbers_within_bounds_are_accepted(number):
    codec._check_numbers([number, {"deep": [number]}])


def test_number_out_of_bounds_is_found_in_a_list_with_other_types():
    with pytest.raises(BadDocument):
        codec._check_numbers([2**31, True, "word", None])


@pytest.mark.parametrize("upto", ["empty", "playing", "over"])
def test_position_is_unpacked_as_it_was_packed(upto):
    played = game()
    if upto == "over":
        played.run()
    position = Position() if upto == "empty" else played.position

    again = codec.unpack_position(PENNIES, codec.pack_position(position))
    assert position == again
    assert (upto == "over") == again.over
    assert all(isinstance(asked, type(position.asked[0])) for asked in again.asked)


def test_event_name_is_the_class_name_in_snake_case():
    class RoadBuilt:
        """A class whose name is not cached yet."""

    assert "road_built" == codec.snake_of(RoadBuilt)
    assert "road_built" == codec.snake_of(RoadBuilt), "and by the same again"
