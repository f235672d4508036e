"""The archive: moves finished games into files or object storage."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "archive",
    "Moves games that ended some time ago into files or object storage, from where the core reads them.",
    page="operating.md",
    jobs={"side": "service.features.archive.mover"},
    hourly=("workers.schedule.archive",),
    commands={"archive": "service.cli.commands.archive"},
)
