"""Studies: whether players can try lines of a running game in private sandboxes."""

from __future__ import annotations

from domain.kernel.settings import Setting

STUDIES, ON, OFF = "studies", "on", "off"

SETTING = Setting(
    STUDIES,
    "Whether players can study the running game: try lines in private sandboxes that start from what they know.",
    ON,
    (ON, OFF),
)
