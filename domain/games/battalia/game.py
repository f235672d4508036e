"""The `Game` implementation of Battalia."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.drawing.hints import Called, Hint, Parameter
from domain.game import Bot, Game, Seen, Setup
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
from domain.games.battalia.state import State, changed
from domain.kernel.dice import Dice
from domain.kernel.options import MOST, Scored
from domain.kernel.rulings import Sheet
from domain.kernel.settings import Setting
from domain.kernel.shape import as_document
from domain.kernel.terms import Option, Outcome, Question, Seat


class Battalia(Game[State, Any, Any]):
    """The game, with the modules that are registered when it is created."""

    key = "battalia"
    title = "Battalia: the Creation"
    state = State
    days = True
    departs = True
    rulesets: Sequence[str] = tuple(RULESETS)
    sheets: Mapping[str, Sheet] = {key: Sheet(rules.rulings, rules.readings) for key, rules in RULESETS.items()}
    answers = questions.answers(NPCS)
    endings: Mapping[str, Mapping[str, Any]] = {TURN: {"type": "end_turn"}}
    bots: Mapping[str, Bot[State]] = {"greedy": greedy}
    stand_in = "greedy"
    fits = FITS
    adept = staticmethod(adept)
    forms = words.FORMS
    hints: Mapping[str, Hint] = hinted.HINTS
    parameters: Mapping[str, Parameter] = hinted.PARAMETERS
    held: Mapping[str, str] = hinted.HELD
    told = reveal.TOLD
    openings = sentences.OPENINGS
    sides = tuple(words.NAMES["faction"].values())
    course = board.COURSE
    views = types.VIEWS

    def __init__(self) -> None:
        modules = NPCS
        ordering = {standing.type: standing.command for standing in orders.of_modules(tuple(modules)).values()}
        self.unasked = frozenset(ordering)
        self.orderable = orders.kinds(modules.values())
        self.commands = {**commands.COMMANDS, **ordering}
        self.events = dict(events.EVENTS)
        self.sentences = dict(sentences.SENTENCES)
        self.asks = dict(sentences.ASKS)
        self.remarks = dict(sentences.REMARKS)
        self.names = dict(words.NAMES)
        self.modules = {key: module.title for key, module in modules.items() if not module.switch}
        self.settings = tuple(map(self._with_needs, setup.SETTINGS))
        seats = set(setup.BASE_SEATS)
        for module in modules.values():
            self.commands = {**self.commands, **module.commands}
            self.events = {**self.events, **module.events}
            self.sentences = {**self.sentences, **module.sentences}
            self.asks = {**self.asks, **module.asks}
            self.remarks = {**self.remarks, **module.remarks}
            self.names = {
                kind: {**self.names.get(kind, {}), **module.names.get(kind, {})}
                for kind in (*self.names, *module.names)
            }
            self.settings = (*self.settings, *map(self._with_needs, module.settings))
            seats.update(module.seats)
        self.seats = tuple(sorted(seats))
        self.ends = {
            key.removeprefix(sentences.END): str(text).removeprefix(sentences.OVER).removesuffix(".")
            for key, text in self.sentences.items()
            if key.startswith(sentences.END)
        }
        self.actors = {key.replace("_", " ") for key in self.modules} | set(self.names.get("module", {}).values())

    def _with_needs(self, setting: Setting) -> Setting:
        """The setting for a new game, with the effect of each module."""
        rules = RULESETS[self.rulesets[0]]
        needs = tuple(key for key in settings.needed_for(setting.name) if key in self.modules)
        defaults = {key: settings.defaults((key,), rules).get(setting.name, setting.default) for key in self.modules}
        others = {key: value for key, value in defaults.items() if value != setting.default}
        return replace(setting, needs=needs, defaults=others)

    def check(self, setup_: Setup) -> Setup:
        return setup.check(setup_)

    def begin(self, setup_: Setup, dice: Dice) -> Sequence[Any]:
        return setup.begin(setup_, dice)

    def decide(self, state: State, seat: Seat, command: Any, dice: Dice) -> Sequence[Any]:
        return questions.decide(state, seat, command, dice)

    def decide_silence(self, state: State, seat: Seat, command: Any, dice: Dice) -> Sequence[Any]:
        return questions.decide(state, seat, command, dice, silent=True)

    def depart(self, state: State, seat: Seat, dice: Dice) -> Sequence[Any]:
        return questions.depart(state, seat, dice)

    def evolve(self, state: State | None, event: Any) -> State:
        return evolve(state, event)

    def awaiting(self, state: State) -> Sequence[Question]:
        return questions.awaiting(state)

    def legal(self, state: State, seat: Seat) -> Sequence[Option]:
        answers = questions.legal(state, seat)
        given = orders.legal(state, seat) if len(answers) <= MOST else ()
        return [*answers, *given] if given else answers

    def orders(self, state: State, seat: Seat) -> Sequence[Mapping[str, Any]]:
        return orders.told(state, seat)

    def resting(self, state: State, seats: Collection[Seat]) -> State:
        if state.orders.keys().isdisjoint(seats):
            return state
        return changed(state, orders={seat: given for seat, given in state.orders.items() if seat not in seats})

    def by_orders(self, then: State, seat: Seat, now: State) -> Mapping[str, Any] | None:
        answer = orders.ordered(changed(then, orders={seat: now.orders.get(seat, {})}), seat)
        return None if answer is None else as_document(answer)

    def replies(self, state: State, seat: Seat) -> Sequence[Option]:
        return questions.legal(state, seat)

    def default(self, state: State, seat: Seat, dice: Dice) -> Any:
        return questions.default(state, seat, dice)

    def has_answered(self, state: State, seat: Seat) -> bool:
        return questions.has_answered(state, seat)

    def view(self, state: State) -> Any:
        return view.view(state)

    def private(self, state: State, seat: Seat) -> Any:
        return view.private(state, seat)

    def plan(self, state: State, seat: Seat) -> Any:
        return plan.plan(state, seat)

    def audience(self, event: Any) -> Collection[Seat] | None:
        module = registry.registered_owner(event)
        return reveal.audience(event) if module is None else module.audience(event)

    def reveal(self, event: Any, seat: Seat | None) -> Any:
        module = registry.registered_owner(event)
        return reveal.reveal(event, seat) if module is None else module.reveal(event, seat)

    def on_turn(self, state: State) -> Seat | None:
        return state.turn.seat or None

    def passes(self, event: Any, seat: Seat) -> bool:
        return passing.passes(event, seat)

    def gives_away(self, event: Any) -> bool:
        return reveal.gives_away(event)

    def discloses(self, events: Sequence[Any]) -> bool:
        return any(
            reveal.gives_away(event) if module is None else module.discloses(event, events)
            for event, module in ((each, registry.registered_owner(each)) for each in events)
        )

    def imagine(self, state: State, seat: Seat | None, dice: Dice) -> State:
        return imagine.imagine(state, seat, dice)

    def side(self, view: Any, seat: Seat) -> str:
        return words.NAMES["faction"].get(view["seats"][str(seat)]["faction"], "")

    def gloss(self, line: Any) -> Mapping[str, Any]:
        own = registry.teller_of(line["type"])
        return paragraphs.gloss(line) if own is None else own.gloss(line)

    def condense(self, lines: Sequence[Any]) -> Sequence[Any]:
        return paragraphs.condense(lines)

    def changes(self, before: Seen, after: Seen, seat: Seat) -> Sequence[Any]:
        modules = [registry.registered()[key] for key in after.public["npcs"]]
        own = [line for module in modules for line in module.changes(before, after, seat)]
        return [*changes.changes(before, after, seat), *own]

    def word(self, choice: str) -> str:
        return terminal.word(choice)

    def called(self, choice: str) -> Called:
        return hinted.called(choice)

    def board(self, view: Any, seats: Mapping[str, str], lines: Sequence[Any] = ()) -> str:
        return board.board(view, seats, lines, self.ends, self.names.get("task", {}))

    def legend(self, public: Any) -> Iterator[str]:
        return terminal.legend(public)

    def text(self, public: Any, private: Any) -> Iterator[str]:
        return terminal.text(public, private)

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(state)

    def standings(self, state: State) -> Mapping[Seat, int]:
        return scoring.standings(state)

    def policy(self, state: State, seat: Seat) -> Sequence[Scored]:
        return searching.policy(state, seat)

    def features(self, state: State, seat: Seat) -> Mapping[str, float]:
        return searching.features(state, seat)

    def far_enough(self, start: State, state: State) -> bool:
        return searching.far_enough(start, state)

    def allies(self, state: State, seat: Seat) -> Collection[Seat]:
        return [other for other in sorted(state.players) if other != seat and not hostile(state, seat, other)]

    def bounds(self, state: State) -> Iterable[str]:
        return bounds(state)

    def faults(self, state: State) -> Sequence[str]:
        return faults(state)


BATTALIA = Battalia()
