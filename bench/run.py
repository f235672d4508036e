"""The complete benchmark: every part in rounds, with the results on the screen and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.machine import machine, release
from bench.measure import Result, Sample, compared, gathered, markdown, table
from bench.rounds import ROOT, measured


def run(parts: Sequence[str], rounds: int, against: Path | None, into: Path | None) -> bool:
    """Measure, print, write; whether every limit that can be measured here is kept."""
    trees = [ROOT] if against is None else [against.resolve(), ROOT]
    here = f"{machine()}.\n\n{_said(rounds, against)}"
    print(here + "\n", flush=True)
    found: dict[Path, list[Sample]] = {tree: [] for tree in trees}
    for part in parts:
        for tree, samples in measured(part, trees, rounds, _heard).items():
            found[tree] += samples
    now = gathered(found[ROOT])
    before = gathered(found[trees[0]]) if against is not None else []
    print("\n" + table(now))
    if before:
        print("\n" + compared(before, now))
    if into is not None:
        into.write_text(f"{here}\n\n{markdown(now, before)}\n", encoding="utf-8")
    return all(result.kept is not False for result in now)


def _said(rounds: int, against: Path | None) -> str:
    counted = f"Medians of {rounds} rounds; in brackets the least and the most of them." if rounds > 1 else "One round."
    measured = f"Measured: {release(ROOT)}"
    return f"{counted} {measured}." if against is None else f"{counted} {measured}; before: {release(against)}."


def _heard(tree: Path, sample: Sample) -> None:
    which = "now" if tree == ROOT else "before"
    print(f"  {which:<6} {Result(sample.row, (sample,)).line()[8:]}", flush=True)
