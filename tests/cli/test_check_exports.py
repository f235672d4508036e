"""`check-release` on files and on the archive: it replays games and reports differences and damage."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from domain import RELEASE
from service.cli.checking import files
from service.cli.commands import check_release
from service.cli.commands.audit import AuditProgress
from service.store.codec import canonical
from service.store.ports.side_data import GameData
from service.store.shared import archive_object
from service.store.shared.object_storage import ObjectStorage
from tests.audit.games import running
from tests.store.bucket import bucket
from tests.workers.crew import ROOT

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

RECORDINGS = ROOT / "tests" / "recordings"
NIM = sorted(RECORDINGS.glob("nim-*.ndjson"))
GAMES = [path.read_bytes() for path in NIM]
MONTH = b"".join(GAMES)
COMMITS = MONTH.count(b'"line":"commit"')
SOUND = f"{len(NIM)} games, {COMMITS} commits replayed; none diverges."


@pytest.fixture(autouse=True)
def quietly(monkeypatch):
    """Disable progress output, which on a busy machine could appear anywhere in the output."""
    monkeypatch.setattr(check_release, "AuditProgress", lambda *_, **__: lambda *_: None)


def told(found):
    """The line with the overall result."""
    (line,) = (line for line in found[1].splitlines() if line.startswith(f"Release {RELEASE}: "))
    return line.partition(": ")[2]


@pytest.mark.soak
def test_every_recording_replays_equally_on_all_cores_with_progress(oraclewheel, monkeypatch):
    monkeypatch.setattr(check_release, "AuditProgress", partial(AuditProgress, every=0))
    every = sorted(RECORDINGS.glob("*.ndjson"))
    commits = sum(path.read_bytes().count(b'"line":"commit"') for path in every)
    found = oraclewheel("check-release", "--exports", RECORDINGS)

    assert 0 == found[0]
    assert f"{len(every)} games, {commits} commits replayed; none diverges." == told(found)
    assert f"Checked {len(every)} of {len(every)}." in found[1]


def test_changed_rule_is_found_with_the_first_different_commit_and_its_clause(tmp_path):
    """The changed copy of the rules allows at most three objects to be taken from a heap."""
    shutil.copytree(ROOT / "domain", tmp_path / "domain", ignore=shutil.ignore_patterns("__pycache__"))
    rules = tmp_path / "domain" / "games" / "nim" / "game.py"
    changed = rules.read_text().replace("1 <= command.objects <= size", "1 <= command.objects <= min(size, 3)")
    assert changed != rules.read_text()
    rules.write_text(changed)
    first = {}
    for path in NIM:
        for line in map(json.loads, path.read_bytes().splitlines()):
            for event in line.get("body", {}).get("events", ()):
                if event["type"] == "objects_taken" and event["objects"] > 3:
                    first.setdefault(path.name, line["header"]["seq"])

    command = [sys.executable, "-c", "from service.cli import main; main()"]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    call = [*command, "check-release", "--exports", str(RECORDINGS), "--kind", "nim", "--json"]
    done = subprocess.run(call, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False, timeout=250)
    document = json.loads(done.stdout)

    assert 1 == done.returncode
    assert not document["ok"]
    assert first
    assert first == {Path(each["where"]).name: each["seq"] for each in document["found"]}
    assert {("nim", "NIM-03", "AUD-09")} == {(e["kind"], e["rule"], e["check"]) for e in document["found"]}
    assert all("'not-in-heap'" in e["what"] or '"code":"not-in-heap"' in e["what"] for e in document["found"])


def contents(data):
    """The content of an archive object."""
    return archive_object.written("g", GameData({b"status": b"over"}, {}, {}, {}, at=1), data)


def boxed(data):
    return archive_object.packed(contents(data))


WRITTEN = {
    "games one after another": [("month.ndjson", MONTH)],
    "a frame for each": [("games.ndjson.zst", b"".join(map(zstd.compress, GAMES)))],
    "all in one frame": [("month.zst", zstd.compress(MONTH))],
    "frames that end anywhere": [
        ("month.zst", b"".join(zstd.compress(MONTH[at : at + 999]) for at in range(0, len(MONTH), 999)))
    ],
    "a frame to be skipped first": [("month.zst", b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc" + zstd.compress(MONTH))],
    "objects of the archive": [(f"ab/{number}.zst", boxed(data)) for number, data in enumerate(GAMES)],
    "a file by another name": [("month.txt", MONTH)],
}


def put(folder, written):
    for name, data in written:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("how", WRITTEN)
@pytest.mark.parametrize("jobs", [1, 2])
def test_exports_are_found_in_every_file_format(oraclewheel, tmp_path, how, jobs):
    folder = put(tmp_path / "exports", WRITTEN[how])
    named = folder / "month.txt" if how == "a file by another name" else folder
    found = oraclewheel("check-release", "--jobs", jobs, "--exports", named)

    assert (0, SOUND) == (found[0], told(found)), found[1]


def test_separate_games_in_a_file_are_separate_pieces(tmp_path):
    put(tmp_path, [*WRITTEN["a frame for each"], *WRITTEN["games one after another"]])

    assert [len(GAMES)] * 2 == [len(list(files.pieces(path))) for path in files.files_in([tmp_path, tmp_path])]


FLIPPED = bytearray(zstd.compress(MONTH))
FLIPPED[len(FLIPPED) // 2] ^= 8
BAD = {
    "cut off": ("bad.ndjson", GAMES[0][:-100]),
    "a byte is another": ("bad.ndjson", GAMES[0].replace(b'"started":1', b'"started":2', 1)),
    "no line of an export": ("bad.ndjson", b"hello\n" * 99),
    "bytes of chance": ("bad.ndjson", bytes(range(256)) * 9),
    "empty": ("bad.ndjson", b""),
    "empty and packed": ("bad.zst", b""),
    "packed and cut off": ("bad.zst", zstd.compress(GAMES[0])[:-50]),
    "packed and garbled": ("bad.zst", bytes(FLIPPED)),
    "not packed": ("bad.zst", b"hello"),
    "a box without a game": ("bad.zst", boxed(b"")),
}


@pytest.mark.parametrize("how", BAD)
def test_damaged_file_is_reported_and_the_others_are_checked(oraclewheel, tmp_path, how):
    folder = put(tmp_path, [("month.ndjson", MONTH), BAD[how]])
    status, output = oraclewheel("check-release", "--exports", folder)

    assert 1 == status
    assert any(BAD[how][0] in line for line in output.splitlines()), output
    assert "cannot be read" in output.splitlines()[-1]
    assert "none diverges" in output.splitlines()[-1]
    assert "Traceback" not in output


def rewritten(at, change):
    """The first game with one changed JSON line and a corrected digest of the file. The rules are not affected."""
    lines = [json.loads(line) for line in GAMES[0].splitlines()]
    change(lines[at])
    before = b"".join(canonical(line) + b"\n" for line in lines[:-1])
    end = {**lines[-1], "sha256": hashlib.sha256(before).hexdigest()}
    end["signatures"] = [each for each in end["signatures"] if each["of"] == "head"]
    return before + canonical(end) + b"\n"


def another(name, value):
    return lambda line: line["header"].update({name: value})


UNSOUND = {
    "a head before it": (5, another("previous", "ab" * 32), "AUD-03: seq 5"),
    "a time before the one before": (6, another("at", 1), "AUD-03: seq 6"),
    "a place in the chain": (7, another("seq", 8), "AUD-03: seq 7"),
    "the digest of a body": (4, another("digest", "cd" * 32), "AUD-03: seq 5"),
    "a salt": (4, lambda line: line.update(salt="ef" * 32), "AUD-07: seq 4"),
    "the last head": (-1, lambda line: line.update(head="ab" * 32), "AUD-03"),
    "how many there are": (-1, lambda line: line.update(commits=3), "AUD-02"),
}


@pytest.mark.parametrize("how", UNSOUND)
def test_inconsistent_export_is_reported_and_not_counted(oraclewheel, tmp_path, how):
    at, change, words = UNSOUND[how]
    put(tmp_path, [("month.ndjson", MONTH.removeprefix(GAMES[0])), ("bad.ndjson", rewritten(at, change))])
    status, output = oraclewheel("check-release", "--exports", tmp_path)

    assert 1 == status
    assert f"bad.ndjson: {json.loads(GAMES[0].splitlines()[0])['game']} (nim): {words}" in output
    sound = COMMITS - GAMES[0].count(b'"line":"commit"')
    assert f"{len(NIM)} games, {sound} commits replayed; none diverges, 1 cannot be read." == told((status, output))


def test_chain_of_a_running_game_is_checked(oraclewheel, tmp_path):
    lines = running().splitlines(keepends=True)
    data = b"".join([*lines[:2], lines[3], lines[2], *lines[4:-1]])
    end = {**json.loads(lines[-1]), "sha256": hashlib.sha256(data).hexdigest(), "signatures": []}
    (tmp_path / "running.ndjson").write_bytes(data + canonical(end) + b"\n")
    status, output = oraclewheel("check-release", "--exports", tmp_path)

    assert (1, True) == (status, "AUD-03: seq 2" in output), output
    assert "1 cannot be read" in output


def test_pipe_is_reported_and_not_opened(oraclewheel, tmp_path):
    """Opening a pipe without a writer would block forever."""
    os.mkfifo(tmp_path / "pipe.ndjson")
    for place in (tmp_path, tmp_path / "pipe.ndjson"):
        status, output = oraclewheel("check-release", "--exports", place)
        assert (1, True) == (status, "pipe.ndjson: AUD-01: the file: it is damaged: it is not a regular file" in output)


def test_result_can_be_printed_as_json(oraclewheel, tmp_path):
    folder = put(tmp_path, [("month.ndjson", MONTH), BAD["a byte is another"]])
    status, output = oraclewheel("check-release", "--exports", folder, "--json")
    document = json.loads(output)
    (wrong,) = document.pop("found")

    assert 1 == status
    counted = {"games": len(NIM) + 1, "commits": COMMITS, "decided": len(NIM), "unreadable": 1, "running": 0}
    assert {"release": RELEASE, "ok": False, **counted} == document
    assert ("unreadable", "AUD-02", "nim", None) == tuple(wrong[name] for name in ("state", "check", "kind", "rule"))
    assert str(tmp_path / "bad.ndjson") == wrong["where"]


def test_game_above_the_size_limit_is_refused(oraclewheel, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGEST", len(MONTH) // 2)
    put(tmp_path, [("large.ndjson", MONTH.replace(b"\n", b" "))])
    status, output = oraclewheel("check-release", "--exports", tmp_path)

    assert 1 == status
    assert "large.ndjson: AUD-01" in output
    assert "a game cannot be larger than" in output


def test_running_game_is_counted_but_not_replayed(oraclewheel, tmp_path):
    (tmp_path / "running.ndjson").write_bytes(running())
    found = oraclewheel("check-release", "--exports", tmp_path)

    assert 0 == found[0]
    assert told(found).endswith("none diverges, 1 still running and not replayed.")


@pytest.mark.parametrize(
    "arguments", [["g1", "--archive"], ["--archive", "--exports", "."], ["--exports", "."], ["--exports", "nowhere"]]
)
def test_invalid_arguments_end_with_status_2(oraclewheel, arguments):
    assert 2 == oraclewheel("check-release", *arguments)[0]


def test_missing_archive_setting_is_an_error(oraclewheel, monkeypatch):
    monkeypatch.delenv("ORACLEWHEEL_ARCHIVE", raising=False)
    assert (1, "Error: No archive is configured: ORACLEWHEEL_ARCHIVE is empty.\n") == oraclewheel(
        "check-release", "--archive"
    )


@pytest.fixture(params=["a folder", pytest.param("a bucket", marks=pytest.mark.soak)])
def archive(request, tmp_path):
    """The URL of an archive, and the environment variables for it."""
    if request.param == "a folder":
        yield f"file://{tmp_path}/archive", {}
        return
    with bucket() as (url, environ, _):
        yield url, environ


def checked(tmp_path, url, environ):
    """The command's result for an archive, in a new process."""
    call = [sys.executable, "-c", "from service.cli import main; main()", "check-release", "--archive", "--jobs", "2"]
    known = {**os.environ, **environ, "ORACLEWHEEL_ARCHIVE": url, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(call, cwd=tmp_path, env=known, capture_output=True, text=True, check=False, timeout=250)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


@pytest.mark.soak
def test_every_archive_object_is_checked_and_damaged_ones_are_reported(archive, tmp_path, monkeypatch):
    url, environ = archive
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    objects = ObjectStorage(url)
    for data in GAMES:
        content = contents(data)
        objects.put(archive_object.name_of(content), archive_object.packed(content))
    found = checked(tmp_path, *archive)
    assert (0, SOUND) == (found[0], told(found)), found[1]

    bad = archive_object.name_of(b"another")
    objects.put(bad, archive_object.packed(b"something"))
    status, output = checked(tmp_path, *archive)
    assert 1 == status
    assert f"the object {bad.hex()} of a game is damaged: it is not what its name says" in output
    assert "none diverges, 1 cannot be read" in output


def test_missing_archive_folder_is_reported_and_not_created(tmp_path):
    status, output = checked(tmp_path, f"file://{tmp_path}/nowhere", {})

    assert (1, f"Error: The archive cannot be read: the folder {tmp_path}/nowhere does not exist.") == (
        status,
        output.strip(),
    )
    assert not (tmp_path / "nowhere").exists()
