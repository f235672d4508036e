"""History in paragraphs, one for a player's turn or a day. The game decides where they begin and their headings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from service.core.history.narration import Narrator

Entry = Mapping[str, Any]


@dataclass(slots=True)
class HistoryParagraph:
    """The lines of one paragraph while they are collected."""

    first_seq: int
    """Seq of its first commit. If it continues from an earlier page, the last seq of that page."""
    title: str = ""
    is_continued: bool = False
    """Whether it began before the first commit that was read."""
    seqs: list[int] = field(default_factory=list)
    lines: list[Mapping[str, Any]] = field(default_factory=list)
    undone_by: dict[int, int] = field(default_factory=dict)
    """Its commits that were undone, each with the seq of the commit that undid it."""

    def add(self, entry: Entry, line: Mapping[str, Any]) -> None:
        seq = entry["seq"]
        if self.seqs[-1:] != [seq]:
            self.seqs.append(seq)
        if (by := entry.get("undone_by")) is not None:
            self.undone_by[seq] = by
        self.lines.append(line)


class Paragraphs:
    """Collects entries of history, in order, into paragraphs.

    ``after`` is the last commit that was read, as for events. If a paragraph begins within that commit, feed the commit
    again to get that paragraph from its beginning.
    """

    def __init__(self, narrator: Narrator, after: int) -> None:
        self._narrator, self._after = narrator, after
        self._current = HistoryParagraph(after, is_continued=after > 0)
        self.finished: list[HistoryParagraph] = []

    @property
    def unfinished(self) -> HistoryParagraph | None:
        """The paragraph in progress; None if it is still empty."""
        return self._current if self._current.seqs else None

    @property
    def next_after(self) -> int:
        """The ``after`` of the next page, chosen so that the unfinished paragraph is repeated in full."""
        return self._current.first_seq

    def feed(self, entries: Iterable[Entry], most: int) -> bool:
        """Take entries up to the commit that finishes ``most`` paragraphs. Returns whether that many are finished."""
        for entry in entries:
            self._add_entry(entry)
            if len(self.finished) >= most:
                return True
        return False

    def _add_entry(self, entry: Entry) -> None:
        seq, lines = entry["seq"], entry["lines"]
        if seq <= self._after:
            lines = self._from_last_opening(lines)
        for line in lines:
            heading = self._narrator.find_heading(line)
            if heading is not None:
                self._close(HistoryParagraph(seq, heading))
            self._current.add(entry, line)
        if not self._narrator.has_openings:
            self._close(HistoryParagraph(seq))

    def _from_last_opening(self, lines: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        openings = [place for place, line in enumerate(lines) if self._narrator.find_heading(line) is not None]
        return lines[openings[-1] :] if openings else []

    def _close(self, following: HistoryParagraph) -> None:
        if self._current.seqs:
            self.finished.append(self._current)
        self._current = following

    def build_document(self, paragraph: HistoryParagraph, *, finished: bool) -> dict[str, Any]:
        return {
            "seqs": paragraph.seqs,
            "title": paragraph.title,
            "text": self._narrator.write_paragraph(paragraph.lines),
            "continued": paragraph.is_continued,
            "finished": finished,
        } | (
            {"undone_by": max(paragraph.undone_by.values())} if len(paragraph.undone_by) == len(paragraph.seqs) else {}
        )
