"""Edge cases of the rules that occur in few games."""

from __future__ import annotations

import re

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.cards import CARDS
from domain.games.battalia.commands import EndTurn
from domain.games.battalia.evolve.evolve import BECOMES
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.unbound_buff.commands import MoveBuff, RollForBuff
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.readings import FIRST
from domain.games.battalia.rulesets.rules import amended, house
from domain.kernel.game.rules import Setup
from domain.kernel.options import commands
from domain.kernel.terms import SYSTEM, Option, Seat
from tests.battalia import laid
from tests.battalia.raiding import free, question, street
from tests.battalia.table import changed, command, day, dealt, hand, on_top, table, tell
from tests.story import LoadedDice, Story

MATCHING = "tent"
"""The matching type of the second day, when the horse is lit."""


def without_pile(state, pile):
    """The state with an empty pile, whose cards are out of the game."""
    return changed(state, piles={**state.piles, pile: ()}, gone=state.gone + state.piles[pile])


# -- hands and piles --------------------------------------------------------------------------------------------------


def test_turn_02_mercenaries_that_fit_two_factions_are_offered_as_one_cohort():
    mercenaries = [f"unbound-{rank}" for rank in ("frimen", "chief", "priest", "lord")]
    state = hand(table(unbound_units=True), 1, *mercenaries, "frimen-islanders", "chief-barfolk")
    shown = [frozenset(option.fixed["cards"]) for option in tell(state).offered(1, "show_cohort")]
    assert 1 == shown.count(frozenset(state.players[1].hand[:4]))
    four, five = ([cohort for cohort in shown if len(cohort) == size] for size in (4, 5))
    assert (1 + 4 + 4, 2) == (len(four), len(five)), "three of them and one of either faction, or all four and one"


def artefacts_on_offer(state, type_, artefact):
    offered = [each for option in tell(state).offered(1, type_) for each in commands(option)]
    return [each.get("faction") for each in offered if artefact in (each.get("artefact"), each.get("pile"))]


@pytest.mark.parametrize(
    ("type_", "parameter", "held"),
    [("take_artefact", "artefact", ("supply", "supply", "supply")), ("reach_out", "pile", ("great-hand",))],
)
def test_day_07_the_matching_type_is_not_offered_once_its_pile_is_empty(type_, parameter, held):
    state = on_top(day(hand(table(), 1, *held), 1), MATCHING, f"{MATCHING}-barfolk")
    assert {"", "barfolk", "islanders", "emberians"} == set(artefacts_on_offer(state, type_, MATCHING))
    empty = without_pile(state, MATCHING)
    assert [] == [option for option in tell(empty).offered(1, type_) if MATCHING in option.fixed.values()]
    assert [] == artefacts_on_offer(empty, type_, MATCHING)
    assert [""] == artefacts_on_offer(empty, type_, "horse")
    for faction in ("", "islanders"):
        said = command(type_, **{parameter: MATCHING}, cards=list(empty.players[1].hand), faction=faction)
        tell(empty).when(1, said).refused("empty-pile", "TURN-07")


# -- days -------------------------------------------------------------------------------------------------------------


def test_day_02_at_night_only_system_may_start_the_next_day():
    state = laid.night(laid.table())
    assert [Option("turn_day")] == BATTALIA.rules.replies(state, SYSTEM)
    assert [(), ()] == [BATTALIA.rules.replies(state, Seat(seat)) for seat in (1, 2)]
    Story(BATTALIA, state).when(1, command("turn_day")).refused("not-your-turn")


def test_day_02_a_position_without_a_coming_night_has_a_fault():
    state = laid.table()
    assert [] == BATTALIA.rules.faults(state) == BATTALIA.rules.faults(laid.night(state))
    assert [] == BATTALIA.rules.faults(dealt(BATTALIA.rules.check(Setup(2, "", {"quick_setup": False})), 0)), (
        "nor a day as yet"
    )
    for agenda in ((), ("turn:2",), ("night", "turn:2")):
        assert ["no night is to come"] == BATTALIA.rules.faults(changed(state, agenda=agenda))


def test_buf_06_the_buff_does_not_move_before_the_die_is_rolled():
    state = free(street(), "C1")
    story = Story(BATTALIA, laid.turn_of(state, 1)).when(1, EndTurn())
    story.when(1, MoveBuff("D1")).refused("not-now")
    assert ("stir", (1,)) == question(story)
    story.when(1, RollForBuff(), LoadedDice(1)).when(1, MoveBuff("D1"))
    assert "D1" == story.state.npcs["unbound_buff"]["square"]


# -- cards and numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dragon-barfolk-1", "", "unbound-dragon-1"])
def test_set_05_an_unknown_card_name_is_an_error(name):
    with pytest.raises((KeyError, ValueError)):
        CARDS[name]
    state = table()
    with pytest.raises((KeyError, ValueError)):
        BATTALIA.rules.faults(changed(state, piles={**state.piles, "tool": (name,)}))


def test_ruleset_with_a_new_reading_differs_in_that_reading_but_in_no_number():
    old = RULESETS["creation_v1"]
    new = amended(old, "creation_v9", {"tea": house("ART-07", "leaves")})
    assert ("creation_v9", "leaves") == (new.key, new.reads("tea"))
    assert (new.rulings, new.hire) == (old.rulings, old.hire)
    assert {"tea"} == new.readings.keys() - old.readings.keys()
    with pytest.raises(KeyError):
        old.reads("tea")


@pytest.mark.parametrize("key", RULESETS)
def test_every_ruleset_has_all_readings_with_their_clauses_and_marks(key):
    rules = RULESETS[key]
    assert FIRST.keys() == rules.readings.keys()
    for name, ruling in rules.readings.items():
        assert ruling.value == rules.reads(name)
        assert re.fullmatch(r"[A-Z]+-\d\d(, [A-Z]+-\d\d)*", ruling.clause)
        assert ruling.mark in {"S", "P", "H"}


def test_corrected_ruleset_differs_only_in_the_named_numbers():
    old = RULESETS["creation_v1"]
    new = amended(old, "creation_v9", hire=house("PAY-01", (1, 2, 3, 9)), armamentum_stock=house("ARM-02", 5))
    assert ("creation_v9", (1, 2, 3, 9), 5) == (new.key, new.hire, new.modules["armamentum_stock"])
    assert (new.take_supply, new.maps) == (old.take_supply, old.maps)
    assert {"hire", "armamentum_stock"} == {n for n, ruling in new.rulings.items() if ruling != old.rulings[n]}
    assert ("creation_v1", 6) == (old.key, old.modules["armamentum_stock"])


def test_every_event_of_the_core_has_an_evolve_function():
    assert {ev.BattaliaBegun, *BECOMES} == set(ev.EVENTS.values())
