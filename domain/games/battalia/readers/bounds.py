"""Limits for imported positions: far above anything in play, and low enough that Options can be listed quickly."""

from __future__ import annotations

from collections.abc import Iterator

from domain.games.battalia.evolve.zones import at_hand
from domain.games.battalia.state import BattaliaState

AT_HAND = 40
"""Cards in a player's hand and tents, and tokens. Bots in play never had more than ten."""
TOKENS = 20
TENTS = 10
HEROES = 8
"""Figures of one player."""
QUESTIONS = 16
AGENDA = 64
STEPS = 1_000
ORDERS = 64
"""Standing orders of one player, more than there are places."""


def bounds(state: BattaliaState) -> Iterator[str]:
    """The limits that the state exceeds, as sentences that hold for every position within them."""
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
