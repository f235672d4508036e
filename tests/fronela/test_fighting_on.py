"""Several battle rounds by one command, and attackers' orders to withdraw: FRO-D61."""

from __future__ import annotations

import pytest

from domain.games.fronela.commands import Auto, Done, Fight, FightOn, Go, Retreat, SetWithdrawal
from domain.games.fronela.events import BattleJoined, FarmersTaken, UnitsRetreated, WithdrawalSet
from domain.games.fronela.game import FRONELA
from domain.games.fronela.state import Orders
from domain.kernel.dice import Dice, ScriptedDice
from tests.fronela.story import BLACK, GREY, History

HOLD = {"grey_malkioni": Orders("hold")}


def fighting(mine=3, theirs=3, key="fronela_v3", orders=HOLD, more=None, farmers=0):
    """Black soldiers fight grey ones, and azure ones in two more areas, so that the next battle is a question."""
    units = {
        "tarins": {"black_malkioni": {"soldier": mine + 2, "lord": 1} | ({"farmer": farmers} if farmers else {})},
        "akem": {"grey_malkioni": {"soldier": theirs} | (more or {})},
        "arnstor": {"azure_malkioni": {"soldier": 1}},
        "tastolar": {"azure_malkioni": {"soldier": 1}},
    }
    given = {**orders, "azure_malkioni": Orders("hold")}
    story = History("black_malkioni", units, key, orders=given).begin(1)
    story.say(Go("tarins", "soldier", "akem", mine)).say(Go("tarins", "soldier", "arnstor", 1))
    story.say(Go("tarins", "soldier", "tastolar", 1))
    if farmers:
        story.say(Go("tarins", "farmer", "akem", farmers))
    return story.say(Done())


def rounds(story):
    return [joined.number for joined in story.so_far(BattleJoined) if joined.area == "akem"]


def test_fro_d61_rounds_are_fought_until_the_battle_is_over():
    story = fighting().say(
        FightOn("akem", "grey_malkioni", "over", 20), *[5, 1, 1, 1, 1, 1], *[5, 1, 1, 1, 1], *[5, 1, 1, 1]
    )

    assert [1, 2, 3] == rounds(story)
    assert {} == story.there("akem", "grey_malkioni")
    assert ("battle", BLACK) == story.asked


def test_fro_d61_rounds_are_fought_until_outnumbered_but_at_least_one():
    story = fighting().say(FightOn("akem", "grey_malkioni", "outnumbered", 20), *[1] * 6, *[1, 1, 1, 5, 1, 1])
    assert [1, 2] == rounds(story)
    assert ("battle", BLACK) == story.asked

    story.say(FightOn("akem", "grey_malkioni", "outnumbered", 20), *[1] * 5)
    assert [1, 2, 3] == rounds(story)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_fro_d61_no_more_rounds_are_fought_than_were_ordered(number):
    story = fighting().say(FightOn("akem", "grey_malkioni", "over", number), *[1] * 6 * number)

    assert list(range(1, number + 1)) == rounds(story)
    assert story.offers(Retreat("soldier", "tarins", 3))


def test_fro_d61_from_one_to_twenty_rounds_can_be_ordered():
    story = fighting()

    for number in (0, 21, -1):
        story.refuses(FightOn("akem", "grey_malkioni", "over", number), "no-battle", "FRO-D61", most=20, asked=number)
    story.refuses(FightOn("akem", "azure_malkioni", "over", 2), "no-battle", "FRO-10")
    story.say(FightOn("akem", "grey_malkioni", "over", 20), *[1] * 6 * 20)
    assert 20 == len(rounds(story))


def test_fro_d61_fighting_continues_after_a_question_in_between():
    """The defender is asked after each round; the count of ordered rounds continues."""
    story = fighting(orders={}).say(FightOn("akem", "grey_malkioni", "over", 3), *[1] * 6)
    assert ("retreat", GREY) == story.asked
    assert ("fight_on:akem:grey_malkioni:over:2",) == tuple(
        item for item in story.state.asking.agenda if item.startswith("fight_on")
    )
    story.say(Done(), *[1] * 6)
    assert ("retreat", GREY) == story.asked
    story.say(Retreat("soldier", "tawars", 1)).say(Done(), *[1] * 5).say(Done())

    assert [1, 2, 3] == rounds(story)
    assert ("battle", BLACK) == story.asked


def test_fro_d61_retreat_of_the_defender_ends_the_fighting():
    story = fighting(orders={}).say(FightOn("akem", "grey_malkioni", "over", 20), *[1] * 6)
    story.say(Retreat("soldier", "tawars", 3))

    assert [1] == rounds(story)
    assert ("battle", BLACK) == story.asked
    assert "akem" not in {option.fixed.get("area") for option in FRONELA.rules.legal(story.state, BLACK)}


def test_fro_d61_ordered_rounds_record_the_same_events_as_single_rounds():
    """Apart from questions, three rounds ordered at once record the same events as three commands."""
    dice = [5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 1, 1, 1, 1]
    for key in ("fronela_v2", "fronela_v3"):
        once = fighting(key=key).say(FightOn("akem", "grey_malkioni", "over", 3), *dice[:16])
        single = fighting(key=key)
        for start, stop in ((0, 6), (6, 11), (11, 16)):
            single.say(Fight("akem", "grey_malkioni"), *dice[start:stop])
        told = [[event for event in story.log if type(event).__name__ != "Asked"] for story in (once, single)]
        assert told[0] == told[1]
        assert once.state.board == single.state.board


def test_fro_d61_attackers_withdraw_by_order_once_they_are_outnumbered():
    story = fighting()
    story.say(SetWithdrawal("black_malkioni", "if_outnumbered"), seat=BLACK)
    assert [WithdrawalSet(BLACK, "black_malkioni", "if_outnumbered")] == story.so_far(WithdrawalSet)
    story.say(FightOn("akem", "grey_malkioni", "over", 20), *[1] * 6, *[1, 1, 1, 5, 1, 1])

    assert [("akem", "tarins", 2, "chosen")] == [
        (left.area, left.to, left.count, left.why) for left in story.so_far(UnitsRetreated)
    ]
    assert {} == story.there("akem", "black_malkioni")
    assert [1, 2] == rounds(story)


def test_fro_d61_attackers_and_their_farmers_withdraw_by_order_after_every_round():
    story = fighting(farmers=1)
    story.say(SetWithdrawal("black_malkioni", "always"), seat=BLACK)
    story.say(FightOn("akem", "grey_malkioni", "over", 20), *[1] * 6)
    assert [1] == rounds(story)
    # The farmer can join the Lord in Tarins (FRO-D17), so it withdraws too.
    assert {("soldier", 3), ("farmer", 1)} == {(left.kind, left.count) for left in story.so_far(UnitsRetreated)}

    story = fighting(farmers=1)
    story.say(SetWithdrawal("black_malkioni", "always"), seat=BLACK)
    story.say(SetWithdrawal("black_malkioni", "ask"), seat=BLACK).say(Fight("akem", "grey_malkioni"), *[1] * 6)
    assert [] == story.so_far(UnitsRetreated)


def test_fro_d61_farmers_who_cannot_follow_are_lost():
    """No unit is left in Tarins that the farmer could join."""
    units = {
        "tarins": {"black_malkioni": {"soldier": 2, "lord": 1, "farmer": 1}},
        "akem": {"grey_malkioni": {"soldier": 3}},
    }
    orders = HOLD | {"black_malkioni": Orders(withdrawal="if_outnumbered")}
    story = History("black_malkioni", units, "fronela_v3", orders=orders).begin(1)
    story.say(Go("tarins", "soldier", "akem", 2)).say(Go("tarins", "farmer", "akem", 1)).say(
        Go("tarins", "lord", "easval", 1)
    )
    story.say(Done(), *[1] * 5)

    assert [("soldier", 2)] == [(left.kind, left.count) for left in story.so_far(UnitsRetreated)]
    assert [("akem", 1, "grey_malkioni")] == [(t.area, t.count, t.by) for t in story.so_far(FarmersTaken)]
    assert ("round", 0) == story.asked


def test_fro_d55_withdrawal_order_given_during_the_question_applies_on_timeout():
    story = fighting().say(Fight("akem", "grey_malkioni"), *[1, 1, 1, 5, 1, 1])
    assert Fight("akem", "grey_malkioni") == FRONELA.rules.default(story.state, BLACK, Dice(bytes(32)))
    story.say(SetWithdrawal("black_malkioni", "if_outnumbered"), seat=BLACK)

    assert Auto() == FRONELA.rules.default(story.state, BLACK, Dice(bytes(32)))
    story.when(BLACK, Auto(), ScriptedDice(bytes(32), script=(1,) * 99))
    assert ["tarins"] == [left.to for left in story.so_far(UnitsRetreated) if left.area == "akem"]


def test_fro_d61_withdrawal_orders_need_an_own_nation_and_a_known_value():
    story = fighting()

    story.refuses(SetWithdrawal("trolls", "always"), "not-your-nation", "FRO-D28", BLACK)
    story.refuses(SetWithdrawal("bull_people", "sometimes"), "no-such-order", "FRO-16", BLACK)
    assert "ask" == FRONELA.knowledge.private(story.state, BLACK)["orders"]["bull_people"]["withdrawal"]
