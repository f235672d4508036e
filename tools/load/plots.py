"""Charts of the report: throughput and latency over the time of the test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tools.load.playing import SETTLED
from tools.load.report import WORDS, Report
from tools.load.tally import Times, percentiles
from tools.load.watching import TOLD

PIECES = 60
"""Maximum number of intervals of the test."""

EACH = 10
"""Minimum average number of values in an interval: fewer give no useful percentiles."""

POINTS = 200
"""Maximum number of points of a curve."""


def plot(report: Report, folder: Path) -> list[Path]:
    """Draw the report into SVG files of a folder, which is created; returns the files."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": "load", "svg.fonttype": "none"})
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, draw in (("throughput", _throughput), ("latency", _latency), ("distribution", _distribution)):
        figure = Figure(figsize=(9, 4.5), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.subplots(), report)
        files.append(folder / f"load-{name}.svg")
        figure.savefig(files[-1], format="svg", metadata={"Date": None})
    return files


def _cut(times: Times, seconds: float) -> tuple[float, list[list[float]]]:
    length = max(1.0, seconds / max(1, min(PIECES, len(times.took) // EACH)))
    pieces: list[list[float]] = [[] for _ in range(max(1, int(seconds / length)))]
    for at, took in zip(times.at, times.took, strict=True):
        if at < length * len(pieces):  # the last interval may be shorter, and would look like a drop
            pieces[int(at / length)].append(took)
    return length, pieces


def _throughput(axes: Any, report: Report) -> None:
    for what, label in ((SETTLED, "commands settled"), ("view 200", "views, 200"), ("view 304", "views, 304")):
        if report.playing.count(what):
            length, pieces = _cut(report.playing.times[what], report.playing.seconds)
            axes.step(
                [length * n for n in range(len(pieces))], [len(p) / length for p in pieces], where="post", label=label
            )
    axes.set(xlabel="seconds", ylabel="per second", title="Throughput")
    axes.set_ylim(bottom=0)
    axes.legend()


def _latency(axes: Any, report: Report) -> None:
    if report.playing.count(SETTLED):
        length, pieces = _cut(report.playing.times[SETTLED], report.playing.seconds)
        found = [percentiles(piece) for piece in pieces]
        at = [length * n for n in range(len(pieces))]
        for name in ("p50", "p90", "p99"):
            values = [1000 * each[name] if each else float("nan") for each in found]
            axes.step(at, values, where="post", label=name)
        axes.legend()
    axes.set(xlabel="seconds", ylabel="ms", title="Time from submitting a command to its result")
    axes.set_ylim(bottom=0)


def _distribution(axes: Any, report: Report) -> None:
    for what in (SETTLED, TOLD, "view 200", "view 304", "options"):
        if report.playing.count(what):
            ordered = sorted(report.playing.times[what].took)
            count = len(ordered)
            places = sorted({n * (count - 1) // POINTS for n in range(POINTS + 1)})
            shares = [(place + 1) / count for place in places]
            axes.step([1000 * ordered[place] for place in places], shares, where="post", label=WORDS[what])
    axes.set(xlabel="ms", ylabel="share of requests", title="Latency distribution", xscale="log")
    axes.set_ylim(0, 1)
    if axes.lines:
        axes.legend(loc="lower right")
