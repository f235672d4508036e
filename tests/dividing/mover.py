"""A process of its own that divides games anew, and is killed at a line that it is told."""

from __future__ import annotations

import os
import signal
import sys

from service.store.redis.cluster.wire import open_wire
from service.store.upkeep import carrying
from service.store.upkeep.dividing import Division

WATCHED = ("upkeep/dividing.py", "upkeep/carrying.py")


def run(url, to, at, counted):
    """Divide, some games at a time; die at the ``at``-th line of what divides (0: never); how many there were is put into ``counted``."""
    carrying.TOGETHER, carrying.MEMBERS = 4, 3
    lines = 0

    def each(frame, event, _):
        nonlocal lines
        if not frame.f_code.co_filename.endswith(WATCHED):
            return None
        if event == "line":
            lines += 1
            if lines == at:
                os.kill(os.getpid(), signal.SIGKILL)
        return each

    division = Division(open_wire(url), to, lease=100)
    sys.settrace(each)
    division.begin(0)
    for _ in division.carry(division.survey()):
        pass
    division.end()
    division.leave()
    sys.settrace(None)
    if counted is not None:
        counted.put(lines)
