"""A follower gets every commit after its cursor, however many there are, and every changed game."""

from __future__ import annotations

from typing import ClassVar

import pytest

from domain.kernel.game import AnyGame
from domain.registry import GAMES
from service.core.followers import runner
from service.core.followers.runner import Followers
from service.core.positions.cache import Positions
from tests.pennies import PENNIES
from tests.store.pump import of_bots, pump, started
from workers.advance import Advance


class Reader:
    """Reads each commit once, with a cursor in memory."""

    name: ClassVar[str] = "reader"
    fields: ClassVar[tuple[str, ...]] = ()
    is_late: ClassVar[bool] = False

    def __init__(self, *, lags=0):
        self.lags, self.seen, self.games = lags, [], set()

    def follow(self, games):
        for game in games:
            self.games.add(game.game_id)
            cursor = self.seen[-1] if self.seen else 0
            self.seen += [step.commit.seq for step in game.steps_after(cursor)[1]][: -self.lags or None]


@pytest.fixture(autouse=True)
def pennies(monkeypatch) -> AnyGame:
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    return PENNIES


@pytest.mark.parametrize("lags", [0, 3])
def test_no_commit_is_skipped_however_many_come_at_once(redis_store, lags):
    game = of_bots(redis_store, 2, 5)
    reader = Reader(lags=lags)
    followers = Followers(redis_store, Positions(redis_store), [reader])
    for count in (6, 9, 60, 61, 130):
        pump(redis_store, game, until=count)
        followers.follow([redis_store.keys.number(game)])
        followers.rebuild([redis_store.keys.number(game)])

    newest = redis_store.log.head(game)[0]
    assert newest >= 130
    assert reader.seen == list(range(1, reader.seen[-1] + 1))
    assert newest - lags * 2 <= reader.seen[-1] <= newest


class Appending(Reader):
    """Notes with which commits it is called."""

    def __init__(self):
        super().__init__()
        self.steps = []

    def follow(self, games):
        for game in games:
            self.steps += game.steps_after(self.steps[-1].commit.seq if self.steps else 0)[1]


def test_commits_of_the_own_process_are_those_in_the_log_and_not_read(redis_store, monkeypatch):
    game = of_bots(redis_store, 2, 5)
    advance, own = Advance.in_process(redis_store), Appending()
    advance._followers = Followers(redis_store, Positions(redis_store), [own])
    partition, read = redis_store.keys.number(game), redis_store.log.commits
    advance.round([partition], woken=[partition])
    pages = []
    monkeypatch.setattr(
        redis_store.log, "commits", lambda *told, **options: pages.append(told) or read(*told, **options)
    )
    while len(own.steps) < 100:
        settled = redis_store.log.head(game)[0]
        advance.round([partition])
        assert settled < redis_store.log.head(game)[0]
    assert [] == pages

    late = Appending()
    Followers(redis_store, Positions(redis_store), [late]).rebuild([partition])
    assert late.steps == own.steps


def test_partition_with_more_changes_than_are_read_at_once_is_followed_again(redis_store, monkeypatch):
    monkeypatch.setattr(runner, "AT_ONCE", 3)
    games = [started(redis_store) for _ in range(40)]
    reader = Reader()
    reader.follow = lambda games: reader.games.update(game.game_id for game in games)
    followers = Followers(redis_store, Positions(redis_store), [reader])
    partitions = {redis_store.keys.number(game) for game in games}
    redis_store.wire.all([("DEL", redis_store.keys.partitions[each].changes) for each in partitions])
    crowded = min(partitions)
    others = sorted(partitions - {crowded})
    for game in games[:7]:
        fields = ("g", game, "s", 1, "n", 1)
        redis_store.wire.one("XADD", redis_store.keys.partitions[crowded].changes, "0-*", *fields)
    for partition, game in zip(others, games[7:], strict=False):
        fields = ("g", game, "s", 1, "n", 1)
        redis_store.wire.one("XADD", redis_store.keys.partitions[partition].changes, "0-*", *fields)

    assert {crowded} == followers.follow(partitions)
    assert {crowded} == followers.follow({crowded})
    assert set() == followers.follow({crowded})
    assert set(games[: 7 + len(others)]) <= reader.games
