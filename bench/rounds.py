"""Rounds of measurements, each in its own process; with two releases, one round of each after the other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.kept import FOLDER
from bench.measure import Row, Sample

ROOT = Path(__file__).resolve().parents[1]

OURS = ("bench", "tools")
"""The packages of this checkout that a round uses with any product."""


class Failed(RuntimeError):
    """A round failed; its own output is above."""


def measured(
    part: str, trees: Sequence[Path], rounds: int, heard: Callable[[Path, Sample], None]
) -> dict[Path, list[Sample]]:
    """Run so many rounds of a part with every tree in turn; calls ``heard`` with each sample.

    Data that a round needs but does not measure is created in the first one of each tree, and cached for the others
    (`bench.kept`).
    """
    found: dict[Path, list[Sample]] = {tree: [] for tree in trees}
    with tempfile.TemporaryDirectory(prefix="ow-kept-") as folder:
        for number in range(rounds):
            for place, tree in list(enumerate(trees))[:: 1 if number % 2 == 0 else -1]:
                kept = Path(folder) / str(place)
                kept.mkdir(exist_ok=True)
                for sample in _round(part, tree, kept):
                    found[tree].append(sample)
                    heard(tree, sample)
    return found


def _round(part: str, tree: Path, kept: Path) -> list[Sample]:
    with tempfile.TemporaryDirectory(prefix="ow-round-") as folder:
        beside(Path(folder), tree)
        environ = {**os.environ, "PYTHONPATH": folder, FOLDER: str(kept)}
        command = [str(python_of(tree)), "-m", "bench.once", part]
        done = subprocess.run(command, cwd=folder, env=environ, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise Failed(f"The part {part!r} failed with the release in {tree}.")
    return [_sample(json.loads(line)) for line in done.stdout.splitlines()]


def beside(folder: Path, tree: Path) -> None:
    """Fill a folder with links to these benchmarks and to the product of ``tree``."""
    for each in tree.iterdir():
        if each.name not in (*OURS, "data", "build", ".env") and not each.name.startswith("."):
            (folder / each.name).symlink_to(each)
    for name in OURS:
        (folder / name).symlink_to(ROOT / name)


def python_of(tree: Path) -> Path:
    """The Python of the tree's own virtual environment, otherwise the one that runs this."""
    own = tree / ".venv" / "bin" / "python"
    return own if own.exists() and tree != ROOT else Path(sys.executable)


def _sample(told: dict) -> Sample:
    return Sample(Row(**told["row"]), told["value"], told["detail"])
