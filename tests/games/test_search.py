"""The player that searches, in every game and with all modules: what it says is legal, and it beats the greedy player."""

import pytest

from domain.dice import Aside
from domain.game import Setup
from domain.play import bots
from domain.play.bots import search
from domain.registry import GAMES
from domain.shape import build
from domain.terms import SYSTEM
from service.audit.auditor import audit
from tests.soaking import sample
from tools.simulation.selfplay import SelfPlay

BATTALIA, FRONELA = GAMES["battalia"], GAMES["fronela"]
SETS = [("battalia", 2, ()), *(("battalia", 4, (module,)) for module in BATTALIA.modules if module != "stormgates")]
SETS += [("battalia", 6, tuple(BATTALIA.modules))]
SETS += [(key, min(game.seats), ()) for key, game in GAMES.items() if key != "battalia"]


def trying(game, worth):
    """A player that searches for as long as it is told."""

    def usual(state, seat, dice):
        return bots.choose(game, bots.stand_in(game), state, seat, dice)

    return lambda state, seat, dice: search.best(game, usual, state, seat, dice, worth)


def random_game(kind, seats, modules, seed):
    game = GAMES[kind]
    return SelfPlay(game, Setup(seats, game.rulesets[0], {}, modules), ["player:random"] * seats, bytes([seed]) * 32)


def considered(kind, seats, modules, *, seed, every, most):
    """All that it would try at some times of a random game, each with the state: what it chooses is one of these."""
    play = random_game(kind, seats, modules, seed)
    while not play.over and play.position.seq < most:
        if play.position.seq % every == 1 and (asked := play.position.asked[0].question.seat) != SYSTEM:
            game, dice = play.game, Aside(b"%d" % play.position.seq)
            imagined = game.imagine(play.position.state, asked, dice)
            choice = bots.choose(game, bots.stand_in(game), imagined, asked, dice)
            for said in (choice, *search.other_commands(game, imagined, asked, choice, dice)):
                yield play, asked, said
        play.step()


@pytest.mark.parametrize(("kind", "seats", "modules"), sample(SETS, 4))
def test_all_that_it_tries_is_legal_in_the_real_state(kind, seats, modules):
    tried = 0
    for play, seat, said in considered(kind, seats, modules, seed=3, every=4, most=160):
        play.game.decide(play.position.state, seat, build(play.game.commands, said), Aside(b"x"))
        tried += 1

    assert tried


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("kind", "seats", "modules"), SETS)
def test_all_that_it_tries_in_long_games_is_legal(kind, seats, modules, seed):
    for play, seat, said in considered(kind, seats, modules, seed=seed, every=3, most=1000):
        play.game.decide(play.position.state, seat, build(play.game.commands, said), Aside(b"x"))


TWINS = [
    *(each for each in SETS if each[0] in ("battalia", "fronela")),
    ("battalia", 6, ("stormgates",)),
    ("battalia", 4, ("keeper", "unbound_buff")),
]


@pytest.mark.parametrize(("kind", "seats", "modules"), sample(TWINS, 3))
def test_states_that_a_seat_cannot_tell_apart_give_the_same_command(kind, seats, modules):
    """What is imagined, compared and chosen: of the real state, and of others that show the seat the same.

    All that is chosen hangs on what is imagined, and that no bot is handed anything else `tests.kernel.test_search` shows.
    """
    play, looked = random_game(kind, seats, modules, 5), 0
    while looked < 5:
        play.step()
        asked = play.position.asked[0].question.seat
        if asked == SYSTEM or play.position.seq % 25:
            continue
        looked += 1
        game, state = play.game, play.position.state
        said = []
        for each in (state, game.imagine(state, asked, Aside(b"other"))):
            imagined = game.imagine(each, asked, Aside(b"i"))
            choice = bots.choose(game, bots.stand_in(game), each, asked, Aside(b"u"))
            others = [*search.other_commands(game, imagined, asked, choice, Aside(b"o"))]
            said.append((imagined, choice, others, bots.choose(game, "search:1", each, asked, Aside(b"s"), 60)))
        assert said[0] == said[1]


def test_another_hand_is_tried_or_not_by_what_the_seat_sees_alone():
    play, seen = random_game("battalia", 2, (), 5), set()
    while len(seen) < 2:
        play.step()
        asked = play.position.asked[0].question.seat
        if asked == SYSTEM:
            continue
        told = [
            [command["type"] for _, command in play.game.policy(each, asked)]
            for each in (play.position.state, play.game.imagine(play.position.state, asked, Aside(b"other")))
        ]
        assert told[0] == told[1]
        seen.add("mulligan" in told[0])


def won(kind, number, *, bot="search:1", seats=2, **options):
    """What the bot in one seat, another one from game to game, has of a win against greedy players; and the game."""
    game, own = GAMES[kind], number % seats
    sitting = ["bot:greedy"] * seats
    sitting[own] = f"bot:{bot}"
    play = SelfPlay(game, Setup(seats, game.rulesets[0], options), sitting, bytes([number + 1]) * 32)
    play.run()
    return search.share(game, play.position.state, own + 1, play.position.table.outcome.winners), play


@pytest.mark.parametrize("modules", [(), ("keeper", "unbound_buff")])
def test_what_an_adept_says_hangs_on_nothing_that_its_seat_cannot_see(modules):
    play = random_game("battalia", 4, modules, 8)
    said = []
    while len(said) < 12:
        play.step()
        asked = play.position.asked[0].question.seat
        if asked == SYSTEM or play.position.seq % 10:
            continue
        state = play.position.state
        chosen = [
            play.game.adept(play.game.imagine(each, asked, Aside(b"i")), asked, Aside(b"s"))
            for each in (state, play.game.imagine(state, asked, Aside(b"other")))
        ]
        assert chosen[0] == chosen[1]
        play.game.decide(state, asked, build(play.game.commands, chosen[0]), Aside(b"x"))
        said.append(chosen[0]["type"])

    assert "hide_card" in said


@pytest.mark.soak
def test_it_beats_the_greedy_player_in_two_short_games_that_pass_an_audit(monkeypatch):
    monkeypatch.setattr(bots, "THINKING", {"search:0": 250})
    shares, games = zip(*(won("battalia", number, bot="search:0", max_weeks=2) for number in (1, 2)), strict=True)

    assert (1.0, 1.0) == shares
    assert [(), ()] == [audit(play.export()).divergences for play in games]


@pytest.mark.soak
def test_it_beats_the_greedy_player_at_battalia_in_most_games():
    assert 7 <= sum(won("battalia", number)[0] for number in range(10))
