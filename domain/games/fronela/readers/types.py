"""Types of the views, for the API contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypedDict

from domain.kernel.game.knowledge import ViewTypes
from domain.kernel.terms import Seat

Nation = Annotated[str, "The id of a nation, such as `grey_malkioni`."]
Slot = Annotated[str, "The id of a nation or person."]
Area = Annotated[str, "The id of an area, such as `sog_city`."]
Numbers = Mapping[str, int]


class FronelaScoring(TypedDict):
    rounds: Annotated[Sequence[int], "The rounds that score."]
    next: Annotated[int | None, "The next of them. Null after the last."]
    now: Annotated[Numbers, "The points that each area would bring its holder now, by area. Zeros are omitted."]


class FronelaArea(TypedDict):
    id: Area
    name: str
    terrain: str
    side: Annotated[str, "The side of the river: `N`, `S`, or empty."]
    bank: Annotated[bool, "On the bank of the river."]
    x: Annotated[int, "Position on the map."]
    y: Annotated[int, "Position on the map."]
    adjacent: Annotated[Sequence[str], "Ids of the neighboring areas."]
    units: Annotated[Mapping[str, Numbers], "Number of units by nation, then by kind of unit."]


class FronelaGroup(TypedDict):
    """Equal units of one nation in one area that can move, have moved or have retreated."""

    area: Area
    nation: Nation
    unit: Annotated[str, "The name of these units in commands."]
    kind: Annotated[str, "Kind of unit."]
    count: int
    left: Annotated[int, "Steps left in this move phase."]
    came: Annotated[str, "The area before the last step of this turn. Empty if the units did not move."]
    ferried: Annotated[bool, "Has crossed water with help this turn (FRO-D22)."]
    fled: Annotated[bool, "Has retreated in this combat phase (FRO-D36)."]


class FronelaNation(TypedDict):
    id: Nation
    name: str
    colour: str
    seat: Seat
    kind: Annotated[str, "Kind of nation, a key of `kinds`."]
    lands: Annotated[Sequence[str], "Its own areas."]
    values: Annotated[Numbers, "The points that it scores for an area, by area."]
    counters: Annotated[Numbers, "All its counters, by kind of unit."]
    pool: Annotated[Numbers, "Counters that are not on the board, by kind of unit."]
    areas: Annotated[int, "Number of areas with its units."]
    points: int


class FronelaUnitKind(TypedDict):
    dice: Annotated[int, "Dice in battle."]
    modifier: Annotated[int, "Added to each die."]
    defence: Annotated[int, "Subtracted from each die of the enemy."]
    hits: Annotated[int, "Hits that it takes."]
    steps: Annotated[int, "Steps in a move phase."]
    maximum: Annotated[
        Mapping[str, int | None],
        "How many may stay in an area (FRO-20), by terrain; `own` is the number for own lands. Null: any number.",
    ]


class FronelaArrival(TypedDict):
    round: int
    nation: Nation
    units: Annotated[Numbers, "By kind of unit."]
    where: Annotated[Sequence[str], "The areas. `@` is the area with most of the nation's units (FRO-D14)."]


class FronelaPerson(TypedDict):
    """A person or thing on the map that is not a unit."""

    id: str
    name: str
    area: Area


class FronelaToken(TypedDict):
    """An honor or curse of history."""

    id: str
    name: str
    nation: Annotated[str, "The nation that holds it."]


class FronelaBend(TypedDict):
    """A wizard's change of one die."""

    side: Literal["attack", "defence"]
    die: Annotated[int, "1 for the first die of that side."]
    by: int


class FronelaBattle(TypedDict):
    """The newest battle round."""

    area: Area
    attacker: Slot
    defender: Slot
    rounds: Annotated[int, "Battle rounds fought in the area in this combat phase."]
    bends: Sequence[FronelaBend]
    dealt: Annotated[int, "Hits on the defender that are not yet resolved."]
    suffered: Annotated[int, "Hits on the attacker that are not yet resolved."]


class FronelaScore(TypedDict):
    """Points of a nation for one reason in one round."""

    round: int
    nation: Nation
    reason: str
    clause: str
    points: int


class FronelaPublic(TypedDict):
    scenario: str
    round: Annotated[int, "0 before the first."]
    rounds: Annotated[int, "Number of rounds."]
    title: Annotated[str, "Title of the round."]
    years: str
    order: Annotated[Sequence[str], "The slots of this round: nations, and persons with turns."]
    place: Annotated[int, "Index of the current slot. -1 before the first."]
    turn: Annotated[str, "The nation or person whose turn it is. Empty between turns."]
    phase: Annotated[str, "Kind of the pending question. Empty without one."]
    scoring: FronelaScoring
    areas: Sequence[FronelaArea]
    groups: Sequence[FronelaGroup]
    nations: Sequence[FronelaNation]
    kinds: Annotated[Mapping[str, Mapping[str, FronelaUnitKind]], "Units by kind of nation, then by kind of unit."]
    arrivals: Annotated[Sequence[FronelaArrival], "Future arrivals, including the rest of this round."]
    persons: Sequence[FronelaPerson]
    tokens: Sequence[FronelaToken]
    battle: Annotated[FronelaBattle | None, "The current battle. Null without one."]
    points: Annotated[Numbers, "By seat."]
    ledger: Sequence[FronelaScore]


class FronelaOrders(TypedDict):
    """Standing orders of one nation. `ask` means that the player is asked."""

    stance: str
    refuges: Annotated[Sequence[str], "Areas to retreat to, in order of preference."]
    own_losses: str
    enemy_losses: str
    wizards: str
    growth: str
    withdrawal: str


class FronelaPrivate(TypedDict):
    colour: Annotated[str, "Color of the seat. Empty for a seat without nations."]
    orders: Annotated[Mapping[str, FronelaOrders], "By nation."]


class FronelaPlan(TypedDict):
    """Empty: the public part has everything that a plan needs."""


VIEWS = ViewTypes(FronelaPublic, FronelaPrivate, FronelaPlan)
