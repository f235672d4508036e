"""Data that rounds need but do not measure is made once per release, and completely or not at all."""

import subprocess
import sys
from pathlib import Path

import pytest

from bench import kept, rounds
from bench.machine import release
from bench.measure import Row


def test_data_is_made_only_by_the_first_request(monkeypatch, tmp_path):
    monkeypatch.setenv(kept.FOLDER, str(tmp_path))

    def made(said):
        return kept.kept("games", lambda folder: (folder / "game").write_text(said)) / "game"

    assert ["first", "first"] == [made("first").read_text(), made("second").read_text()]


def test_incomplete_data_is_made_again(monkeypatch, tmp_path):
    monkeypatch.setenv(kept.FOLDER, str(tmp_path))

    def broken(folder):
        (folder / "half").touch()
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError, match="disk"):
        kept.kept("games", broken)
    whole = kept.kept("games", lambda folder: (folder / "game").touch())

    assert ["game"] == [each.name for each in whole.iterdir()]


def test_rounds_of_a_release_share_data_and_two_releases_do_not(monkeypatch, tmp_path):
    old, new, row, seen = tmp_path / "old", tmp_path / "new", Row("row", 1, "x", at_least=True), {}

    def a_round(part: str, tree: Path, folder: Path):
        seen.setdefault(tree.name, []).append((folder, folder.is_dir()))
        return [row.got(1)]

    monkeypatch.setattr(rounds, "_round", a_round)
    rounds.measured("rules", [old, new], 3, lambda tree, sample: None)

    assert [3, 3] == [len(folders) for folders in seen.values()]
    assert [1, 1] == [len(set(folders)) for folders in seen.values()]
    assert seen["old"][0] != seen["new"][0]
    assert seen["old"][0][1]
    assert not seen["old"][0][0].exists()


def test_data_without_a_shared_folder_is_deleted_with_the_process(monkeypatch):
    monkeypatch.delenv(kept.FOLDER, raising=False)
    code = "from bench.kept import kept\nprint(kept('games', lambda folder: None).is_dir())\nprint(kept('games', None))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=rounds.ROOT, capture_output=True, text=True, check=True
    ).stdout.split()

    assert done[0] == "True"
    assert not Path(done[1]).exists()


def test_release_is_named_by_its_commit(tmp_path):
    def git(*command):
        subprocess.run(["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", *command], check=True)

    assert release(tmp_path) == "a tree without a commit"
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "first")
    clean = release(tmp_path)
    (tmp_path / "file").touch()

    assert 1 == len(clean.split(" of ")[0].split())
    assert release(tmp_path) == f"{clean} with changes"
