"""DAY: turn, day, week, Oracle."""

from __future__ import annotations

from domain.games.battalia import events as ev
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.rulebook.payment.wheel import lit, matching
from domain.games.battalia.rulebook.turn import calendar
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.kernel.game.rules import Setup
from domain.kernel.terms import SYSTEM
from tests.battalia.table import cards, changed, command, day, dealt, hand, on_top, table, tell
from tests.battalia.test_battles import assault, before
from tests.story import LoadedDice

END = command("end_turn")
WHEEL = ("tool", "horse", "weapon", "amulet", "tent", "title", "scroll")


def test_day_01_a_day_has_one_turn_per_player_and_a_week_has_seven_days():
    story = tell(table(3))
    dates = [(1, 1)]
    for _ in range(8):
        assert [1, 2, 3] == list(story.state.order)
        for seat in story.state.order:
            assert seat == story.state.turn.seat
            story.when(seat, END)
        story.default(SYSTEM)
        announced = story.of(ev.DayAnnounced)[0]
        dates.append((announced.week, announced.day))
    assert [(1, n) for n in range(1, 8)] + [(2, 1), (2, 2)] == dates


def test_day_02_only_system_starts_the_next_day_with_the_first_seats_turn():
    story = tell(table())
    story.when(1, END).when(2, END)
    assert [(SYSTEM, "day")] == [(q.seat, q.kind) for q in BATTALIA.rules.awaiting(story.state)]
    story.when(1, command("turn_day")).refused("not-your-turn")
    story.default(SYSTEM)
    kinds = [type(event) for event in story.events]
    assert [ev.DayAnnounced, ev.MomentCame, ev.TurnBegan] == kinds[:3]
    assert 1 == story.state.turn.seat


def about(story):
    """Day, place, and number of places of the pending question."""
    question = BATTALIA.rules.awaiting(story.state)[0]
    return tuple(question.about.get(name) for name in ("day", "place", "of"))


def test_day_02_a_question_names_the_day_and_the_place_of_its_turn():
    story = tell(changed(dealt(BATTALIA.rules.check(Setup(3, "")), 1), day=7))
    seen = [about(story)]
    for seat in story.state.order:
        story.when(seat, END)
        seen.append(about(story))
    story.default(SYSTEM)
    assert [(8, 1, 3), (8, 2, 3), (8, 3, 3), (8, None, None), (9, 1, 3)] == [*seen, about(story)]


def test_day_02_a_question_that_interrupts_a_turn_has_the_place_of_the_turn():
    story = assault(changed(before(("lord",), ("frimen",)), day=0))
    (question,) = BATTALIA.rules.awaiting(story.state)
    assert (2, "defend") == (question.seat, question.kind)
    assert {"square": "G5", "attacker": 1, "day": 2, "place": 1, "of": 2, "interrupts": True} == dict(question.about)


def test_day_02_a_question_of_npcs_before_the_first_turn_has_the_place_0():
    story = tell(changed(table(3, modules=("unbound_buff",)), day=6)).when(1, END).when(2, END).when(3, END)
    story.default(SYSTEM)
    assert ("bet", [(9, 0, 3)] * 3) == (
        story.state.asking[-1].kind,
        [tuple(q.about[name] for name in ("day", "place", "of")) for q in BATTALIA.rules.awaiting(story.state)],
    )


def test_day_02_a_seat_that_is_out_has_no_place_in_the_day():
    decision = start_decision(table(3), LoadedDice())
    calendar.put_out(decision, 2)
    assert (2, 1, 2) == about(tell(decision.state))
    assert (2, 2, 2) == about(tell(decision.state).when(1, END))


def test_set_14_setup_choices_are_numbered_places_of_a_day_before_the_first():
    setup = BATTALIA.rules.check(Setup(3, "", {"quick_setup": False}))
    story = tell(dealt(setup, 1))
    seen = []
    while story.state.day < 0:
        seen.append((BATTALIA.rules.awaiting(story.state)[0].seat, about(story)))
        story.default(seen[-1][0])
    assert [(seat, (1, place, 6)) for place, seat in enumerate((1, 2, 3, 3, 2), 1)] == seen, (
        "the last is left one start"
    )
    assert (2, 1, 3) == about(story)


def test_day_03_the_lit_and_the_matching_type_are_equal_on_the_first_day_only():
    state = table()
    assert WHEEL == tuple(lit(day(state, d)) for d in range(7))
    assert tuple(WHEEL[4 * d % 7] for d in range(7)) == tuple(matching(day(state, d)) for d in range(7))
    assert [0] == [d for d in range(7) if lit(day(state, d)) == matching(day(state, d))]
    assert "tool" == lit(day(state, 7))


def test_day_04_the_check_point_comes_after_each_week_before_the_first_day():
    story = tell(changed(table(max_weeks=2), day=5))
    story.when(1, END).when(2, END).default(SYSTEM)
    assert "weeks" not in str(story.events)
    story = tell(changed(table(max_weeks=2), day=13))
    story.when(1, END).when(2, END).default(SYSTEM)
    moments = [event.moment for event in story.of(ev.MomentCame)]
    assert ["weeks"] == moments
    assert ev.EndReached("weeks", "END-04") == story.events[-1]


def test_day_05_modules_end_effects_before_they_move_on_a_new_day():
    """Effects that last seven days belong to modules; the calendar calls them first on every day."""
    from tests.battalia.probe import registered

    with registered() as probe:
        story = tell(table(modules=(probe.key,)))
        story.when(1, END).when(2, END).default(SYSTEM)
        kinds = [event.moment.partition(":")[0] for event in story.of(ev.MomentCame)]
        assert "effects" == kinds[0]
        assert "move" == kinds[1]


def test_day_06_an_illuminated_artefact_counts_double():
    for artefact, d in (("weapon", 2), ("horse", 1)):
        state = hand(table(), 1, artefact, "supply")
        plain = tell(day(state, 3))
        shining = tell(day(state, d))
        assert [False, True] == [lit(each.state) == artefact for each in (plain, shining)]
    state = day(hand(table(), 1, "tool", "supply"), 0)
    assert tell(state).offered(1, "build_road"), "a lit tool stands for both frimen"
    assert not tell(day(state, 1)).offered(1, "build_road")


def test_day_07_a_taker_of_the_matching_type_chooses_the_faction():
    state = day(hand(table(), 1, "supply", "supply", "supply", "supply"), 1)
    assert "tent" == matching(state)
    paid = cards(state, 1, "supply", "supply", "supply")
    state = on_top(state, "tent", "tent-barfolk")
    story = tell(state).when(1, command("take_artefact", artefact="tent", cards=paid, faction="emberians"))
    taken = story.of(ev.CardTaken)[0].card
    assert taken.startswith("tent-emberians")
    assert taken == next(card for card in state.piles["tent"] if "emberians" in card)
    tell(state).when(1, command("take_artefact", artefact="tool", cards=paid, faction="emberians")).refused(
        "unknown-choice", "DAY-07", "faction"
    )
    rest = tuple(card for card in state.piles["tent"] if "emberians" not in card)
    gone = tuple(card for card in state.piles["tent"] if "emberians" in card)
    poor = changed(state, piles={**state.piles, "tent": rest}, gone=state.gone + gone)
    tell(poor).when(1, command("take_artefact", artefact="tent", cards=paid, faction="emberians")).refused(
        "empty-pile", "TURN-07", "faction"
    )
    offered = [part.choices for option in tell(poor).offered(1, "take_artefact") for part in option.open]
    assert ("barfolk", "islanders") in offered
