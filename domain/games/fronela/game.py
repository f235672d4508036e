"""History of Fronela: its rules, knowledge, presentation and bots."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from domain.drawing.hints import Hint, Parameter
from domain.games.fronela.bots import prospects, searching
from domain.games.fronela.bots.fits import FITS, OUTLOOKS
from domain.games.fronela.bots.greedy import greedy
from domain.games.fronela.commands import COMMANDS, STANDING
from domain.games.fronela.episode_api.registry import seat_of
from domain.games.fronela.episodes import EPISODES
from domain.games.fronela.events import (
    EVENTS,
    OPEN,
    SECRET,
    Asked,
    GrowthRolled,
    HistoryBegun,
    MovesEnded,
    OrderChanged,
    RoundBegun,
    RoundEnded,
    TurnBegun,
    UnitsReadied,
)
from domain.games.fronela.evolve.evolve import evolve
from domain.games.fronela.phases import scoring
from domain.games.fronela.readers import telling, terminal, types, view
from domain.games.fronela.readers.bounds import bounds
from domain.games.fronela.readers.changes import changes
from domain.games.fronela.readers.condensing import condense
from domain.games.fronela.readers.faults import faults
from domain.games.fronela.readers.naming import CALLED
from domain.games.fronela.readers.phrases import FORMS
from domain.games.fronela.readers.picture import board
from domain.games.fronela.readers.picture import hints as hinted
from domain.games.fronela.readers.sentences import ASKS, OPENINGS, REMARKS, SENTENCES
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.scenarios.sheet import sheet
from domain.games.fronela.scenarios.tables import COLOURS
from domain.games.fronela.state import FronelaState, changed
from domain.games.fronela.turn import deciding, legal, ordered, orders
from domain.games.fronela.turn.rounds import ROUND
from domain.games.fronela.turn.sequence import QUESTIONS
from domain.kernel.dice import Dice
from domain.kernel.game import Game
from domain.kernel.game.bots import Bot, Bots
from domain.kernel.game.knowledge import Knowledge
from domain.kernel.game.presentation import Presentation
from domain.kernel.game.rules import Rules, Setup
from domain.kernel.rulings import Sheet
from domain.kernel.shape import as_document, snake
from domain.kernel.terms import Seat

_SHORT = ("auto", "done", "pass_nations")
"""Valid answers to nearly every kind of question (FRO-D57, FRO-D59)."""

_LEADING = frozenset((RoundBegun, RoundEnded, OrderChanged, TurnBegun, Asked, UnitsReadied, MovesEnded, *SECRET))
"""Events that advance turns or store a seat's orders. They change no unit, token or point."""


_GROWING = frozenset(
    nation.id for scenario in SCENARIOS.values() for nation in scenario.nations.values() if nation.growth != "none"
)
"""Nations that roll for growth at the start of their turn, if anything can grow."""


def _hides_growth(events: Sequence[Any]) -> bool:
    """Whether a nation that may grow begins its turn, or moves, without a growth roll in the same commit."""
    nations = {event.nation for event in events if isinstance(event, (TurnBegun, UnitsReadied))}
    return not _GROWING.isdisjoint(nations - {event.nation for event in events if isinstance(event, GrowthRolled)})


class FronelaRules(Rules[FronelaState, Any, Any]):
    state = FronelaState
    commands: Mapping[str, type[Any]] = COMMANDS | {
        name: kind for episode in EPISODES.values() for name, kind in episode.commands.items()
    }
    events: Mapping[str, type[Any]] = EVENTS | {
        name: kind for episode in EPISODES.values() for name, kind in episode.events.items()
    }
    rulesets: Sequence[str] = tuple(SCENARIOS)
    sheets: Mapping[str, Sheet] = {key: sheet(scenario) for key, scenario in SCENARIOS.items()}
    seats: Sequence[int] = (len(COLOURS),)
    unasked: Collection[str] = frozenset(STANDING)
    orderable: Collection[str] = ordered.ANSWERS
    answers: Mapping[str, Collection[str]] = {
        kind: sorted({*(snake(cls.__name__) for cls in question.commands), *_SHORT})
        for kind, question in QUESTIONS.items()
        if kind != ROUND
    }
    endings: Mapping[str, Mapping[str, Any]] = {"growth": {"type": "done"}, "move": {"type": "done"}}

    decide = staticmethod(deciding.decide)
    evolve = staticmethod(evolve)
    awaiting = staticmethod(legal.awaiting)
    default = staticmethod(legal.default)
    legal = staticmethod(legal.legal)
    outcome = staticmethod(scoring.outcome)
    standings = staticmethod(scoring.totals)
    bounds = staticmethod(bounds)
    faults = staticmethod(faults)

    def possible_seats(self) -> str:
        return "4 seats, one for each colour"  # FRO-D27

    def begin(self, setup: Setup, dice: Dice) -> Sequence[Any]:
        """The setup, and round 1 up to its first question."""
        return [HistoryBegun(setup.ruleset), *deciding.begin(setup.ruleset, dice)]

    def by_orders(self, then: FronelaState, seat: Seat, now: FronelaState) -> Mapping[str, Any] | None:  # noqa: ARG002 - only one seat is asked at a time
        answer = ordered.answer(changed(then, orders=now.orders))
        return None if answer is None else as_document(answer)

    def on_turn(self, state: FronelaState) -> Seat | None:
        return seat_of(state, state.turn) if state.turn else None


class FronelaKnowledge(Knowledge[FronelaState, Any]):
    views = types.VIEWS
    told = telling.told(FronelaRules.events)

    private = staticmethod(view.private)
    view = staticmethod(view.public)
    reveal = staticmethod(telling.reveal)

    def orders(self, state: FronelaState, seat: Seat) -> Sequence[Mapping[str, Any]]:
        return [line for event in ordered.told(state, seat) if (line := telling.reveal(event, seat)) is not None]

    def audience(self, event: Any) -> Collection[Seat] | None:
        return (event.seat,) if type(event) in SECRET else None

    def passes(self, event: Any, seat: Seat) -> bool:  # noqa: ARG002 - everything except standing orders is public
        return type(event) in _LEADING or (type(event) is GrowthRolled and not event.grows)

    def gives_away(self, event: Any) -> bool:
        """Battles and growth may follow the secret orders of others.

        A question in a battle may reveal that there are no orders.
        """
        return type(event) not in OPEN and not (isinstance(event, Asked) and event.kind == "move")

    def discloses(self, events: Sequence[Any]) -> bool:
        """A turn without a growth roll may reveal that the owner's order declines growth (FRO-D54)."""
        return any(map(self.gives_away, events)) or _hides_growth(events)

    def imagine(self, state: FronelaState, seat: Seat | None, dice: Dice) -> FronelaState:
        """Everything is public except the standing orders of others."""
        drawn = {
            nation.id: orders.imagined(state, nation.id, dice)
            for nation in state.tables.nations.values()
            if nation.seat != seat
        }
        own = {nation: old for nation, old in state.orders.items() if state.tables.nations[nation].seat == seat}
        return changed(state, orders={**own, **drawn})


class FronelaPresentation(Presentation):
    sentences = SENTENCES
    ends = board.ENDS
    remarks = REMARKS
    asks = ASKS
    openings = OPENINGS
    names = CALLED
    forms = FORMS
    actors = tuple(CALLED["folk"].values())
    sides = tuple(colour.title() for colour in COLOURS)
    course = board.COURSE
    hints: Mapping[str, Hint] = hinted.HINTS
    parameters: Mapping[str, Parameter] = hinted.PARAMETERS

    gloss = staticmethod(telling.gloss)
    condense = staticmethod(condense)
    changes = staticmethod(changes)
    text = staticmethod(terminal.text)
    legend = staticmethod(terminal.legend)
    word = staticmethod(terminal.word)

    def side(self, view: Any, seat: Seat) -> str:  # noqa: ARG002 - each seat has a fixed color
        return self.sides[seat - 1]

    def board(self, title: str, view: Any, seats: Mapping[str, str], lines: Sequence[Any] = ()) -> str:  # noqa: ARG002 - the picture names the round
        return board.board(view, seats, lines)


class FronelaBots(Bots[FronelaState]):
    by_name: Mapping[str, Bot[FronelaState]] = {"greedy": greedy}
    stand_in = "greedy"
    supposed = staticmethod(searching.supposed)
    fits = FITS
    outlooks = OUTLOOKS
    policy = staticmethod(searching.policy)
    features = staticmethod(prospects.features)
    outlook = staticmethod(prospects.outlook)
    far_enough = staticmethod(searching.far_enough)


FRONELA = Game(
    "fronela", "History of Fronela", FronelaRules(), FronelaKnowledge(), FronelaPresentation(), FronelaBots()
)
