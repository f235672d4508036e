"""The setup of the table (SET)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from domain.games.battalia import commands as cmd
from domain.games.battalia import events as ev
from domain.games.battalia.cards import ARTEFACTS, CARDS, CITIES, EXITS, FACTIONS, GREAT, RANKS, ROADS, SUPPLY, UNBOUND
from domain.games.battalia.evolve.evolve import evolve
from domain.games.battalia.module_api import registry, settings
from domain.games.battalia.module_api.adjustments import TablePlan
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.questions import BattaliaQuestionKind
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.refusals import UnknownChoice
from domain.games.battalia.rulebook.turn import calendar
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import BattaliaNumbers
from domain.games.battalia.state import BattaliaState
from domain.kernel.dice import Dice
from domain.kernel.errors import BadSetup
from domain.kernel.game.rules import Setup
from domain.kernel.settings import Setting, no_such_option
from domain.kernel.terms import OneOf, Option, Seat

BASE_SEATS = (2, 3, 4)
BASE_FACTIONS = FACTIONS[:4]
Cards = tuple[str, ...]

SETTINGS = (
    Setting("quick_setup", "Factions and starting places are drawn at random (SET-14).", True, (True, False)),
    Setting(
        "movement", "Whether steps into a hero's native terrain are free (MAP-04).", "advanced", ("advanced", "basic")
    ),
    Setting("victory_cities", "Cities of level 4 that end the game (END-01).", 5, (5, 4)),
    Setting("neutral_strength", "Defense strength of neutral cities in addition to their level (BAT-11).", 0, (0, 2)),
    Setting("ruins_strength", "Defense strength of the ruins (BAT-11).", 8, (8, 10)),
    Setting("unbound_units", "Whether the Unbound mercenaries are in the piles (SET-07).", False, (False, True)),
    Setting("max_weeks", "The game ends after this week (END-04). 0 means no limit.", 0, (), 0, 52),
)


# -- checking ---------------------------------------------------------------------------------------------------------


def check(setup: Setup) -> Setup:
    """The setup with its defaults. Raises `BadSetup`, which names every wrong field."""
    faults: dict[str, str] = {}
    known = registry.registered()
    named = [key for key, module in known.items() if not module.switch]
    unknown = [key for key in setup.modules if key not in named]
    if unknown or len(set(setup.modules)) < len(setup.modules):
        raise BadSetup({"modules": f"each once, out of: {', '.join(named)}"})
    modules = tuple(key for key in named if key in setup.modules)
    if setup.seats not in (*BASE_SEATS, *(number for key in modules for number in known[key].seats)):
        faults["seats"] = _possible_seats(modules)
    ruleset = setup.ruleset or next(iter(RULESETS))
    if ruleset not in RULESETS:
        faults["ruleset"] = f"one of {', '.join(RULESETS)}"
    rules = RULESETS[ruleset if ruleset in RULESETS else next(iter(RULESETS))]
    closed = settings.closed(modules, rules)
    offered = (*(each for each in SETTINGS if each.name not in closed), *settings.settings(modules))
    options = {setting.name: setting.default for setting in offered}
    options.update(settings.defaults(modules, rules))
    for name, value in setup.options.items():
        fault = _unfit(name, value, offered)
        if fault:
            faults[f"options.{name}"] = fault
        options[name] = value
    for key in settings.switched_on(modules, options) if not faults else ():
        faults.update(known[key].check(setup.seats, options, modules))
    if faults:
        raise BadSetup(faults)
    return replace(setup, ruleset=ruleset, options=options, modules=modules)


def _possible_seats(modules: tuple[str, ...]) -> str:
    known = registry.registered()
    possible = sorted({*BASE_SEATS, *(number for key in modules for number in known[key].seats)})
    more = {key: module.seats for key, module in known.items() if module.seats and key not in modules}
    with_more = [f"; {', '.join(map(str, seats))} with the module {key}" for key, seats in more.items()]
    return f"one of {', '.join(map(str, possible))}{''.join(with_more)}"


def _unfit(name: str, value: Any, offered: Iterable[Setting]) -> str:
    setting = next((each for each in offered if each.name == name), None)
    if setting is None:
        needed = settings.needed_for(name)
        return f"only with the modules: {', '.join(needed)}" if needed else no_such_option(offered)
    return setting.fault(value)


# -- dealing ----------------------------------------------------------------------------------------------------------


def begin(setup: Setup, dice: Dice) -> tuple[Any, ...]:
    """The first commit: everything up to the first question."""
    begun = _lay_out(setup, dice)
    decision = start_decision(evolve(None, begun), dice)
    for module in registry.playing(begun.modules):
        module.enter(decision)
    if setup.options["quick_setup"]:
        _draw_seats(decision)
        calendar.turn_day(decision)
    else:
        decision.happen(_ask(Seat(1), "faction"))
    calendar.proceed(decision)
    return (begun, *decision.events)


def _lay_out(setup: Setup, dice: Dice) -> ev.BattaliaBegun:
    rules = RULESETS[setup.ruleset]
    seats = [Seat(number) for number in range(1, setup.seats + 1)]
    plan = TablePlan(setup.seats, BASE_FACTIONS, rules)
    modules = settings.switched_on(setup.modules, setup.options)
    for module in registry.playing(modules):
        plan = module.adjust(None, plan)
    factions = plan.factions
    if setup.seats == 2:  # SET-10
        kept = dice.shuffle(factions)[: rules.factions_of_two]
        factions = tuple(faction for faction in factions if faction in kept)
    unbound = bool(setup.options["unbound_units"])
    piles = {name: dice.shuffle(cards) for name, cards in full_piles(rules, factions, unbound=unbound).items()}
    decks = {}
    for seat in seats:  # SET-13
        dealt: list[str] = []
        for rank, count in zip(RANKS, rules.start_units, strict=True):
            dealt += _deal(piles, rank, count)
        decks[seat] = dice.shuffle((*dealt, *_deal(piles, SUPPLY, rules.start_supplies)))
    great = dice.shuffle(f"great-{name}" for name in GREAT)
    open_ = setup.seats + rules.great_beyond_players
    board = rules.maps[setup.seats]
    neutrals = {name: _deal(piles, "city-cross", 1)[0] for name in board.neutrals}  # SET-16
    first = dice.below(len(seats))  # SET-01
    return ev.BattaliaBegun(
        ruleset=setup.ruleset,
        options=dict(setup.options),
        modules=modules,
        factions=factions,
        columns=board.columns,
        rows=board.rows,
        starts=board.starts,
        centre=roads.square(board.columns // 2, board.rows // 2),
        order=(*seats[first:], *seats[:first]),
        markers=plan.markers,
        piles=piles,
        decks=decks,
        hand=rules.hand,
        great=great[:open_],
        gone=great[open_:],
        neutrals=neutrals,
        neutral_level=rules.neutral_level,
    )


def _deal(piles: dict[str, Cards], pile: str, count: int) -> Cards:
    dealt, piles[pile] = piles[pile][:count], piles[pile][count:]
    return dealt


def full_piles(rules: BattaliaNumbers, factions: Cards, *, unbound: bool) -> Mapping[str, Cards]:
    """SET-03 to SET-10: every common pile before it is shuffled."""
    piles = {rank: _copies(rank, factions, rules.units_per_rank) for rank in RANKS}
    units = sum(map(len, piles.values()))
    if unbound:
        ranks = [f"{UNBOUND}-{rank}-{copy}" for rank in RANKS for copy in range(1, rules.unbound_per_rank + 1)]
        piles[UNBOUND] = tuple(ranks)
        units += len(ranks)
    piles[SUPPLY] = tuple(f"{SUPPLY}-{copy}" for copy in range(1, units + 1))  # SET-04
    piles |= {artefact: _copies(artefact, factions, rules.artefacts_per_type) for artefact in ARTEFACTS}
    piles |= {f"road-{shape}": _copies(f"road-{shape}", factions, rules.roads[shape]) for shape in ROADS}
    piles |= {f"city-{shape}": _copies(f"city-{shape}", factions, rules.cities[shape]) for shape in CITIES}
    return piles


def _copies(sort: str, factions: Cards, count: int) -> Cards:
    return tuple(f"{sort}-{faction}-{copy}" for faction in factions for copy in range(1, count + 1))


# -- factions and starting places -------------------------------------------------------------------------------------


def _draw_seats(decision: BattaliaDecision) -> None:
    """SET-14: draw factions and starting squares at random (quick setup)."""
    seats = sorted(decision.state.order)
    factions = decision.dice.shuffle(decision.state.factions)
    for seat, faction in zip(seats, factions, strict=False):
        decision.happen(ev.FactionChosen(seat, faction))
    for seat, square in zip(seats, decision.dice.shuffle(decision.state.starts), strict=True):
        decision.happen(_placed(decision.state, seat, square, 0))


def _placed(state: BattaliaState, seat: Seat, square: str, serial: int) -> ev.StartPlaced:
    """SET-15: the starting city and heroes of a seat."""
    rules = RULESETS[state.ruleset]
    exits = roads.inward(state, square)
    shape = next(shape for shape in CITIES if exits in EXITS[shape])
    faction = state.players[seat].faction
    card = next(card for card in state.piles[f"city-{shape}"] if CARDS[card].faction == faction)
    heroes = tuple(f"hero-{seat}-{number}" for number in range(1, rules.heroes + 1))
    return ev.StartPlaced(seat, square, card, exits, rules.start_level, heroes, serial)


def _ask(seat: Seat, kind: str) -> ev.QuestionAsked:
    return ev.QuestionAsked(kind, (seat,), "SET-14", {})


def factions_left(state: BattaliaState) -> tuple[str, ...]:
    """Factions in play that no player has chosen."""
    taken = {player.faction for player in state.players.values()}
    return tuple(faction for faction in state.factions if faction not in taken)


def starts_left(state: BattaliaState) -> tuple[str, ...]:
    return tuple(name for name in state.starts if name not in state.board)


class FactionQuestion(BattaliaQuestionKind):
    """SET-14: the faction of a seat, in seat order."""

    commands = (cmd.ChooseFaction,)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterable[Option]:  # noqa: ARG002
        return [Option("choose_faction", {}, (OneOf("faction", factions_left(state)),))]

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.ChooseFaction:  # noqa: ARG002
        return cmd.ChooseFaction(dice.choose(factions_left(state)))

    def only(self, state: BattaliaState, seat: Seat) -> cmd.ChooseFaction | None:  # noqa: ARG002
        left = factions_left(state)
        return cmd.ChooseFaction(left[0]) if len(left) == 1 else None

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.ChooseFaction) -> None:
        state, left = decision.state, factions_left(decision.state)
        if command.faction not in left:
            raise UnknownChoice("This faction is not available.", rule="SET-14", field="faction", left=list(left))
        decision.happen(ev.FactionChosen(seat, command.faction, state.asking[-1].serial))
        last = seat == max(state.order)
        decision.happen(_ask(seat, "start") if last else _ask(Seat(seat + 1), "faction"))


class StartQuestion(BattaliaQuestionKind):
    """SET-14: the starting square of a seat, the last seat first; then the first day begins."""

    commands = (cmd.ChooseStart,)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterable[Option]:  # noqa: ARG002
        return [Option("choose_start", {}, (OneOf("square", starts_left(state)),))]

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.ChooseStart:  # noqa: ARG002
        return cmd.ChooseStart(dice.choose(starts_left(state)))

    def only(self, state: BattaliaState, seat: Seat) -> cmd.ChooseStart | None:  # noqa: ARG002
        left = starts_left(state)
        return cmd.ChooseStart(left[0]) if len(left) == 1 else None

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.ChooseStart) -> None:
        state, left = decision.state, starts_left(decision.state)
        if command.square not in left:
            raise UnknownChoice(
                "This starting square is not available.", rule="SET-14", field="square", left=list(left)
            )
        decision.happen(_placed(state, seat, command.square, state.asking[-1].serial))
        if seat > min(state.order):
            decision.happen(_ask(Seat(seat - 1), "start"))
        else:
            calendar.turn_day(decision)
