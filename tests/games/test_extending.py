"""Follows the tutorials of `docs/extending.md` in a copy of the project: writes files, adds lines, and runs commands."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "extending.md"
COPIED = (
    "domain",
    "service",
    "workers",
    "tools",
    "tests",
    "docs",
    "openapi.yaml",
    "pyproject.toml",
    "README.md",
    "LICENSE",
)
LEFT = shutil.ignore_patterns("__pycache__", "*.ndjson", Path(__file__).name)
"""The copy omits recordings and this test."""
WORD = {
    "python": [sys.executable],
    "oraclewheel": [sys.executable, "-c", "from service.cli import main; main()"],
    # Writes the entry points of the copy next to it, without a change to the installed project.
    "pip": [sys.executable, "-c", "from setuptools import setup; setup(script_args=['-q', 'egg_info'])"],
}
RUFF = [sys.executable, "-m", "ruff"]


@dataclass(frozen=True)
class Tutorial:
    """One chapter of the page."""

    files: dict[str, str]
    """New files: path and content."""
    lines: list[tuple[str, str]]
    """Paths, and diff blocks with lines to add to these files."""
    commands: list[list[str]]


def tutorial(heading):
    """The chapter whose heading starts with this text."""
    chapter = next(part for part in PAGE.read_text(encoding="utf-8").split("\n## ") if part.startswith(heading))
    files, lines, commands, path = {}, [], [], None
    for bold, language, block in re.findall(
        r"^\*\*`(.+?)`\*\*$|^```(\w+)\n(.*?)^```$", chapter, re.MULTILINE | re.DOTALL
    ):
        if bold:
            path = bold
        elif language == "python":
            files[path] = block
        elif language == "diff":
            lines.append((path, block))
        elif language == "console":
            commands += [shlex.split(line.removeprefix("$ ")) for line in block.splitlines()]
    return Tutorial(files, lines, commands)


def added(text, block):
    """The text with the new lines of the block inserted. Its context lines must occur exactly once."""
    rows = block.splitlines(keepends=True)
    old = "".join(row[1:] for row in rows if row.startswith(" "))
    new = "".join(row[1:] for row in rows)
    assert 1 == text.count(old), old
    return text.replace(old, new)


@pytest.fixture
def project(tmp_path):
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=LEFT)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run(project, command):
    told = subprocess.run(
        [*WORD.get(command[0], command[:1]), *command[1:]],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project), "PYTEST_ADDOPTS": "-n 0"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert 0 == told.returncode, f"{shlex.join(command)}\n{told.stdout}\n{told.stderr}"
    return told.stdout


def done(project, chapter):
    """Write the chapter's files, add its lines, run its commands, and return their outputs."""
    for path, text in chapter.files.items():
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
    for path, block in chapter.lines:
        target = project / path
        target.write_text(added(target.read_text(encoding="utf-8"), block), encoding="utf-8")
    for check in (["check"], ["format", "--check"]):
        changed = {*chapter.files, *(path for path, _ in chapter.lines)}
        run(project, [*RUFF, *check, "-q", *(path for path in sorted(changed) if path.endswith(".py"))])
    return [run(project, command) for command in chapter.commands]


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_tutorial_adds_a_module_with_one_file_and_one_line(project):
    chapter = tutorial("Add a module for Battalia")
    assert ["domain/games/battalia/modules/plague.py"] == list(chapter.files)
    simulated, _ = done(project, chapter)

    assert re.search(r"plague_came in a game +mean [1-9]", simulated)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_tutorial_adds_a_game_with_one_folder_and_one_line(project):
    chapter = tutorial("Add a game")
    assert {"domain/games/pig"} == {str(Path(path).parent) for path in chapter.files}
    _, simulated, *_ = done(project, chapter)

    assert "ends: points (PIG-04)       100 %" in simulated
    assert 1 == len(list((project / "tests" / "recordings").glob("pig-2-points-*.ndjson")))


def test_lines_are_added_only_where_the_context_lines_match():
    assert "a\nb\nc\n" == added("a\nc\n", " a\n+b\n c\n")
    with pytest.raises(AssertionError):
        added("a\nx\nc\n", " a\n+b\n c\n")
