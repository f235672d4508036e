"""Rows of the table: what is measured, the samples of each round, and the output of the table."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A measured quantity, and its limit."""

    name: str
    limit: float
    unit: str
    at_least: bool
    """Whether more is better; otherwise less is."""

    def got(self, value: float, detail: str = "") -> Sample:
        return Sample(self, value, detail)

    def absent(self, why: str) -> Sample:
        """A sample that cannot be measured here, so that the limit is neither kept nor missed."""
        return Sample(self, None, why)


@dataclass(frozen=True, slots=True)
class Sample:
    """A row in one round; without a value if it cannot be measured, and then ``detail`` has the reason."""

    row: Row
    value: float | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    row: Row
    samples: tuple[Sample, ...]

    @property
    def values(self) -> list[float]:
        return sorted(sample.value for sample in self.samples if sample.value is not None)

    @property
    def measured(self) -> float | None:
        """The median over the rounds."""
        return statistics.median(self.values) if self.values else None

    @property
    def kept(self) -> bool | None:
        """Whether the limit is kept; None if nothing could be measured."""
        if self.measured is None:
            return None
        return self.measured >= self.row.limit if self.row.at_least else self.measured <= self.row.limit

    @property
    def verdict(self) -> str:
        return {True: "kept", False: "MISSED", None: "absent"}[self.kept]

    @property
    def spread(self) -> str:
        """The median and the range of the rounds: ``4.2 (3.9-4.6)``."""
        if self.measured is None:
            return "-"
        low, high = self.values[0], self.values[-1]
        return f"{figure(self.measured)} ({figure(low)}-{figure(high)})"

    @property
    def limit(self) -> str:
        return f"{'≥' if self.row.at_least else '≤'} {self.row.limit:,g} {self.row.unit}"

    @property
    def detail(self) -> str:
        """The detail of the round nearest to the median."""
        if self.measured is None:
            return self.samples[0].detail
        nearest = min(
            (sample for sample in self.samples if sample.value is not None),
            key=lambda sample: abs((sample.value or 0) - (self.measured or 0)),
        )
        return nearest.detail

    def line(self) -> str:
        return f"{self.verdict:<6}  {self.row.name:<66} {self.spread:>30}  {self.limit:<24} {self.detail}".rstrip()


def figure(value: float) -> str:
    """A number with three significant digits."""
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    return f"{value:.{1 if size >= 10 else 2 if size >= 0.1 else 4}f}"


def gathered(samples: Iterable[Sample]) -> list[Result]:
    """The samples of all rounds, by row."""
    rows: dict[Row, list[Sample]] = {}
    for sample in samples:
        rows.setdefault(sample.row, []).append(sample)
    return [Result(row, tuple(found)) for row, found in rows.items()]


def table(results: Sequence[Result]) -> str:
    """All results, followed by the names of the missed ones."""
    missed = [result.row.name for result in results if result.kept is False]
    absent = [result.row.name for result in results if result.kept is None]
    end = "every limit is kept" if not missed else "missed: " + "; ".join(missed)
    ends = [end, "not measured here: " + "; ".join(absent)] if absent else [end]
    return "\n".join([*(result.line() for result in results), "", *ends])


def compared(before: Sequence[Result], now: Sequence[Result]) -> str:
    older = {result.row: result for result in before}
    lines = [f"{'':66} {'before':>30} {'now':>30} {'now/before':>10}"]
    for result in now:
        other = older[result.row]
        lines.append(f"{result.row.name:<66} {other.spread:>30} {result.spread:>30} {_ratio(other, result):>10}")
    return "\n".join(lines)


def markdown(now: Sequence[Result], before: Sequence[Result] = ()) -> str:
    """The results as a table in Markdown; with ``before``, that release's results in another column."""
    older = {result.row: result for result in before}
    heads = [
        "what",
        *(["before"] if before else []),
        "now" if before else "measured",
        "limit",
        "",
        "in the middle round",
    ]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for result in now:
        cells = [result.row.name, *([older[result.row].spread] if before else []), result.spread]
        verdict = "**missed**" if result.kept is False else result.verdict
        lines.append("| " + " | ".join([*cells, result.limit, verdict, result.detail.replace("|", "/")]) + " |")
    return "\n".join(lines)


def _ratio(before: Result, now: Result) -> str:
    if before.measured is None or now.measured is None or not before.measured:
        return "-"
    return f"{now.measured / before.measured:.2f}"


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock seconds of one call."""
    gc.collect()
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def core_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of one call in this process: close to the wall-clock time on an otherwise idle core."""
    gc.collect()
    begun = time.process_time()
    work()
    return time.process_time() - begun
