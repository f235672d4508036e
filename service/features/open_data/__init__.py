"""Exports of games that anyone can verify offline, and the finished games of a month as a data set."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "open_data",
    "Exports games for verification, and publishes the finished games of a month.",
    page="how-to/open-data.md",
    api={"service.features.open_data.api": "audit"},
    commands={"open-data": "service.cli.commands.open_data"},
)
