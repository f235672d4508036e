"""Charts of the results: length, endings, wins, points and counts of many games in one SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import correlation
from typing import Any

from domain.kernel.terms import Seat
from tools.simulation.figures import Result, counted, ends, mean, measured, proportion


def plot(results: Sequence[Result], title: str, file: Path) -> None:
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": title, "svg.fonttype": "none", "text.parse_math": False})
    counts = counted(results)
    room = 1.2 + 0.25 * len(counts) if counts else 0.0
    figure = Figure(figsize=(11, 8 + room), layout="constrained")
    FigureCanvasSVG(figure)
    figure.suptitle(title)
    parts: Any = figure.subfigures(2, height_ratios=(8, room)) if counts else (figure, None)
    above, below = parts
    (length, reasons), (wins, points) = above.subplots(2, 2)
    _length(length, results)
    _ends(reasons, results)
    over = [result for result in results if result.winners]
    if over:
        _wins(wins, over)
        _points(points, over)
    if below is not None:
        _counts(below.subplots(), counts)
    figure.savefig(file, format="svg", metadata={"Date": None})


def _length(axes: Any, results: Sequence[Result]) -> None:
    name = _lasting(results)
    values = [r.measures.get(name, r.commits) for r in results]
    low, high = min(values), max(values)
    bins: Any = [n - 0.5 for n in range(low, high + 2)] if high - low < 60 else 40
    axes.hist(values, bins=bins, color="tab:blue")
    axes.set(xlabel=f"{name} at the end", ylabel="games", title="Length")


def _lasting(results: Sequence[Result]) -> str:
    """The measure that describes a game's length best: the one with the highest correlation with the commits."""
    commits = [r.commits for r in results]
    fit = {"commits": 0.0}
    for name in measured(results):
        values = [r.measures[name] for r in results]
        if len(set(values)) > 1 and len(set(commits)) > 1:
            fit[name] = correlation(values, commits)
    return max(fit, key=lambda name: fit[name])


def _ends(axes: Any, results: Sequence[Result]) -> None:
    counted = ends(results).most_common()[::-1]
    axes.barh([f"{reason} ({clause})" for (reason, clause), _ in counted], [n for _, n in counted], color="tab:green")
    axes.set(xlabel="games", title="How they end")


def _wins(axes: Any, over: Sequence[Result]) -> None:
    seats = range(1, len(over[0].bots) + 1)
    found = [proportion(sum(seat in r.winners for r in over), len(over)) for seat in seats]
    shares = [share for share, _, _ in found]
    errors = [[s - low for s, low, _ in found], [high - s for s, _, high in found]]
    axes.bar(list(seats), shares, yerr=errors, capsize=4, color="tab:orange")
    axes.axhline(1 / len(seats), color="grey", linewidth=1, linestyle="--")
    axes.set(xlabel="seat", ylabel="share of games won", title="Wins, with 95 % intervals", xticks=list(seats))


def _points(axes: Any, over: Sequence[Result]) -> None:
    seats = range(1, len(over[0].bots) + 1)
    axes.boxplot([[r.scores[Seat(seat)] for r in over] for seat in seats], showmeans=True)
    axes.set(xlabel="seat", ylabel="points at the end", title="Points")


def _counts(axes: Any, counts: Mapping[str, Sequence[int]]) -> None:
    names = list(counts)[::-1]
    found = [mean(counts[name]) for name in names]
    axes.barh(names, [middle for middle, _ in found], xerr=[half for _, half in found], capsize=3, color="tab:purple")
    axes.set(xlabel="mean in a game, with 95 % intervals", title="What happens")
