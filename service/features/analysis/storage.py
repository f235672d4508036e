"""Stored analyses: in pieces while they are computed, then complete, for a limited time.

They contain no account data: seats are numbers, and no one is named. A deleted analysis can be computed again.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from domain import RELEASE
from domain.kernel.terms import GameId
from service.features.analysis.evaluation import MomentResult
from service.store.ports.side_data import NO_GAME
from service.store.redis.side_data.notes import Notes

RETENTION = 30 * 86_400_000
"""Retention of an analysis, in milliseconds."""
MAX_STORED = 500
"""Maximum number of stored analyses. Beyond it the oldest is deleted."""
RETRY_AFTER = 3_600_000
"""Milliseconds before a failed analysis can be requested again, so that a crashing game does not keep killing workers."""
MAX_SIZE = 2_000_000
"""Maximum compressed size in bytes. A larger analysis fails."""

_INDEX, _GOING = "analyses", "analyses under way"
_PIECES, _WHOLE, _FAILED = "piece ", "whole", "failed"
_AND = b" "
"""Separates the number of moments from the compressed document."""


@dataclass(frozen=True, slots=True)
class AnalysisProgress:
    """The progress of an analysis."""

    since: int
    """When it was requested, in milliseconds of Unix time."""
    done: int
    """Number of moments analyzed so far."""
    total: int | None
    """Total number of moments. None until work has begun, or if the analysis failed."""
    status: str
    """``under-way``, ``done`` or ``failed``."""
    upto: int | None = None
    """The last commit included. None for a complete finished game (written by release 0.3.0)."""
    reason: str = ""
    """Why it failed."""


class StoredAnalysis:
    """One analysis, of a game at a level."""

    def __init__(self, notes: Notes, now: Callable[[], int], game_id: GameId, level: int) -> None:
        self._notes, self._now = notes, now
        self.game_id, self.level = game_id, level
        self.name = f"{game_id} {level}"
        self._namespace = f"analysis {self.name}"

    def request(self, upto: int) -> None:
        """Request the analysis of the commits up to ``upto``, unless it is stored or this release is working on it.

        Deletes old and surplus analyses. Results of this release for fewer commits are reused.
        """
        if not self.is_needed(upto):
            return
        entry = self._load_request()
        progress = self.get_progress()
        if progress is None or progress.status == "failed" or entry is None or entry["release"] != RELEASE:
            self._erase_all(self.name)  # The index entry stays, so that a concurrent request finds it.
        index = {
            name: self._entry(note) for name, note in self._notes.all(NO_GAME, _INDEX).items() if name != self.name
        }
        lasting = sorted((entry["since"], name) for name, entry in index.items() if self._is_valid(entry))
        for name in {*index} - {name for _, name in lasting[-(MAX_STORED - 1) :]}:
            self._drop(name)
        asked = {"since": self._now(), "release": RELEASE, "upto": upto}
        self._notes.put(NO_GAME, _INDEX, self.name, orjson.dumps(asked))
        self._notes.put(NO_GAME, _GOING, self.name, orjson.dumps([0, 0]))

    def is_needed(self, upto: int) -> bool:
        """Whether the analysis was never requested, is done for fewer commits, or failed at least `RETRY_AFTER` ago."""
        progress = self.get_progress()
        if progress is None:
            return True
        if progress.status == "failed":
            return self._now() >= progress.since + RETRY_AFTER
        return progress.status == "done" and progress.upto is not None and progress.upto < upto

    @classmethod
    def list_unfinished(cls, notes: Notes, now: Callable[[], int]) -> Iterator[StoredAnalysis]:
        """The unfinished analyses. Removes stale entries on the way."""
        for name in sorted(notes.all(NO_GAME, _GOING)):
            game_id, _, level = name.partition(" ")
            kept = cls(notes, now, GameId(game_id), int(level))
            progress = kept.get_progress()
            if progress is not None and progress.status == "under-way":
                yield kept
            else:
                kept._remove_unfinished()

    def count_resumption(self) -> int:
        """Record that a worker resumes an abandoned analysis. Returns how often that happened without progress."""
        done, _ = self.count_done()
        note = self._notes.read(NO_GAME, _GOING, [self.name]).get(self.name)
        at, times = (0, 0) if note is None else orjson.loads(note)
        times = times + 1 if at == done else 1
        self._notes.put(NO_GAME, _GOING, self.name, orjson.dumps([done, times]))
        return times

    def get_progress(self) -> AnalysisProgress | None:
        """The current progress; None if it was never requested, or the request has expired."""
        entry = self._load_request()
        if entry is None:
            return None
        upto, whole_of = entry.get("upto"), _document_name(entry)
        ends = self._notes.read(NO_GAME, self._namespace, [whole_of, _FAILED])
        if entry["release"] != RELEASE and whole_of not in ends:
            return None  # Another release began it: its partial results may differ, and its failure need not repeat.
        if _FAILED in ends:
            return AnalysisProgress(entry["since"], 0, None, "failed", upto, ends[_FAILED].decode())
        if whole_of in ends:
            whole, document = _unpack(ends[whole_of])
            whole = len(document()["chances"]) if whole is None else whole
            return AnalysisProgress(entry["since"], whole, whole, "done", upto)
        done, whole = self.count_done()
        return AnalysisProgress(entry["since"], done, whole, "under-way", upto)

    def count_done(self) -> tuple[int, int | None]:
        """How many moments are analyzed without a gap, and the total number (None if unknown)."""
        entry, pieces = self._load_request(), self._load_pieces()
        if entry is None or not pieces:
            return 0, None
        (first, count), newest = pieces[-1]
        piece = newest()
        return first + count, piece["whole"] if piece.get("upto") == entry.get("upto") else None

    def add(self, first: int, found: Sequence[MomentResult], whole: int, upto: int | None) -> None:
        """Store the results from moment ``first`` on. The first writer wins; a second piece at that place is ignored."""
        piece = zlib.compress(orjson.dumps({"found": found, "whole": whole, "upto": upto}))
        self._notes.keep(NO_GAME, self._namespace, f"{_PIECES}{first}", b"%d%b%b" % (len(found), _AND, piece))

    def load_results(self) -> list[MomentResult]:
        """All results so far, in order."""
        return [each for _, piece in self._load_pieces() for each in piece()["found"]]

    def finish(self, document: Mapping[str, Any], moments: int, upto: int | None, *, goes_on: bool = False) -> None:
        """Store the complete analysis of so many moments up to a commit. Deletes its pieces, unless the game continues."""
        packed = zlib.compress(orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS), 9)
        if len(packed) > MAX_SIZE:
            self.fail("It is larger than what is kept.")
            return
        entry = self._load_request()
        if entry is None or entry.get("upto") != upto:
            return  # more commits were requested in the meantime, so the work continues
        before = [name for name in self._notes.all(NO_GAME, self._namespace) if name.startswith(_WHOLE)]
        self._notes.put(NO_GAME, self._namespace, _document_name(entry), b"%d%b%b" % (moments, _AND, packed))
        self._notes.erase(NO_GAME, self._namespace, [name for name in before if name != _document_name(entry)])
        if not goes_on:
            self._erase_pieces()
        self._remove_unfinished()

    def fail(self, why: str) -> None:
        """Mark the analysis as failed."""
        self._notes.put(NO_GAME, self._namespace, _FAILED, why.encode())
        self._erase_pieces()
        self._remove_unfinished()

    def load_document(self) -> dict[str, Any] | None:
        """The analysis; None if it is incomplete."""
        entry = self._load_request()
        if entry is None:
            return None
        note = self._notes.read(NO_GAME, self._namespace, [_document_name(entry)]).get(_document_name(entry))
        return None if note is None else _unpack(note)[1]()

    def _load_request(self) -> Mapping[str, Any] | None:
        note = self._notes.read(NO_GAME, _INDEX, [self.name]).get(self.name)
        entry = None if note is None else self._entry(note)
        return entry if entry is not None and self._is_valid(entry) else None

    def _is_valid(self, entry: Mapping[str, Any]) -> bool:
        return bool(entry["since"] > self._now() - RETENTION)

    @staticmethod
    def _entry(note: bytes) -> Mapping[str, Any]:
        entry: Mapping[str, Any] = orjson.loads(note)
        return entry

    def _load_pieces(self) -> list[tuple[tuple[int, int], Callable[[], dict[str, Any]]]]:
        """The gapless pieces in order: the index of the first moment, the number of moments, and a loader."""
        notes = self._notes.all(NO_GAME, self._namespace)
        pieces: list[tuple[tuple[int, int], Callable[[], dict[str, Any]]]] = []
        first = 0
        while (note := notes.get(f"{_PIECES}{first}")) is not None:
            count, piece = _unpack(note)
            count = len(piece()["found"]) if count is None else count
            pieces.append(((first, count), piece))
            first += count
        return pieces

    def _remove_unfinished(self) -> None:
        self._notes.erase(NO_GAME, _GOING, [self.name])

    def _erase_pieces(self) -> None:
        names = [name for name in self._notes.all(NO_GAME, self._namespace) if name.startswith(_PIECES)]
        self._notes.erase(NO_GAME, self._namespace, names)

    def _erase_all(self, name: str) -> None:
        drawer = f"analysis {name}"
        self._notes.erase(NO_GAME, drawer, list(self._notes.all(NO_GAME, drawer)))

    def _drop(self, name: str) -> None:
        self._erase_all(name)
        for index in (_INDEX, _GOING):
            self._notes.erase(NO_GAME, index, [name])


def _document_name(entry: Mapping[str, Any]) -> str:
    """The name under which the complete analysis is stored. It includes the last commit, so that longer ones do not match it."""
    upto = entry.get("upto")
    return _WHOLE if upto is None else f"{_WHOLE} {upto}"


def _unpack(note: bytes) -> tuple[int | None, Callable[[], dict[str, Any]]]:
    """The number of moments of an analysis or piece, and a loader. The number is None if release 0.3.0 wrote it."""
    number, _, packed = note.partition(_AND)
    count, packed = (int(number), packed) if number.isdigit() else (None, note)
    return count, lambda: orjson.loads(zlib.decompress(packed))
