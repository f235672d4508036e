"""Muted seats, blocked players, and reports of messages to the operator."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "moderation",
    "Mutes seats, blocks players, and reports messages to the operator.",
    page="how-to/moderate.md",
    api={"service.features.moderation.api": "moderation", "service.features.moderation.blocks_api": "moderation"},
    tags={"moderation": "Muted seats, blocked players, and reports to the operator."},
    find_apart="service.features.moderation.blocks:find_apart",
    commands={"reports": "service.cli.commands.reports"},
    erase_account="service.features.moderation.erasure:erase_moderation",
)
