"""Stored analyses: no piece twice, none kept forever, and none continued from another release."""

import zlib

import orjson
import pytest

from service.features.analysis import storage as keeping
from service.features.analysis.storage import RETENTION, RETRY_AFTER, StoredAnalysis
from tests.stores import new_store


class Clock:
    def __init__(self):
        self.at = 1_000_000

    def __call__(self):
        return self.at


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def shelf(clock):
    notes = new_store().notes
    return lambda game="g1", level=1: StoredAnalysis(notes, clock, game, level)


def found(*seqs):
    return [{"seq": seq} for seq in seqs]


def test_unrequested_analysis_does_not_exist(shelf):
    assert shelf().get_progress() is None
    assert shelf().load_document() is None


def test_progress_counts_pieces_up_to_the_first_gap_and_ignores_duplicates(shelf):
    shelf().request(9)
    assert (0, None) == shelf().count_done()
    shelf().add(0, found(1, 2), 5, 9)
    shelf().add(0, found(1, 2, 3), 5, 9)
    shelf().add(4, found(5), 5, 9)

    assert ((2, 5), found(1, 2)) == (shelf().count_done(), shelf().load_results())
    shelf().add(2, found(3, 4), 5, 9)
    assert (5, found(1, 2, 3, 4, 5)) == (shelf().count_done()[0], shelf().load_results())


class Watched:
    """Notes that call a function before and after each use."""

    def __init__(self, notes, tell):
        self._notes, self._tell = notes, tell

    def __getattr__(self, name):
        def used(*given):
            self._tell(name)
            try:
                return getattr(self._notes, name)(*given)
            finally:
                self._tell(name)

        return used


def test_concurrent_requests_do_not_remove_the_analysis(clock):
    notes = new_store().notes
    one, seen = StoredAnalysis(notes, clock, "g1", 1), []

    def tell(name):
        if name == "all" and not seen:
            one.request(9)  # after the other request found no analysis
        if seen or name == "all":
            seen.append(one.get_progress())

    StoredAnalysis(Watched(notes, tell), clock, "g1", 1).request(9)

    assert len(seen) > 4
    assert None not in seen


def test_finished_analysis_drops_its_pieces_and_is_not_made_again(shelf):
    shelf().request(9)
    shelf().add(0, found(1), 1, 9)
    shelf().finish({"form": 1}, 1, 9)
    shelf().request(9)

    assert ("done", {"form": 1}, []) == (shelf().get_progress().status, shelf().load_document(), shelf().load_results())
    assert shelf(level=2).get_progress() is None
    assert shelf("g2").get_progress() is None


def test_analysis_is_kept_for_thirty_days(shelf, clock):
    shelf().request(9)
    shelf().finish({"form": 1}, 1, 9)
    clock.at += RETENTION - 1
    assert {"form": 1} == shelf().load_document()

    clock.at += 1
    assert (None, None) == (shelf().get_progress(), shelf().load_document())
    shelf().request(9)
    assert ("under-way", 0) == (shelf().get_progress().status, shelf().get_progress().done)


def test_oldest_analysis_is_dropped_above_the_limit(shelf, clock, monkeypatch):
    monkeypatch.setattr(keeping, "MAX_STORED", 2)
    for game in ("g1", "g2", "g3"):
        clock.at += 1
        shelf(game).request(9)
        shelf(game).finish({"game": game}, 1, 9)

    assert [None, {"game": "g2"}, {"game": "g3"}] == [shelf(game).load_document() for game in ("g1", "g2", "g3")]


def test_unfinished_analysis_of_another_release_restarts_and_finished_stays(shelf, monkeypatch):
    for game in ("g1", "g2"):
        shelf(game).request(9)
        shelf(game).add(0, found(1), 9, 9)
    shelf("g2").finish({"form": 1}, 1, 9)
    monkeypatch.setattr(keeping, "RELEASE", "9.9.9")

    assert shelf("g1").get_progress() is None
    assert {"form": 1} == shelf("g2").load_document()
    shelf("g1").request(9)
    assert (0, None) == shelf("g1").count_done()


def test_finished_analysis_has_all_its_positions_done(shelf):
    shelf().request(9)
    shelf().finish({"form": 1}, 27, 9)

    assert (27, 27) == (shelf().get_progress().done, shelf().get_progress().total)


def test_analysis_finished_by_0_3_0_is_read_without_its_number_of_positions(shelf):
    document = {"form": 1, "chances": [[1, 0.5, 0.5], [2, 0.6, 0.4]]}
    shelf()._notes.put("", "analyses", "g1 1", orjson.dumps({"since": 1_000_000, "release": "0.3.0"}))
    shelf()._notes.put("", "analysis g1 1", "whole", zlib.compress(orjson.dumps(document), 9))

    assert ("done", 2, 2) == (shelf().get_progress().status, shelf().get_progress().done, shelf().get_progress().total)
    assert document == shelf().load_document()


def test_analysis_that_is_too_large_fails_with_a_reason(shelf, monkeypatch):
    monkeypatch.setattr(keeping, "MAX_SIZE", 10)
    shelf().request(9)
    shelf().finish({"form": "a" * 9 + "bcdefghijklmnop"}, 1, 9)

    assert ("failed", "It is larger than what is kept.") == (
        shelf().get_progress().status,
        shelf().get_progress().reason,
    )
    assert shelf().load_document() is None


def under_way(shelf):
    one = shelf()
    return [each.name for each in StoredAnalysis.list_unfinished(one._notes, one._now)]


def test_under_way_excludes_finished_failed_dropped_and_foreign_analyses(shelf, clock, monkeypatch):
    for game in ("g1", "g2", "g3", "g4", "g5"):
        shelf(game).request(9)
    shelf("g2").finish({"form": 1}, 1, 9)
    shelf("g3").fail("It is too long.")
    shelf("g4")._drop("g4 1")
    assert ["g1 1", "g5 1"] == under_way(shelf)

    monkeypatch.setattr(keeping, "RELEASE", "9.9.9")
    assert [] == under_way(shelf)
    clock.at += 1
    shelf("g5").request(9)
    assert ["g5 1"] == under_way(shelf)
    clock.at += RETENTION
    assert [] == under_way(shelf)
    assert {} == shelf()._notes.all("", "analyses under way"), "what does not count any more is not looked at again"


def test_pickup_count_restarts_with_progress(shelf):
    shelf().request(9)
    assert [1, 2] == [shelf().count_resumption() for _ in range(2)]
    shelf().add(0, found(1, 2), 5, 9)
    assert [1, 2, 3] == [shelf().count_resumption() for _ in range(3)]


def test_failed_analysis_restarts_on_a_request_after_an_hour(shelf, clock):
    shelf().request(9)
    shelf().add(0, found(1), 9, 9)
    shelf().fail("Whoever looked at it came to an end before it did.")
    clock.at += RETRY_AFTER - 1
    shelf().request(9)
    assert "failed" == shelf().get_progress().status, "what kills who looks at it is not looked at all the time"

    clock.at += 1
    shelf().request(9)

    assert ("under-way", 0) == (shelf().get_progress().status, shelf().get_progress().done)
    assert ["g1 1"] == under_way(shelf)
    shelf().finish({"form": 1}, 1, 9)
    assert ("done", {"form": 1}) == (shelf().get_progress().status, shelf().load_document())


def test_failed_analysis_of_another_release_is_ignored(shelf, monkeypatch):
    shelf().request(9)
    shelf().fail("The rules failed on it.")
    monkeypatch.setattr(keeping, "RELEASE", "9.9.9")

    assert shelf().get_progress() is None
    shelf().request(9)
    assert "under-way" == shelf().get_progress().status


def test_progress_reads_only_one_stored_piece(shelf, monkeypatch):
    shelf().request(9)
    for first in range(0, 40, 2):
        shelf().add(first, found(first, first + 1), 50, 9)
    looked, decompress = [], zlib.decompress
    monkeypatch.setattr(keeping.zlib, "decompress", lambda packed: looked.append(1) or decompress(packed))

    assert (40, 50) == shelf().count_done()
    assert 1 == len(looked), "whoever may read the game asks that again and again"


def test_pieces_of_0_3_0_are_continued(shelf):
    shelf().request(9)
    for first in (0, 2):
        piece = {"found": found(first, first + 1), "whole": 5, "upto": 9}
        shelf()._notes.put("", "analysis g1 1", f"piece {first}", zlib.compress(orjson.dumps(piece)))

    assert ((4, 5), found(0, 1, 2, 3)) == (shelf().count_done(), shelf().load_results())
