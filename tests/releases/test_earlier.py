"""Which release came before this one is found in the history, whatever became of its commits."""

import os
import subprocess

import pytest

from domain import RELEASE
from tests.releases import earlier


@pytest.fixture
def history(tmp_path, monkeypatch):
    """A history whose commits are called as they are told, oldest first; what was made of each can be asked for by its name."""
    folder = tmp_path / "history"
    (folder / "domain").mkdir(parents=True)
    monkeypatch.setattr(earlier, "ROOT", folder)
    monkeypatch.delenv("EARLIER_RELEASE", raising=False)

    def git(*arguments):
        known = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false"]
        environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        return subprocess.run(
            ["git", *known, *arguments], cwd=folder, env=environ, check=True, capture_output=True
        ).stdout

    def commit(release, other):
        (folder / "other").write_text(other)
        (folder / earlier.NAMED).write_text(f'RELEASE = "{release}"\n')
        git("add", "--all")
        git("commit", "--quiet", "--message", other)

    git("init", "--quiet")
    commit.git = git
    return commit


def what_is_there():
    found = earlier.revision()
    return None if found is None else earlier.git("show", f"{found}:other").decode()


def test_without_a_tag_it_is_the_last_commit_that_was_called_otherwise(history):
    for release, other in (
        ("0.0.8", "one"),
        ("0.0.9", "two"),
        ("0.0.9", "three"),
        (RELEASE, "four"),
        (RELEASE, "five"),
    ):
        history(release, other)

    assert "three" == what_is_there()


def test_before_the_new_name_is_committed_it_is_the_newest_commit(history):
    history("0.0.9", "one")
    history("0.0.9", "two")

    assert "two" == what_is_there()


def test_the_newest_tag_behind_us_comes_first(history):
    history("0.0.9", "one")
    history.git("tag", "v0.0.9")
    history("0.0.10", "two")
    history.git("tag", "v0.0.10")
    history("0.0.10", "three")
    history(RELEASE, "four")
    assert "two" == what_is_there()

    history.git("tag", f"v{RELEASE}")
    assert "two" == what_is_there(), "a tag of this very commit is not behind us"
    history(RELEASE, "five")
    assert "four" == what_is_there(), "what is not tagged yet is compared with what is"


def test_where_the_history_does_not_go_so_far_there_is_none(history, tmp_path, monkeypatch):
    history(RELEASE, "one")
    assert None is what_is_there()
    history(RELEASE, "two")
    assert None is what_is_there()
    monkeypatch.setattr(earlier, "ROOT", tmp_path)
    assert None is what_is_there()


def test_two_trees_of_one_name_are_told_apart_and_the_present_one_stays_as_it_is(tmp_path):
    copy = earlier.present(tmp_path / "copy", RELEASE)

    assert f"{RELEASE}+next" == earlier.release_of(copy)
    assert RELEASE == earlier.release_of(earlier.ROOT)
    assert earlier.ROOT == earlier.present(tmp_path / "another", "0.0.9")
    assert (copy / "service" / "cli" / "__init__.py").exists()
    assert (copy / "docs" / "play" / "nim.md").exists()
