"""`python -m bench [NAME …]`: every budget, or those of the named parts."""

from __future__ import annotations

import sys
from importlib import import_module

from bench.measure import Result, table

PARTS = ("rules", "log", "http", "lists")
"""Each a module with `results()`."""


def main(names: list[str]) -> int:
    """Measure, print, and say by the exit code whether every budget is kept."""
    found: list[Result] = []
    for name in names or PARTS:
        for result in import_module(f"bench.{name}").results():
            print(result.line(), flush=True)
            found.append(result)
    print("\n" + table(found))
    return 0 if all(result.kept for result in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
