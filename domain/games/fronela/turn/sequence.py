"""The sequence of play: rounds of turns, turns of phases (FRO-01 to FRO-03). Episodes can reorder it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind, Step
from domain.games.fronela.episode_api.registry import live
from domain.games.fronela.episodes import EPISODES
from domain.games.fronela.phases import combat, losses, overpopulation, population, wizards
from domain.games.fronela.phases.dice import ATTACK, DEFENCE
from domain.games.fronela.phases.movement import phase
from domain.games.fronela.phases.retreat import attacker, defender
from domain.games.fronela.state import FronelaState, areas_of
from domain.games.fronela.turn.rounds import ROUND, RoundEnds
from domain.kernel.terms import SYSTEM

NATION_TURN = ("population", "new_units", "move", "combat", "overpopulation")


def next_slot(decision: FronelaDecision, _: str) -> None:
    """Begin the next slot that has a turn. Other slots are skipped silently (FRO-D21)."""
    state = decision.state
    for place in range(state.place + 1, len(state.order)):
        slot = state.order[place]
        if has_turn(state, slot):
            decision.happen(ev.TurnBegun(slot, place))
            items: tuple[str, ...] = NATION_TURN if slot in state.tables.nations else ()
            for episode in live(state):
                items = episode.agenda(decision.state, slot, items)
            decision.first(*items, "turn_end")
            return
    decision.ask(SYSTEM, ROUND, "FRO-02")


def has_turn(state: FronelaState, slot: str) -> bool:
    """Whether a nation has units or arrivals, or a person acts."""
    if slot in state.tables.nations:
        return bool(areas_of(state, slot) or population.arrivals(state, slot))
    return any(episode.plays(state, slot) for episode in live(state))


def turn_end(decision: FronelaDecision, _: str) -> None:
    """End a turn that was not skipped."""
    slot = decision.state.turn
    for episode in live(decision.state):
        episode.after_turn(decision, slot)


STEPS: Mapping[str, Step] = MappingProxyType(
    {
        "next": next_slot,
        "population": population.population,
        "growth": population.growth,
        "new_units": population.new_units,
        "move": phase.begin,
        "moves_end": phase.end,
        "combat": combat.combat,
        "battle": combat.battle,
        "fight_on": combat.fight_on,
        "join": combat.join,
        "farmers": combat.farmers,
        "special_retreat": defender.special_retreat,
        "attack_wizards": wizards.attack_wizards,
        "defence_wizards": wizards.defence_wizards,
        "dice": combat.roll,
        "defender_losses": losses.defender_losses,
        "attacker_losses": losses.attacker_losses,
        "aftermath": combat.aftermath,
        "defender_retreat": defender.defender_retreat,
        "rout": attacker.must_choose,
        "overpopulation": overpopulation.overpopulation,
        "turn_end": turn_end,
    }
    | {word: step for episode in EPISODES.values() for word, step in episode.steps.items()}
)
"""The function of each agenda item."""

QUESTIONS: Mapping[str, FronelaQuestionKind] = MappingProxyType(
    {
        ROUND: RoundEnds(),
        "growth": population.Growth(),
        "move": phase.Move(),
        "battle": combat.NextBattle(),
        "attack_wizards": wizards.Wizards(ATTACK),
        "defence_wizards": wizards.Wizards(DEFENCE),
        "defender_losses": losses.Losses("defender_losses"),
        "attacker_losses": losses.Losses("attacker_losses"),
        "special_retreat": defender.Leaving("special_retreat"),
        "retreat": defender.Leaving("retreat"),
        "rout": attacker.Rout(),
    }
    | {kind: question for episode in EPISODES.values() for kind, question in episode.questions.items()}
)
"""All kinds of question."""
