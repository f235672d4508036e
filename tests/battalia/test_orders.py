"""Standing orders: how they are given, when they apply, and who can read them (ORD-01 to ORD-03, ORD-18)."""

from __future__ import annotations

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.module_api.orders import PLACES
from domain.games.battalia.rulebook.turn import orders
from domain.games.battalia.rulebook.turn.kinds import QUESTIONS
from domain.games.battalia.state import changed
from domain.kernel.dice import Dice
from domain.kernel.terms import SYSTEM, Seat
from tests.battalia import laid
from tests.battalia.ordering import followed, ordering
from tests.battalia.table import city, command, stand, table, tell
from tests.battalia.test_battles import END, assault, before
from tests.story import Story

EVERY = ("stormgates", "rammoth", "armamentum", "keeper", "unbound_buff")
NOTHING = {"place": 1, "how": "nothing"}


def returning():
    """Seat 2 has two disbanded heroes and two cities."""
    return city(stand(stand(table(), "hero-2-1", ""), "hero-2-2", ""), "G1", owner=2, level=4)


def test_ord_01_a_seat_may_give_an_order_without_a_pending_question():
    story = tell(table()).when(2, command("set_defence", place=2, how="reach", number=5, spare=["lord"]))

    order = {"place": 2, "how": "reach", "number": 5, "most": 12, "spare": ["lord"], "ambush": "if_needed"}
    story.then(ev.OrderGiven(Seat(2), {"type": "set_defence", **order}))
    assert [{"type": "set_defence", **order}] == BATTALIA.knowledge.private(story.state, Seat(2))["orders"]
    assert ("turn", (1,)) == (story.state.asking[-1].kind, story.state.asking[-1].seats), "nothing else has changed"


def test_ord_01_a_new_order_replaces_the_old_one_and_ask_withdraws_it():
    state = ordering(ordering(table(), 2, "set_defence", place=1, how="all"), 2, "set_defence", **NOTHING)
    assert ["nothing"] == [order["how"] for order in BATTALIA.knowledge.private(state, Seat(2))["orders"]]

    story = tell(state).when(2, command("set_defence", place=1, how="ask"))
    story.then(ev.OrderWithdrawn(Seat(2), "set_defence", 1))
    assert [] == BATTALIA.knowledge.private(story.state, Seat(2))["orders"]
    again = story.when(2, command("set_return", first=["home"])).when(2, command("set_return", first=[]))
    assert [] == BATTALIA.knowledge.private(again.state, Seat(2))["orders"]


def test_ord_01_other_readers_cannot_see_that_an_order_exists():
    state = table(3)
    given = ordering(state, 2, "set_defence", place=1, how="win", number=2)
    taken = ev.OrderWithdrawn(Seat(2), "set_defence", 1)
    (event,) = tell(state).when(2, command("set_defence", place=1, how="win", number=2)).events

    for each in (event, taken):
        assert [None, None, None] == [BATTALIA.knowledge.reveal(each, seat) for seat in (None, Seat(1), Seat(3))]
        assert (Seat(2),) == BATTALIA.knowledge.audience(each)
        assert BATTALIA.knowledge.reveal(each, Seat(2))["seat"] == 2
    assert BATTALIA.knowledge.view(state) == BATTALIA.knowledge.view(given)
    for seat in (1, 3, None):
        dice = [Dice(b"same"), Dice(b"same")]
        assert BATTALIA.knowledge.imagine(state, seat, dice[0]) == BATTALIA.knowledge.imagine(given, seat, dice[1])
        if seat:
            assert BATTALIA.knowledge.private(state, Seat(seat)) == BATTALIA.knowledge.private(given, Seat(seat))
    assert given.orders == BATTALIA.knowledge.imagine(given, Seat(2), Dice(b"own")).orders


@pytest.mark.parametrize(
    ("type_", "said", "field"),
    [
        ("set_defence", {"place": 4, "how": "all"}, "place"),
        ("set_defence", {"place": 1, "how": "flee"}, "how"),
        ("set_defence", {"place": 1, "how": "reach", "number": 100}, "number"),
        ("set_defence", {"place": 1, "how": "reach", "number": -1}, "number"),
        ("set_defence", {"place": 1, "how": "all", "most": 13}, "most"),
        ("set_defence", {"place": 1, "how": "all", "spare": ["road"]}, "spare"),
        ("set_defence", {"place": 1, "how": "all", "spare": ["lord", "lord"]}, "spare"),
        ("set_defence", {"place": 1, "how": "all", "ambush": "sometimes"}, "ambush"),
        ("set_defence", {"place": 1, "how": "nothing", "number": 3}, "number"),
        ("set_defence", {"place": 1, "how": "all", "number": 3}, "number"),
        ("set_flight", {"first": ["Z9"]}, "first"),
        ("set_return", {"first": ["A1", "A1"]}, "first"),
        ("set_spoils", {"first": ["great-spoon"]}, "first"),
        ("set_wish", {"first": ["lord-barfolk", "lord-islanders"]}, "first"),
        ("set_bet", {"place": 1, "how": "nothing"}, "type"),
        ("set_discard", {"first": ["supply"]}, "type"),
    ],
)
def test_ord_01_an_invalid_order_is_refused_by_field(type_, said, field):
    story = tell(table()).when(2, command(type_, **said))
    code = "no-such-order"
    story.refused(code, "ORD-01", field)
    assert not any(option.type == type_ for option in BATTALIA.rules.legal(story.state, Seat(2))) or field != "type"


def test_ord_01_no_order_is_given_by_a_seat_that_is_out_or_after_the_end():
    state = table(3)
    gone = changed(state, order=(Seat(1), Seat(2)), players={**state.players, 3: changed(state.players[3], out=True)})
    Story(BATTALIA, gone).when(3, command("set_defence", **NOTHING)).refused("no-such-order", "END-06")
    assert [] == list(BATTALIA.rules.legal(gone, Seat(3)))
    assert [] == list(BATTALIA.rules.legal(changed(state, ending="weeks", asking=()), Seat(1)))
    assert ["turn_day"] == [option.type for option in BATTALIA.rules.legal(laid.night(laid.table()), SYSTEM)]


def test_ord_01_offered_orders_depend_only_on_the_modules_of_the_game():
    state = table()
    assert [o.type for o in BATTALIA.rules.legal(state, Seat(2))] == [
        o.type for o in BATTALIA.rules.legal(state, Seat(1)) if o.type in BATTALIA.rules.unasked
    ]
    plain = {option.type for option in BATTALIA.rules.legal(state, Seat(2))}
    assert {"set_defence", "set_flight", "set_return", "set_spoils", "set_wish"} == plain
    full = {option.type for option in BATTALIA.rules.legal(laid.table(2, EVERY), Seat(2))}
    assert BATTALIA.rules.unasked == full
    assert {"set_discard", "set_bet", "set_entrance", "set_victim", "set_stir", "set_raid"} == full - plain


def test_ord_02_an_order_answers_its_question_at_once_with_a_public_event():
    state = ordering(returning(), 2, "set_return", first=["G1", "home"])
    story = tell(state).when(1, END)

    assert [(2, "return"), (2, "return")] == followed(story)
    assert [("hero-2-1", "G1"), ("hero-2-2", "G1")] == [(e.hero, e.square) for e in story.of(ev.HeroReturned)]
    assert "turn" == story.state.asking[-1].kind
    assert "{seat:seat} follows a standing order." == BATTALIA.presentation.sentences["order_followed"]
    for seat in (None, 1, 2):
        assert {"type": "order_followed", "seat": 2, "kind": "return"} == BATTALIA.knowledge.reveal(
            story.of(ev.OrderFollowed)[0], seat
        )


def test_ord_02_an_order_given_for_a_pending_question_answers_it_on_timeout():
    story = tell(returning()).when(1, END)
    assert "return" == story.state.asking[-1].kind
    story.when(2, command("set_return", first=["G5"]))
    assert "return" == story.state.asking[-1].kind, "it is not answered at once"

    story.default(2)
    assert ["G5", "G5"] == [event.square for event in story.of(ev.HeroReturned)]
    assert [(2, "return")] == followed(story), "the first is silence's answer, the next is not put any more"


def test_ord_03_entries_are_tried_in_order_and_the_question_stays_if_none_applies():
    state = ordering(returning(), 2, "set_return", first=["A1", "C3", "G1"])
    story = tell(state).when(1, END)
    assert ["G1", "G1"] == [event.square for event in story.of(ev.HeroReturned)]

    asked = tell(ordering(returning(), 2, "set_return", first=["A1", "C3"])).when(1, END)
    assert [] == followed(asked)
    assert ("return", (2,)) == (asked.state.asking[-1].kind, asked.state.asking[-1].seats)
    asked.default(2)
    assert ["G1"] == [event.square for event in asked.of(ev.HeroReturned)], "silence is what it always was"


def test_ord_03_orders_are_tried_by_place_not_by_time():
    state = before(["chief"], ["frimen", "lord"], level=1)
    state = ordering(state, 2, "set_defence", place=3, how="nothing")
    state = ordering(state, 2, "set_defence", place=1, how="reach", number=40)
    state = ordering(state, 2, "set_defence", place=2, how="all")
    story = assault(state)

    assert {2: 2, 1: 1} == {e.seat: len(e.cards) for e in story.of(ev.LineRevealed)}
    assert PLACES == (1, 2, 3)


def test_ord_01_own_orders_do_not_stop_a_plan_for_an_unchanged_board():
    given = tell(table()).when(1, command("set_defence", **NOTHING)).events
    back = tell(table()).when(1, command("set_defence", place=1, how="ask")).events
    assert all(
        BATTALIA.knowledge.passes(event, Seat(1)) for event in (*given, *back, ev.OrderFollowed(Seat(2), "defend"))
    )


def test_ord_18_every_question_outside_the_own_turn_may_have_orders():
    assert {"faction", "start", "day", "turn"} == {name for name, kind in QUESTIONS.items() if kind.standing is None}
    buff = BATTALIA.rules.modules.keys() and orders.registry.registered()["unbound_buff"].questions
    assert {"turn", "march"} == {name for name, kind in buff.items() if kind.standing is None}
    others = {
        (key, name)
        for key, npc in orders.registry.registered().items()
        for name, kind in npc.questions.items()
        if kind.standing is None and key != "unbound_buff"
    }
    assert {("keeper", "turn"), ("armamentum", "turn")} == others


def test_ord_18_no_order_answers_the_turn_itself():
    state = table()
    for seat in (1, 2):
        for type_, said in (("set_defence", NOTHING), ("set_return", {"first": ["any"]})):
            state = ordering(state, seat, type_, **said)
    story = tell(state).when(1, END)
    assert ("turn", (2,)) == (story.state.asking[-1].kind, story.state.asking[-1].seats)


def test_terminal_shows_own_orders_only():
    state = ordering(table(), 2, "set_defence", place=2, how="win", number=3, spare=["lord", "sword"])
    state = ordering(state, 2, "set_flight", first=["own", "C3"])
    public = {**BATTALIA.knowledge.view(state), "table": {"outcome": None}}
    shown = list(BATTALIA.presentation.text(public, BATTALIA.knowledge.private(state, Seat(2))))
    defense = (
        "Your defense order: order number 2, policy enough to win, number to reach 3, maximum number of cards 12, "
        "never use lord, Sword of Elemag, face-down cards if needed."
    )
    assert {defense, "Your flight order: one of your cities, C3."} <= set(shown)
    assert not any(
        "order:" in line for line in BATTALIA.presentation.text(public, BATTALIA.knowledge.private(state, Seat(1)))
    )
