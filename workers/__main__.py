"""`python -m workers settle [NUMBER]|cron|side|compute`: one worker process, as `oraclewheel serve` starts it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from service.core.queue import CRON, lanes
from service.ops.keys.signing import BadKey
from service.ops.private_files import keep_private
from service.ops.processes.child_process import PARENT, UNUSABLE, end_with_parent
from service.ops.settings import BadSetting
from service.store.ports.errors import StoreUnusable
from workers import process, schedule


def main(words: Sequence[str]) -> None:
    """Run the worker until SIGTERM; exits with `UNUSABLE` if another start would fail as well."""
    keep_private()
    try:
        match words:
            case [name] if name == CRON:
                process.work(name, beside=schedule.CronSchedule)
            case [name] if name in process.JOBS:
                process.work(name)
            case [lanes.SETTLE, number] if number.isdecimal():
                process.work(lanes.SETTLE, int(number))
            case _:
                sys.exit(__doc__)
    except (BadSetting, StoreUnusable, BadKey) as error:
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(UNUSABLE)


if __name__ == "__main__":
    end_with_parent(os.environ.get(PARENT))
    main(sys.argv[1:])
