"""The short benchmark of a release: recorded games and one service, in under two minutes.

It compares ratios: the speed of the rules against a fixed yardstick, a player's command with another account's games
against the same command without them, and counts of a commit. A limit may be missed by `MARGIN` before the exit status
is 1, because a machine is never quite idle; greater slowdowns are detected.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bench.load.instance import Instance
from bench.machine import machine, release
from bench.measure import Result, Row, Sample
from bench.parts import cost, fairness
from service.audit.auditor import audit

MARGIN = 1.25
"""Factor by which a limit may be missed."""

RECORDINGS = Path(__file__).parents[1] / "tests" / "recordings"
RECORDED = {
    "battalia-4-all": Row("recorded commits audited a yard: battalia", 50, "commits", at_least=True),
    "fronela-4-history": Row("recorded commits audited a yard: fronela", 50, "commits", at_least=True),
}
"""The same bytes for every release, so that results of different releases compare."""

COMMIT = Row("processor time for a player's commit, all processes", 0.1, "yards", at_least=False)


def main() -> None:
    """Measure, print a line for each row, and exit with 1 if a limit is missed by more than the margin."""
    print(
        f"{machine()}.\n{release(Path(__file__).parents[1])}. A limit may be missed by {MARGIN:g} times.\n", flush=True
    )
    missed = []
    for sample in measure():
        result = Result(sample.row, (sample,))
        print(result.line(), flush=True)
        if is_missed(sample):
            missed.append(sample.row.name)
    print("\n" + ("every limit is kept, or missed within the margin" if not missed else "missed: " + "; ".join(missed)))
    sys.exit(bool(missed))


def measure() -> Iterator[Sample]:
    for name, row in RECORDED.items():
        yield _audited(name, row)
    yield from _cost()
    with Instance(ORACLEWHEEL_API_WORKERS="1", ORACLEWHEEL_RUNNING_BOT_GAMES="0") as instance:
        yield fairness.commands(instance)


def _cost() -> Iterator[Sample]:
    before = yard()
    found = list(cost.measure())
    yards = (before + yard()) / 2
    for sample in found:
        if sample.row == cost.CORE and sample.value is not None:
            yield COMMIT.got(sample.value / 1000 / yards, f"{sample.value:.2f} ms: {sample.detail}")
        else:
            yield sample


def is_missed(sample: Sample) -> bool:
    if sample.value is None:
        return False
    limit = sample.row.limit
    return sample.value < limit / MARGIN if sample.row.at_least else sample.value > limit * MARGIN


def _audited(name: str, row: Row) -> Sample:
    """Commits of a recorded game that are audited in the CPU time of a yard, measured next to each other."""
    data = (RECORDINGS / f"{name}.ndjson").read_bytes()
    rates = []
    for _ in range(5):
        before = yard()
        begun = time.process_time()
        report = audit(data)
        taken = time.process_time() - begun
        if not report.is_ok:
            raise RuntimeError(f"{name}: {report.verdict}")
        rates.append(report.facts["commits"] / taken * (before + yard()) / 2)
    return row.got(statistics.median(rates), f"{report.facts['commits']:,} commits, the median of {len(rates)}")


def yard() -> float:
    """The CPU time of a fixed piece of work similar to the rules: small objects, texts and hashes."""
    begun = time.process_time()
    state: dict[str, list[int]] = {str(number): list(range(number)) for number in range(40)}
    digest = b""
    for number in range(300):
        state = {key: [*each[1:], number] for key, each in state.items()}
        text = json.dumps(state, sort_keys=True).encode()
        digest = hashlib.sha256(digest + text).digest()
    return time.process_time() - begun


if __name__ == "__main__":
    main()
