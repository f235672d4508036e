"""``oraclewheel analyse``: its report of a file, and its errors."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.features.analysis.conftest import nim

RECORDED = Path(__file__).parents[2] / "recordings"


@pytest.fixture(scope="module")
def export():
    game = nim((3, 5))
    game.run()
    return game.export()


@pytest.mark.parametrize("form", [1, 2])
def test_report_names_the_turning_point_and_the_better_move(oraclewheel, tmp_path, form):
    game = nim((3, 5), form=form)
    game.run()
    Path("game.ndjson").write_bytes(game.export())
    status, told = oraclewheel("analyse", "game.ndjson", "--jobs", 1, "--svg", "chances.svg")

    assert 0 == status
    assert "100 % → 0 %, by its own choice (gave away 100)" in told
    assert "takes the rest of heap 3: five objects." in told
    assert "Better: Take objects: from heap 3, how many 3" in told
    assert "rings" not in told
    picture = ET.parse("chances.svg").getroot()
    assert "Chance of winning, in percent" == picture[0].text


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
def test_report_is_printed_even_if_the_disk_is_full(oraclewheel, export):
    Path("game.ndjson").write_bytes(export)
    status, told = oraclewheel("analyse", "game.ndjson", "--jobs", 1, "--seq", "3-4", "--svg", FULL)

    assert 1 == status
    assert "given away" in told
    assert f"{FULL} cannot be written: No space left on device." in told


def test_range_without_position_changes_has_a_report_but_no_chart(oraclewheel):
    game = nim(table={"votes": "on"})
    game.say(1, {"type": "call_vote", "kind": "abort"})
    game.say(2, {"type": "cast_vote", "agree": False})
    game.run()
    Path("game.ndjson").write_bytes(game.export())
    status, told = oraclewheel("analyse", "game.ndjson", "--jobs", 1, "--seq", "2-3", "--svg", "chances.svg")

    assert 1 == status
    assert "given away" in told
    assert "No chart was drawn: the position does not change in these commits." in told
    assert not Path("chances.svg").exists()


def test_json_report_does_not_depend_on_the_number_of_jobs(oraclewheel, export):
    Path("game.ndjson").write_bytes(export)
    told = [oraclewheel("analyse", "game.ndjson", "--json", "--jobs", jobs)[1] for jobs in (1, 2)]

    assert told[0] == told[1]
    assert (1, "nim", 1) == tuple(json.loads(told[0])[name] for name in ("form", "kind", "level"))


def test_report_can_be_limited_to_a_range_of_commits(oraclewheel, export):
    Path("game.ndjson").write_bytes(export)
    found = json.loads(oraclewheel("analyse", "game.ndjson", "--json", "--seq", "3-4")[1])

    assert (3, 4, [3, 4]) == (found["from"], found["to"], [seq for seq, *_ in found["chances"]])


@pytest.mark.parametrize("stretch", ["4-3", "0-2", "a-b", "4", "-"])
def test_invalid_range_of_commits_is_reported(oraclewheel, export, stretch):
    Path("game.ndjson").write_bytes(export)
    status, told = oraclewheel("analyse", "game.ndjson", f"--seq={stretch}")

    assert 2 == status
    assert "is not a range of commits" in told


def test_range_after_the_end_is_reported(oraclewheel, export):
    Path("game.ndjson").write_bytes(export)
    status, told = oraclewheel("analyse", "game.ndjson", "--seq", "900-901")

    assert 1 == status
    assert "These commits contain no decision to analyze; the last commit of the game is" in told


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: b"", "AUD-01"),
        (lambda data: b"\x00\xff\n", "AUD-01"),
        (lambda data: b'{"a": 1}\n', "AUD-01"),
        (lambda data: data[:-40], "AUD-01"),
        (lambda data: data.replace(b'"objects":5', b'"objects":4'), "AUD-0"),
    ],
)
def test_damaged_or_forged_file_fails_the_audit_with_a_message(oraclewheel, export, change, words):
    Path("game.ndjson").write_bytes(change(export))
    status, told = oraclewheel("analyse", "game.ndjson")

    assert 1 == status
    assert "The file fails the audit" in told
    assert words in told
    assert "Traceback" not in told


def test_running_game_is_refused(oraclewheel):
    Path("game.ndjson").write_bytes(nim((3, 1)).export())
    status, told = oraclewheel("analyse", "game.ndjson")

    assert 1 == status
    assert "The game is still running" in told
