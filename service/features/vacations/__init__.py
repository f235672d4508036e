"""Vacations: times in which a player's clocks are paused."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "vacations",
    "Pauses the clocks of players who are away.",
    page="how-to/clocks-and-vacations.md",
    api={"service.features.vacations.api": "accounts"},
    erase_account="service.features.vacations.api:erase_vacations",
    commands={"vacation": "service.cli.commands.vacation"},
)
