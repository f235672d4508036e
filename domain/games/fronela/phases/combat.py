"""The combat phase: choice of battles, dice and results (FRO-10, FRO-12, FRO-19, FRO-D05 to FRO-D07)."""

# ruff: noqa: ARG002 - questions do not need all their arguments

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.commands import MOST_ROUNDS, Auto, Fight, FightOn, Retreat
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.registry import seat_of
from domain.games.fronela.phases.battlefield import attackers_outnumbered, contested, opposed, standing
from domain.games.fronela.phases.dice import ATTACK, DEFENCE, can_hit, hits, thrown, throws, with_wizards
from domain.games.fronela.phases.malkioni import only_farmers
from domain.games.fronela.phases.retreat import attacker
from domain.games.fronela.phases.retreat.ways import havens
from domain.games.fronela.phases.wizards import wizards
from domain.games.fronela.state import FronelaState, counted, groups, size, unsettled
from domain.kernel.dice import Dice
from domain.kernel.errors import RuleViolation
from domain.kernel.terms import Integer, OneOf, Option, Seat

BATTLE_ROUND = (
    "farmers",
    "special_retreat",
    "farmers",
    "attack_wizards",
    "defence_wizards",
    "dice",
    "defender_losses",
    "attacker_losses",
    "aftermath",
    "defender_retreat",
    "farmers",
)
"""The steps of a battle round."""


UNTIL = OVER, OUTNUMBERED = "over", "outnumbered"
"""When a series of battle rounds stops."""


class NoBattle(RuleViolation):
    """There is no opponent to fight."""

    code = "no-battle"
    rule = "FRO-10"


def combat(decision: FronelaDecision, _: str) -> None:
    """Begin the combat phase. Lone farmers do not count as opponents; all others are fought."""
    decision.first("battle")
    for area, foes in contested(decision.state).items():
        for foe in foes:
            resolve_lone_farmers(decision, area, foe)
            if not opposed(decision.state, area, foe):
                continue
            if not throws(decision.state, area, decision.state.turn, ATTACK) and not throws(
                decision.state, area, foe, DEFENCE
            ):
                attacker.rout(decision, area, "FRO-D07")


def battle(decision: FronelaDecision, how: str) -> None:
    """Ask for the next battle round, or end the phase. With ``usual``, fight the default battle without asking (FRO-D57)."""
    _withdraw(decision)
    state = decision.state
    fights = contested(state)
    if fights and how:
        fight(decision, usual_fight(state), f"battle:{how}")
    elif fights:
        area = _named(state)
        safe = havens(state, state.turn, area) if area else ()
        decision.ask(seat_of(state, state.turn), "battle", "FRO-10", nation=state.turn, area=area, havens=safe)
    elif unsettled(state):
        held = {area: next(iter(state.board.get(area, {})), "") for area in sorted(state.fought)}
        decision.happen(ev.FightingEnded(state.turn, held))


def fight_on(decision: FronelaDecision, about: str) -> None:
    """Fight the next of several battle rounds ordered at once, or ask for the next command (FRO-D61)."""
    area, foe, until, left = about.split(":")
    _withdraw(decision)
    state = decision.state
    last = standing(state)
    stops = until == OUTNUMBERED and last is not None and attackers_outnumbered(state, last)
    if opposed(state, area, foe) and not stops and int(left):
        _fight_on(decision, Fight(area, foe), until, int(left))
    else:
        battle(decision, "")


def _fight_on(decision: FronelaDecision, command: Fight, until: str, rounds: int) -> None:
    """Fight the first of at most ``rounds`` rounds now."""
    fight(decision, command, f"fight_on:{command.area}:{command.against}:{until}:{rounds - 1}")


def _withdraw(decision: FronelaDecision) -> None:
    """Withdraw attackers by standing orders. Farmers left behind alone are lost (FRO-D06)."""
    last = standing(decision.state)
    if attacker.withdraw(decision) and last is not None and standing(decision.state):
        resolve_lone_farmers(decision, last.area, last.defender)


def _named(state: FronelaState) -> str:
    """The area of the last battle round, which its attackers may now leave (FRO-D15); empty if they may not."""
    if state.battle is None:
        return ""
    ended = standing(state) is None and state.tables.reads("battle_asked") == "of-those-that-stand"
    return "" if ended else state.battle.area


def usual_fight(state: FronelaState) -> Fight:
    """The default battle: the first area, and the first opponent there."""
    area, foes = next(iter(contested(state).items()))
    return Fight(area, foes[0])


def fight(decision: FronelaDecision, command: Fight, then: str) -> None:
    """Fight a battle round, then continue with ``then``. Attackers can no longer leave the last area (FRO-D06)."""
    joining = f"join:{command.area}:{command.against}"
    if decision.state.tables.reads("battle_joined") == "while-both-stand":
        decision.first(joining, then)
        _last_window(decision)
        return
    decision.first(*BATTLE_ROUND, then)
    _last_window(decision)
    _join(decision, command.area, command.against)


def join(decision: FronelaDecision, about: str) -> None:
    """Begin the battle round if both sides are still there."""
    area, foe = about.split(":")
    if opposed(decision.state, area, foe):
        decision.first(*BATTLE_ROUND)
        _join(decision, area, foe)


def _join(decision: FronelaDecision, area: str, foe: str) -> None:
    state = decision.state
    sides = (counted(groups(state, area, who)) for who in (state.turn, foe))
    decision.happen(ev.BattleJoined(area, state.turn, foe, state.fought.get(area, 0) + 1, *sides))


def _last_window(decision: FronelaDecision) -> None:
    """Farmers that attackers left behind alone are lost."""
    last = decision.state.battle
    if last is not None and opposed(decision.state, last.area, last.defender):
        resolve_lone_farmers(decision, last.area, last.defender)


class NextBattle(FronelaQuestionKind):
    """The attacker chooses the next battle round. Before that, units may leave the area of the last one (FRO-D15)."""

    commands = (Fight, FightOn, Retreat)

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        battles = contested(state).items()
        until, rounds = OneOf("until", UNTIL), Integer("rounds", 1, MOST_ROUNDS)
        return [
            *(Option("fight", {"area": area}, (OneOf("against", foes),)) for area, foes in battles),
            *(Option("fight_on", {"area": area}, (OneOf("against", foes), until, rounds)) for area, foes in battles),
            *attacker.attackers_options(state),
        ]

    def usual(self, state: FronelaState) -> Any:
        return attacker.usual_retreat(state) or usual_fight(state)

    def default(self, state: FronelaState, seat: Seat, dice: Dice) -> Any:
        """The default battle. If orders to withdraw apply, the answer takes several commands."""
        usual = self.usual(state)
        return Auto() if isinstance(usual, Retreat) else usual

    def forced(self, state: FronelaState, seat: Seat) -> bool:
        return sum(map(len, contested(state).values())) == 1 and not attacker.attackers_options(state)

    def finish(self, decision: FronelaDecision, seat: Seat) -> None:
        decision.close()
        decision.first("battle:usual")

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        state = decision.state
        if isinstance(command, Retreat):
            attacker.attackers_leave(decision, command)
            if not contested(decision.state):
                decision.close()
                decision.first("battle")
            return
        foes = contested(state).get(command.area, ())
        if command.against not in foes:
            areas = list(contested(state))
            fields = " or ".join(state.tables.areas[area].name for area in areas)
            where = "You are not fighting them there" if foes else "You have no one to fight there"
            raise NoBattle(f"{where}; a battle is left in {fields}.", field="against" if foes else "area", areas=areas)
        if isinstance(command, FightOn):
            _check(command)
        decision.close()
        if isinstance(command, FightOn):
            _fight_on(decision, Fight(command.area, command.against), command.until, command.rounds)
        else:
            fight(decision, command, "battle")


def _check(command: FightOn) -> None:
    if command.until not in UNTIL:
        sentence = f"Battle rounds are fought until {' or '.join(UNTIL)}."
        raise NoBattle(sentence, rule="FRO-D61", field="until", words=list(UNTIL))
    if not 1 <= command.rounds <= MOST_ROUNDS:
        sentence = f"From 1 to {MOST_ROUNDS} battle rounds are fought at once."
        raise NoBattle(sentence, rule="FRO-D61", field="rounds", least=1, most=MOST_ROUNDS, asked=command.rounds)


# -- one battle round -------------------------------------------------------------------------------------------------


def farmers(decision: FronelaDecision, _: str) -> None:
    """Farmers alone on one side do not fight."""
    battle = standing(decision.state)
    if battle is not None:
        resolve_lone_farmers(decision, battle.area, battle.defender)


def roll(decision: FronelaDecision, _: str) -> None:
    """Roll all dice of both sides at once (FRO-12)."""
    state = decision.state
    battle = standing(state)
    if battle is None:
        return
    attack = throws(state, battle.area, battle.attacker, ATTACK)
    defence = throws(state, battle.area, battle.defender, DEFENCE)
    ours = thrown(with_wizards(battle, ATTACK, attack), decision.dice)
    theirs = thrown(with_wizards(battle, DEFENCE, defence), decision.dice)
    decision.happen(
        ev.BattleRolled(
            battle.area, battle.attacker, battle.defender, ours, theirs, dealt=hits(ours), suffered=hits(theirs)
        )
    )


def aftermath(decision: FronelaDecision, _: str) -> None:
    """Farmers alone are captured. An attacker who can no longer hit must leave (FRO-D05, FRO-D06)."""
    battle = standing(decision.state)
    if battle is None:
        return
    resolve_lone_farmers(decision, battle.area, battle.defender)
    state = decision.state
    if standing(state) is None:
        return
    dice = throws(state, battle.area, battle.attacker, ATTACK)
    mine, theirs = wizards(state, battle.area, battle.attacker), wizards(state, battle.area, battle.defender)
    if not can_hit(dice, mine, theirs):
        attacker.rout(decision, battle.area, "FRO-D05")


def resolve_lone_farmers(decision: FronelaDecision, area: str, foe: str) -> None:
    """Resolve a battle in which a side has only farmers (FRO-D06).

    The other side captures or kills them. If both have only farmers, the attackers must leave.
    """
    state = decision.state
    if state.turn not in state.tables.nations:
        if only_farmers(groups(state, area, foe)):
            _lose_farmers(decision, area, foe, state.turn)
        return
    ours, theirs = groups(state, area, state.turn), groups(state, area, foe)
    if only_farmers(ours) and only_farmers(theirs):
        attacker.rout(decision, area, "FRO-D06")
    elif only_farmers(theirs):
        _lose_farmers(decision, area, foe, state.turn)
    elif only_farmers(ours):
        _lose_farmers(decision, area, state.turn, foe)


def _lose_farmers(decision: FronelaDecision, area: str, loser: str, winner: str) -> None:
    state = decision.state
    number = size(groups(state, area, loser))
    nation = state.tables.nations.get(winner)
    if nation is not None and nation.kind == "malkioni":
        joined = min(number, state.pool[winner]["farmer"])
        decision.happen(ev.FarmersTaken(loser, area, number, winner, joined))
        return
    for group in groups(state, area, loser):
        decision.happen(ev.UnitsLost(loser, area, group.kind, group.count, group.came, group.fled, winner, "farmers"))
