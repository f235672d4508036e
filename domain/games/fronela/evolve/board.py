"""Adds units to the board and removes them. Boards are immutable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from domain.games.fronela.state import NOBODY, Garrison, Group, grouped

Board = Mapping[str, Garrison]


def so_many(group: Group, count: int) -> Group:
    """A copy of the group with another number of units."""
    return grouped(group.kind, count, group.left, group.came, group.ferried, group.fled)


def _is_of(group: Group, gone: Group) -> bool:
    return (
        group.kind == gone.kind
        and group.came == gone.came
        and group.left == gone.left
        and group.ferried == gone.ferried
        and group.fled == gone.fled
    )


def merged(groups: Iterable[Group]) -> tuple[Group, ...]:
    """The units with equal groups merged, in order of first appearance."""
    groups = tuple(groups)
    if len(groups) < 2:
        return groups
    by_key: dict[tuple[Any, ...], Group] = {}
    for group in groups:
        key = (group.kind, group.left, group.came, group.ferried, group.fled)
        old = by_key.get(key)
        by_key[key] = group if old is None else so_many(group, old.count + group.count)
    return groups if len(by_key) == len(groups) else tuple(by_key.values())


def _set(board: Board, area: str, nation: str, stack: tuple[Group, ...]) -> Board:
    garrison = dict(board.get(area, NOBODY))
    if stack:
        garrison[nation] = stack
    else:
        garrison.pop(nation, None)
    if garrison:
        return {**board, area: garrison}
    return {key: value for key, value in board.items() if key != area}


def restacked(board: Board, nation: str, stacks: Mapping[str, tuple[Group, ...]]) -> Board:
    """A copy of the board with these stacks of a nation."""
    after = dict(board)
    for area, stack in stacks.items():
        if stack != board[area][nation]:
            after[area] = {**board[area], nation: stack}
    return after


def put(board: Board, area: str, nation: str, *more: Group) -> Board:
    old = board.get(area, NOBODY).get(nation, ())
    return _set(board, area, nation, merged((*old, *(group for group in more if group.count))))


def without(board: Board, area: str, nation: str, gone: Group) -> Board:
    """A copy of the board without these units. Raises `ValueError` if they are not there."""
    remaining = []
    missing = gone.count
    for group in board.get(area, NOBODY).get(nation, ()):
        if missing and _is_of(group, gone):
            if group.count > missing:
                remaining.append(so_many(group, group.count - missing))
            missing -= min(group.count, missing)
        else:
            remaining.append(group)
    if missing:
        raise ValueError(f"{nation} has no such units in {area}: {gone}")
    return _set(board, area, nation, tuple(remaining))
