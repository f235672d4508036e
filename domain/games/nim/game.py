"""The rules of Nim, and a bot that plays it perfectly."""

# ruff: noqa: ARG001, ARG002 - Nim has no secrets and needs the dice only once

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import xor
from typing import Annotated, Any, Literal, TypedDict

from domain.drawing.hints import Hint, Parameter
from domain.kernel.dice import Dice
from domain.kernel.draws import Draw, draws
from domain.kernel.errors import RuleViolation
from domain.kernel.game import Game
from domain.kernel.game.bots import Bot, Bots
from domain.kernel.game.knowledge import Knowledge, SeatView, ViewTypes
from domain.kernel.game.presentation import Form, Presentation
from domain.kernel.game.rules import Rules, Setup
from domain.kernel.numerals import numeral
from domain.kernel.rulings import Ruling, Sheet
from domain.kernel.settings import Setting
from domain.kernel.shape import catalogue
from domain.kernel.terms import Integer, Option, Outcome, Question, Seat

ONE, TWO = Seat(1), Seat(2)
USUAL_HEAPS, MOST_HEAPS = 4, 8
Heaps = tuple[int, ...]
Last = Literal["wins", "loses"]
"""The result for the seat that takes the last object."""


@dataclass(frozen=True, slots=True)
class Take:
    """Take objects from a heap. The first heap is 1 (NIM-03)."""

    heap: int
    objects: int


@draws(Draw("first", "die", 2))
@dataclass(frozen=True, slots=True)
class NimBegun:
    ruleset: str
    heaps: Heaps
    last_object: Last
    first: Seat
    """The seat that starts."""


@dataclass(frozen=True, slots=True)
class ObjectsTaken:
    seat: Seat
    heap: int
    objects: int
    left: int
    """Number of objects left in the heap."""


Event = NimBegun | ObjectsTaken


@dataclass(frozen=True, slots=True)
class NimState:
    ruleset: str
    heaps: Heaps
    last_object: Last
    mover: Seat
    """The seat on turn."""
    moves: int = 0


class NimTurn(TypedDict):
    seat: Annotated[Seat, "The seat on turn."]


class NimPublic(TypedDict):
    moves: Annotated[int, "Number of turns taken."]
    turn: NimTurn
    heaps: Annotated[Sequence[int], "Number of objects in each heap."]
    last_object: Annotated[Last, "The result for the seat that takes the last object."]


class NimPrivate(TypedDict):
    """Empty: nothing is hidden."""


class NimPlan(TypedDict):
    """Empty: the public part has everything that a plan needs."""


def _other(seat: Seat) -> Seat:
    return TWO if seat == ONE else ONE


class NotInHeap(RuleViolation):
    """The heap does not exist or holds fewer objects."""

    code = "not-in-heap"
    rule = "NIM-03"


def expert(state: NimState, seat: Seat, dice: Dice) -> Mapping[str, Any]:
    """The bot's move: leaves heaps from which the other seat cannot win.

    If there is no such move, takes one object from the largest heap.
    """
    for place, size in enumerate(state.heaps):
        for left in range(size):
            if _lost((*state.heaps[:place], left, *state.heaps[place + 1 :]), state.last_object):
                return {"type": "take", "heap": place + 1, "objects": size - left}
    return {"type": "take", "heap": 1 + state.heaps.index(max(state.heaps)), "objects": 1}


def _lost(heaps: Heaps, last_object: Last) -> bool:
    """Whether the seat on turn loses against an expert (C. L. Bouton, 1901)."""
    if last_object == "loses" and max(heaps) <= 1:
        return sum(heaps) % 2 == 1
    return reduce(xor, heaps) == 0


class NimRules(Rules[NimState, Take, Event]):
    state = NimState
    commands = catalogue(Take)
    events: Mapping[str, type[Event]] = catalogue(NimBegun, ObjectsTaken)
    rulesets = ("nim_v1",)
    sheets: Mapping[str, Sheet] = {
        "nim_v1": Sheet(
            {
                "heaps": Ruling(USUAL_HEAPS, "NIM-01", "H"),
                "most_heaps": Ruling(MOST_HEAPS, "NIM-01", "H"),
                "layout": Ruling(tuple(range(1, 2 * MOST_HEAPS, 2)), "NIM-01", "H"),
                "faces_of_the_first_die": Ruling(2, "NIM-02", "H"),
                "fewest_taken": Ruling(1, "NIM-03", "public"),
                "points_of_the_winner": Ruling(1, "NIM-06", "H"),
                "taken_in_silence": Ruling(1, "NIM-07", "H"),
            }
        )
    }
    seats = (2,)
    settings = (
        Setting(
            "heaps",
            "Number of heaps. They contain 1, 3, 5 … objects (NIM-01).",
            USUAL_HEAPS,
            min=2,
            max=MOST_HEAPS,
        ),
        Setting(
            "last_object",
            "Whether the player who takes the last object wins or loses (NIM-04, NIM-05).",
            "wins",
            ("wins", "loses"),
        ),
    )
    answers: Mapping[str, Collection[str]] = {"turn": ("take",)}

    def begin(self, setup: Setup, dice: Dice) -> Sequence[NimBegun]:
        heaps = _layout(setup.options["heaps"])
        return [NimBegun(setup.ruleset, heaps, setup.options["last_object"], Seat(dice.roll(2)))]

    def decide(self, state: NimState, seat: Seat, command: Take, dice: Dice) -> Sequence[ObjectsTaken]:
        if not 1 <= command.heap <= len(state.heaps):
            raise NotInHeap(f"The heaps are 1 to {len(state.heaps)}.", field="heap")
        size = state.heaps[command.heap - 1]
        if not 1 <= command.objects <= size:
            raise NotInHeap("A turn takes at least one object, and no more than the heap holds.", field="objects")
        return [ObjectsTaken(seat, command.heap, command.objects, size - command.objects)]

    def evolve(self, state: NimState | None, event: Event) -> NimState:
        if isinstance(event, NimBegun):
            return NimState(event.ruleset, event.heaps, event.last_object, event.first)
        assert state is not None
        heaps = (*state.heaps[: event.heap - 1], event.left, *state.heaps[event.heap :])
        return replace(state, heaps=heaps, mover=_other(event.seat), moves=state.moves + 1)

    def awaiting(self, state: NimState) -> Sequence[Question]:
        return [Question(state.moves, 0, state.mover, "turn", "NIM-02")] if any(state.heaps) else []

    def legal(self, state: NimState, seat: Seat) -> Sequence[Option]:
        if seat != state.mover:
            return ()
        sizes = enumerate(state.heaps, 1)
        return [Option("take", {"heap": heap}, (Integer("objects", 1, size),)) for heap, size in sizes if size]

    def outcome(self, state: NimState) -> Outcome | None:
        if any(state.heaps):
            return None
        wins = (
            state.last_object == "wins"
        )  # the seat on turn has nothing to take, so the other seat took the last object
        winner = _other(state.mover) if wins else state.mover
        scores = {seat: int(seat == winner) for seat in (ONE, TWO)}
        return Outcome("last-object", "NIM-04" if wins else "NIM-05", (winner,), scores)

    def bounds(self, state: NimState) -> Sequence[str]:
        return [f"there are at most {MOST_HEAPS} heaps"] if len(state.heaps) > MOST_HEAPS else []

    def faults(self, state: NimState) -> Sequence[str]:
        faults = [f"nobody sits in seat {state.mover}"] if state.mover not in (ONE, TWO) else []
        faults += [] if state.moves >= 0 else ["fewer than no turns cannot have been taken"]
        begun = enumerate(zip(state.heaps, _layout(len(state.heaps)), strict=True), 1)
        return faults + [f"heap {heap} cannot hold {size}" for heap, (size, most) in begun if not 0 <= size <= most]

    def options_of(self, state: NimState) -> Mapping[str, Any]:
        return {"heaps": len(state.heaps), "last_object": state.last_object}


class NimKnowledge(Knowledge[NimState, Event]):
    views = ViewTypes(NimPublic, NimPrivate, NimPlan)

    def view(self, state: NimState) -> Any:
        return {
            "moves": state.moves,
            "turn": {"seat": state.mover},
            "heaps": list(state.heaps),
            "last_object": state.last_object,
        }


class NimPresentation(Presentation):
    ends: Mapping[str, str] = {"last-object": "the last object is taken"}
    sentences: Mapping[str, str | Sequence[str]] = {
        "nim_begun": "The heaps have {heaps:heaps} objects. The player who takes the last one {last_object}. {first:seat} begins.",
        "objects_taken": "{seat:seat} takes {objects:objects} from heap {heap}, where {left:left}.",
        "objects_taken.all": "{seat:seat} takes the rest of heap {heap}: {objects:objects}.",
        "objects_taken.one": "{seat:seat} takes the last object of heap {heap}.",
    }
    hints: Mapping[str, Hint] = {"take": Hint("Take objects", icon="↓")}
    parameters: Mapping[str, Parameter] = {"heap": Parameter("From heap"), "objects": Parameter("How many")}
    asks: Mapping[str, str | Sequence[str]] = {"turn": "It is your turn. Take objects from one heap."}
    remarks: Mapping[str, str | Sequence[str]] = {
        "heaps_changed": "{taken:objects} {taken:was|were} taken. The heaps now have {heaps:list} objects.",
    }
    forms: Mapping[str, Form] = {
        "heaps": lambda heaps, _: ", ".join(map(str, heaps[:-1])) + f" and {heaps[-1]}",
        "objects": lambda number, _: "one object" if number == 1 else f"{numeral(number)} objects",
        "left": lambda number, _: "one is left" if number == 1 else f"{numeral(number)} are left",
    }

    def gloss(self, line: Any) -> Mapping[str, Any]:
        """Adds whether the move emptied the heap, or took its last object."""
        if line["type"] != "objects_taken" or line["left"]:
            return {}
        return {"manner": "one" if line["objects"] == 1 else "all"}

    def changes(self, before: SeatView, after: SeatView, seat: Seat) -> Sequence[Any]:
        """The number of objects that others have taken, and the number left in each heap."""
        heaps = after.public["heaps"]
        taken = sum(before.public["heaps"]) - sum(heaps)
        return [{"type": "heaps_changed", "taken": taken, "heaps": heaps}] if taken else []


class NimBots(Bots[NimState]):
    by_name: Mapping[str, Bot[NimState]] = {"expert": expert}


def _layout(heaps: int) -> Heaps:
    """The initial heaps (NIM-01)."""
    return tuple(2 * heap - 1 for heap in range(1, heaps + 1))


NIM = Game("nim", "Nim", NimRules(), NimKnowledge(), NimPresentation(), NimBots())
