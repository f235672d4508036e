"""`backup --verify` checks a backup in place, without restoring or changing it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from service.cli import main
from tests.hostile.test_backup import data, made, pennies  # noqa: F401 - fixtures


@pytest.fixture
def kept(data, tmp_path, monkeypatch):  # noqa: F811
    """A backup, on a machine whose settings name an external Redis."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", "redis://:sesame@example:6379/0")
    return tmp_path / "b", made(data, tmp_path / "b")


def look(folder):
    told = CliRunner().invoke(main, ["backup", "--verify", str(folder)])
    return told.exit_code, told.output


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_verify_accepts_a_complete_backup_and_changes_no_file(kept, tmp_path):
    folder, note = kept
    before = files(tmp_path)
    status, told = look(folder)

    assert 0 == status, told
    assert f"{note.games} games with {note.commits} commits, every chain verified; made 20" in told
    assert before == files(tmp_path), "nothing is changed, and nothing is left beside it"


def test_verify_rejects_a_changed_incomplete_or_missing_backup(kept, tmp_path):
    folder, note = kept
    path = next((folder / "appendonlydir").glob("*.incr.aof"))
    content = path.read_bytes()
    path.write_bytes(content[:-4])
    assert (1, True) == (look(folder)[0], "was changed after the backup" in look(folder)[1])
    path.write_bytes(content)
    told = json.loads((folder / "backup.json").read_text())
    (folder / "backup.json").write_text(json.dumps({**told, "commits": note.commits + 1}))
    assert "does not contain the games" in look(folder)[1]
    path.unlink()
    assert "is missing" in look(folder)[1]
    status, told = look(tmp_path / "none")
    assert (1, True) == (status, "is not a backup" in told)
