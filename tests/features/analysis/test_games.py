"""Analyses of whole games: turning points, undone commands, chances and luck."""

import pytest

from domain.kernel.game.rules import Setup
from domain.kernel.terms import Seat
from domain.registry import GAMES
from service.cli.analysing.parallel import looked
from service.cli.analysing.reading import game_in
from service.features.analysis.evaluation import evaluate_moment
from service.features.analysis.moments import Unfinished, replay_game
from service.features.analysis.report import build_report
from tests.features.analysis.conftest import nim
from tests.pennies import PENNIES
from tools.simulation.selfplay import SelfPlay


def analysed(game, *, level=1, jobs=1, within=None):
    """The analysis of a finished game, with the seq as the text of each event."""
    walk = game_in(game.export(), jobs=1).walk
    walk = walk if within is None else walk.restrict(*within)
    found = looked(walk, level, jobs, lambda _done, _whole: None)
    return build_report(walk, found, level, lambda seq: f"commit {seq}", str)


def played_out(game):
    game.run()
    return game


@pytest.fixture(scope="module")
def blunder():
    """Heaps of 1, 3 and 5: the first player takes all five instead of three, and loses."""
    return played_out(nim((3, 5)))


def test_blunder_is_the_turning_point_and_the_mistake(blunder):
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


def test_only_the_player_who_blundered_has_beaten_choices(blunder):
    loser, winner = sorted(
        analysed(blunder)["seats"], key=lambda seat: (seat["seat"],) == blunder.position.table.outcome.winners
    )

    assert loser["unbeaten"] < 1.0 == winner["unbeaten"]
    assert (1.0, 0.0) == (loser["lost"], winner["lost"])


def test_game_without_dice_has_no_luck(blunder):
    found = analysed(blunder)

    assert [] == found["luck"]
    assert [(0, 0), (0, 0)] == [(seat["luck"], seat["luck_doubt"]) for seat in found["seats"]]


@pytest.mark.soak
def test_analysis_does_not_depend_on_processes_or_range():
    game = played_out(SelfPlay(PENNIES, Setup(2, "", {}), ["bot:greedy", "bot:random"], b"s" * 32))

    whole = analysed(game)

    assert whole == analysed(game, jobs=2)
    part = analysed(game, within=(5, 9))
    assert [each for each in whole["decisions"] if 5 <= each["seq"] <= 9] == part["decisions"]
    assert [each for each in whole["chances"] if 5 <= each[0] <= 9] == part["chances"]


def test_chances_add_up_to_one_and_end_with_the_winner(blunder):
    (winner,) = blunder.position.table.outcome.winners
    chances = analysed(blunder)["chances"]

    assert all(pytest.approx(1.0, abs=0.001) == sum(each) for _, *each in chances)
    assert (1.0, blunder.position.seq) == (chances[-1][winner], chances[-1][0])


def test_undone_command_is_judged_but_not_counted():
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


def test_refusals_and_chat_messages_are_no_decisions():
    game = nim()
    mover = game.position.state.mover
    assert game.say(mover, {"type": "take", "heap": 9, "objects": 1}).refusal is not None
    game.say(mover, {"type": "say", "text": "Good luck."})
    found = analysed(played_out(game))

    assert {2, 3}.isdisjoint(each["seq"] for each in found["decisions"])
    assert {2, 3}.isdisjoint(seq for seq, *_ in found["chances"])


def test_luck_of_a_roll_adds_up_to_zero_over_the_seats():
    game = played_out(SelfPlay(PENNIES, Setup(2, "", {"points": 1}), ["bot:greedy", "bot:random"], b"t" * 32))
    found = analysed(game)

    assert found["luck"]
    assert all(pytest.approx(0, abs=0.001) == sum(each["by"]) for each in found["luck"])


def test_running_game_cannot_be_analyzed():
    with pytest.raises(Unfinished):
        replay_game(GAMES["nim"], "g", [nim().begin()])


@pytest.mark.soak
def test_range_of_a_team_game_counts_each_side_once_and_judges_decisions():
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
        sides = sum(one / (1 + len(game.game.rules.allies(state, Seat(seat)))) for seat, one in enumerate(each, 1))
        assert pytest.approx(1.0, abs=0.001) == sides
    assert "fitted" == found["valued"]
    assert 0 == found["unjudged"]
    assert found["decisions"]
    assert all(0 <= each["played"]["expected"] <= 1 for each in found["decisions"])


@pytest.mark.parametrize("points", [1, 3])
def test_choice_is_judged_by_what_its_seat_could_know(monkeypatch, points):
    """Two games differ only in the rival's hidden pennies, which the seat cannot see but the greedy bot reads."""

    def peeks(state, seat, _dice):
        return {"type": "hide", "pennies": min(state.purses[seat], max(state.hidden.values(), default=0))}

    monkeypatch.setattr(type(PENNIES.bots), "by_name", {"greedy": peeks})
    found = []
    for hidden in (0, 2):
        game = SelfPlay(PENNIES, Setup(2, "", {"points": points}), ["player:greedy", "player:greedy"], b"k" * 32)
        game.begin()
        game.say(Seat(2), {"type": "hide", "pennies": hidden})
        game.say(Seat(1), {"type": "hide", "pennies": 1})
        walk = game_in(played_out(game).export(), jobs=1).walk
        (moment,) = walk.restrict(3, 3).moments
        assert moment.before.hidden == {Seat(2): hidden}
        found.append(evaluate_moment(walk, moment, 1)["decision"])

    assert found[0] == found[1]
