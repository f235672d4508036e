"""Statistics of many games: counts with their intervals, and a table."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.kernel.shape import snake
from domain.kernel.terms import Seat
from tools.simulation.outlooks import Seen

EVERYTHING = "all"
"""In place of an event's type: count every type."""
Z = 1.96
"""Normal quantile of the 95 % intervals."""


@dataclass(frozen=True, slots=True)
class Result:
    number: int
    bots: tuple[str, ...]
    """The bot of each seat, seat 1 first."""
    reason: str
    """Why it ended; ``unfinished`` if it did not."""
    clause: str
    winners: tuple[int, ...]
    scores: Mapping[Seat, int]
    commits: int
    seconds: float
    measures: Mapping[str, int] = field(default_factory=dict)
    """The integers at the top of the public view at the end: weeks, days, rounds, depending on the game."""
    faults: tuple[str, ...] = ()
    """Errors: failed rules, an impossible state, an audit that diverged."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Numbers of the counted events; missing ones are 0."""
    samples: tuple[tuple[Mapping[str, float], float], ...] = ()
    """Features of seats at some times, and each seat's share of the win, for a fit."""
    seen: Seen | None = None
    """The same for points that were still to come."""


def happened(wanted: Iterable[str], events: Sequence[Any]) -> Counter[str]:
    """The counts for the events of one commit.

    ``TYPE`` counts events of that type; ``TYPE/FIELD`` counts them for each value of a field; ``TYPE+TYPE…`` counts
    those of the first type in commits that contain the others too; ``all`` counts every type.
    """
    kinds = [snake(type(event).__name__) for event in events]
    found: Counter[str] = Counter()
    for name in wanted:
        if name == EVERYTHING:
            found.update(kinds)
            continue
        first, *others = name.split("+")
        kind, _, part = first.partition("/")
        if set(others) <= set(kinds):
            for event in (each for each, event_kind in zip(events, kinds, strict=True) if event_kind == kind):
                found[f"{name}={getattr(event, part, None)}" if part else name] += 1
    return found


def proportion(count: int, total: int) -> tuple[float, float, float]:
    """Share of the total and its 95 % interval (Wilson); zeros for no total."""
    if total == 0:
        return 0.0, 0.0, 0.0
    share, spread = count / total, Z * Z / total
    middle = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return share, max(0.0, middle - half), min(1.0, middle + half)


def mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean and half its 95 % interval (normal; 0 for fewer than two values)."""
    if len(values) < 2:
        return (values[0] if values else 0.0), 0.0
    return statistics.fmean(values), Z * statistics.stdev(values) / math.sqrt(len(values))


def percent(count: int, total: int) -> str:
    """A share with its interval, such as ``42 % [37-47]``."""
    share, low, high = (round(100 * part) for part in proportion(count, total))
    return f"{share:3} % [{low}-{high}]"


def spread(values: Sequence[float]) -> str:
    """Mean with its interval, then minimum, median, 90 % and maximum."""
    middle, half = mean(values)
    ordered = sorted(values)
    ninety = ordered[min(len(ordered) - 1, math.ceil(0.9 * len(ordered)) - 1)]
    text = f"mean {middle:.1f} ± {half:.1f}, min {ordered[0]:g}, median {statistics.median(ordered):g}"
    return f"{text}, 90 % within {ninety:g}, max {ordered[-1]:g}"


def table(results: Sequence[Result]) -> str:
    """The report on games of the same set-up, for a terminal."""
    if not results:
        return "No games."
    seats = range(1, len(results[0].bots) + 1)
    rows = [("games", str(len(results)))]
    rows += [(f"{name} at the end", spread([r.measures[name] for r in results])) for name in measured(results)]
    rows.append(("commits", spread([r.commits for r in results])))
    seconds = sum(result.seconds for result in results)
    rows.append(("speed", f"{sum(result.commits for result in results) / max(seconds, 1e-9):,.0f} commits/s"))
    for (reason, clause), count in ends(results).most_common():
        rows.append((f"ends: {reason} ({clause})", percent(count, len(results))))
    over = [result for result in results if result.winners]
    for seat in seats:
        rows.append((f"seat {seat} wins", percent(sum(seat in r.winners for r in over), len(over))))
    for bot, (won, sat) in wins_by_bot(over).items():
        rows.append((f"{bot} wins, of its seats", percent(won, sat)))
    shared = sum(len(result.winners) > 1 for result in over)
    rows.append(("shared wins", percent(shared, len(over))))
    for seat in seats:
        middle, half = mean([float(r.scores[Seat(seat)]) for r in over])
        rows.append((f"seat {seat} points", f"mean {middle:.2f} ± {half:.2f}"))
    rows += [(f"{name} in a game", spread(values)) for name, values in counted(results).items()]
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:{width}}  {text}" for name, text in rows]
    lines += [f"FAULT in game {r.number}: {fault}" for r in results for fault in r.faults]
    return "\n".join(lines)


def counted(results: Iterable[Result]) -> dict[str, list[int]]:
    """For each event that was counted at least once, its count in each game."""
    text = list(results)
    return {name: [r.counts.get(name, 0) for r in text] for name in sorted({name for r in text for name in r.counts})}


def measured(results: Iterable[Result]) -> list[str]:
    """The names of measures that every game has."""
    common: set[str] | None = None
    for result in results:
        common = set(result.measures) if common is None else common & set(result.measures)
    return sorted(common or ())


def ends(results: Iterable[Result]) -> Counter[tuple[str, str]]:
    """Number of games for each ending."""
    return Counter((result.reason, result.clause) for result in results)


def wins_by_bot(results: Iterable[Result]) -> dict[str, tuple[int, int]]:
    """For each bot, in how many of its seats it won, and how many it had; empty if there is only one bot."""
    won: Counter[str] = Counter()
    sat: Counter[str] = Counter()
    for result in results:
        for seat, bot in enumerate(result.bots, 1):
            sat[bot] += 1
            won[bot] += seat in result.winners
    return {bot: (won[bot], sat[bot]) for bot in sorted(sat)} if len(sat) > 1 else {}
