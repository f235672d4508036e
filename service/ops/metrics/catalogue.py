"""The metrics of each process of the service.

No label has values that clients can add: no game, player or address.
"""

from __future__ import annotations

from service.ops.metrics.buffered import BufferedCounter, BufferedHistogram

_QUICK = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_WAITED = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0)
_POSTED = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 1800.0, 7200.0, 86400.0)

SETTLED = BufferedHistogram(
    "oraclewheel_command_duration_seconds",
    "Time from accepting a command to its commit, by the store's clock, by sender (player, system).",
    ("sender",),
    _WAITED,
)
DUE = BufferedHistogram(
    "oraclewheel_deadline_delay_seconds",
    "Delay between a deadline and its submission by the sweeper. Deadlines that a commit itself submits are not counted.",
    (),
    _WAITED,
)
DECIDED = BufferedHistogram(
    "oraclewheel_decide_duration_seconds",
    "Time to decide and seal one command and to compute its views, by kind of game and result (accepted, refused, fault).",
    ("kind", "result"),
    _QUICK,
)
SCRIPTS = BufferedHistogram(
    "oraclewheel_store_script_duration_seconds",
    "Duration of round trips to the store that call a script, measured by the caller.",
    ("script",),
    _QUICK,
)
THOUGHT = BufferedHistogram(
    "oraclewheel_bot_move_duration_seconds",
    "Time that a game waited for a bot, by the bot that answered: search bot (`search`) or fallback bot (`fallback`).",
    ("bot",),
    _WAITED,
)
TOLD = BufferedHistogram(
    "oraclewheel_delivery_duration_seconds",
    "Time from the due time of a delivery to the end of an attempt, by kind of delivery and result (`delivered`, `failed`).",
    ("kind", "result"),
    _POSTED,
)
SETTLE_TIME = BufferedCounter(
    "oraclewheel_settle_worker_seconds",
    "Seconds that settle jobs spend settling commands and waiting for more.",
    ("activity",),
)
ARCHIVED = BufferedCounter(
    "oraclewheel_archive_moves",
    "Games due for the archive, by result: moved, not moved because of a problem (skipped), or archive not reachable (unreachable).",
    ("result",),
)

KINDS_OF_DELIVERY = ("webhook", "email", "push")


def kind_of_delivery(kind: str) -> str:
    """The label of a kind of subscription. The store calls email ``letters``."""
    return "email" if kind == "letters" else kind


PLAYER, SYSTEM = "player", "system"
ACCEPTED, REFUSED, FAULT = "accepted", "refused", "fault"
DELIVERED, FAILED = "delivered", "failed"
BY_THOUGHT, BY_STAND_IN = "search", "fallback"
SETTLING, WAITING = "settling", "waiting"
MOVED, LEFT, DOWN = "moved", "skipped", "unreachable"

for _by in (PLAYER, SYSTEM):
    SETTLED.expect(_by)
for _came in (BY_THOUGHT, BY_STAND_IN):
    THOUGHT.expect(_came)
for _doing in (SETTLING, WAITING):
    SETTLE_TIME.expect(_doing)
for _came in (MOVED, LEFT, DOWN):
    ARCHIVED.expect(_came)
