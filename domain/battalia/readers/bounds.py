"""The most that a position may hold: far more than play can reach, and little enough that its Options are soon built."""

from __future__ import annotations

from collections.abc import Iterator

from domain.battalia.evolve.zones import at_hand
from domain.battalia.state import State

AT_HAND = 40
"""Cards of one player's hand and tents, and tokens; bots at play never had more than ten."""
TOKENS = 20
TENTS = 10
HEROES = 8
"""Figures of one player."""
QUESTIONS = 16
AGENDA = 64
STEPS = 1_000
ORDERS = 64
"""Standing orders of one player: more than there are places for."""


def bounds(state: State) -> Iterator[str]:
    """The bounds that the state breaks, each as a sentence that holds for every position within them."""
    players = state.players.values()
    beyond = (
        (any(len(at_hand(player)) > AT_HAND for player in players), f"no player has more than {AT_HAND} cards at hand"),
        (any(len(player.tokens) > TOKENS for player in players), f"no player has more than {TOKENS} tokens"),
        (any(len(player.tents) > TENTS for player in players), f"no player has more than {TENTS} tents"),
        (len(state.heroes) > HEROES * max(1, len(state.players)), f"no player has more than {HEROES} heroes"),
        (any(hero.steps > STEPS for hero in state.heroes.values()), f"no hero has more than {STEPS} steps left"),
        (len(state.asking) > QUESTIONS, f"no more than {QUESTIONS} questions stand"),
        (
            any(len(orders) > ORDERS for orders in state.orders.values()),
            f"no player has more than {ORDERS} standing orders",
        ),
        (len(state.agenda) > AGENDA, f"no day has more than {AGENDA} moments"),
    )
    return (bound for is_beyond, bound in beyond if is_beyond)
