"""The question of a turn: one action after another, until the turn is ended (TURN-03)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from domain.games.battalia import commands as cmd
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.questions import BattaliaQuestionKind
from domain.games.battalia.rulebook.actions import acquire, artefacts, build, march
from domain.games.battalia.rulebook.map.land import land_of
from domain.games.battalia.rulebook.payment import lines, tariff
from domain.games.battalia.rulebook.turn import calendar
from domain.games.battalia.state import BattaliaState
from domain.kernel.dice import Dice
from domain.kernel.terms import Option, Seat

_ACTIONS: Mapping[type[Any], Callable[[BattaliaDecision, Seat, Any], None]] = {
    cmd.Mulligan: lambda decision, seat, _: acquire.mulligan(decision, seat),
    cmd.ShowCohort: acquire.cohort,
    cmd.EndTurn: lambda decision, seat, _: calendar.end_turn(decision, seat),
    cmd.HireUnit: acquire.hire,
    cmd.TakeSupply: acquire.take_supply,
    cmd.TakeArtefact: acquire.take_artefact,
    cmd.BuildRoad: build.build_road,
    cmd.FoundCity: build.found_city,
    cmd.UpgradeCity: build.upgrade_city,
    cmd.RebuildCity: build.rebuild_city,
    cmd.Step: march.step,
    cmd.UseAmulet: artefacts.use_amulet,
    cmd.PitchTent: artefacts.pitch_tent,
    cmd.HideCard: artefacts.hide_card,
    cmd.SoundHorn: artefacts.sound_horn,
    cmd.SpreadWings: artefacts.spread_wings,
    cmd.ReachOut: artefacts.reach_out,
}

_END_TURN = Option("end_turn")


class PlayerTurn(BattaliaQuestionKind):
    """TURN-03. Also offers the commands that modules add to a turn (`Npc.legal`) and decide themselves."""

    commands = tuple(_ACTIONS)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterator[Option]:
        held, land, costs = lines.bag(state, seat), land_of(state, seat), tariff.tariff(state, seat)
        return chain(
            (_END_TURN,),
            acquire.fresh_options(state, seat),
            acquire.acquiring_options(state, held, costs),
            build.building_options(state, held, land, costs),
            march.step_options(state, seat, held, land),
            artefacts.artefact_options(state, seat, held),
            *(module.legal(state, seat, state.asking[-1]) for module in registry.playing(state.modules)),
        )

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.EndTurn:  # noqa: ARG002
        return cmd.EndTurn()

    def answer(self, decision: BattaliaDecision, seat: Seat, command: Any) -> None:
        _ACTIONS[type(command)](decision, seat, command)
