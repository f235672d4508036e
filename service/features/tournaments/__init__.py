"""Tournaments and leagues: registration, rounds, games that are created and started, standings."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "tournaments",
    "Runs tournaments and leagues, and publishes standings that anyone can compute again.",
    page="how-to/tournaments.md",
    api={
        "service.features.tournaments.api": "tournaments",
        "service.features.tournaments.feed": "tournaments",
    },
    tags={"tournaments": "Tournaments and leagues: registration, rounds, games, standings."},
    follower="service.features.tournaments.follower:TournamentFollower",
    jobs={"side": "service.features.tournaments.running"},
    minutely=("service.features.tournaments.running.advance_tournaments",),
    commands={"standings": "service.cli.commands.standings"},
    erase_account="service.features.tournaments.running:erase_entries",
)
