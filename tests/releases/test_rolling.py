"""A rolling upgrade: the release before this one and this one serve one store, and then the older one goes."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from domain.dice import Dice
from service.audit.auditor import audit
from service.queue import Queue
from tests.driver import play_out
from tests.releases import earlier
from tests.releases.side import Side, Table, agree
from tests.workers.crew import eventually
from tests.workers.test_advance import bodies

pytestmark = pytest.mark.timeout(1200)
LONG = 240
"""Seconds that a busy machine may take for what takes one."""


@pytest.fixture
def sides(redis_url, tmp_path):
    """The older release and this one, on one store."""
    found = earlier.revision()
    if found is None:
        pytest.skip("the history of this folder has no earlier release: it is no clone, or a shallow one")
    tree = earlier.earlier(found, tmp_path / "older")
    release = earlier.release_of(tree)
    sides = [
        Side(tree, tmp_path / "one", redis_url),
        Side(earlier.present(tmp_path / "newer", release), tmp_path / "two", redis_url),
    ]
    yield sides
    for side in sides:
        side.end()


class Played:
    """Tables that are played on by both releases' APIs."""

    def __init__(self, store, sites, dice):
        self.store, self.sites, self.dice, self.tables = store, sites, dice, []

    def table(self, kind, seats, bots=(), **told):
        self.tables.append(Table.set_up(self.sites, kind, seats, bots, **told))

    def ends(self):
        return {table.game: self.store.log.head(table.game)[0] for table in self.tables}

    def releases(self, since):
        """Which of them have settled anything since."""
        return {
            commit.release
            for table in self.tables
            for commit in self.store.log.commits(table.game, since.get(table.game, 0) + 1)
        }

    def steps(self, number):
        """Each table goes on so many steps; what both APIs show of it is the same after each."""
        for _ in range(number):
            for table in self.tables:
                table.step(self.sites, self.dice)
            self.look()

    def look(self):
        for table in self.tables:
            eventually(lambda table=table: self.same(table), seconds=LONG)

    def same(self, table):
        seen = [table.seen(site) for site in self.sites]
        heads = [[head for head, _ in views] for views in seen]
        if any(each != heads[0] for each in heads):
            return False  # a bot has moved between the two looks
        for views in seen[1:]:
            assert agree([view for _, view in seen[0]], [view for _, view in views])
        return True

    def until_both_have_settled(self, releases):
        """Go on, at new tables if need be, until each of the releases has settled something."""
        since, until = self.ends(), time.monotonic() + LONG
        while not releases <= self.releases(since):
            assert time.monotonic() < until, self.releases(since)
            self.table("nim", 2)
            self.steps(2)

    def only(self, side):
        """From now on all players speak to the one API that is left."""
        self.sites = [side.site]
        for table in self.tables:
            for player in table.players:
                player.site = side.site

    def finish(self, but=None, seconds=2 * LONG):
        """All games but those of a kind come to their end."""
        for table in self.tables:
            if table.players[0].summary(table.game)["kind"] != but:
                play_out(list(table.players), table.game, self.dice, seconds=seconds)


def both_pumps(url):
    queue = Queue(f"{url}?db=1")
    eventually(lambda: queue.living(2) == {0, 1}, seconds=LONG)


def nothing_is_lost(played):
    """What players were told is settled stands where they were told, and not twice."""
    for table in played.tables:
        settled = [body["submission"]["id"] for body in bodies(played.store, table.game)]
        assert len(set(settled)) == len(settled)
        assert table.acknowledged == {id_: settled.index(id_) + 1 for id_ in table.acknowledged}


def all_is_well(played, sides, folder):
    """Both releases find every game right, nobody said 5xx, and the doctor finds nothing."""
    for side in sides:
        assert [] == side.site.failures
        assert "Traceback" not in side.logs(), side.logs()
    files = []
    for table in played.tables:
        data = table.players[0].get(f"/v1/games/{table.game}/export", want=200).body
        report = audit(data, heads=[played.store.log.head(table.game)[1]])
        assert (True, True) == (report.ok, report.authenticated), report.verdict
        files.append(folder / f"{table.game}.ndjson")
        files[-1].write_bytes(data)
    older, newer = sides
    done = older.command("audit", *files)
    assert 0 == done.returncode, done.stdout + done.stderr
    done = newer.command("doctor")
    assert 0 == done.returncode, done.stdout + done.stderr
    assert {} == dict(played.store.log.marks())


def both_serve(sides, played):
    """Both releases run side by side, and each has settled something."""
    for side in sides:
        if not side.pumps:
            side.work()
    played.steps(2)
    both_pumps(sides[0].environ["ORACLEWHEEL_REDIS_URL"])
    played.until_both_have_settled({side.release for side in sides})


def goes_on_alone(side, played):
    """The other has gone: whatever happens is settled by this one."""
    since = played.ends()
    played.table("nim", 2)
    played.steps(2)
    assert {side.release} == played.releases(since)


def test_an_older_release_and_this_one_serve_the_same_games_and_the_older_one_goes(sides, redis_store, tmp_path):
    older, newer = sides
    older.work()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(Side.serve, sides))
    played = Played(redis_store, [older.site, newer.site], Dice(b"r" * 32))
    played.table("battalia", 2, ["greedy"], options={"max_weeks": 1})
    played.table("nim", 2)
    both_serve(sides, played)
    older.rest()
    goes_on_alone(newer, played)
    older.leave()
    played.only(newer)
    played.finish()

    nothing_is_lost(played)
    all_is_well(played, sides, tmp_path)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_releases_that_come_and_go_and_are_killed_lose_nothing(sides, redis_store, tmp_path):
    """An upgrade, a way back, and once more, while every kind of game is played; the game of Fronela is left as it stands then."""
    older, newer = sides
    older.work()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(Side.serve, sides))
    played = Played(redis_store, [older.site, newer.site], Dice(b"s" * 32))
    played.table("battalia", 2, ["greedy"], modules=["rammoth", "armamentum"], options={"max_weeks": 1})
    played.table("fronela", 2, ["greedy", "greedy"])
    played.table("battalia", 2, options={"max_weeks": 1})
    for goes, stays, how in (
        (older, newer, signal.SIGTERM),
        (newer, older, signal.SIGTERM),
        (older, newer, signal.SIGKILL),
        (newer, older, signal.SIGKILL),
        (older, newer, signal.SIGTERM),
    ):
        both_serve(sides, played)
        goes.rest(how)
        goes_on_alone(stays, played)
    older.leave()
    played.only(newer)
    played.finish(but="fronela", seconds=1800)

    nothing_is_lost(played)
    all_is_well(played, sides, tmp_path)
    for side in sides:
        done = side.command("check-release")
        assert 0 == done.returncode, done.stdout + done.stderr
