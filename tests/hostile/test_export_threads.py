"""An export's lines may be made in another thread than those before: each is read where it is made."""

from __future__ import annotations

from contextlib import suppress

from service.api.context.offload import ReadContext
from service.projections.positions.cache import Positions
from service.store.ports.errors import StoreDown
from tests.hostile.test_streams import long_game


class Elsewhere:
    """A store that may be used while its own lane works, and never by another's."""

    def __init__(self, store):
        self._store = store
        self.in_use = False

    @property
    def log(self):
        assert self.in_use, "another lane's store"
        return Log(self._store.log, self)

    def __getattr__(self, name):
        assert self.in_use, "another lane's store"
        return getattr(self._store, name)


class Log:
    """Its log: a page that has begun must be read to its end in the same lane."""

    def __init__(self, log, where):
        self._log, self._where = log, where

    def __getattr__(self, name):
        return getattr(self._log, name)

    def commits(self, *asked, **how):
        for stored in self._log.commits(*asked, **how):
            assert self._where.in_use, "a page is read on in another lane"
            yield stored


def lanes_in_turn(house, monkeypatch, fail=None):
    """Each piece of work comes to the other one of two lanes."""
    stores = [Elsewhere(house.store), Elsewhere(house.store)]
    runs = []

    def run(work, _who):
        runs.append(work)
        if fail is not None and len(runs) == fail:
            raise StoreDown("away")
        store = stores[len(runs) % 2]
        store.in_use = True
        try:
            return work(ReadContext(store, Positions(house.store)))
        finally:
            store.in_use = False

    monkeypatch.setattr(house.offload, "run", run)
    return runs


def test_an_export_goes_on_in_whichever_lane_comes(world, monkeypatch):
    game = long_game(world, 9)
    whole = world.public.get(f"/v1/games/{game}/export", want=200).body
    monkeypatch.setattr("service.api.resources.export.LINES", 1)
    runs = lanes_in_turn(world.app.extensions["oraclewheel"], monkeypatch)

    assert whole == world.public.get(f"/v1/games/{game}/export", want=200).body
    assert len(runs) > whole.count(b"\n")


def test_an_export_that_cannot_go_on_ends_without_its_last_line(world, monkeypatch):
    game = long_game(world, 9)
    whole = world.public.get(f"/v1/games/{game}/export", want=200).body
    monkeypatch.setattr("service.api.resources.export.LINES", 1)
    lanes_in_turn(world.app.extensions["oraclewheel"], monkeypatch, fail=5)

    part = b""
    with suppress(StoreDown):
        part = world.public.get(f"/v1/games/{game}/export", want=200).body
    assert part
    assert whole != part
    assert whole.startswith(part)
