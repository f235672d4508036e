"""Muted seats, and reports of messages to the operator."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "moderation",
    "Mutes seats and reports messages to the operator.",
    page="how-to/moderate.md",
    api={"service.features.moderation.api": "moderation"},
    tags={"moderation": "Muted seats, and reports to the operator."},
    commands={"reports": "service.cli.commands.reports"},
    erase_account="service.features.moderation.reports:erase_reports",
)
