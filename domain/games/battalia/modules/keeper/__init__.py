"""The Keeper: he appears at every battlefield, gives keys to the winners, and changes the victory conditions (KEE)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.games.battalia import events as ev
from domain.games.battalia.cards import FACTIONS
from domain.games.battalia.module_api import gates, moments
from domain.games.battalia.module_api.adjustments import Adjustable, Ending, Ranking
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.questions import TURN, BattaliaQuestionKind, InTurn
from domain.games.battalia.module_api.socket import Advice, Npc
from domain.games.battalia.modules.keeper import advice, standing
from domain.games.battalia.modules.keeper.kinds import (
    KEYS,
    REMARKS,
    SENTENCES,
    ChallengeKeeper,
    KeeperChallenged,
    KeeperEntered,
    KeeperSummoned,
    KeyGiven,
    NoKeyToWin,
)
from domain.games.battalia.rulebook import scoring
from domain.games.battalia.rulebook.battle import combat, strength
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.map.figures import figures, hostile
from domain.games.battalia.rulebook.refusals import NotYourHero, TooLate
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import BattaliaNumbers
from domain.games.battalia.state import NOBODY, BattaliaState
from domain.kernel.game.knowledge import SeatView
from domain.kernel.shape import catalogue
from domain.kernel.terms import OneOf, Option, Seat

Cards = tuple[str, ...]

# -- keys -------------------------------------------------------------------------------------------------------------


def _held(state: BattaliaState, seat: Seat) -> Sequence[str]:
    keys: Sequence[str] = state.npcs[Keeper.key]["keys"].get(str(seat), ())
    return keys


def _needed(state: BattaliaState) -> Cards:
    """KEE-04, END-06: one key of every faction still in play; during setup (SET-14), of the factions chosen so far."""
    chosen = (faction for seat in state.order if (faction := state.players[seat].faction))
    return tuple(sorted(chosen, key=FACTIONS.index))


def _has_all(state: BattaliaState, seat: Seat) -> bool:
    held = _held(state, seat)
    return len(held) >= len(state.order) and all(state.players[other].faction in held for other in state.order)


def _to_win(state: BattaliaState, seat: Seat) -> str:
    """KEE-05, KEE-08: the faction whose key the player may win in a duel: their own, then their partner's; or empty."""
    partners = [other for other in state.order if other != seat and not hostile(state, seat, other)]
    held = _held(state, seat)
    factions = (state.players[other].faction for other in (seat, *partners))
    return next((faction for faction in factions if faction not in held), "")


def _given(seat: Seat, faction: str, by: str) -> KeyGiven:
    return KeyGiven(seat, faction, *KEYS[faction], by)


def _is_memory(memory: Any, state: BattaliaState) -> bool:
    """Whether the memory is well formed; that of an imported position may not be."""
    if not isinstance(memory, Mapping) or memory.keys() != {"square", "keys", "duels"}:
        return False
    keys, duels = memory["keys"], memory["duels"]
    return (
        isinstance(memory["square"], str)
        and isinstance(keys, Mapping)
        and keys.keys() == {str(seat) for seat in state.players}
        and all(isinstance(held, list) and all(isinstance(key, str) for key in held) for held in keys.values())
        and isinstance(duels, Mapping)
        and all(type(turn) is int for turn in duels.values())
    )


class Duel(InTurn):
    """KEE-05: a hero on the Keeper's square challenges the Keeper with a line."""

    commands = (ChallengeKeeper,)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterable[Option]:
        heroes = _challengers(state, seat)
        if not heroes or not _to_win(state, seat):
            return
        open_ = combat.line_parameters(state, seat, units_at_least=1)
        if open_ is not None:
            yield Option("challenge_keeper", {}, (OneOf("hero", heroes), *open_))

    def answer(self, decision: BattaliaDecision, seat: Seat, command: ChallengeKeeper) -> None:
        state = decision.state
        square = state.npcs[Keeper.key]["square"]
        key = _to_win(state, seat)
        if not square or not key:
            raise NoKeyToWin("The Keeper has no key for you.")
        if command.hero not in figures(state, seat, square):
            raise NotYourHero("Only a hero on the Keeper's square can challenge him.", rule="KEE-05", field="hero")
        if command.hero not in _challengers(state, seat):
            raise TooLate("This hero has already challenged the Keeper in this turn.", rule="KEE-05", field="hero")
        combat.check_line(state, seat, command, needs_unit=True)
        decision.happen(KeeperChallenged(seat, command.hero, square, state.day))
        cards = (*command.units, *command.support)
        rolls = combat.reveal(decision, seat, cards, command.ambush)
        line = (*cards, *command.ambush)
        own = strength.side(decision.state, seat, "attack", NOBODY, square, (command.hero,), line, rolls)
        against = decision.rules.modules["keeper_strength"]
        won = own.strength > against  # BAT-03
        parts, reached = own.parts, own.strength
        decision.happen(ev.FigureFought(seat, command.hero, square, Keeper.key, parts, reached, against, won))
        decision.happen(_given(seat, key, "duel") if won else ev.HeroDisbanded(seat, command.hero, square))


class Keeper(Npc):
    key = "keeper"
    title = "The Keeper: win keys from the players you beat, and your own key from the Keeper."
    names: Mapping[str, Mapping[str, str]] = {
        "module": {"keeper": "the Keeper"},
        "element": {"moon": "the moon", "sun": "the sun"},
    }
    order = 60
    moments = frozenset((moments.ENTER,))
    adjusts = (Ending, Ranking)
    questions: Mapping[str, BattaliaQuestionKind] = {TURN: Duel()}
    commands = catalogue(ChallengeKeeper)
    unweighed = frozenset(commands)
    events = catalogue(KeeperEntered, KeeperSummoned, KeeperChallenged, KeyGiven)
    sentences = SENTENCES
    remarks = REMARKS

    def defaults(self, rules: BattaliaNumbers) -> Mapping[str, Any]:
        return {
            "max_weeks": rules.modules["keeper_max_weeks"]
        }  # END-04: a limit, because KEE-06 alone may never be met

    def blank(self, begun: ev.BattaliaBegun) -> Any:
        return {"square": "", "keys": {str(seat): [] for seat in sorted(begun.order)}, "duels": {}}

    def evolve(self, memory: Any, event: Any) -> Any:
        match event:
            case KeeperEntered(square=square) | KeeperSummoned(square=square):
                return {**memory, "square": square}
            case KeeperChallenged(hero=hero, turn=turn):
                return {**memory, "duels": {**memory["duels"], hero: turn}}
            case KeyGiven(seat=seat, faction=faction):
                held = memory["keys"][str(seat)]
                return {**memory, "keys": {**memory["keys"], str(seat): [*held, faction]}}
            case _:
                return memory

    def act(self, decision: BattaliaDecision, moment: str) -> None:  # noqa: ARG002
        if not decision.state.npcs[self.key]["square"]:  # KEE-01: at the first check-point; the Keeper never leaves
            found = gates.arrival(decision)
            decision.happen(KeeperEntered(found.square, found.gate or None, found.rolls))

    def react(self, decision: BattaliaDecision, event: Any) -> Iterable[Any]:
        where = decision.state.npcs[self.key]["square"]
        if not where:
            return
        match event:
            case ev.BattleBegan(square=square) | ev.FigureFought(square=square):
                if square != where:
                    yield KeeperSummoned(where, square)  # KEE-02
            case ev.BattleFought(seat=one, defender=other, winner=winner) if other != NOBODY:
                beaten = decision.state.players[one if winner == other else other].faction
                if beaten not in _held(decision.state, winner):
                    yield _given(winner, beaten, "battle")  # KEE-03

    def adjust(self, state: BattaliaState | None, subject: Adjustable) -> Adjustable:
        if state is None:
            return subject
        if isinstance(subject, Ending):
            reason, clause = _ending(state)
            return replace(subject, reason=reason, clause=clause)
        if isinstance(subject, Ranking) and subject.reason != "alone":  # END-05
            return replace(subject, keys=_ranked(state, subject.keys))
        return subject

    def advise(self, state: BattaliaState, seat: Seat, option: Option) -> Advice | None:
        return advice.challenge(state, seat, option, state.npcs[self.key]["square"])

    def targets(self, state: BattaliaState, seat: Seat) -> Mapping[str, float]:
        square = state.npcs[self.key]["square"]
        if not square:  # KEE-03: no keys yet
            return {}
        hunted = advice.hunted(state, seat, _held(state, seat))
        return {**hunted, **(advice.sought(state, seat, square) if _to_win(state, seat) else {})}

    def errands(self, state: BattaliaState, seat: Seat) -> Collection[str]:
        """KEE-05: the Keeper's square while there is a key to win. A hero there can wait for a hand that wins the duel."""
        square = state.npcs[self.key]["square"]
        return (square,) if square and _to_win(state, seat) else ()

    def void(self, state: BattaliaState) -> Collection[str]:
        return standing.void(state)

    def features(self, state: BattaliaState, seat: Seat) -> Mapping[str, float]:
        """KEE-06, KEE-09: the seat's share of keys; with all keys, also its share of the required cities."""
        held = len(_held(state, seat))
        if standing.void(state):
            return standing.of_two(state, seat, held, self.errands(state, seat))
        crowned = standing.crowned(state, seat) if _has_all(state, seat) else 0.0
        return {"keys": held / len(state.order), "keys_cities": crowned}

    def gloss(self, line: Any) -> Mapping[str, Any]:
        return {"manner": "duel"} if line.get("by") == "duel" else {}

    def changes(self, before: SeatView, after: SeatView, seat: Seat) -> Iterable[Any]:
        """Keys won by any player."""
        old, new = (view.public["npcs"].get(self.key, {}).get("keys", {}) for view in (before, after))
        for holder, held in new.items():
            for key in (each for each in held if each not in old.get(holder, ())):
                own = int(holder) == seat
                yield {**key, "type": "key_won" if own else "rival_key", **({} if own else {"seat": int(holder)})}

    def view(self, state: BattaliaState) -> Any:
        memory, numbers = state.npcs[self.key], RULESETS[state.ruleset].modules
        return {
            "square": memory["square"] or None,
            "strength": numbers["keeper_strength"],
            "keys": {seat: [_key_view(faction) for faction in held] for seat, held in memory["keys"].items()},
            "needed": [_key_view(faction) for faction in _needed(state)],
            "complete": [seat for seat in sorted(state.order) if _has_all(state, seat)],
            "cities": numbers["keeper_cities"],
            "duelled": sorted(hero for hero, turn in memory["duels"].items() if turn == state.day),
        }

    def faults(self, state: BattaliaState) -> Iterable[str]:
        memory = state.npcs[self.key]
        if not _is_memory(memory, state):
            yield "what the Keeper remembers is no memory of his"
            return
        factions = {player.faction for player in state.players.values()}
        for seat, held in memory["keys"].items():
            if len(set(held)) < len(held) or not set(held) <= factions:
                yield f"seat {seat} has the keys {held}"
        if memory["square"] and memory["square"] not in roads.squares(state.columns, state.rows):
            yield f"the Keeper stands on {memory['square']}"


def _key_view(faction: str) -> Mapping[str, str]:
    colour, element = KEYS[faction]
    return {"faction": faction, "colour": colour, "element": element}


def _challengers(state: BattaliaState, seat: Seat) -> Cards:
    """KEE-05: the player's heroes that may challenge the Keeper now."""
    memory = state.npcs[Keeper.key]
    there = figures(state, seat, memory["square"]) if memory["square"] else ()
    return tuple(hero for hero in there if memory["duels"].get(hero) != state.day)


def _ending(state: BattaliaState) -> tuple[str, str]:
    goal = RULESETS[state.ruleset].modules["keeper_cities"]
    done = any(_has_all(state, seat) and scoring.top_cities(state, seat) >= goal for seat in state.order)
    return ("keys", "KEE-06") if done else ("", "")


def _ranked(state: BattaliaState, keys: Mapping[Seat, tuple[int, ...]]) -> Mapping[Seat, tuple[int, ...]]:
    complete = {seat: key for seat, key in keys.items() if _has_all(state, seat)}
    return complete or {seat: (len(_held(state, seat)), *key) for seat, key in keys.items()}
