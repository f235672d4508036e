"""Tables of bots without end: whoever plays at another one waits for the round that is on, and no longer."""

from __future__ import annotations

import time

from tests.store.pump import claim_games
from workers import advance as module

ALL = range(256)


def until_quiet(advance):
    while advance.round(ALL):
        pass


def test_a_game_that_a_player_waits_for_is_claimed_before_those_that_became_ready_earlier(store, tables, advance):
    game = tables.start()
    until_quiet(advance)
    crowd = [tables.start() for _ in range(8)]

    tables.hide(game, 1)
    assert [game] == list(claim_games(store, ALL, 1, 3000))
    assert set(crowd) >= set(claim_games(store, ALL, 4, 3000))


def test_a_game_that_is_ready_already_moves_forward_when_a_player_speaks(store, tables):
    assert [tables.start() for _ in range(4)]
    time.sleep(0.01)
    game = tables.start()
    tables.hide(game, 1)
    assert [game] == list(claim_games(store, ALL, 1, 3000))


def test_when_the_time_of_a_round_is_up_no_game_goes_on(store, tables, advance, monkeypatch):
    crowd = [tables.start("bot:greedy", "bot:random", points=1000) for _ in range(5)]
    other = tables.start()
    monkeypatch.setattr(module, "ROUND", 0)
    for _ in range(3):
        advance.round(ALL)
    assert 1 == store.log.head(other)[0]
    assert all(store.log.head(game)[0] <= 3 for game in crowd), "one commit in each round"

    monkeypatch.setattr(module, "ROUND", 600)
    advance.round(ALL)
    assert max(store.log.head(game)[0] for game in crowd) > 6


def appended(advance, monkeypatch):
    """The games of each append from now on."""
    calls, append = [], advance._log.append

    def noted(appends):
        calls.append([each.game_id for each in appends])
        return append(appends)

    monkeypatch.setattr(advance._log, "append", noted)
    return calls


def test_command_of_a_player_is_appended_before_other_games_are_settled(tables, advance, monkeypatch):
    game = tables.start()
    until_quiet(advance)
    crowd = [tables.start() for _ in range(8)]
    tables.hide(game, 1)
    monkeypatch.setattr(module, "SLICE", 0)
    calls = appended(advance, monkeypatch)
    advance.round(ALL)

    assert [game] == calls[0]
    assert sorted(crowd) == sorted(each for call in calls[1:] for each in call)


def test_round_ends_early_when_a_command_comes_in_and_leaves_the_other_games_ready(store, tables, advance, monkeypatch):
    crowd = [tables.start() for _ in range(8)]
    monkeypatch.setattr(module, "SLICE", 0)
    calls = appended(advance, monkeypatch)
    advance.round(ALL, lambda: True)
    assert [1] == [len(call) for call in calls]

    game = next(each for each in crowd if store.log.head(each)[0])
    tables.hide(game, 1)
    advance.round(ALL)
    assert [game] == calls[1]
    assert all(1 <= store.log.head(each)[0] for each in crowd)
