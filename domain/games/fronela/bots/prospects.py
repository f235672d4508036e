"""Estimates for bots: the final points of each seat, and the odds of winning that follow."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Any

from domain.games.fronela.bots.fits import OUTLOOKS
from domain.games.fronela.phases.scoring import area_points, totals
from domain.games.fronela.scenarios.tables import COLOURS
from domain.games.fronela.state import FronelaState, strength
from domain.kernel.terms import Seat

_SURE = 30.0
"""Limit for the logarithm of odds."""


def outlook(state: FronelaState) -> tuple[str, Mapping[Seat, Mapping[str, float]]]:
    """The round, and the features of each seat: color, areas, dice, points held, and points under threat."""
    tables, board = state.tables, state.board
    told = {seat: dict.fromkeys((*COLOURS, *_COUNTED), 0.0) for seat in tables.seats}
    for seat, numbers in told.items():
        numbers[COLOURS[seat - 1]] = 1.0
    near = _near(state)
    for area, garrison in board.items():
        for who, stack in garrison.items():
            nation = tables.nations[who]
            numbers = told[nation.seat]
            dice = strength(nation, stack)
            numbers["areas"] += 1
            numbers["dice"] += dice
            points = area_points(state, nation, area) if len(garrison) == 1 else 0
            if points:
                numbers["held"] += points
                foes = [
                    number for other, number in near.get(area, {}).items() if tables.nations[other].seat != nation.seat
                ]
                if foes and max(foes) > dice:
                    numbers["threatened"] += points
    return str(state.round), told


_COUNTED = ("areas", "dice", "held", "threatened")


def _near(state: FronelaState) -> Mapping[str, Mapping[str, int]]:
    """The number of dice that each nation has in neighboring areas from which it may enter, by area."""
    near: dict[str, dict[str, int]] = {}
    for area, garrison in state.board.items():
        for who, stack in garrison.items():
            nation = state.tables.nations[who]
            dice = strength(nation, stack)
            for to in nation.ways.get(area, ()):
                beside = near.setdefault(to, {})
                beside[who] = beside.get(who, 0) + dice
    return near


def expected(state: FronelaState, fits: Mapping[str, Mapping[str, Any]] = OUTLOOKS) -> Mapping[Seat, float]:
    """The expected final points of each seat, divided by the number of points that multiplies the odds by e."""
    when, told = outlook(state)
    points = totals(state)
    fit = fits.get(when)
    if fit is None:
        return {seat: float(number) for seat, number in points.items()}
    weights, spread = fit["weights"], fit["spread"]
    return {
        seat: (points[seat] + sum([weights[name] * number for name, number in numbers.items()])) / spread
        for seat, numbers in told.items()
    }


def features(state: FronelaState, seat: Seat) -> Mapping[str, float]:
    """The logarithm of the odds that the seat has the most points in the end: softmax over all seats."""
    hopes = expected(state)
    others = [number for each, number in hopes.items() if each != seat]
    best = max(others)
    odds = hopes[seat] - best - log(sum([exp(number - best) for number in others]))
    return {"odds": max(-_SURE, min(_SURE, odds))}
