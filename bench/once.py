"""One round of one part, with the release in the same folder: prints a line of JSON for each row.

python -m bench.once PART
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from importlib import import_module


def main(part: str) -> None:
    """Measure; all other output goes to standard error."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for sample in import_module(f"bench.parts.{part}").measure():
        print(json.dumps(asdict(sample)), file=out)


if __name__ == "__main__":
    main(sys.argv[1])
