"""A worker that settles what waits and is killed at a line: `python -m tests.releases.mortal_upgrader URL RULES AT`."""

from __future__ import annotations

import sys
from pathlib import Path

from service.process.frozen import shelf
from service.store.redis.store import open_store
from tests.fatal_line import dying
from workers.advance import Advance

WATCHED = ("workers/frozen.py", "workers/advance.py", "workers/commits/settling.py")


def main(url: str, rules: str, at: int) -> None:
    shelf.use(Path(rules)).load()
    store = open_store(url)
    advance = Advance.in_process(store)
    with dying(WATCHED, at) as lines:
        while advance.round(range(store.partitions)):
            pass
    print(lines[0])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
