"""BAT: battle."""

from __future__ import annotations

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.state import NOBODY
from domain.kernel.terms import SYSTEM, SubsetOf
from tests.battalia.table import (
    cards,
    changed,
    city,
    command,
    day,
    hand,
    lay,
    lit,
    stand,
    table,
    tell,
    turn,
    with_player,
    zone,
)
from tests.story import LoadedDice

DULL = 4
"""The day of the tent: no artefact of a battle line is lit."""
END = command("end_turn")


def before(attacking, defending=(), *, land="emberians", level=1, state=None, at="G5"):
    """Seat 1's hero is next to seat 2's city on G5, on Islander terrain, and moves for free with wings."""
    state = table() if state is None else state
    state = lay(state, "G4", f"road-straight-{land}", "NS")
    if at == "G5":
        state = city(state, "G5", owner=2, level=level)
    state = stand(state, "hero-1-1", "G4", winged=True)
    return day(hand(hand(state, 1, *attacking), 2, *defending), DULL)


def assault(state, *dice, units=None, support=(), ambush=(), against=2, to="G5"):
    own = state.players[1].hand
    units = (
        [card for card in own if "frimen" in card or "chief" in card or "priest" in card or "lord" in card]
        if units is None
        else units
    )
    line = {"units": list(units), "support": list(support), "ambush": list(ambush)}
    return tell(state).when(1, command("step", hero="hero-1-1", to=to, against=against, **line), LoadedDice(*dice))


def defend(story, *dice, **line):
    return story.when(2, command("defend", **{name: list(value) for name, value in line.items()}), LoadedDice(*dice))


def fought(story):
    return story.of(ev.BattleFought)[0]


def rest(state, seat, *units):
    return [card for card in state.players[seat].hand if card not in units]


def test_bat_01_the_attackers_line_is_hidden_until_both_are_revealed():
    state = before(("lord", "chief", "weapon"), ("frimen", "priest"))
    story = assault(state, units=cards(state, 1, "lord", "chief"), support=cards(state, 1, "weapon"))
    kinds = [type(event) for event in story.events]
    assert [ev.BattleBegan, ev.LinePledged] == kinds
    pledged = story.of(ev.LinePledged)[0]
    assert BATTALIA.knowledge.reveal(pledged, 2) is None
    assert BATTALIA.knowledge.reveal(pledged, None) is None
    assert BATTALIA.knowledge.reveal(pledged, 1)["cards"] == list(pledged.cards)
    assert (1,) == tuple(BATTALIA.knowledge.audience(pledged))
    assert 3 == BATTALIA.knowledge.view(story.state)["seats"]["1"]["hand"], "a pledged line still counts as hand"
    assert list(pledged.cards) == BATTALIA.knowledge.private(story.state, 1)["line"]["cards"]
    assert BATTALIA.knowledge.private(story.state, 2)["line"] is None
    defend(story, units=cards(state, 2, "frimen"))
    revealed = [(event.seat, event.cards) for event in story.of(ev.LineRevealed)]
    assert [(1, pledged.cards), (2, tuple(cards(state, 2, "frimen")))] == revealed


def test_bat_01_without_a_legal_line_the_move_is_refused():
    state = before(("weapon",))
    assault(state, units=[], support=state.players[1].hand).refused("bad-line", "BAT-02", "units")
    assert not tell(state).offered(1, "step")


def test_bat_01_only_the_defender_answers_and_may_commit_no_cards():
    state = before(("lord",), ("frimen",))
    story = assault(state)
    story.when(1, END).refused("not-your-turn")
    assert {"square": "G5", "attacker": 1} == dict(story.state.asking[-1].about)
    defend(story)
    assert cards(state, 2, "frimen") == list(story.state.players[2].hand)
    assert 1 == story.state.asking[-1].seats[0]


@pytest.mark.parametrize("card", ["supply", "tool", "tent", "great-hammer", "great-crown", "great-book"])
def test_bat_02_a_line_takes_no_supplies_tools_tents_or_other_great_artefacts(card):
    state = before(("lord", card))
    assault(state, units=cards(state, 1, "lord"), support=cards(state, 1, card)).refused(
        "bad-line", "BAT-02", "support"
    )
    state = before(("lord",), (card,))
    defend(assault(state), support=state.players[2].hand).refused("bad-line", "BAT-02", "support")


@pytest.mark.parametrize("card", ["weapon", "horse", "amulet", "title", "scroll", "great-sword", "great-shield"])
def test_bat_02_cards_that_support_a_line_are_accepted(card):
    state = before(("lord", card), ("frimen",))
    story = defend(assault(state, units=cards(state, 1, "lord"), support=cards(state, 1, card)), 1)
    assert [] == list(story.state.players[1].hand) or card == "amulet"


def test_bat_02_cards_must_be_in_the_right_part_of_the_line_and_in_the_own_hand():
    state = before(("lord", "weapon", "frimen"), ("chief",))
    lord, weapon, frimen = cards(state, 1, "lord", "weapon", "frimen")
    assault(state, units=[lord, weapon]).refused("bad-line", "BAT-02", "units")
    assault(state, units=[lord], support=[frimen]).refused("bad-line", "BAT-02", "support")
    assault(state, units=[lord, lord]).refused("not-in-hand")
    assault(state, units=[*cards(state, 2, "chief")]).refused("not-in-hand")
    assault(state, units=[lord], ambush=[frimen]).refused("not-in-hand", "ART-08", "ambush")
    story = assault(state, units=[lord])
    defend(story, units=[frimen]).refused("not-in-hand")
    defend(story, tactics=["running"]).refused("unknown-choice", None, "tactics")


def test_bat_02_a_minimal_line_is_offered_and_a_smaller_one_is_not():
    state = zone(before(("frimen", "weapon", "tool")), 1, "hidden", "priest-islanders")
    (frimen, weapon, _), hidden = state.players[1].hand, state.players[1].hidden
    (fight,) = [option for option in tell(state).offered(1, "step") if "G5" == option.fixed["to"]]
    line = [SubsetOf("units", (frimen,), 1, 1), SubsetOf("support", (weapon,), 0, 1), SubsetOf("ambush", hidden, 0, 1)]
    assert line == [parameter for parameter in fight.open if isinstance(parameter, SubsetOf)]
    assert fought(defend(assault(state, units=[frimen])))
    assault(state, units=[]).refused("bad-line", "BAT-02", "units")
    assert [] == [o for o in tell(before(("weapon", "tool"))).offered(1, "step") if "G5" == o.fixed["to"]]


def test_bat_02_a_defender_may_play_the_same_cards_but_needs_no_unit():
    story = assault(before(("lord",), ("frimen", "weapon", "tool")))
    frimen, weapon, _ = story.state.players[2].hand
    (answer,) = story.offered(2, "defend")
    assert (SubsetOf("units", (frimen,), 0, 1), SubsetOf("support", (weapon,), 0, 1)) == answer.open
    alone = assault(before(("lord",), ("weapon",)))
    (answer,) = alone.offered(2, "defend")
    assert (SubsetOf("support", alone.state.players[2].hand, 0, 1),) == answer.open
    assert fought(defend(alone, support=alone.state.players[2].hand))


def test_bat_02_a_refused_line_names_the_cards_that_are_wrong():
    state = zone(before(("lord", "weapon", "tool")), 1, "hidden", "tool", "priest-islanders")
    lord, weapon, tool = state.players[1].hand
    story = assault(state, units=[lord, weapon]).refused("bad-line", "BAT-02", "units")
    assert [weapon] == story.refusal.facts["cards"]
    story = assault(state, units=[lord], support=[weapon, tool]).refused("bad-line", "BAT-02", "support")
    assert [tool] == story.refusal.facts["cards"]
    priest, hammer = state.players[1].hidden
    story = assault(state, units=[lord], ambush=[priest, hammer]).refused("bad-line", "BAT-02", "ambush")
    assert [hammer] == story.refusal.facts["cards"]
    story = assault(state, units=[lord], ambush=[priest, priest]).refused("not-in-hand", "ART-08", "ambush")
    assert [] == story.refusal.facts["missing"]
    story = assault(state, units=[lord], ambush=[priest, "frimen-nobody"]).refused("not-in-hand", "ART-08", "ambush")
    assert ["frimen-nobody"] == story.refusal.facts["missing"]


def test_bat_03_the_attacker_needs_more_strength_and_a_tie_goes_to_the_defender():
    story = defend(assault(before(("lord-emberians",), level=3)))
    assert (4, 4, 2) == (fought(story).strength, fought(story).against, fought(story).winner)
    story = defend(assault(before(("lord-emberians", "frimen-islanders"), level=3)))
    assert (5, 4, 1) == (fought(story).strength, fought(story).against, fought(story).winner)


def test_bat_04_a_defended_city_adds_its_level():
    for level in (1, 2, 3, 4):
        story = defend(assault(before(("frimen",), ("chief-barfolk",), level=level)), units=[])
        assert level == fought(story).defence["level"]


def test_bat_05_fighting_on_the_own_factions_terrain_gives_a_bonus():
    story = defend(assault(before(("lord-emberians",), level=1)))
    assert "terrain" not in fought(story).attack
    assert 1 == fought(story).defence["terrain"]
    state = table()
    state = lay(state, "F5", "road-straight-barfolk", "EW")
    state = stand(state, "hero-2-1", "F5")
    state = before(("lord-emberians",), state=state, at="F5")
    state = stand(lay(state, "E5", "road-straight-emberians", "EW"), "hero-1-1", "E5", winged=True)
    story = defend(assault(state, to="F5"))
    assert 1 == fought(story).attack["terrain"]
    assert "terrain" not in fought(story).defence


@pytest.mark.parametrize(
    ("line", "moral"),
    [
        (("lord-barfolk", "frimen-barfolk"), True),
        (("lord-barfolk", "frimen-emberians"), False),
        (("lord-emberians",), False),
        (("lord-barfolk", "weapon-barfolk"), True),
        (("lord-barfolk", "weapon-emberians"), False),
        (("lord-barfolk", "great-sword"), True),
        (("unbound-lord",), False),
        (("unbound-lord", "frimen-barfolk"), True),
        (("lord-barfolk", "scroll-emberians"), True),
        (("unbound-lord", "scroll-barfolk"), False),
    ],
)
def test_bat_06_a_line_entirely_of_the_own_faction_has_a_moral_bonus(line, moral):
    state = before(line, state=table(unbound_units=True))
    units = [card for card in state.players[1].hand if "lord" in card or "frimen" in card]
    story = defend(assault(state, units=units, support=rest(state, 1, *units)))
    assert moral == ("moral" in fought(story).attack)


def test_bat_06_the_defender_has_the_moral_bonus_too():
    story = defend(assault(before(("frimen",), ("frimen-islanders",))), units=[])
    assert "moral" not in fought(story).defence
    state = before(("frimen",), ("frimen-islanders",))
    story = defend(assault(state), units=state.players[2].hand)
    assert 1 == fought(story).defence["moral"]


def test_bat_07_a_won_city_keeps_its_level_and_its_heroes_are_disbanded():
    story = defend(assault(before(("lord", "lord"), level=2)))
    taken = story.of(ev.CityTaken)[0]
    assert (1, "G5", 2, 2) == (taken.seat, taken.square, taken.level, taken.loser)
    assert [ev.HeroDisbanded(2, "hero-2-1", "G5"), ev.HeroDisbanded(2, "hero-2-2", "G5")] == story.of(ev.HeroDisbanded)
    assert ["", ""] == [story.state.heroes[name].square for name in ("hero-2-1", "hero-2-2")]
    assert "G5" == story.state.heroes["hero-1-1"].square
    assert (1, 2) == (story.state.cities["G5"].owner, story.state.cities["G5"].level)


def test_bat_07_a_city_without_a_hero_is_defended_too():
    state = stand(stand(before(("lord", "lord"), ("frimen",), level=2), "hero-2-1", ""), "hero-2-2", "")
    story = assault(state)
    assert "defend" == story.state.asking[-1].kind
    assert "G5" == defend(story).of(ev.HeroEntered)[0].square


def test_bat_08_a_beaten_hero_is_disbanded_and_the_winner_enters_the_square():
    state = lay(table(), "F5", "road-straight-emberians", "EW")
    state = stand(lay(state, "E5", "road-straight-emberians", "EW"), "hero-2-1", "F5")
    state = stand(before(("lord",), state=state, at="F5"), "hero-1-1", "E5", winged=True)
    story = defend(assault(state, to="F5"))
    assert ["", "F5"] == [story.state.heroes[name].square for name in ("hero-2-1", "hero-1-1")]
    assert "level" not in fought(story).defence


def test_bat_09_a_beaten_attacker_is_disbanded_and_nothing_else_changes():
    state = before(("frimen",), level=4)
    story = defend(assault(state))
    assert "" == story.state.heroes["hero-1-1"].square
    assert state.cities == story.state.cities
    assert "G5" == story.state.heroes["hero-2-1"].square


def test_bat_10_both_lines_are_discarded():
    state = before(("lord", "weapon"), ("frimen", "horse"))
    lord, weapon = cards(state, 1, "lord", "weapon")
    story = assault(state, units=[lord], support=[weapon])
    defend(story, units=cards(state, 2, "frimen"), support=cards(state, 2, "horse"))
    assert {lord, weapon} <= set(story.state.players[1].discard)
    assert set(state.players[2].hand) <= set(story.state.players[2].discard)


def at_neutral(attacking, **options):
    state = lay(table(**options), "G2", "road-straight-emberians", "NS")
    state = stand(state, "hero-1-1", "G2", winged=True)
    return day(hand(state, 1, *attacking), DULL)


@pytest.mark.parametrize(("extra", "needed"), [(0, 5), (2, 7)])
def test_bat_11_a_neutral_city_defends_with_its_level(extra, needed):
    gated = {"modules": ("stormgates",), "neutral_strength": extra}
    faction = table(**gated).board["G1"].card.split("-")[2]
    other = next(f for f in ("islanders", "emberians") if f != faction)
    for strength in (needed - 1, needed):
        line = [f"lord-{other}"] + [f"{('frimen', 'chief', 'priest')[strength - 5]}-islanders"] * (strength > 4)
        state = at_neutral(line, **gated)
        story = assault(state, to="G1", against=NOBODY)
        fight = fought(story)
        assert needed - 1 == fight.against
        assert (strength + ("terrain" in fight.attack) > needed - 1) == (story.state.cities["G1"].owner == 1)
        assert [] == story.of(ev.LineRevealed)[1:]


def at_ruins(attacking, **options):
    state = lay(table(**options), "D2", "road-straight-emberians", "NS")
    state = lay(state, "D4", "road-straight-emberians", "NS")
    return day(hand(stand(state, "hero-1-1", "D2", winged=True), 1, *attacking), DULL)


@pytest.mark.parametrize("strength", [8, 10])
def test_bat_11_the_ruins_give_a_great_artefact_of_the_winners_choice(strength):
    gated = {"modules": ("stormgates",), "ruins_strength": strength}
    state = at_ruins(("lord-emberians", "lord-islanders"), **gated)
    assert strength == fought(assault(state, to="D3", against=NOBODY)).against
    state = at_ruins(("lord-emberians", "lord-islanders", "priest-emberians"), **gated)
    story = assault(state, to="D3", against=NOBODY)
    asked = [(q.seat, q.kind, q.clause, q.about["square"]) for q in BATTALIA.rules.awaiting(story.state)]
    assert [(1, "spoils", "BAT-11", "D3")] == asked
    assert "D3" == story.state.heroes["hero-1-1"].square
    story.when(1, command("take_spoils", card="great-" + "nothing")).refused("unknown-choice", "BAT-11")
    prize = story.state.great[1]
    story.when(1, command("take_spoils", card=prize))
    assert prize in story.state.players[1].discard
    assert prize not in story.state.great
    assert "ruins" == story.state.board["D3"].card


@pytest.mark.parametrize(("ruleset", "asked"), [("creation_v2", "turn"), ("creation_v1", "spoils")])
def test_bat_11_day_08_the_last_great_artefact_is_taken_without_a_question(ruleset, asked):
    state = at_ruins(("lord", "lord", "priest"), ruleset=ruleset)
    last, *rest_ = state.great
    state = changed(state, great=(last,), gone=(*state.gone, *rest_))
    story = assault(state, to="D3", against=NOBODY)
    assert asked == story.state.asking[-1].kind
    if asked == "spoils":
        story.when(1, command("take_spoils", card=last))
    assert last in story.state.players[1].discard
    assert () == story.state.great


def test_bat_11_the_ruins_are_beaten_once_a_turn_and_must_be_fought_again_later():
    state = at_ruins(("lord", "lord", "priest", "lord", "priest", "lord"))
    own = state.players[1].hand
    story = assault(state, to="D3", against=NOBODY, units=own[:3]).default(1)
    again = stand(story.state, "hero-1-2", "D4", winged=True)
    second = command("step", hero="hero-1-2", to="D3", units=list(own[3:]))
    tell(again).when(1, second).refused("ruins-beaten", "BAT-11")
    assert not [o for o in tell(again).offered(1, "step") if "D3" in str(o)]
    later = changed(turn(again, 1))
    assert 8 == fought(tell(later).when(1, second)).against, "own heroes on them do not spare the battle"


def test_bat_11_without_great_artefacts_the_ruins_give_nothing():
    state = at_ruins(("lord", "lord", "priest"))
    state = changed(state, great=(), gone=state.gone + state.great)
    story = assault(state, to="D3", against=NOBODY)
    assert "D3" == story.state.heroes["hero-1-1"].square
    assert "turn" == story.state.asking[-1].kind


def test_bat_11_enemy_heroes_on_the_ruins_are_fought_instead_of_the_ruins():
    state = stand(at_ruins(("lord",)), "hero-2-1", "D3")
    assault(state, to="D3", against=NOBODY).refused("no-fight", "MAP-09")
    story = defend(assault(hand(state, 2), to="D3", against=2))
    assert {"cards": 0} == fought(story).defence
    assert "D3" == story.state.heroes["hero-1-1"].square
    assert not story.state.turn.ruins
    assert "turn" == story.state.asking[-1].kind


def test_bat_12_a_hero_fights_one_battle_a_turn_and_then_moves_no_further():
    state = before(("lord", "lord", "supply"), level=1)
    story = defend(assault(state, units=cards(state, 1, "lord")))
    story.when(1, command("step", hero="hero-1-1", to="G4", cards=cards(state, 1, "supply"))).refused(
        "move-ended", "BAT-12"
    )
    story.when(1, END).when(2, END).default(SYSTEM)
    assert not story.state.heroes["hero-1-1"].fought
    assert story.offered(1, "step")


def test_bat_13_a_disbanded_hero_returns_at_the_start_of_the_next_turn():
    state = stand(table(), "hero-2-1", "")
    story = tell(state).when(1, END)
    assert ev.HeroReturned(2, "hero-2-1", "G5") in story.events
    assert "turn" == story.state.asking[-1].kind


def test_bat_13_with_several_cities_the_owner_chooses_where_a_hero_returns():
    state = city(stand(stand(table(), "hero-2-1", ""), "hero-2-2", ""), "G1", owner=2, level=4)
    story = tell(state).when(1, END)
    assert {"hero": "hero-2-1"} == dict(story.state.asking[-1].about)
    story.when(2, command("return_hero", square="A1")).refused("not-your-city", "BAT-13")
    story.when(2, command("return_hero", square="G1"))
    assert {"hero": "hero-2-2"} == dict(story.state.asking[-1].about)
    story.when(2, command("return_hero", square="G5"))
    assert ["G1", "G5"] == [story.state.heroes[name].square for name in ("hero-2-1", "hero-2-2")]
    assert "turn" == story.state.asking[-1].kind


@pytest.mark.parametrize(("ruleset", "first"), [("creation_v2", "A4"), ("creation_v1", "G5")])
def test_bat_13_day_08_on_timeout_the_first_hero_returns_to_the_first_city(ruleset, first):
    """Squares are ordered by name, so A4 is before F2 and G5. In the first ruleset the start square was first."""
    state = stand(stand(table(ruleset=ruleset), "hero-2-1", ""), "hero-2-2", "")
    state = lay(
        lay(state, "F2", "city-straight", "NS", owner=2, level=2), "A4", "city-straight", "NS", owner=2, level=2
    )
    story = tell(state).when(1, END)
    assert {"hero": "hero-2-1"} == dict(story.state.asking[-1].about)
    story.default(2)
    assert [(2, "hero-2-1", first)] == [(back.seat, back.hero, back.square) for back in story.of(ev.HeroReturned)]


def test_bat_13_without_a_city_of_level_one_a_hero_does_not_return():
    state = city(stand(table(), "hero-2-1", ""), "G5", owner=2, level=0)
    story = tell(state).when(1, END)
    assert "" == story.state.heroes["hero-2-1"].square
    assert 2 == story.state.turn.seat


def test_bat_14_on_timeout_the_defender_has_an_empty_line():
    story = assault(before(("lord", "lord"), ("lord", "lord")))
    story.default(2)
    assert () == story.of(ev.LineRevealed)[1].cards
    assert 2 == len(story.state.players[2].hand)


def test_bat_15_amulets_are_rolled_at_the_reveal_starting_with_the_attacker():
    state = before(("frimen-barfolk", "amulet-barfolk"), ("amulet-emberians",))
    story = assault(state, support=cards(state, 1, "amulet"))
    assert [] == story.of(ev.LineRevealed)
    defend(story, 3, 6, support=state.players[2].hand)
    assert [(3,), (6,)] == [event.rolls for event in story.of(ev.LineRevealed)]
    assert {"cards": 4, "moral": 1} == fought(story).attack
    assert {"cards": 4, "level": 1, "terrain": 1, "moral": 1} == fought(story).defence


def test_bat_15_a_five_adds_nothing():
    state = before(("frimen-barfolk", "amulet-emberians"))
    story = defend(assault(state, support=cards(state, 1, "amulet")), 5)
    assert {"cards": 1, "moral": 1} == fought(story).attack


def test_bat_15_a_lit_amulet_is_rolled_twice():
    state = lit(before(("frimen-emberians", "amulet-barfolk")), "amulet")
    story = defend(assault(state, support=cards(state, 1, "amulet")), 2, 6)
    assert {"cards": 7} == fought(story).attack


STRENGTHS = [
    (("frimen", "weapon"), "", 3),
    (("frimen", "weapon"), "weapon", 5),
    (("frimen", "horse"), "", 2),
    (("frimen", "horse"), "horse", 3),
    (("frimen", "title"), "", 2),
    (("frimen", "title"), "title", 3),
    (("lord", "title"), "", 4),
    (("lord", "frimen", "title"), "title", 7),
    (("lord", "scroll"), "", 8),
    (("lord", "scroll"), "scroll", 12),
    (("frimen", "weapon", "scroll"), "", 5),
    (("frimen", "weapon", "scroll"), "weapon", 9),
    (("frimen", "title", "scroll"), "", 3),
    (("frimen", "great-sword"), "", 5),
    (("frimen", "great-shield"), "", 1),
    (("frimen", "great-sword", "scroll"), "", 6),
]


@pytest.mark.parametrize(("line", "lit_", "strength"), STRENGTHS)
def test_art_01_and_others_artefacts_give_strength_to_a_line(line, lit_, strength):
    state = before([sort if "great" in sort else f"{sort}-emberians" for sort in line])
    state = lit(state, lit_) if lit_ else state
    units = [card for card in state.players[1].hand if "frimen" in card or "lord" in card]
    story = defend(assault(state, units=units, support=rest(state, 1, *units)))
    assert {"cards": strength} == fought(story).attack


def test_defender_may_use_an_ambush_card():
    state = zone(before(("frimen",), ("supply",)), 2, "hidden", "priest-islanders")
    story = defend(assault(state), ambush=state.players[2].hidden)
    assert {"cards": 3, "level": 1, "terrain": 1, "moral": 1} == fought(story).defence
    assert () == story.state.players[2].hidden
    assert story.state.players[2].spent


def test_defender_without_cards_has_only_one_answer():
    story = assault(with_player(before(("frimen",)), 2, hidden=()))
    options = story.offered(2, "defend")
    assert [()] == [option.open for option in options]
