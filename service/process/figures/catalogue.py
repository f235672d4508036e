"""The metrics that each process of the service keeps.

No label has values that clients can add: no game, player or address.
"""

from __future__ import annotations

from service.process.figures.noted import Sums, Times

_QUICK = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_WAITED = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0)
_POSTED = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 1800.0, 7200.0, 86400.0)

SETTLED = Times(
    "oraclewheel_settle_seconds",
    "Time from accepting a command to its commit, by the store's clock, by sender (player, system).",
    ("by",),
    _WAITED,
)
DUE = Times(
    "oraclewheel_due_late_seconds",
    "Delay between a deadline and its submission by the sweeper. Deadlines that a commit itself submits are not counted.",
    (),
    _WAITED,
)
DECIDED = Times(
    "oraclewheel_decide_seconds",
    "Time to decide and seal one command and to compute its views, by kind of game and result (accepted, refused, fault).",
    ("kind", "came"),
    _QUICK,
)
SCRIPTS = Times(
    "oraclewheel_script_seconds",
    "Duration of round trips to the store that call a script, measured by the caller.",
    ("script",),
    _QUICK,
)
THOUGHT = Times(
    "oraclewheel_thought_seconds",
    "Time that a game waited for a bot, by the bot that answered: search bot (`thought`) or fallback bot (`stand-in`).",
    ("came",),
    _WAITED,
)
TOLD = Times(
    "oraclewheel_told_seconds",
    "Time from the due time of a delivery to the end of an attempt, by kind of delivery and result (`told`, `failed`).",
    ("kind", "came"),
    _POSTED,
)
SETTLE_TIME = Sums(
    "oraclewheel_settle_worker_seconds",
    "Seconds that settle jobs spend settling commands and waiting for more.",
    ("doing",),
)
ARCHIVED = Sums(
    "oraclewheel_archived",
    "Games due for the archive, by result: moved, not moved because of a problem (left), or archive not reachable (down).",
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
    SETTLE_TIME.expect(_doing)
for _came in (MOVED, LEFT, DOWN):
    ARCHIVED.expect(_came)
