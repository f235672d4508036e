"""What a player calls units among those of the same nation and area, and which units a name stands for (FRO-D56)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from domain.errors import RuleViolation
from domain.fronela.state import Group, State, grouped, label, size


class NoSuchUnits(RuleViolation):
    """Units that are not there, or fewer than asked for."""

    code = "no-such-units"
    rule = "FRO-07"


def name(state: State, group: Group) -> str:
    """By the scenario's reading: the kind of the units alone, or with the track of what they did this turn."""
    return group.kind if state.tables.reads("unit_names") == "kinds" else label(group)


def by_name(state: State, stack: Iterable[Group]) -> dict[str, list[Group]]:
    """The groups by what they are called, in the order of the stack."""
    found: dict[str, list[Group]] = {}
    if state.tables.reads("unit_names") == "tracks":
        for group in stack:
            found.setdefault(label(group), [group])
        return found
    for group in stack:
        found.setdefault(group.kind, []).append(group)
    return found


def called(state: State, stack: Sequence[Group], unit: str, number: int) -> list[Group]:
    """The groups that a player calls so, with at least so many units; raises `NoSuchUnits`."""
    found = by_name(state, stack)
    if unit not in found:
        units = list(found)
        sentence = f"No units here are called so; there {'is' if len(units) == 1 else 'are'}: {', '.join(units)}."
        raise NoSuchUnits(sentence, field="unit", units=units, there=0, asked=number)
    enough(found[unit], number)
    return found[unit]


def enough(groups: Sequence[Group], number: int) -> None:
    """Refuse a number of units that is none, or more than these are."""
    if not 1 <= number <= size(groups):
        most = size(groups)
        only = "There is only 1 of them." if most == 1 else f"There are only {most} of them."
        sentence = "At least 1 unit has to be named." if number < 1 else only
        raise NoSuchUnits(sentence, field="count", least=1, most=most, asked=number)


def some(groups: Iterable[Group], number: int) -> Iterator[Group]:
    """So many units of these groups, of the first ones first."""
    for group in groups:
        if number:
            taken = min(number, group.count)
            number -= taken
            yield grouped(group.kind, taken, group.left, group.came, group.ferried, group.fled)


def shared(groups: Sequence[tuple[Group, Sequence[str]]]) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """For groups with one name and the areas that each can go to: which areas so many units of them can go to."""
    if len(groups) == 1:
        group, areas = groups[0]
        return ((group.count, tuple(areas)),) if areas else ()
    room: dict[str, int] = {}
    for group, areas in groups:
        for area in areas:
            room[area] = room.get(area, 0) + group.count
    by_number: dict[int, list[str]] = {}
    for area, number in room.items():
        by_number.setdefault(number, []).append(area)
    return tuple((number, tuple(areas)) for number, areas in by_number.items())
