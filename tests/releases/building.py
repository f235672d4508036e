"""Build the packages of a release: `python -m tests.releases.building` builds sdist and wheel from its tag (`make release`).

Two builds are identical byte for byte: the files are those of the tag, every timestamp is that of its commit, and the tools
are those that `pyproject.toml` pins."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from domain import RELEASE

ROOT = Path(__file__).resolve().parents[2]
SUMS = "SHA256SUMS"
_NEWEST = re.compile(r"^## (\d\S*) \((\d{4}-\d\d-\d\d)\)$", re.MULTILINE)


class NotReady(Exception):
    """The reason that nothing can be built, in one sentence."""


def names(tree: Path) -> dict[str, str | None]:
    """Return the release that each file of a tree names; None if it names none."""

    def said(file: str, words: str) -> str | None:
        found = re.search(words, (tree / file).read_text(encoding="utf-8"), re.MULTILINE)
        return None if found is None else found[1]

    return {
        "pyproject.toml": tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"],
        "domain/__init__.py": said("domain/__init__.py", r'^RELEASE = "(.+)"$'),
        "openapi.yaml": said("openapi.yaml", r"^  version: (\S+)$"),
        "compose.yaml": said("compose.yaml", r"^  image: oraclewheel:(\S+)$"),
        "CHANGELOG.md": said("CHANGELOG.md", _NEWEST.pattern),
    }


def git(*arguments: str, at: Path) -> bytes:
    """Run git and return its output; raise `NotReady` with its error message."""
    done = subprocess.run(["git", *arguments], cwd=at, check=False, capture_output=True)
    if done.returncode:
        raise NotReady(done.stderr.decode().strip())
    return done.stdout


def checked_out(tag: str, folder: Path, at: Path) -> Path:
    """Check out a tag into the new folder; raise `NotReady` unless all its files name this release."""
    if not git("tag", "--list", tag, at=at):
        raise NotReady(f"there is no tag {tag}: docs/releasing.md says how it is made")
    folder.mkdir()
    with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", tag, at=at))) as packed:
        packed.extractall(folder, filter="data")
    wrong = [f"{file} says {said}" for file, said in names(folder).items() if f"v{said}" != tag]
    if wrong:
        raise NotReady(f"the tag is {tag}, and {', '.join(wrong)}")
    return folder


def built(tree: Path, to: Path, epoch: int) -> list[Path]:
    """Build sdist and wheel of a tree with this timestamp; raise `NotReady` if the tools fail."""
    environ = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "PYTHONDONTWRITEBYTECODE": "1"}
    before = os.umask(0o022)
    try:
        for kind in ("--sdist", "--wheel"):
            call = [sys.executable, "-m", "build", "--no-isolation", kind, "--outdir", str(to), str(tree)]
            done = subprocess.run(call, cwd=tree, env=environ, check=False, capture_output=True, text=True)
            if done.returncode:
                raise NotReady(f"it cannot be built: {done.stderr.strip()[-2000:]}")
    finally:
        os.umask(before)
    (sdist,), (wheel,) = to.glob("*.tar.gz"), to.glob("*.whl")
    level(sdist, epoch)
    return [sdist, wheel]


def level(sdist: Path, epoch: int) -> None:
    """Rewrite an sdist without the user and the time of packing, which setuptools includes."""
    packed = io.BytesIO()
    with tarfile.open(sdist) as old, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda each: each.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    with sdist.open("wb") as file, gzip.GzipFile("", "wb", 9, file, epoch) as out:
        out.write(packed.getvalue())


def release(tag: str, to: Path, at: Path = ROOT) -> list[str]:
    """Build the tag of a repository into the folder ``to``; return the lines of SHA256SUMS. Raise `NotReady` if that is impossible."""
    with tempfile.TemporaryDirectory(prefix="ow-") as folder:
        tree = checked_out(tag, Path(folder) / "tree", at)
        epoch = int(git("log", "-1", "--format=%ct", tag, at=at))
        stage = Path(folder) / "built"
        stage.mkdir()
        files = built(tree, stage, epoch)
        to.mkdir(parents=True, exist_ok=True)
        lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in files]
        for file in files:
            (to / file.name).write_bytes(file.read_bytes())
    (to / SUMS).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return lines


if __name__ == "__main__":
    try:
        print(*release(sys.argv[1] if len(sys.argv) > 1 else f"v{RELEASE}", Path("dist")), sep="\n")
    except NotReady as reason:
        sys.exit(f"Error: {reason}.")
