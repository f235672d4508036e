"""The simulated clock of a service whose store is a real server: hours pass when somebody says so, seconds by themselves.

Whatever asks the time asks the server, so that is where it is ahead. Leases and locks need a clock that runs, and games that
are to be the same every time one that stands; so the clock runs, and what is played is played at the last ten minutes that are
full: as long as all work of an instant is done within ten real minutes, it has that very instant.
"""

from __future__ import annotations

import base64
import hashlib
import sys
from pathlib import Path

GRAIN = 600_000
"""Milliseconds."""

AHEAD = "month:ahead"
"""The key of the milliseconds by which the simulated clock is ahead of the server's."""

HELD = "month:held"
"""The key that stands as long as the games of an instant are not at rest: then nothing of what is owed is taken in hand."""

_AHEAD = f"""(function()
  local t = redis.call('TIME')
  local all = t[1] * 1000000 + t[2] + 1000 * tonumber(redis.call('GET', '{AHEAD}') or '0')
  return {{math.floor(all / 1000000), all % 1000000}}
end)()"""

JUMP = f"""
local t = redis.call('TIME')
redis.call('SET', '{AHEAD}', string.format('%.0f', ARGV[1] - math.floor((t[1] * 1000000 + t[2]) / 1000) + 1))
"""
"""From one instant to another."""


def full(instant):
    """The last full ten minutes."""
    return instant - instant % GRAIN


def store(module):
    """The store's clock, for its scripts and for those who ask it; the API and the post are told full instants, as games are."""
    Script, Wire = module.Script, module.Wire
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
        # Workers are forked from one process, so their command line does not say what they do.
        return full(now(self)) if whole or is_side_worker() else now(self)

    Script.__init__, Wire.many, Wire.now = simulated, ahead, at_full


def is_side_worker():
    """Whether this process is RQ's side worker, which says so in its name."""
    return Path("/proc/self/comm").read_text(encoding="utf-8").startswith("rq:worker:side")


def settling(module):
    """What is settled is settled at full instants."""
    one = module.Settling.one

    def at_full(self, facts, clock, cached, entry, document, at, *more, **named):
        told = {**document, "asked_at": full(document.get("asked_at", 0))}
        return one(self, facts, clock, cached, entry, told, full(at), *more, **named)

    module.Settling.one = at_full


def schedule(module):
    """What is due is looked for more often: there are months to get through."""
    module.SWEEP = 0.25


def sweeper(module):
    """No time without pumps counts as an outage: hours that are left out are none, and a busy machine makes others at random."""
    module.OUTAGE = 10**15


def rounds(module):
    """Word that a killed worker had in hand is another's sooner, for the same reason."""
    module.LEASE = 2500
    now = module.Owed.now
    module.Owed.now = lambda self: full(now(self))


def drain(module):
    """As for the sweeps."""
    module.TICK = 0.3


def blank(svg, width):
    """A picture of nothing: to paint boards for a month of letters takes longer than all the rest of it."""
    return base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg=="
    )


def painting(module):
    module.painted = blank
