"""Battalia: its rules, knowledge, presentation and bots."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from domain.drawing.hints import Hint, Parameter
from domain.games.battalia import commands, events
from domain.games.battalia.bots import searching
from domain.games.battalia.bots.adept import adept
from domain.games.battalia.bots.fits import FITS
from domain.games.battalia.bots.greedy import greedy
from domain.games.battalia.evolve.evolve import evolve
from domain.games.battalia.module_api import registry, settings
from domain.games.battalia.module_api.questions import TURN
from domain.games.battalia.modules import NPCS
from domain.games.battalia.readers import imagine, passing, plan, reveal, terminal, types, view
from domain.games.battalia.readers.bounds import bounds
from domain.games.battalia.readers.faults import faults
from domain.games.battalia.readers.picture import board
from domain.games.battalia.readers.picture import hints as hinted
from domain.games.battalia.readers.words import changes, paragraphs, sentences
from domain.games.battalia.readers.words import forms as words
from domain.games.battalia.rulebook import scoring
from domain.games.battalia.rulebook.map.figures import hostile
from domain.games.battalia.rulebook.turn import orders, questions, setup
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.state import BattaliaState, changed
from domain.kernel.dice import Dice
from domain.kernel.game import Game
from domain.kernel.game.bots import Bot, Bots
from domain.kernel.game.knowledge import Knowledge, SeatView
from domain.kernel.game.presentation import Presentation
from domain.kernel.game.rules import Rules
from domain.kernel.options import MOST
from domain.kernel.rulings import Sheet
from domain.kernel.settings import Setting
from domain.kernel.shape import as_document
from domain.kernel.terms import Option, Seat

T = TypeVar("T")


class BattaliaRules(Rules[BattaliaState, Any, Any]):
    """The rules, with the modules that are registered when they are created."""

    state = BattaliaState
    days = True
    departs = True
    rulesets: Sequence[str] = tuple(RULESETS)
    sheets: Mapping[str, Sheet] = {key: Sheet(rules.rulings, rules.readings) for key, rules in RULESETS.items()}
    answers = questions.answers(NPCS)
    endings: Mapping[str, Mapping[str, Any]] = {TURN: {"type": "end_turn"}}

    check = staticmethod(setup.check)
    begin = staticmethod(setup.begin)
    decide = staticmethod(questions.decide)
    depart = staticmethod(questions.depart)
    evolve = staticmethod(evolve)
    awaiting = staticmethod(questions.awaiting)
    replies = staticmethod(questions.legal)
    default = staticmethod(questions.default)
    has_answered = staticmethod(questions.has_answered)
    outcome = staticmethod(scoring.outcome)
    standings = staticmethod(scoring.standings)
    bounds = staticmethod(bounds)
    faults = staticmethod(faults)

    def __init__(self) -> None:
        modules = NPCS.values()
        ordering = {standing.type: standing.command for standing in orders.of_modules(tuple(NPCS)).values()}
        self.unasked = frozenset(ordering)
        self.orderable = orders.kinds(modules)
        self.commands = {**commands.COMMANDS, **ordering, **_joined(module.commands for module in modules)}
        self.events = {**events.EVENTS, **_joined(module.events for module in modules)}
        self.modules = {key: module.title for key, module in NPCS.items() if not module.switch}
        chosen = (*setup.SETTINGS, *(setting for module in modules for setting in module.settings))
        self.settings = tuple(map(self._with_needs, chosen))
        self.seats = tuple(sorted({*setup.BASE_SEATS, *(seats for module in modules for seats in module.seats)}))

    def _with_needs(self, setting: Setting) -> Setting:
        """The setting for a new game, with the effect of each module."""
        rules = RULESETS[self.rulesets[0]]
        needs = tuple(key for key in settings.needed_for(setting.name) if key in self.modules)
        defaults = {key: settings.defaults((key,), rules).get(setting.name, setting.default) for key in self.modules}
        others = {key: value for key, value in defaults.items() if value != setting.default}
        return replace(setting, needs=needs, defaults=others)

    def decide_silence(self, state: BattaliaState, seat: Seat, command: Any, dice: Dice) -> Sequence[Any]:
        return questions.decide(state, seat, command, dice, silent=True)

    def legal(self, state: BattaliaState, seat: Seat) -> Sequence[Option]:
        answers = questions.legal(state, seat)
        given = orders.legal(state, seat) if len(answers) <= MOST else ()
        return [*answers, *given] if given else answers

    def resting(self, state: BattaliaState, seats: Collection[Seat]) -> BattaliaState:
        if state.orders.keys().isdisjoint(seats):
            return state
        return changed(state, orders={seat: given for seat, given in state.orders.items() if seat not in seats})

    def by_orders(self, then: BattaliaState, seat: Seat, now: BattaliaState) -> Mapping[str, Any] | None:
        answer = orders.ordered(changed(then, orders={seat: now.orders.get(seat, {})}), seat)
        return None if answer is None else as_document(answer)

    def on_turn(self, state: BattaliaState) -> Seat | None:
        return state.turn.seat or None

    def allies(self, state: BattaliaState, seat: Seat) -> Collection[Seat]:
        return [other for other in sorted(state.players) if other != seat and not hostile(state, seat, other)]


class BattaliaKnowledge(Knowledge[BattaliaState, Any]):
    views = types.VIEWS
    told = reveal.TOLD

    private = staticmethod(view.private)
    view = staticmethod(view.view)
    plan = staticmethod(plan.plan)
    orders = staticmethod(orders.told)
    passes = staticmethod(passing.passes)
    gives_away = staticmethod(reveal.gives_away)
    imagine = staticmethod(imagine.imagine)

    def audience(self, event: Any) -> Collection[Seat] | None:
        module = registry.registered_owner(event)
        return reveal.audience(event) if module is None else module.audience(event)

    def reveal(self, event: Any, seat: Seat | None) -> Any:
        module = registry.registered_owner(event)
        return reveal.reveal(event, seat) if module is None else module.reveal(event, seat)

    def discloses(self, events: Sequence[Any]) -> bool:
        return any(
            reveal.gives_away(event) if module is None else module.discloses(event, events)
            for event, module in ((each, registry.registered_owner(each)) for each in events)
        )


class BattaliaPresentation(Presentation):
    """The text and pictures, with the modules that are registered when they are created."""

    openings = sentences.OPENINGS
    forms = words.FORMS
    sides = tuple(words.NAMES["faction"].values())
    course = board.COURSE
    hints: Mapping[str, Hint] = hinted.HINTS
    parameters: Mapping[str, Parameter] = hinted.PARAMETERS
    held: Mapping[str, str] = hinted.HELD

    condense = staticmethod(paragraphs.condense)
    text = staticmethod(terminal.text)
    legend = staticmethod(terminal.legend)
    word = staticmethod(terminal.word)
    called = staticmethod(hinted.called)

    def __init__(self) -> None:
        modules = NPCS.values()
        self.sentences = {**sentences.SENTENCES, **_joined(module.sentences for module in modules)}
        self.asks = {**sentences.ASKS, **_joined(module.asks for module in modules)}
        self.remarks = {**sentences.REMARKS, **_joined(module.remarks for module in modules)}
        named = (words.NAMES, *(module.names for module in modules))
        kinds = _joined(named)
        self.names = {kind: _joined(names.get(kind, {}) for names in named) for kind in kinds}
        self.ends = {
            key.removeprefix(sentences.END): str(text).removeprefix(sentences.OVER).removesuffix(".")
            for key, text in self.sentences.items()
            if key.startswith(sentences.END)
        }
        self.actors = {key.replace("_", " ") for key, module in NPCS.items() if not module.switch}
        self.actors |= set(self.names.get("module", {}).values())

    def side(self, view: Any, seat: Seat) -> str:
        return words.NAMES["faction"].get(view["seats"][str(seat)]["faction"], "")

    def gloss(self, line: Any) -> Mapping[str, Any]:
        own = registry.teller_of(line["type"])
        return paragraphs.gloss(line) if own is None else own.gloss(line)

    def changes(self, before: SeatView, after: SeatView, seat: Seat) -> Sequence[Any]:
        modules = [registry.registered()[key] for key in after.public["npcs"]]
        own = [line for module in modules for line in module.changes(before, after, seat)]
        return [*changes.changes(before, after, seat), *own]

    def board(self, title: str, view: Any, seats: Mapping[str, str], lines: Sequence[Any] = ()) -> str:  # noqa: ARG002 - the picture names the day
        return board.board(view, seats, lines, self.ends, self.names.get("task", {}))


class BattaliaBots(Bots[BattaliaState]):
    by_name: Mapping[str, Bot[BattaliaState]] = {"greedy": greedy}
    stand_in = "greedy"
    adept = staticmethod(adept)
    fits = FITS
    policy = staticmethod(searching.policy)
    features = staticmethod(searching.features)
    far_enough = staticmethod(searching.far_enough)


def _joined(parts: Iterable[Mapping[str, T]]) -> dict[str, T]:
    return {key: value for part in parts for key, value in part.items()}


def battalia() -> Game[BattaliaState, Any, Any]:
    """The game, with the modules that are registered now."""
    return Game(
        "battalia",
        "Battalia: the Creation",
        BattaliaRules(),
        BattaliaKnowledge(),
        BattaliaPresentation(),
        BattaliaBots(),
    )


BATTALIA = battalia()
