"""Many endless games of bots: a player in another game waits for the current round at most."""

from __future__ import annotations

import time

from tests.store.pump import claim_games
from workers import advance as module
from workers.commits.round import HALF, RecentUse

ALL = range(256)


def until_quiet(advance):
    while advance.round(ALL):
        pass


def test_game_with_a_waiting_player_is_claimed_before_games_ready_earlier(store, tables, advance):
    game = tables.start()
    until_quiet(advance)
    crowd = [tables.start() for _ in range(8)]

    tables.hide(game, 1)
    assert [game] == list(claim_games(store, ALL, 1, 3000))
    assert set(crowd) >= set(claim_games(store, ALL, 4, 3000))


def test_command_of_a_player_moves_a_ready_game_forward(store, tables):
    assert [tables.start() for _ in range(4)]
    time.sleep(0.01)
    game = tables.start()
    tables.hide(game, 1)
    assert [game] == list(claim_games(store, ALL, 1, 3000))


def test_no_game_continues_when_the_time_of_a_round_is_up(store, tables, advance, monkeypatch):
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
    """Records the games of each append."""
    calls, append = [], advance._log.append_and_read

    def noted(appends, fields):
        calls.append([each.game_id for each in appends])
        return append(appends, fields)

    monkeypatch.setattr(advance._log, "append_and_read", noted)
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


def bots(tables, count=1, creator="ada"):
    """Long games with bots only."""
    return [tables.start("bot:greedy", "bot:random", points=1000, creator=creator) for _ in range(count)]


def begun(advance, monkeypatch):
    """Settle two commits of each game, so that the worker has all positions cached."""
    monkeypatch.setattr(module, "ROUND", 0)
    for _ in range(2):
        advance.round(ALL)
    monkeypatch.setattr(module, "ROUND", 600)
    monkeypatch.setattr(module, "SLICE", 0)


def test_games_of_bots_only_are_settled_after_games_with_players(store, tables, advance, monkeypatch):
    crowd = bots(tables, 4)
    begun(advance, monkeypatch)
    games = [tables.start() for _ in range(2)]
    calls = appended(advance, monkeypatch)
    monkeypatch.setattr(module, "ROUND", 0)
    advance.round(ALL)

    assert sorted(games) == sorted(each for call in calls[:2] for each in call)
    assert set(crowd) >= {each for call in calls[2:] for each in call} != set()


def test_games_of_the_account_that_used_least_are_settled_first(store, tables, advance, monkeypatch):
    crowd = bots(tables, 4)
    (game,) = bots(tables, creator="bob")
    begun(advance, monkeypatch)
    advance._use.add("ada", 1.0)
    calls = appended(advance, monkeypatch)
    monkeypatch.setattr(module, "ROUND", 0)
    advance.round(ALL)

    assert [game] == calls[0][:1]
    assert set(crowd) == {each for call in calls[1:] for each in call}


def test_game_of_bots_only_stops_when_a_command_comes_in(store, tables, advance, monkeypatch):
    (game,) = bots(tables)
    begun(advance, monkeypatch)
    monkeypatch.setattr(module, "CHECK", 0)
    before = store.log.head(game)[0]
    advance.round(ALL, lambda: True)
    assert before < store.log.head(game)[0] <= before + 2

    advance.round(ALL)
    assert before + 7 < store.log.head(game)[0]


def test_games_of_bots_only_pause_when_they_have_used_their_share(store, tables, advance, monkeypatch):
    (crowd,) = bots(tables)
    begun(advance, monkeypatch)
    game = tables.start()
    advance.bots_share = 1e-6
    advance.round(ALL)
    assert advance.rest() > 60
    stood = store.log.head(crowd)[0]

    tables.hide(game, 1)
    advance.round(ALL)
    advance.round(ALL)
    assert stood == store.log.head(crowd)[0]
    assert 2 == store.log.head(game)[0]
    assert crowd in claim_games(store, ALL, 4, 3000), "it is ready all the same"


def test_use_of_an_account_decays():
    now = [0.0]
    use = RecentUse(lambda: now[0])
    use.add("ada", 8.0)
    now[0] = 2 * HALF
    use.add("bob", 1.0)

    assert (2.0, 1.0, 0.0) == (use.of("ada"), use.of("bob"), use.of("cid"))
