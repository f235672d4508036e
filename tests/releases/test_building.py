"""Built packages of a release: from its tag only, reproducible, and complete."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
import requests

from domain import RELEASE
from tests.releases import building
from tests.releases.building import ROOT, NotReady
from tests.releases.test_image import copied
from tests.workers.test_serve import CLEAN, Instance

TAG = f"v{RELEASE}"
NAMING = ("CHANGELOG.md", "compose.yaml")
"""Files that name the release, in addition to those that the image is built from."""
RUN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def git(folder, *arguments):
    told = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *told, *arguments], cwd=folder, env={**os.environ, **RUN}, check=True, capture_output=True)


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """A git history of one commit with the files of the image and the tag of this release."""
    folder = tmp_path_factory.mktemp("history")
    for name in (*copied(), *NAMING):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
            )
        else:
            shutil.copy(ROOT / name, folder / name)
    changelog = (folder / "CHANGELOG.md").read_text()
    if f"## {RELEASE} (" not in changelog:
        (folder / "CHANGELOG.md").write_text(changelog.replace("## Unreleased", f"## {RELEASE} (2026-12-01)", 1))
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "A release")
    git(folder, "tag", TAG)
    return folder


@pytest.fixture(scope="module")
def dist(history, tmp_path_factory):
    """The output of `make release`."""
    folder = tmp_path_factory.mktemp("dist")
    building.release(TAG, folder, history)
    return folder


@pytest.fixture
def installed(dist, tmp_path):
    """An environment with only the wheel and its dependencies; the path of its programs."""
    place = tmp_path / "environment"
    venv.create(place)
    (wheel,) = dist.glob("*.whl")
    python = place / "bin" / "python"
    call = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run(call, check=True, capture_output=True, env=CLEAN)
    own = sysconfig.get_path("purelib", vars={"base": str(place), "platbase": str(place)})
    # Editable installs of this environment are not found this way.
    Path(own, "needed.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return place / "bin"


def said(program, *arguments, at):
    call = [str(program), *map(str, arguments)]
    done = subprocess.run(call, cwd=at, env=CLEAN, capture_output=True, text=True, check=False, timeout=280)
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout


@pytest.mark.soak
def test_wheel_contains_every_file_of_the_service_and_the_guides(dist):
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        inside = {
            name.replace(f"oraclewheel-{RELEASE}.data/data/share/oraclewheel/", "docs/") for name in packed.namelist()
        }
    wanted = {
        str(path.relative_to(ROOT))
        for part in ("domain", "service", "workers", "tools", "docs/play", "docs/rules")
        for path in (ROOT / part).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.endswith("types.d.ts")
    }

    assert set() == wanted - inside
    assert f"oraclewheel-{RELEASE}-py3-none-any.whl" == wheel.name


@pytest.mark.soak
def test_installed_wheel_reports_its_version_simulates_and_serves(installed, tmp_path):
    program = installed / "oraclewheel"

    assert f"oraclewheel, version {RELEASE}\n" == said(program, "--version", at=tmp_path)
    where = said(
        installed / "python", "-c", "import service, domain; print(service.__file__, domain.__file__)", at=tmp_path
    )
    assert all(str(installed.parent) in each for each in where.split())
    assert "nim" in said(program, "simulate", "--kind", "nim", "--games", "2", at=tmp_path)
    instance = Instance(tmp_path / "one", PYTHONPATH="", ORACLEWHEEL_SETTLE_WORKERS="1", ORACLEWHEEL_SIDE_WORKERS="0")
    instance.program = (str(program),)
    try:
        instance.start()
        looked = {
            path: requests.get(f"{instance.url}{path}", timeout=60)
            for path in ("/openapi.yaml", "/", "/v1/kinds/nim/guide", "/healthz")
        }
        assert {200} == {answer.status_code for answer in looked.values()}
        assert f"version: {RELEASE}" in looked["/openapi.yaml"].text
    finally:
        assert 0 == instance.stop()
    assert "Traceback" not in instance.told()


@pytest.mark.soak
def test_two_builds_are_identical_byte_for_byte(dist, history, tmp_path):
    elsewhere = tmp_path / "a longer name"
    shutil.copytree(history, elsewhere)
    again = building.release(TAG, tmp_path / "again", elsewhere)

    assert 2 == len(again)
    assert (dist / building.SUMS).read_text() == "".join(f"{line}\n" for line in again)
    for file in sorted(dist.iterdir()):
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes(), file.name


@pytest.mark.soak
def test_missing_tag_or_tag_of_another_release_builds_nothing(history, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(history, copy)
    git(copy, "tag", "v9.9.9")
    with pytest.raises(NotReady, match="there is no tag v8"):
        building.release("v8", tmp_path / "dist", copy)
    with pytest.raises(NotReady, match=f"the tag is v9.9.9, and pyproject.toml says {re.escape(RELEASE)}"):
        building.release("v9.9.9", tmp_path / "dist", copy)
    (copy / "compose.yaml").write_text((copy / "compose.yaml").read_text().replace(f":{RELEASE}", ":0.0.9"))
    git(copy, "commit", "--quiet", "--all", "--message", "The image is forgotten")
    git(copy, "tag", "--force", TAG)
    with pytest.raises(NotReady, match=f"the tag is {TAG}, and compose.yaml says 0.0.9"):
        building.release(TAG, tmp_path / "dist", copy)

    assert not (tmp_path / "dist").exists()
