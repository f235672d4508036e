"""Timing, medians, and the table of budgets."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """One budget and what was measured against it."""

    budget: str
    measured: float
    limit: float
    unit: str
    at_least: bool
    """Whether more is better; otherwise less is."""
    detail: str = ""

    @property
    def kept(self) -> bool:
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    def line(self) -> str:
        sign = "≥" if self.at_least else "≤"
        verdict = "kept  " if self.kept else "MISSED"
        return (
            f"{verdict}  {self.budget:<58} {self.measured:>10,.2f} {sign} {self.limit:,g} {self.unit}   {self.detail}"
        )


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    gc.collect()
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def median(work: Callable[[], float], repeats: int = 3) -> float:
    """The median of what ``work`` says, over at least three runs."""
    return statistics.median(work() for _ in range(max(3, repeats)))


def table(results: Iterable[Result]) -> str:
    """All results, the missed ones named again below."""
    rows = list(results)
    missed = [row.budget for row in rows if not row.kept]
    end = "every budget is kept" if not missed else "missed: " + "; ".join(missed)
    return "\n".join([*(row.line() for row in rows), "", end])
