"""Standing orders: private, given at any time, used before a question is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.games.fronela.commands import Done, Fight, March, SetLosses, SetRefuges, SetStance, SetWizards, Take
from domain.games.fronela.episodes.harrek import Ride
from domain.games.fronela.events import Asked, DieBent, StanceSet, UnitsRetreated
from domain.games.fronela.game import FRONELA
from domain.games.fronela.state import Orders, Person
from domain.kernel.dice import Dice
from tests.fronela.story import AZURE, BLACK, GREY, History


def attacked(orders, *, soldiers=3, kinds=None, **fields):
    """Black soldiers are about to fight grey ones that have standing orders."""
    units = {
        "tarins": {"black_malkioni": {"soldier": soldiers, "lord": 1}},
        "akem": {"grey_malkioni": kinds or {"soldier": 2}},
    }
    story = History("black_malkioni", units, orders={"grey_malkioni": orders}, **fields).begin(1)
    return story.say(March("tarins", "soldier", "akem", soldiers)).say(Done())


def test_hold_order_answers_the_retreat_question():
    story = attacked(Orders("hold")).say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1, 1)
    assert ("battle", BLACK) == story.asked
    assert {"soldier": 2} == story.there("akem", "grey_malkioni")


def test_retreat_if_outnumbered_compares_the_dice():
    few = attacked(Orders("retreat_if_outnumbered")).say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1, 1)
    assert {} == few.there("akem", "grey_malkioni")
    assert ("round", 0) == few.asked
    equal = attacked(Orders("retreat_if_outnumbered"), soldiers=2).say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1)
    assert {"soldier": 2} == equal.there("akem", "grey_malkioni")


def test_always_retreat_goes_to_the_preferred_areas():
    story = attacked(Orders("always_retreat", ("sog_city", "tawars")), soldiers=2)
    story.say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1)
    assert [("sog_city", "chosen")] == [(left.to, left.why) for left in story.so_far(UnitsRetreated)]


def test_orders_answer_a_special_retreat():
    units = {"tarins": {"black_malkioni": {"soldier": 2, "lord": 1}}, "tastolar": {"reindeer_people": 1}}
    orders = {"reindeer_people": Orders("always_retreat", ("northern_tundra",))}
    story = History("black_malkioni", units, orders=orders).begin(1)
    story.say(March("tarins", "soldier", "tastolar", 2)).say(Done()).say(Fight("tastolar", "reindeer_people"))
    assert {"unit": 1} == story.there("northern_tundra", "reindeer_people")
    assert ["special"] == [left.why for left in story.so_far(UnitsRetreated)]
    assert ("round", 0) == story.asked


def test_orders_apply_to_nations_that_harrek_attacks():
    story = History("harrek", {"tastolar": {"trolls": 2}}, round=17, orders={"trolls": Orders("always_retreat")})
    story.state = replace(story.state, persons={"harrek": Person("rathorela", "")})
    story.begin().say(Ride("tastolar", "")).say(Fight("tastolar", "trolls"))
    assert ("round", 0) == story.asked


def test_wizards_act_on_orders():
    for policy, side in (("weaken", "attack"), ("strengthen", "defence")):
        story = attacked(Orders("hold", wizards=policy), kinds={"soldier": 2, "wizard": 1})
        story.say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1, 1)
        assert [side] == [bent.side for bent in story.so_far(DieBent)]
    rest = attacked(Orders("hold", wizards="rest"), kinds={"soldier": 2, "wizard": 1})
    rest.say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1, 1)
    assert [] == rest.so_far(DieBent)


def test_the_attackers_choices_of_losses_follow_orders():
    units = {
        "tarins": {"black_malkioni": {"soldier": 3, "lord": 1}},
        "akem": {"grey_malkioni": {"soldier": 2, "lord": 1}},
    }
    orders = {"black_malkioni": Orders(own_losses="lord,soldier,wizard,farmer", enemy_losses="usual")}
    story = History("black_malkioni", units, orders=orders).begin(1)
    story.say(March("tarins", "soldier", "akem", 3)).say(March("tarins", "lord", "akem", 1)).say(Done())
    story.say(Fight("akem", "grey_malkioni"), 6, 1, 1, 6, 1)
    assert {"soldier": 3} == story.there("akem", "black_malkioni")
    assert {"soldier": 1, "lord": 1} == story.there("akem", "grey_malkioni")


def test_orders_are_given_at_any_time_by_their_owner_alone():
    story = History("bull_people", {"tawars": {"bull_people": 1}}).begin(1)
    story.say(SetStance("trolls", "hold"), seat=GREY).say(SetRefuges("trolls", ("oral_ta",)), seat=GREY)
    story.say(SetLosses("grey_malkioni", "usual", "ask"), seat=GREY).say(SetWizards("grey_malkioni", "rest"), seat=GREY)

    assert ("move", BLACK) == story.asked
    assert Orders("hold", ("oral_ta",)) == story.state.orders["trolls"]
    assert Orders(own_losses="usual", wizards="rest") == story.state.orders["grey_malkioni"]
    own = list(story.state.tables.seats[BLACK])
    story.refuses(SetStance("trolls", "hold"), "not-your-nation", "FRO-D28", BLACK, nations=own)
    story.refuses(SetStance("trolls", "flee"), "no-such-order", "FRO-16", GREY)
    story.refuses(SetRefuges("trolls", ("tarins",)), "no-such-order", "FRO-D39", GREY, area="tarins")
    lands = ("oral_ta", "glacier_west", "glacier_east", "tastolar")
    story.refuses(SetRefuges("trolls", lands), "no-such-order", "FRO-16", GREY, most=3, asked=4)
    story.refuses(SetRefuges("trolls", ("oral_ta", "oral_ta")), "no-such-order", "FRO-16", GREY)
    story.refuses(SetLosses("trolls", "usual", "never"), "no-such-order", "FRO-16", GREY)
    story.refuses(SetWizards("trolls", "rest"), "no-such-order", "FRO-D29", GREY)
    story.refuses(SetStance("atlanteans", "hold"), "not-your-nation", "FRO-D28", GREY)


def test_only_the_owner_can_read_orders():
    story = History("bull_people", {"tawars": {"bull_people": 1}}).begin(1).say(SetStance("trolls", "hold"), seat=GREY)
    (event,) = story.so_far(StanceSet)

    assert (GREY,) == FRONELA.knowledge.audience(event)
    assert "hold" == FRONELA.knowledge.reveal(event, GREY)["stance"]
    assert FRONELA.knowledge.reveal(event, BLACK) is None
    assert FRONELA.knowledge.reveal(event, None) is None
    assert "hold" == FRONELA.knowledge.private(story.state, GREY)["orders"]["trolls"]["stance"]
    assert "trolls" not in FRONELA.knowledge.private(story.state, BLACK)["orders"]
    assert "hold" not in repr(FRONELA.knowledge.view(story.state))


@pytest.mark.parametrize("seat", [None, BLACK, GREY, AZURE])
def test_imagine_redraws_only_the_orders_of_others(seat):
    story = History("bull_people", {"tawars": {"bull_people": 1}}).begin(1)
    for stance in ("hold", "always_retreat"):
        for nation, owner in (("trolls", GREY), ("bull_people", BLACK), ("mostali", AZURE)):
            story.say(SetStance(nation, stance), seat=owner)
    own = {n: o for n, o in story.state.orders.items() if story.state.tables.nations[n].seat == seat}
    imagined = FRONELA.knowledge.imagine(story.state, seat, Dice(bytes(32)))

    assert own == {n: o for n, o in imagined.orders.items() if story.state.tables.nations[n].seat == seat}
    assert len({o.stance for o in imagined.orders.values()}) > 1
    assert replace(imagined, orders={}) == replace(story.state, orders={})
    for reader in (BLACK, GREY, AZURE):
        if seat == reader:
            assert FRONELA.knowledge.private(story.state, reader) == FRONELA.knowledge.private(imagined, reader)
            assert FRONELA.rules.legal(story.state, reader) == FRONELA.rules.legal(imagined, reader)
    assert FRONELA.knowledge.view(story.state) == FRONELA.knowledge.view(imagined)


def test_question_answered_by_orders_is_never_asked():
    story = attacked(Orders("hold", wizards="weaken"), kinds={"soldier": 1, "wizard": 1})
    story.say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1)
    assert GREY not in {asked.seat for asked in story.so_far(Asked)}


def _says(story, **orders):
    """The answer of these orders of the Grey Malkioni to the question, which was asked without orders."""
    given = replace(story.state, orders={"grey_malkioni": Orders(**orders)})
    return FRONELA.rules.by_orders(replace(story.state, orders={}), GREY, given)


def test_new_orders_answer_a_pending_retreat_question():
    story = attacked(Orders()).say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1, 1)
    assert ("retreat", GREY) == story.asked

    assert _says(story) is None
    assert _says(story, own_losses="usual") is None
    assert {"type": "done"} == _says(story, stance="hold")
    gone = _says(story, stance="always_retreat", refuges=("sog_city",))
    assert ("retreat", "sog_city") == (gone["type"], gone["to"])
    story.say(Done())
    assert ("battle", BLACK) == story.asked
    assert _says(story, stance="hold") is None, "the black ones are asked now"


def test_new_orders_answer_pending_questions_about_wizards_and_losses():
    story = attacked(Orders(), kinds={"soldier": 2, "wizard": 1}).say(Fight("akem", "grey_malkioni"))
    assert ("defence_wizards", GREY) == story.asked
    assert {"type": "done"} == _says(story, wizards="rest")
    assert [("bend_die", "attack"), ("bend_die", "defence")] == [
        (said["type"], said["side"]) for said in (_says(story, wizards="weaken"), _says(story, wizards="strengthen"))
    ]
    units = {
        "tarins": {"black_malkioni": {"soldier": 3, "lord": 1}},
        "akem": {"grey_malkioni": {"soldier": 2, "lord": 1}},
    }
    losing = History("black_malkioni", units).begin(1).say(March("tarins", "soldier", "akem", 3))
    losing.say(March("tarins", "lord", "akem", 1)).say(Done()).say(Fight("akem", "grey_malkioni"), 6, 1, 1, 6, 1)
    assert losing.asked in (("defender_losses", BLACK), ("attacker_losses", BLACK))
    given = replace(
        losing.state, orders={"black_malkioni": Orders(own_losses="lord,soldier,wizard,farmer", enemy_losses="usual")}
    )
    said = FRONELA.rules.by_orders(losing.state, BLACK, given)
    assert "take" == said["type"]
    losing.say(Take(said["unit"], said.get("count", 1)))


@pytest.mark.parametrize(("key", "said"), [("fronela_v3", {"type": "done"}), ("fronela_v2", None)])
def test_decline_order_answers_a_pending_growth_question_from_version_3_on(key, said):
    units = {"tawars": {"bull_people": 4}, "akem": {"bull_people": 4}}
    story = History("bull_people", units, key).begin(5, 5)
    assert ("growth", BLACK) == story.asked
    given = replace(story.state, orders={"bull_people": Orders(growth="decline")})
    assert said == FRONELA.rules.by_orders(story.state, BLACK, given)


def test_current_orders_are_listed_for_their_owner_only():
    story = History("bull_people", {"tawars": {"bull_people": 1}}).begin(1)
    story.say(SetStance("trolls", "hold"), seat=GREY).say(SetWizards("grey_malkioni", "rest"), seat=GREY)
    told = {(line["type"], line["nation"]) for line in FRONELA.knowledge.orders(story.state, GREY)}
    assert {("stance_set", "trolls"), ("wizards_set", "grey_malkioni")} == told
    assert [] == FRONELA.knowledge.orders(story.state, BLACK)
