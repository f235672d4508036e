"""The tables and pictures of docs/capacity.md, made from what was measured and simulated: nothing in them is written by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.capacity import day, scenarios

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "capacity"
PAGE = ROOT / "docs" / "capacity.md"
BEGIN, END = "<!-- {} -->", "<!-- end of {} -->"

COSTS = {
    "command api": ("a player's command over HTTP, with what follows from it: API", "ms"),
    "command pump": ("pump", "ms"),
    "command server": ("server", "ms"),
    "view api": ("a view that is read: API", "ms"),
    "due sweeper": ("a game whose day ends: the sweeper, to submit it", "ms"),
    "due sweeper server": ("server meanwhile", "ms"),
    "due pump": ("a commit of what was due: pump", "ms"),
    "due pump server": ("server meanwhile", "ms"),
    "sweep 64": ("a sweep that finds nothing, of 64 partitions", "ms"),
    "sweep 1024": ("of 1,024 partitions", "ms"),
    "news heard": ("a word of news for each process that hears it: server", "ms"),
    "sign of a pump": ("a look at whether a pump lives: the queue's server", "ms"),
    "server calls of a commit": ("commands of the server for a commit", ""),
    "bytes of file of a commit": ("bytes of the append-only file for a commit", ""),
    "bytes of a running game": ("memory of a running game of Battalia with 40 commits, lists and all", "bytes"),
    "bytes of a finished game": ("memory of a finished one", "bytes"),
    "commits of a finished game": ("which has so many commits", ""),
    "games divided a second": ("games that `oraclewheel partitions` carries in a second, by the clock", ""),
}


def data(name: str) -> Any:
    """What was written into the file of that name."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def simulated(measured: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that follows from the measurements, the same each time."""
    costs = measured["costs"]
    return {
        "carried": [scenarios.carried(costs, hosts) for hosts in scenarios.HOSTS],
        "validated": scenarios.validated(costs, measured["crowded"]),
        "evenings": scenarios.evenings(costs),
    }


def parts(measured: Mapping[str, Any], simulated_: Mapping[str, Any]) -> dict[str, str]:
    """The pieces of the page by their names."""
    return {
        "machine": f"Measured on {measured['machine']}.",
        "costs": _costs(measured["costs"]),
        "carried": _carried(simulated_["carried"]),
        "validation": _validation(measured["crowded"], simulated_["validated"]),
        "evenings": _evenings(simulated_["evenings"]),
    }


def filled(text: str, pieces: Mapping[str, str]) -> str:
    """The page with these pieces in their places."""
    for name, piece in pieces.items():
        before, found, rest = text.partition(BEGIN.format(name))
        _, ended, after = rest.partition(END.format(name))
        if not (found and ended):
            raise ValueError(f"the page has no place for {name}")
        text = f"{before}{found}\n{piece}\n{ended}{after}"
    return text


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(["| " + " | ".join(line) + " |" for line in (heads, ["---"] * len(heads), *rows)])


def _number(value: float, unit: str = "") -> str:
    value, unit = (value * 1000, " ms") if unit == "ms" else (value, "")
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 5
    return f"{value:,.{digits}f}{unit}"


def _costs(costs: Mapping[str, float]) -> str:
    return _table(["what", "costs"], [[words, _number(costs[name], unit)] for name, (words, unit) in COSTS.items()])


def _carried(rows: Sequence[Mapping[str, Any]]) -> str:
    heads = [
        "hosts",
        "commands a second",
        "games by post",
        "primaries",
        "of what a command costs them, news",
        "the queue's server",
        "memory of the games",
    ]
    return _table(
        heads,
        [
            [
                f"{row['hosts']:,}",
                f"{row['commands a second']:,}",
                f"{row['games']:,}",
                f"{row['primaries']:,}" if row["primaries"] else "on the host",
                f"{row['news share']:.0%}",
                f"{row['queue']:,.2f} cores" if row["queue"] < 1 else f"**{row['queue']:,.1f} cores**",
                f"{row['bytes'] / 2**30:,.0f} GiB",
            ]
            for row in rows
        ],
    )


def _validation(crowded: Mapping[str, Any], found: Mapping[str, Sequence[float]]) -> str:
    shares = {"half": 0.5, "nine in ten": 0.9, "all": 1.0}
    rows = [[f"{name} of the games within"] for name in shares]
    for late in crowded["seconds late"]:
        for row, share in zip(rows, shares.values(), strict=True):
            row.append(f"{sorted(late)[max(0, round(share * len(late)) - 1)]:.2f} s")
    for row, name in zip(rows, shares, strict=True):
        low, middle, high = found[name]
        row.append(f"{middle:.2f} s ({low:.2f} to {high:.2f})")
    days = [f"measured, day {number}" for number in range(1, len(crowded["seconds late"]) + 1)]
    beside = (
        f"{crowded['games']} games, {crowded['pumps']} pumps, {crowded['cores']} cores, load average {crowded['load']} beside:"
        f" pumps and server had a core for {crowded['ran']:.0%} of the time in which they could have run."
    )
    return f"{beside}\n\n{_table(['', *days, 'simulated, twenty times'], rows)}"


def _evenings(rows: Sequence[Mapping[str, Any]]) -> str:
    heads = [
        "hosts",
        "primaries",
        "games",
        "players take at most",
        "half within",
        "nine in ten",
        "99 in 100",
        "the last",
        "waiting at most",
        "longest sweep",
        "sweepers",
    ]
    return _table(
        heads,
        [
            [
                str(row["hosts"]),
                str(row["primaries"] or "on the host"),
                f"{row['games']:,}",
                f"{row['busiest']:.0%}",
                *(f"{row[name]:,.0f} s" for name in ("half", "nine in ten", "ninety-nine", "last")),
                f"{row['waiting']:,}",
                f"{row['longest sweep']:,.1f} s",
                str(row["sweepers"]),
            ]
            for row in rows
        ],
    )


def pictures(measured: Mapping[str, Any], simulated_: Mapping[str, Any]) -> None:
    """Draw the queues, what players say in a day, and the small case."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": "capacity", "svg.fonttype": "none"})
    figure = Figure(figsize=(9, 7), layout="constrained")
    FigureCanvasSVG(figure)
    queues, said, late = figure.subplots(3, 1)
    for row in simulated_["evenings"]:
        course = row["course"]
        queues.plot(
            [at / 60 for at, _ in course],
            [count for _, count in course],
            label=f"{row['hosts']} hosts, {row['games']:,} games",
        )
    queues.set(
        xlabel="minutes after 18:00 in the zone of most games",
        ylabel="games",
        title="Days that are over and not turned",
        yscale="log",
    )
    queues.legend()
    said.plot(
        [minute / 60 for minute in range(day.MINUTES)],
        [day.rate(scenarios.MILLION, minute) for minute in range(day.MINUTES)],
    )
    said.set(xlabel="hour, UTC", ylabel="commands a second", title="What the players of a million games say")
    for number, found in enumerate(measured["crowded"]["seconds late"], 1):
        late.plot(found, [(place + 1) / len(found) for place in range(len(found))], label=f"measured, day {number}")
    low, middle, high = zip(*simulated_["validated"].values(), strict=True)
    late.errorbar(
        middle,
        [0.5, 0.9, 1.0],
        xerr=[
            [m - least for m, least in zip(middle, low, strict=True)],
            [most - m for m, most in zip(middle, high, strict=True)],
        ],
        fmt="o",
        capsize=3,
        label="simulated",
    )
    late.set(
        xlabel="seconds late",
        ylabel="share of games",
        title=f"{measured['crowded']['games']} days that end at one instant",
    )
    late.legend()
    figure.savefig(FOLDER / "capacity.svg", format="svg", metadata={"Date": None})
