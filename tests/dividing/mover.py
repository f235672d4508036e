"""A process of its own that divides games anew, and is killed at a line that it is told."""

from __future__ import annotations

from service.store.redis.cluster.wire import open_wire
from service.store.upkeep import carrying
from service.store.upkeep.dividing import Division
from tests.fatal_line import dying

WATCHED = ("upkeep/dividing.py", "upkeep/carrying.py")


def run(url, to, at, counted):
    """Divide, some games at a time; die at the ``at``-th line of what divides (0: never); how many there were is put into ``counted``."""
    carrying.TOGETHER, carrying.MEMBERS = 4, 3
    division = Division(open_wire(url), to, lease=100)
    with dying(WATCHED, at) as lines:
        division.begin(0)
        for _ in division.carry(division.survey()):
            pass
        division.end()
        division.leave()
    if counted is not None:
        counted.put(lines[0])
