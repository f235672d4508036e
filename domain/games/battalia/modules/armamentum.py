"""Armamentum: weapons on city walls, against opponents or, if another module is a besieger, only against that (ARM)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain.games.battalia import events as ev
from domain.games.battalia.module_api import traits
from domain.games.battalia.module_api.adjustments import Adjustable, Strength
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.questions import TURN, BattaliaQuestionKind, InTurn
from domain.games.battalia.module_api.settings import has_trait
from domain.games.battalia.module_api.socket import Advice, Npc
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.payment import lines
from domain.games.battalia.rulebook.refusals import NotConnected, NotYourCity
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import Price
from domain.games.battalia.state import NOBODY, BattaliaState
from domain.kernel.errors import RuleViolation
from domain.kernel.game.knowledge import SeatView
from domain.kernel.options import command_of, first
from domain.kernel.settings import Setting
from domain.kernel.shape import catalogue
from domain.kernel.terms import OneOf, Option, Seat

KEY = "armamentum"


@dataclass(frozen=True, slots=True)
class BuildArmamentum:
    """Build an Armamentum in a city (PAY-09)."""

    square: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArmamentumBuilt:
    seat: Seat
    square: str
    owner: Seat
    """The owner of the city, and so of the weapon."""


@dataclass(frozen=True, slots=True)
class ArmamentumLost:
    """An Armamentum was lost and returned to the stock (ARM-02)."""

    square: str


class WeaponThere(RuleViolation):
    """The city already has its weapon."""

    code = "weapon-there"
    rule = "ARM-01"


class NoWeaponLeft(RuleViolation):
    """All weapons are already built."""

    code = "no-weapon-left"
    rule = "ARM-02"


def weapons(state: BattaliaState) -> Sequence[str]:
    """The squares of the weapons.

    Omits a square whose city was just destroyed (ARM-05), because the event for the lost weapon follows next.
    """
    squares: Sequence[str] = state.npcs[KEY]["weapons"]
    return squares if state.cities.keys() >= set(squares) else [name for name in squares if name in state.cities]


def stock(state: BattaliaState) -> int:
    """ARM-02: the number left to build."""
    sets: int = state.options["armamentum_sets"]
    in_all: int = sets * RULESETS[state.ruleset].modules["armamentum_stock"]
    return in_all - len(weapons(state))


def is_besieged(state: BattaliaState) -> bool:
    """Whether the weapons help only against a besieger (ARM-06)."""
    return has_trait(state.modules, traits.BESIEGER)


def help_of_one(state: BattaliaState) -> int:
    """ARM-04, ARM-06: the strength that one weapon adds to a city."""
    numbers = RULESETS[state.ruleset].modules
    if is_besieged(state):
        by_difficulty: dict[str, int] = numbers["armamentum_against_besieger"]
        return by_difficulty[state.options["rammoth_difficulty"]]
    alone: int = numbers["armamentum_alone"]
    return alone


def covering(state: BattaliaState, square: str) -> list[str]:
    """The weapons that help the player's city on a square.

    Against a besieger these are all weapons in range, otherwise only the player's own.
    """
    city, armed = state.cities[square], weapons(state)
    near = [name for name in roads.within_range(state, square) if name in armed]
    if is_besieged(state):
        return near
    return [name for name in near if state.cities[name].owner == city.owner]


def sites(state: BattaliaState, seat: Seat) -> list[str]:
    """ARM-01, ARM-03, ARM-07: the squares where the player may build one."""
    if not stock(state):
        return []
    own = roads.cities_of(state.cities, seat)
    foreign: list[str] = []
    if is_besieged(state):
        cities = state.cities
        foreign = [name for name in roads.reached(state, seat) if name in cities and cities[name].owner != NOBODY]
    armed = weapons(state)
    return [name for name in sorted({*own, *foreign}) if name not in armed]


def price(state: BattaliaState, seat: Seat) -> Price:
    """The price of a weapon (PAY-09)."""
    usual: Price = RULESETS[state.ruleset].modules["armamentum_price"]
    return lines.price_of(state, seat, "build_armamentum", usual)


SETTINGS = (
    Setting("armamentum_sets", "Sets of six weapons (ARM-02).", 1, (1, 2)),
    Setting(
        "rammoth_difficulty",
        "The effect of a weapon against the Rammoth (ARM-06): easy 4, moderate 3, hard 2.",
        "moderate",
        ("easy", "moderate", "hard"),
    ),
)
CONDITIONS = {"rammoth_difficulty": traits.BESIEGER}
SENTENCES = {
    "armamentum_built": "{seat:seat} builds an Armamentum in the city on {square:square}.",
    "armamentum_built.foreign": "{seat:seat} builds an Armamentum on {square:square}, in {owner:seat}'s city.",
    "armamentum_lost": "The Armamentum on {square:square} is lost.",
}
REMARKS = {
    "armamentum_gone": "Your Armamentum on {square:square} is lost.",
}


class Building(InTurn):
    """ARM-01 to ARM-03, ARM-07: a weapon in a city."""

    commands = (BuildArmamentum,)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterable[Option]:
        squares = sites(state, seat)
        for form in lines.bag(state, seat).forms(price(state, seat)) if squares else ():
            yield lines.option("build_armamentum", {}, form, OneOf("square", tuple(squares)))

    def answer(self, decision: BattaliaDecision, seat: Seat, command: BuildArmamentum) -> None:
        state, square = decision.state, command.square
        _check_site(state, seat, square)
        lines.check_pays(state, seat, command.cards, price(state, seat), "PAY-09")
        decision.happen(ev.LinePaid(seat, command.cards))
        decision.happen(ArmamentumBuilt(seat, square, state.cities[square].owner))


class Armamentum(Npc):
    """Stores the squares of its weapons. The owners are those of the cities (ARM-05)."""

    key = KEY
    title = "Armamentum: weapons on city walls."
    order = 40
    traits = frozenset((traits.WEAPONS,))
    adjusts = (Strength,)
    settings = SETTINGS
    conditions = CONDITIONS
    questions: Mapping[str, BattaliaQuestionKind] = {TURN: Building()}
    commands = catalogue(BuildArmamentum)
    events = catalogue(ArmamentumBuilt, ArmamentumLost)
    names: Mapping[str, Mapping[str, str]] = {"part": {"weapons": "Armamentums"}}
    sentences = SENTENCES
    remarks = REMARKS

    def blank(self, begun: ev.BattaliaBegun) -> Any:  # noqa: ARG002
        return {"weapons": []}

    def evolve(self, memory: Any, event: Any) -> Any:
        match event:
            case ArmamentumBuilt(_, square, _):
                return {"weapons": [*memory["weapons"], square]}
            case ArmamentumLost(square):
                return {"weapons": [name for name in memory["weapons"] if name != square]}
            case _:
                return memory

    def react(self, decision: BattaliaDecision, event: Any) -> Iterable[Any]:
        """ARM-05: lost with the city's card. ARM-09: lost on squares that are struck."""
        struck = (event.square,) if isinstance(event, ev.CityDestroyed) else getattr(event, "strikes", ())
        return (
            [ArmamentumLost(name) for name in decision.state.npcs[KEY]["weapons"] if name in struck] if struck else ()
        )

    def adjust(self, state: BattaliaState | None, subject: Adjustable) -> Adjustable:
        """ARM-04, ARM-06: weapons count only for sides that have a city's level."""
        if not isinstance(subject, Strength) or "level" not in subject.parts or subject.seat == NOBODY:
            return subject
        assert state is not None
        if subject.role != ("siege" if is_besieged(state) else "defence"):
            return subject
        count = len(covering(state, subject.square))
        return replace(subject, parts={**subject.parts, "weapons": count * help_of_one(state)}) if count else subject

    def prices(self, state: BattaliaState) -> Mapping[str, tuple[Price, str]]:
        return {"build_armamentum": (RULESETS[state.ruleset].modules["armamentum_price"], "PAY-09")}

    def advise(self, state: BattaliaState, seat: Seat, option: Option) -> Advice | None:
        """Advise building where a weapon covers at least two of the player's cities."""
        squares = [str(name) for part in option.open if isinstance(part, OneOf) for name in part.choices]
        worth, square = max((_gain(state, seat, name), name) for name in squares)
        return (24.0 + worth, {**command_of(option, first), "square": square}) if worth else None

    def gloss(self, line: Any) -> Mapping[str, Any]:
        return {"manner": "foreign"} if line["type"] == "armamentum_built" and line["owner"] != line["seat"] else {}

    def changes(self, before: SeatView, after: SeatView, seat: Seat) -> Iterable[Any]:
        """Weapons lost in cities that the player still has. Weapons in lost cities are not reported."""
        old, new = (view.public["npcs"].get(KEY, {}).get("weapons", {}) for view in (before, after))
        kept = after.public["seats"][str(seat)]["cities"]
        gone = [name for name, weapon in old.items() if weapon["owner"] == seat and name not in new and name in kept]
        return [{"type": "armamentum_gone", "square": name} for name in sorted(gone)]

    def view(self, state: BattaliaState) -> Any:
        return {
            "weapons": _SHOWN.get((state.npcs[KEY], state.cities), state.modules, lambda: _weapons(state)),
            "stock": stock(state),
            "help": help_of_one(state),
            "against": "besieger" if is_besieged(state) else "opponents",
        }

    def faults(self, state: BattaliaState) -> Iterable[str]:
        memory = state.npcs[KEY]
        squares = memory.get("weapons") if isinstance(memory, Mapping) else None
        if not isinstance(squares, list) or not all(isinstance(name, str) for name in squares):
            yield "the weapons stand on no squares"
            return
        if not state.ending:  # END-05: no event follows if the loss of the city ended the game
            stray = [name for name in squares if name not in state.cities]
            yield from (f"a weapon stands on {name}, where no city is" for name in stray)
        if len(set(squares)) < len(squares):
            yield "a city has two weapons"
        if stock(state) < 0:
            yield "there are more weapons than were made"


def _check_site(state: BattaliaState, seat: Seat, square: str) -> None:
    city = state.cities.get(square)
    if city is None or city.owner == NOBODY:
        raise NotYourCity("No player has a city there.", rule="ARM-01", field="square", square=square)
    if city.owner != seat and not is_besieged(state):
        raise NotYourCity("You have no city there.", rule="ARM-03", field="square", square=square)
    if square in weapons(state):
        raise WeaponThere("This city already has a weapon.", field="square", square=square)
    if not stock(state):
        raise NoWeaponLeft("All weapons are already built.")
    if square not in sites(state, seat):
        raise NotConnected("Your cities do not reach this one by road.", rule="ARM-07", field="square", square=square)


_SHOWN = roads.Memo(256)
"""The view of the weapons, cached by its inputs, which few commands change."""


def _weapons(state: BattaliaState) -> Any:
    return {name: _weapon(state, name) for name in sorted(weapons(state))}


def _weapon(state: BattaliaState, square: str) -> Any:
    reach = roads.within_range(state, square)
    owner = state.cities[square].owner
    covered = [name for name in reach if name in state.cities and square in covering(state, name)]
    return {
        "owner": owner,
        "range": list(reach),
        "covers": [name for name in covered if state.cities[name].owner != NOBODY],
    }


def _gain(state: BattaliaState, seat: Seat, square: str) -> float:
    """The levels of the player's cities in range of a weapon there, discounted for weapons that already help them."""
    own = [n for n in roads.within_range(state, square) if n in state.cities and state.cities[n].owner == seat]
    if len(own) < 2 or (not is_besieged(state) and state.cities[square].owner != seat):
        return 0.0
    return sum(2.0 * state.cities[name].level / (1 + 3 * len(covering(state, name))) for name in own)
