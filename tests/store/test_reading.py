"""A body decoded directly from its bytes gives the same commit or the same error as decoded from its parsed document."""

import contextlib
import json
import sys
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import orjson
import pytest

from domain.games.battalia.game import BATTALIA
from domain.games.nim.game import NIM
from domain.kernel.record import Commit
from domain.registry import GAMES
from service.audit.parser import parse_export
from service.ops.server import app as server
from service.store.codec import UnknownEvent, canonical, decode_commit, encode_body
from service.store.reading import bodies
from service.store.reading.bodies import read_commit
from tests.pennies import PENNIES, PenniesRules
from tests.recordings.make import KNOWN
from tests.soaking import sample
from workers import process

RECORDINGS = sorted((Path(__file__).parents[1] / "recordings").glob("*.ndjson"))
BODY = {
    "submission": {"id": "s1", "command": {"type": "hide", "pennies": 1}, "expected": 4, "asked_at": 90},
    "actor": {"sender": 1, "seat": 1, "by": "player", "credential": "key-7"},
    "drawn": 3,
    "events": [{"type": "hand_closed", "seat": 1}],
}
OTHERS = [None, True, 0, -1, 1.5, 2**40, "", "A1", "1", [], [1], ["A1"], [None], {}, {"1": 2}, {"type": "rain"}]
"""Values of every kind; for every field, some of them are wrong."""


@cache
def recorded():
    """The kind of game and the body of every commit in every recording."""
    exports = [parse_export(path.read_bytes()) for path in RECORDINGS]
    return [(export.setup.kind, line.body_bytes) for export in exports for line in export.commits]


def outcome(read_, *arguments):
    """The commit, or the error instead."""
    try:
        return read_(*arguments)
    except Exception as error:  # noqa: BLE001 - any error: both decoders must raise the same
        return type(error), str(error)


def both(game, document):
    """The outcome of decoding a body from its bytes, after checking that it equals that of its document."""
    body = canonical(document)
    short = outcome(read_commit, game, 5, 100, "0.0.9", body)
    assert outcome(decode_commit, game, 5, 100, "0.0.9", orjson.loads(body)) == short, document
    return short


def examples():
    """The first recorded event of each type, for each game."""
    found = {}
    for kind, body in recorded():
        for event in json.loads(body).get("events", ()):
            found.setdefault((kind, event["type"]), event)
    return found


@pytest.mark.parametrize("kind", sorted(KNOWN))
def test_every_recorded_commit_is_decoded_on_the_fast_path(kind, monkeypatch):
    wanted = [
        (body, decode_commit(KNOWN[kind], 5, 100, "0.0.9", orjson.loads(body))) for k, body in recorded() if k == kind
    ]

    # The slow path is taken only for a body that the fast path refused.
    monkeypatch.setattr(bodies, "decode_commit", lambda *_: pytest.fail("it went the long way"))

    assert len(wanted) > 10
    for body, commit in wanted:
        again = read_commit(KNOWN[kind], 5, 100, "0.0.9", body)
        assert commit == again
        assert [type(event) for event in commit.events] == [type(event) for event in again.events]
        assert canonical(encode_body(commit)) == canonical(encode_body(again))


@pytest.mark.parametrize(("kind", "name"), sample(sorted(examples()), 16))
def test_malformed_event_is_refused_with_the_same_error_on_both_paths(kind, name):
    """Each field is omitted, and set to a value of every kind; a field that no event has is added."""
    event = examples()[kind, name]
    refused = 0
    for changed in [
        *({other: value for other, value in event.items() if other != left} for left in event),
        *({**event, place: value} for place in event for value in OTHERS),
        {**event, "zeal": 1},
        {**event, "type": "rain"},
        {**event, "type": 7},
    ]:
        refused += not isinstance(both(KNOWN[kind], {**BODY, "events": [event, changed]}), Commit)

    assert refused > 3


@pytest.mark.parametrize("place", ["", "submission", "actor"])
def test_malformed_body_is_refused_with_the_same_error_on_both_paths(place):
    inner = BODY[place] if place else {**BODY, "rolled": 1, "played": None, "due": [["5:0:1", 700]], "refusal": None}
    refusal = {"code": "c", "message": "m", "rule": None, "field": None, "facts": {}}
    for changed in [
        *({other: value for other, value in inner.items() if other != left} for left in inner),
        *({**inner, name: value} for name in inner for value in [*OTHERS, [["5:0:1", "x"]], [["5:0:1"]], refusal]),
        {**inner, "zeal": 1},
    ]:
        both(PENNIES, {**BODY, place: changed} if place else changed)


def test_invalid_json_is_refused_and_an_unknown_event_is_reported():
    for body in (b"", b"{", b"[]", b"7", b'{"submission":1}', b"\xff"):
        assert isinstance(outcome(read_commit, PENNIES, 5, 100, "0.0.9", body), tuple)
    with pytest.raises(UnknownEvent, match="rain"):
        read_commit(PENNIES, 5, 100, "0.0.9", canonical({**BODY, "events": [{"type": "rain"}]}))


def test_event_of_one_game_is_unknown_to_another():
    body = canonical({**BODY, "events": [examples()["battalia", "card_taken"]]})

    assert isinstance(outcome(read_commit, BATTALIA, 5, 100, "0.0.9", body), Commit)
    assert (UnknownEvent, "card_taken") == outcome(read_commit, NIM, 5, 100, "0.0.9", body)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoinFound:
    """An event with keyword-only fields, one of them with a default factory."""

    seat: int
    marks: dict[int, str] = field(default_factory=dict)


def test_event_may_have_keyword_only_fields_and_default_factories():
    class Coins(PenniesRules):
        events = {**PENNIES.rules.events, "coin_found": CoinFound}

    found = {"type": "coin_found", "seat": 2}

    (bare, marked) = both(
        replace(PENNIES, rules=Coins()), {**BODY, "events": [found, {**found, "marks": {"1": "x"}}]}
    ).events

    assert (CoinFound(seat=2), CoinFound(seat=2, marks={1: "x"})) == (bare, marked)
    assert (
        bare.marks
        is not read_commit(replace(PENNIES, rules=Coins()), 5, 1, "0", canonical({**BODY, "events": [found]}))
        .events[0]
        .marks
    )


def test_game_whose_events_change_is_decoded_by_the_new_ones(monkeypatch):
    assert isinstance(outcome(read_commit, PENNIES, 5, 100, "0.0.9", canonical(BODY)), Commit)
    monkeypatch.setattr(PENNIES.rules, "events", {}, raising=False)

    assert (UnknownEvent, "hand_closed") == both(PENNIES, BODY)


@pytest.mark.parametrize("start", ["the API", "a worker"])
def test_decoders_of_all_games_are_created_when_a_process_starts(start, monkeypatch):
    bodies._made.cache_clear()
    monkeypatch.setattr(server, "create_app", lambda: None)
    monkeypatch.setattr(process.signal, "signal", lambda *_: None)
    monkeypatch.setattr(process.logging, "configure", lambda _: None)
    monkeypatch.setattr(process, "await_store", lambda: sys.exit(0))
    with contextlib.suppress(SystemExit):
        {"the API": server.app, "a worker": lambda: process.work("cron")}[start]()
    made = bodies._made.cache_info().misses

    for game in GAMES.values():
        bodies._reader_of(game)

    assert len(GAMES) == made == bodies._made.cache_info().misses
