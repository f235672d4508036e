"""DAY: turn, day, week, Oracle."""

from __future__ import annotations

from domain.battalia import events as ev
from domain.battalia.game import BATTALIA
from domain.battalia.wheel import lit, matching
from domain.terms import SYSTEM
from tests.battalia.table import cards, changed, command, day, hand, on_top, story, table

END = command("end_turn")
WHEEL = ("tool", "horse", "weapon", "amulet", "tent", "title", "scroll")


def test_day_01_every_player_once_is_a_day_and_seven_days_a_week():
    told = story(table(3))
    dates = [(1, 1)]
    for _ in range(8):
        assert [1, 2, 3] == list(told.state.order)
        for seat in told.state.order:
            assert seat == told.state.turn.seat
            told.when(seat, END)
        told.default(SYSTEM)
        announced = told.of(ev.DayAnnounced)[0]
        dates.append((announced.week, announced.day))
    assert [(1, n) for n in range(1, 8)] + [(2, 1), (2, 2)] == dates


def test_day_02_the_day_is_turned_by_system_alone_and_the_first_seat_goes_on():
    told = story(table())
    told.when(1, END).when(2, END)
    assert [(SYSTEM, "day")] == [(q.seat, q.kind) for q in BATTALIA.awaiting(told.state)]
    told.when(1, command("turn_day")).refused("not-your-turn")
    told.default(SYSTEM)
    kinds = [type(event) for event in told.events]
    assert [ev.DayAnnounced, ev.MomentCame, ev.TurnBegan] == kinds[:3]
    assert 1 == told.state.turn.seat


def test_day_03_both_places_of_the_wheel_coincide_on_the_first_day_only():
    state = table()
    assert WHEEL == tuple(lit(day(state, d)) for d in range(7))
    assert tuple(WHEEL[4 * d % 7] for d in range(7)) == tuple(matching(day(state, d)) for d in range(7))
    assert [0] == [d for d in range(7) if lit(day(state, d)) == matching(day(state, d))]
    assert "tool" == lit(day(state, 7))


def test_day_04_the_check_point_comes_after_each_week_before_the_first_day():
    told = story(changed(table(max_weeks=2), day=5))
    told.when(1, END).when(2, END).default(SYSTEM)
    assert "weeks" not in str(told.events)
    told = story(changed(table(max_weeks=2), day=13))
    told.when(1, END).when(2, END).default(SYSTEM)
    moments = [event.moment for event in told.of(ev.MomentCame)]
    assert ["weeks"] == moments
    assert ev.EndReached("weeks", "END-04") == told.events[-1]


def test_day_05_effects_end_when_the_wheel_stands_where_it_stood():
    """What lasts seven days belongs to modules; the calendar calls them for it first of all, every day."""
    from tests.battalia.probe import registered

    with registered() as probe:
        told = story(table(modules=(probe.key,)))
        told.when(1, END).when(2, END).default(SYSTEM)
        kinds = [event.moment.partition(":")[0] for event in told.of(ev.MomentCame)]
        assert "effects" == kinds[0]
        assert "move" == kinds[1]


def test_day_06_an_illuminated_artefact_counts_double():
    for artefact, d in (("weapon", 2), ("horse", 1)):
        state = hand(table(), 1, artefact, "supply")
        plain = story(day(state, 3))
        shining = story(day(state, d))
        assert [False, True] == [lit(each.state) == artefact for each in (plain, shining)]
    state = day(hand(table(), 1, "tool", "supply"), 0)
    assert story(state).offered(1, "build_road"), "a lit tool stands for both frimen"
    assert not story(day(state, 1)).offered(1, "build_road")


def test_day_07_the_matching_type_lets_its_taker_choose_the_faction():
    state = day(hand(table(), 1, "supply", "supply", "supply", "supply"), 1)
    assert "tent" == matching(state)
    paid = cards(state, 1, "supply", "supply", "supply")
    state = on_top(state, "tent", "tent-barfolk")
    told = story(state).when(1, command("take_artefact", artefact="tent", cards=paid, faction="emberians"))
    taken = told.of(ev.CardTaken)[0].card
    assert taken.startswith("tent-emberians")
    assert taken == next(card for card in state.piles["tent"] if "emberians" in card)
    story(state).when(1, command("take_artefact", artefact="tool", cards=paid, faction="emberians")).refused(
        "unknown-choice", "DAY-07", "faction"
    )
    rest = tuple(card for card in state.piles["tent"] if "emberians" not in card)
    gone = tuple(card for card in state.piles["tent"] if "emberians" in card)
    poor = changed(state, piles={**state.piles, "tent": rest}, gone=state.gone + gone)
    story(poor).when(1, command("take_artefact", artefact="tent", cards=paid, faction="emberians")).refused(
        "empty-pile", "TURN-07", "faction"
    )
    offered = [part.choices for option in story(poor).offered(1, "take_artefact") for part in option.open]
    assert ("barfolk", "islanders") in offered
