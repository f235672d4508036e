"""The simulated clock of a service on a real server: tests advance the hours, and the seconds pass by themselves.

Every process reads the time from the server, so the server's clock is set ahead. Leases and locks need a running clock,
and games that must be equal need a fixed one. So the clock runs, but games use the time rounded down to ten minutes: if
all work of an instant is done within ten real minutes, it has exactly that time.
"""

from __future__ import annotations

import base64
import hashlib
import os
import sys
from pathlib import Path

GRAIN = 600_000
"""Milliseconds."""

AHEAD = "month:ahead"
"""The key of the milliseconds by which the simulated clock is ahead of the server's."""

HELD = "month:held"
"""The key that exists while the games of an instant still have work; until then no delivery is claimed."""

_AHEAD = f"""(function()
  local t = redis.call('TIME')
  local all = t[1] * 1000000 + t[2] + 1000 * tonumber(redis.call('GET', '{AHEAD}') or '0')
  return {{math.floor(all / 1000000), all % 1000000}}
end)()"""

JUMP = f"""
local t = redis.call('TIME')
redis.call('SET', '{AHEAD}', string.format('%.0f', ARGV[1] - math.floor((t[1] * 1000000 + t[2]) / 1000) + 1))
"""
"""Jump from one instant to another."""


def full(instant):
    """The time rounded down to ten minutes."""
    return instant - instant % GRAIN


def store(module):
    """Patch the store's clock, in scripts and in reads. The API and the side workers get rounded times, as games do."""
    Script, Wire = module.Script, module.RedisClient
    read, many, now = Script.__init__, Wire.many, Wire.now
    whole = any("gunicorn" in word or "founding" in word for word in sys.orig_argv)

    def simulated(self, name):
        read(self, name)
        self.text = self.text.replace("redis.call('TIME')", _AHEAD)
        if name == "claim_owed":
            self.text = f"if redis.call('EXISTS', '{HELD}') == 1 then return {{0}} end\n{self.text}"
        self.sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        self.name = f"{name}-{self.sha[:12]}"

    def ahead(self, commands):
        asks = ("EVAL", f"return {_AHEAD}", 0)
        return many(self, [asks if tuple(each) == ("TIME",) else each for each in commands])

    def at_full(self):
        # Workers are forked from one process, so their command line does not show their role.
        return full(now(self)) if whole or is_side_worker() else now(self)

    Script.__init__, Wire.many, Wire.now = simulated, ahead, at_full


def is_side_worker():
    """Whether this process is RQ's side worker, according to its name."""
    return Path("/proc/self/comm").read_text(encoding="utf-8").startswith("rq:worker:side")


def settling(module):
    """Settle at rounded times."""
    one = module.Settling.one

    def at_full(self, facts, clock, cached, entry, document, at, *more, **named):
        told = {**document, "asked_at": full(document.get("asked_at", 0))}
        return one(self, facts, clock, cached, entry, told, full(at), *more, **named)

    module.Settling.one = at_full


def schedule(module):
    """Sweep more often, since months have to pass. ``SIMULATED=fast``: a minute of jobs is a second."""
    module.SWEEP = 0.25
    if os.environ["SIMULATED"] == "fast":
        module.MINUTE = 1.0


def sweeper(module):
    """Never count an outage: skipped hours are none, and a busy machine would cause random ones."""
    module.OUTAGE = 10**15


def dispatcher(module):
    """Let the delivery of a killed worker be claimed sooner, since months have to pass."""
    module.LEASE = 2500
    now = module.OutboxEntry.now
    module.OutboxEntry.now = lambda self: full(now(self))


def drain(module):
    """Run more often, as for the sweeps."""
    module.TICK = 0.3


def blank(svg, width):
    """A blank picture: rendering boards for a month of emails would take longer than everything else."""
    return base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg=="
    )


def png(module):
    module.render_png = blank
