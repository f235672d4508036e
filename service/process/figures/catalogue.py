"""Every figure that a process of the service keeps of its own work, whichever role it has.

None has a label that somebody outside could make grow: no game, no player, no address.
"""

from __future__ import annotations

from service.process.figures.noted import Sums, Times

_QUICK = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_WAITED = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0)
_POSTED = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 1800.0, 7200.0, 86400.0)

SETTLED = Times(
    "oraclewheel_settle_seconds",
    "From when the store took a command in until its commit stood, by the store's clock; by who sent it (player, system).",
    ("by",),
    _WAITED,
)
DUE = Times(
    "oraclewheel_due_late_seconds",
    "How long after its instant the sweeper submitted what was due (what is due with a commit is submitted by the commit).",
    (),
    _WAITED,
)
DECIDED = Times(
    "oraclewheel_decide_seconds",
    "How long the rules, the seal and the views of one command took; by kind of game and what came of it (accepted, refused, fault).",
    ("kind", "came"),
    _QUICK,
)
SCRIPTS = Times(
    "oraclewheel_script_seconds",
    "Round trips to the store with calls of a script, as whoever called it saw them.",
    ("script",),
    _QUICK,
)
THOUGHT = Times(
    "oraclewheel_thought_seconds",
    "How long a table stood until a bot that thinks had answered (thought), or its stand-in had (stand-in).",
    ("came",),
    _WAITED,
)
TOLD = Times(
    "oraclewheel_told_seconds",
    "How long after it was due an attempt to deliver a word was over; by way of delivery and whether the receiver failed (told, failed).",
    ("kind", "came"),
    _POSTED,
)
PUMPED = Sums(
    "oraclewheel_pump_seconds",
    "How settle jobs spend their time: settling commands, waiting for more.",
    ("doing",),
)
ARCHIVED = Sums(
    "oraclewheel_archived",
    "Games that were to be moved to the archive; moved, or left where they were because something is wrong (left), or the archive"
    " did not answer (down).",
    ("came",),
)

PLAYER, SYSTEM = "player", "system"
ACCEPTED, REFUSED, FAULT = "accepted", "refused", "fault"
DELIVERED, FAILED = "told", "failed"
BY_THOUGHT, BY_STAND_IN = "thought", "stand-in"
SETTLING, WAITING = "settling", "waiting"
MOVED, LEFT, DOWN = "moved", "left", "down"

for _by in (PLAYER, SYSTEM):
    SETTLED.expect(_by)
for _came in (BY_THOUGHT, BY_STAND_IN):
    THOUGHT.expect(_came)
for _doing in (SETTLING, WAITING):
    PUMPED.expect(_doing)
for _came in (MOVED, LEFT, DOWN):
    ARCHIVED.expect(_came)
