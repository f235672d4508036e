"""The names of units among those of the same nation and area, and the units with a name (FRO-D56)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from domain.games.fronela.state import FronelaState, Group, grouped, label, size
from domain.kernel.errors import RuleViolation


class NoSuchUnits(RuleViolation):
    """The units are not in the area, or there are fewer of them."""

    code = "no-such-units"
    rule = "FRO-07"


def name(state: FronelaState, group: Group) -> str:
    """The unit's kind alone, or with its track in this turn, depending on the scenario's reading."""
    return group.kind if state.tables.reads("unit_names") == "kinds" else label(group)


def by_name(state: FronelaState, stack: Iterable[Group]) -> dict[str, list[Group]]:
    """The groups by name, in the order of the stack."""
    found: dict[str, list[Group]] = {}
    if state.tables.reads("unit_names") == "tracks":
        for group in stack:
            found.setdefault(label(group), [group])
        return found
    for group in stack:
        found.setdefault(group.kind, []).append(group)
    return found


def called(state: FronelaState, stack: Sequence[Group], unit: str, number: int) -> list[Group]:
    """The groups with this name, of at least ``number`` units. Raises `NoSuchUnits`."""
    found = by_name(state, stack)
    if unit not in found:
        units = list(found)
        sentence = f"No units here are called so; there {'is' if len(units) == 1 else 'are'}: {', '.join(units)}."
        raise NoSuchUnits(sentence, field="unit", units=units, there=0, asked=number)
    enough(found[unit], number)
    return found[unit]


def enough(groups: Sequence[Group], number: int) -> None:
    """Refuse a number of units below 1 or above the size of the groups."""
    if not 1 <= number <= size(groups):
        most = size(groups)
        only = "There is only 1 of them." if most == 1 else f"There are only {most} of them."
        sentence = "At least 1 unit has to be named." if number < 1 else only
        raise NoSuchUnits(sentence, field="count", least=1, most=most, asked=number)


def some(groups: Iterable[Group], number: int) -> Iterator[Group]:
    """The given number of units, taken from the first groups first."""
    for group in groups:
        if number:
            taken = min(number, group.count)
            number -= taken
            yield grouped(group.kind, taken, group.left, group.came, group.ferried, group.fled)


def shared(groups: Sequence[tuple[Group, Sequence[str]]]) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """For groups with one name, each with its reachable areas: numbers of units, and the areas that so many can reach."""
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
