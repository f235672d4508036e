"""Limits for imported positions: far above anything in play, and low enough that legal commands can be listed quickly."""

from __future__ import annotations

from collections.abc import Iterator

from domain.games.fronela.state import FronelaState

UNITS = 200
"""Units of one nation in one area. There are fewer counters per nation and kind."""
GROUPS = 60
"""Groups of one nation in one area."""
AGENDA = 500
HAVENS = 200
LEDGER = 5_000
SLOTS = 100
BENDS = 100
REFUGES = 100


def bounds(state: FronelaState) -> Iterator[str]:
    """The limits that the state exceeds, as sentences that hold for every state in play."""
    stacks = [stack for garrison in state.board.values() for stack in garrison.values()]
    asking, battle = state.asking, state.battle
    beyond = (
        (any(len(stack) > GROUPS for stack in stacks), f"no nation has more than {GROUPS} groups in an area"),
        (
            any(sum(group.count for group in stack) > UNITS for stack in stacks),
            f"no nation has more than {UNITS} units in an area",
        ),
        (asking is not None and len(asking.agenda) > AGENDA, f"no turn has more than {AGENDA} steps before it"),
        (asking is not None and len(asking.havens) > HAVENS, f"no more than {HAVENS} areas are havens"),
        (len(state.ledger) > LEDGER, f"no ledger has more than {LEDGER} entries"),
        (len(state.order) > SLOTS, f"no round has more than {SLOTS} slots"),
        (battle is not None and len(battle.bends) > BENDS, f"no more than {BENDS} dice of a battle are bent"),
        (
            any(len(orders.refuges) > REFUGES for orders in state.orders.values()),
            f"no nation has more than {REFUGES} refuges",
        ),
    )
    return (bound for is_beyond, bound in beyond if is_beyond)
