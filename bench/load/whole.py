"""Whole games made in one process: random ones, and one of any length."""

from __future__ import annotations

import hashlib

from domain.kernel.dice import Dice
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.kernel.options import pick
from domain.kernel.terms import SYSTEM
from domain.registry import GAMES
from tools.simulation.selfplay import SelfPlay


def seed(number: int) -> bytes:
    return hashlib.sha256(b"bench %d" % number).digest()


def table(game: AnyGame, seats: int, number: int, modules: tuple[str, ...] = ()) -> SelfPlay:
    """A game about to begin, with players in all seats."""
    setup = Setup(seats, "", {}, modules)
    return SelfPlay(game, setup, ["player:random"] * seats, seed(number), f"bench{number}")


def random_commands(play: SelfPlay, dice: Dice, limit: int) -> int:
    """Play random legal answers, with all Options built, on the real state, to the end or the limit; returns how many."""
    done = 0
    if play.position.seq == 0:
        play.begin()
    while not play.over and done < limit:
        asked = play.position.asked[0]
        seat = asked.question.seat
        if seat == SYSTEM:
            play.say(SYSTEM, {"type": "expire", "question": asked.id})
        else:
            options = play.game.rules.legal(play.position.state, seat)
            play.say(seat, pick([each for each in options if each.type not in play.game.rules.unasked], dice))
        done += 1
    return done


def long_game(commits: int, number: int = 0) -> SelfPlay:
    """A game of Battalia with at least so many commits: random play first, then passed turns."""
    for attempt in range(20):
        play = table(GAMES["battalia"], 4, 1000 * number + attempt)
        random_commands(play, Dice(seed(number)), 150)
        while not play.over and play.position.seq < commits:
            asked = play.position.asked[0]
            if asked.question.seat == SYSTEM or asked.question.kind != "turn":
                play.say(SYSTEM, {"type": "expire", "question": asked.id})
            else:
                play.say(asked.question.seat, {"type": "end_turn"})
        if not play.over:
            return play
    raise RuntimeError("every game ended too early")


def finished(game: AnyGame, number: int) -> SelfPlay:
    """A whole game of random players, four of them if the game allows so many."""
    play = table(game, max(seats for seats in game.rules.seats if seats <= 4), number)
    random_commands(play, Dice(seed(number)), 100_000)
    return play
