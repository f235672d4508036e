"""Names of choices that players read: no raw keys."""

from __future__ import annotations

import pytest

from domain.games.battalia.game import BATTALIA
from domain.games.fronela.game import FRONELA


@pytest.mark.parametrize(
    ("game", "choice", "name"),
    [
        (BATTALIA, "barfolk", "Bärfolk"),
        (BATTALIA, "crown", "Crown of Titus"),
        (BATTALIA, "unbound-chief", "Unbound chief"),
        (BATTALIA, "supply~1", "supply"),
        (BATTALIA, "lord-barfolk~7", "lord of the Bärfolk"),
        (BATTALIA, "hero-1-2", "hero 2 of seat 1"),
        (BATTALIA, "at_most", "at most"),
        (BATTALIA, "own", "one of your cities"),
        (BATTALIA, "tee", "T-junction"),
        (BATTALIA, "lord", "lord"),
        (FRONELA, "farmer,lord,soldier", "farmer, lord, soldier"),
        (FRONELA, "always_retreat", "always retreat"),
        (FRONELA, "defence", "defense"),
    ],
)
def test_choice_has_a_readable_name(game, choice, name):
    assert name == game.presentation.called(choice).text
    assert name in game.presentation.word(choice)
