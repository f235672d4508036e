"""A whole game analysed: where it turned and by whom, what was taken back, who resigned, and what luck there was."""

import pytest

from domain.game import Setup
from domain.registry import GAMES
from domain.terms import Seat
from service.cli.analysing.reading import game_in
from service.cli.analysing.spread import looked
from service.projections.positions.analysis.looking import look
from service.projections.positions.analysis.moments import Unfinished, walked
from service.projections.positions.analysis.whole import analysis
from tests.analysis.conftest import nim
from tests.pennies import PENNIES
from tools.simulation.selfplay import SelfPlay


def analysed(game, *, level=1, jobs=1, within=None):
    """The analysis of a game that is over, with the seq in place of what happened."""
    walk = game_in(game.export(), jobs=1).walk
    walk = walk if within is None else walk.within(*within)
    found = looked(walk, level, jobs, lambda _done, _whole: None)
    return analysis(walk, found, level, lambda seq: f"commit {seq}", str)


def played_out(game):
    game.run()
    return game


@pytest.fixture(scope="module")
def blunder():
    """1, 3 and 5 objects: who begins could win by taking three of the five, takes all of them, and the other one wins."""
    return played_out(nim((3, 5)))


def test_the_blunder_is_where_the_game_turned(blunder):
    first = next(
        seat for seat in (1, 2) if blunder.log[1].seq == 2 and blunder.position.table.outcome.winners != (seat,)
    )

    found = analysed(blunder)

    (turn,) = found["turning_points"]
    assert (2, first, first, 1.0, 0.0, "choice") == tuple(
        turn[name] for name in ("seq", "seat", "by", "before", "after", "cause")
    )
    assert (1.0, None, "commit 2") == (turn["loss"], turn["luck"], turn["text"])
    (mistake,) = found["mistakes"]
    assert (2, first, 1.0) == (mistake["seq"], mistake["seat"], mistake["loss"])
    assert str({"type": "take", "heap": 3, "objects": 3}) == mistake["better"]


def test_who_blundered_has_less_than_all_choices_unbeaten_and_the_other_all(blunder):
    loser, winner = sorted(
        analysed(blunder)["seats"], key=lambda seat: (seat["seat"],) == blunder.position.table.outcome.winners
    )

    assert loser["unbeaten"] < 1.0 == winner["unbeaten"]
    assert (1.0, 0.0) == (loser["lost"], winner["lost"])


def test_a_game_without_dice_has_no_luck(blunder):
    found = analysed(blunder)

    assert [] == found["luck"]
    assert [(0, 0), (0, 0)] == [(seat["luck"], seat["luck_doubt"]) for seat in found["seats"]]


@pytest.mark.soak
def test_it_is_the_same_whoever_looks_in_how_many_processes_and_at_how_much_of_it():
    game = played_out(SelfPlay(PENNIES, Setup(2, "", {}), ["bot:greedy", "bot:random"], b"s" * 32))

    whole = analysed(game)

    assert whole == analysed(game, jobs=2)
    part = analysed(game, within=(5, 9))
    assert [each for each in whole["decisions"] if 5 <= each["seq"] <= 9] == part["decisions"]
    assert [each for each in whole["chances"] if 5 <= each[0] <= 9] == part["chances"]


def test_chances_are_one_together_and_end_with_who_won(blunder):
    (winner,) = blunder.position.table.outcome.winners
    chances = analysed(blunder)["chances"]

    assert all(pytest.approx(1.0, abs=0.001) == sum(each) for _, *each in chances)
    assert (1.0, blunder.position.seq) == (chances[-1][winner], chances[-1][0])


def test_what_was_taken_back_is_judged_and_counted_for_nobody():
    game = nim(table={"undo": "free"})
    mover = game.position.state.mover
    game.say(mover, {"type": "take", "heap": 3, "objects": 5})
    commit = game.say(mover, {"type": "request_undo", "seq": 2})
    assert commit.refusal is None
    found = analysed(played_out(game))

    taken = next(each for each in found["decisions"] if each["seq"] == 2)
    assert (True, 1.0) == (taken["taken_back"], taken["loss"])
    assert ([], []) == (found["turning_points"], found["mistakes"])
    assert [0.0, 0.0] == [seat["lost"] for seat in found["seats"]]
    assert 1.0 == {seq: each for seq, *each in found["chances"]}[3][mover - 1]


def test_refusals_and_what_is_said_at_the_table_are_no_decisions():
    game = nim()
    mover = game.position.state.mover
    assert game.say(mover, {"type": "take", "heap": 9, "objects": 1}).refusal is not None
    game.say(mover, {"type": "say", "text": "Good luck."})
    found = analysed(played_out(game))

    assert {2, 3}.isdisjoint(each["seq"] for each in found["decisions"])
    assert {2, 3}.isdisjoint(seq for seq, *_ in found["chances"])


def test_a_roll_that_won_is_told_as_luck_and_the_luck_of_two_is_nothing_together():
    game = played_out(SelfPlay(PENNIES, Setup(2, "", {"points": 1}), ["bot:greedy", "bot:random"], b"t" * 32))
    found = analysed(game)

    assert found["luck"]
    assert all(pytest.approx(0, abs=0.001) == sum(each["by"]) for each in found["luck"])


def test_a_running_game_is_not_walked_through():
    with pytest.raises(Unfinished):
        walked(GAMES["nim"], "g", [nim().begin()])


@pytest.mark.soak
def test_a_side_of_two_counts_once_and_a_stretch_of_battalia_has_chances_luck_and_judgements():
    game = played_out(
        SelfPlay(
            GAMES["battalia"],
            Setup(4, "", {"max_weeks": 1, "teams": True}),
            ["bot:greedy", "bot:random", "bot:greedy", "bot:random"],
            b"b" * 32,
        )
    )
    found = analysed(game, within=(30, 45))

    state = game.position.state
    for _, *each in found["chances"]:
        sides = sum(one / (1 + len(game.game.allies(state, Seat(seat)))) for seat, one in enumerate(each, 1))
        assert pytest.approx(1.0, abs=0.001) == sides
    assert "fitted" == found["valued"]
    assert 0 == found["unjudged"]
    assert found["decisions"]
    assert all(0 <= each["played"]["expected"] <= 1 for each in found["decisions"])


@pytest.mark.parametrize("points", [1, 3])
def test_a_choice_is_judged_by_what_its_seat_could_know(monkeypatch, points):
    """Two games that differ in what the rival has hidden, and in nothing that the seat could see; the usual bot looks there."""

    def peeks(state, seat, _dice):
        return {"type": "hide", "pennies": min(state.purses[seat], max(state.hidden.values(), default=0))}

    monkeypatch.setattr(type(PENNIES), "bots", {"greedy": peeks})
    found = []
    for hidden in (0, 2):
        game = SelfPlay(PENNIES, Setup(2, "", {"points": points}), ["player:greedy", "player:greedy"], b"k" * 32)
        game.begin()
        game.say(Seat(2), {"type": "hide", "pennies": hidden})
        game.say(Seat(1), {"type": "hide", "pennies": 1})
        walk = game_in(played_out(game).export(), jobs=1).walk
        (moment,) = walk.within(3, 3).moments
        assert moment.before.hidden == {Seat(2): hidden}
        found.append(look(walk, moment, 1)["decision"])

    assert found[0] == found[1]
