"""Teams: partners and their joint result (TEAM)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from domain.games.battalia.module_api.adjustments import Adjustable, Alliance, Ranking
from domain.games.battalia.module_api.socket import Npc
from domain.games.battalia.rulebook import scoring
from domain.games.battalia.state import NOBODY, BattaliaState
from domain.kernel.settings import Setting
from domain.kernel.terms import Seat

SEATS = (4, 6)


def teams(state: BattaliaState) -> list[tuple[Seat, Seat]]:
    """TEAM-01: the pairs of seats i and i + n/2."""
    half = len(state.players) // 2
    return [(Seat(seat), Seat(seat + half)) for seat in range(1, half + 1)]


def are_partners(state: BattaliaState, one: Seat, other: Seat) -> bool:
    """TEAM-01: whether these are seats i and i + n/2."""
    return NOBODY not in (one, other) and abs(one - other) == len(state.players) // 2


class Teams(Npc):
    """Enabled by the option ``teams``."""

    key = "teams"
    title = "Teams of two."
    order = 90
    switch = "teams"
    adjusts = (Alliance, Ranking)
    settings = (
        Setting("teams", "Seats facing each other are partners (TEAM-01); 4 or 6 seats.", False, (False, True)),
    )

    def check(self, seats: int, options: Mapping[str, Any], modules: tuple[str, ...]) -> Mapping[str, str]:  # noqa: ARG002
        return {} if seats in SEATS else {"options.teams": "for 4 or 6 seats"}

    def adjust(self, state: BattaliaState | None, subject: Adjustable) -> Adjustable:
        if isinstance(subject, Alliance):
            assert state is not None
            return replace(subject, hostile=False) if are_partners(state, subject.one, subject.other) else subject
        if isinstance(subject, Ranking):
            assert state is not None
            return replace(subject, keys=_together(state, subject.keys))
        return subject

    def view(self, state: BattaliaState) -> Any:
        return {
            "teams": [
                {"seats": list(team), "points": sum(scoring.points(state, seat) for seat in team)}
                for team in teams(state)
            ]
        }


def _together(state: BattaliaState, keys: Mapping[Seat, tuple[int, ...]]) -> Mapping[Seat, tuple[int, ...]]:
    """TEAM-02: partners compare by the sum of their keys. A partner who may not win adds nothing."""
    found: dict[Seat, tuple[int, ...]] = {}
    for team in teams(state):
        counted = [keys[seat] for seat in team if seat in keys]
        if counted:
            found |= dict.fromkeys(team, tuple(map(sum, zip(*counted, strict=True))))
    return found
