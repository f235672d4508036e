"""Recorded games are decided the same forever: every recording is folded, decided again and audited."""

import hashlib
import json
from functools import cache
from pathlib import Path

import pytest

from domain.games.battalia.game import BATTALIA
from domain.kernel.record import PastNotKept, Position
from domain.table.folding import fold
from service.audit.auditor import audit
from service.audit.export import build_lines
from service.audit.lines import build_setup
from service.audit.parser import parse_export
from service.store.codec import canonical, decode_commit, decode_position, encode_position
from service.store.founding import FORM
from service.store.ports.commits import Stored
from service.store.seal import head_of
from tests.recordings.by_post import BY_DAYS, BY_QUESTIONS
from tests.recordings.make import KNOWN

HERE = Path(__file__).parent
OLD = "ea490e4125c9c0a796175113ccb0786c23b0d7023adbe9bf2974b1d4c0118edc"
"""SHA-256 of all recordings of form 1, concatenated."""
FILES = sorted(HERE.glob("*.ndjson"))
ENDS = {
    "pennies": {"points"},
    "fronela": {"history"},
    "nim": {"last-object"},
    "battalia": {"cities", "full-map", "no-square", "weeks", "alone", "keys"},
}
"""Every way in which a game of each kind can end."""


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def recording(request):
    return request.param.read_bytes()


@cache
def audited(path):
    """The report on a recording."""
    return audit(path.read_bytes(), games=KNOWN)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recording_passes_every_check(path):
    report = audited(path)

    assert report.is_ok, report.verdict
    assert "over" == report.facts["status"]
    assert {"ok"} == {status for check, status in report.statuses.items() if check < "AUD-14"}


def test_recording_is_folded_to_its_recorded_outcome(recording):
    export = parse_export(recording)
    game = KNOWN[export.setup.kind]
    position = known = Position()
    for line in export.commits:
        commit = decode_commit(game, line.header.seq, line.header.at, line.header.release, line.body)
        before, known = known, fold(game, known, commit)
        try:
            position = fold(game, position, commit)
        except PastNotKept:  # with the log, the fold starts from an earlier position
            position = fold(game, before, commit)
        assert known == position
        if line.header.seq % 16 == 0:
            position = decode_position(game.rules, json.loads(canonical(encode_position(position))))

    assert position.over
    assert game.rules.outcome(position.state) == position.table.outcome
    assert [] == list(game.rules.faults(position.state))


def test_recording_is_exported_again_byte_for_byte(recording):
    export = parse_export(recording)
    stored = [
        Stored(c.header.seq, c.header.at, c.header.release, head_of(c.header_bytes), c.header_bytes, c.body_bytes)
        for c in export.commits
    ]
    begun = export.commits[0].body["events"][0]
    setup = build_setup(begun, export.setup.bound)
    again = b"".join(build_lines(setup, stored, bytes.fromhex(export.seed.seed), dice=export.dice))

    assert recording.splitlines()[:-1] == again.splitlines()[:-1]


@pytest.mark.parametrize("kind", ENDS)
def test_every_way_a_game_can_end_is_recorded(kind):
    outcomes = [audited(path).facts for path in FILES if path.stem.startswith(kind)]

    assert ENDS[kind] == {found["outcome"]["reason"] for found in outcomes if found["kind"] == kind}


def test_each_module_of_battalia_all_modules_and_teams_are_recorded():
    setups = [parse_export(path.read_bytes()).setup for path in FILES if path.stem.startswith("battalia")]
    modules, all_of_them = {frozenset(setup.modules) for setup in setups}, frozenset(BATTALIA.rules.modules)

    assert set() == {frozenset({name}) for name in all_of_them} - modules
    assert frozenset({"rammoth", "armamentum"}) in modules
    assert any(setup.options["teams"] for setup in setups if frozenset(setup.modules) == all_of_them)


def test_every_event_of_battalia_is_recorded():
    told = b"".join(path.read_bytes() for path in FILES if path.stem.startswith("battalia"))

    assert [] == [name for name in BATTALIA.rules.events if f'"type":"{name}"'.encode() not in told]


@pytest.mark.parametrize("kind", ENDS)
def test_every_table_event_is_recorded_for_each_game(kind):
    told = b"".join(path.read_bytes() for path in FILES if path.stem.startswith(kind))

    for happened in ("deadline_passed", "deadline_put_off", "seat_resigned", "game_ended"):
        assert f'"type":"{happened}"'.encode() in told, happened
    assert b'"type":"undone"' in told
    assert b'"type":"undo_agreed"' in told
    for refused in ("stale", "malformed", "not-your-turn", "already-answered"):
        assert f'"code":"{refused}"'.encode() in told, refused
    for hand in ("player", "bot", "policy", "system"):
        assert f'"by":"{hand}"'.encode() in told, hand


def test_recordings_with_all_table_features_have_every_wanted_event():
    wanted = {
        "pennies-by-post": BY_QUESTIONS,
        "battalia-3-by-post": BY_QUESTIONS,
        "battalia-3-by-post-calendar": BY_DAYS,
    }
    for name, happened in wanted.items():
        told = (HERE / f"{name}.ndjson").read_bytes()
        assert [] == [each for each in happened if f'"type":"{each}"'.encode() not in told], name


@pytest.mark.soak
def test_every_form_is_recorded_and_the_verdict_reports_an_unbound_set_up():
    reports = [audit(path.read_bytes(), games=KNOWN) for path in FILES]

    assert {1, FORM} == {report.facts["form"] for report in reports}
    assert all(report.verdict.endswith("; set-up not bound") == (report.facts["form"] == 1) for report in reports)


def test_old_recordings_do_not_change():
    """They define what games of form 1 look like, byte for byte."""
    told = hashlib.sha256()
    for path in FILES:
        if b'"number":1' in path.read_bytes().split(b"\n", 1)[0]:
            told.update(path.read_bytes())

    assert OLD == told.hexdigest()
