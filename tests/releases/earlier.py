"""The release before this one, found in the history of this folder; and trees of both that can run side by side."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from domain import RELEASE
from tests.workers.crew import ROOT

PARTS = ("domain", "service", "workers", "docs/play", "pyproject.toml")
NAMED = "domain/__init__.py"
"""The file that says which release a tree is."""


def git(*arguments: str) -> bytes:
    """What git says of this folder; raises `subprocess.CalledProcessError`, or `OSError` where there is none."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True).stdout


def revision() -> str | None:
    """The newest tag behind us, else the last commit that had another release's name; None where the history does not go so far.

    ``EARLIER_RELEASE`` names another one.
    """
    if told := os.environ.get("EARLIER_RELEASE"):
        return told
    try:
        here = git("rev-parse", "HEAD").decode().strip()
        for tag in git("tag", "--merged", "HEAD", "--sort=-version:refname", "--list", "v[0-9]*").decode().split():
            if git("rev-parse", f"{tag}^{{commit}}").decode().strip() != here:
                return tag
        changes = git("log", "--format=%H", "--", NAMED).decode().split()
        for each in ["HEAD", *(f"{commit}^" for commit in changes)]:
            if named(git("show", f"{each}:{NAMED}").decode()) != RELEASE:
                return each
    except (OSError, subprocess.CalledProcessError):
        return None  # no history, or one that ends here
    return None


def named(text: str) -> str | None:
    """The release that the file says."""
    found = re.search(r'^RELEASE = "(.+)"$', text, re.MULTILINE)
    return None if found is None else found[1]


def release_of(tree: Path) -> str:
    found = named((tree / NAMED).read_text())
    assert found is not None
    return found


def earlier(revision: str, folder: Path) -> Path:
    """The tree of a revision, written into a new folder."""
    folder.mkdir()
    with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", revision, *PARTS))) as packed:
        packed.extractall(folder, filter="data")
    return folder


def present(folder: Path, other: str) -> Path:
    """This tree; where it has the name of the other release still, a copy that has one of its own."""
    if other != RELEASE:
        return ROOT
    folder.mkdir()
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        (folder / part).parent.mkdir(exist_ok=True)
        copy(ROOT / part, folder / part)
    text = (folder / NAMED).read_text()
    (folder / NAMED).write_text(text.replace(f'RELEASE = "{RELEASE}"', f'RELEASE = "{RELEASE}+next"'))
    return folder
