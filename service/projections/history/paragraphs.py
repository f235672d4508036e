"""History in paragraphs, one for a player's turn or a day: the game says where one begins and how it is headed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from service.projections.history.narration import Narrator

Entry = Mapping[str, Any]


@dataclass(slots=True)
class Paragraph:
    """The lines of one paragraph while they are gathered."""

    begun: int
    """The commit with which it begins; of one that goes on from an earlier page, the commit that page ended with."""
    title: str = ""
    continued: bool = False
    """Whether it began before the first commit that was read."""
    seqs: list[int] = field(default_factory=list)
    lines: list[Mapping[str, Any]] = field(default_factory=list)
    undone: dict[int, int] = field(default_factory=dict)
    """Of its commits that were taken back, by which commit each was."""

    def add(self, entry: Entry, line: Mapping[str, Any]) -> None:
        seq = entry["seq"]
        if self.seqs[-1:] != [seq]:
            self.seqs.append(seq)
        if (by := entry.get("undone_by")) is not None:
            self.undone[seq] = by
        self.lines.append(line)


class Paragraphs:
    """Gathers entries of history, in their order, into paragraphs.

    ``after`` is the commit that was read last, as for events. Where a paragraph begins with a line of that commit, the
    commit is fed once more, and that paragraph is told from its beginning.
    """

    def __init__(self, narrator: Narrator, after: int) -> None:
        self._narrator, self._after = narrator, after
        self._current = Paragraph(after, continued=after > 0)
        self.finished: list[Paragraph] = []

    @property
    def unfinished(self) -> Paragraph | None:
        """The paragraph that goes on; None where nothing is in it yet."""
        return self._current if self._current.seqs else None

    @property
    def read_to(self) -> int:
        """After which commit the next page begins, so that the unfinished paragraph comes again whole."""
        return self._current.begun

    def feed(self, entries: Iterable[Entry], most: int) -> bool:
        """Take in the next entries, up to the commit that finishes ``most`` paragraphs; whether it has come to that."""
        for entry in entries:
            self._take(entry)
            if len(self.finished) >= most:
                return True
        return False

    def _take(self, entry: Entry) -> None:
        seq, lines = entry["seq"], entry["lines"]
        if seq <= self._after:
            lines = self._from_last_opening(lines)
        for line in lines:
            heading = self._narrator.heading(line)
            if heading is not None:
                self._close(Paragraph(seq, heading))
            self._current.add(entry, line)
        if not self._narrator.has_openings:
            self._close(Paragraph(seq))

    def _from_last_opening(self, lines: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        openings = [place for place, line in enumerate(lines) if self._narrator.heading(line) is not None]
        return lines[openings[-1] :] if openings else []

    def _close(self, following: Paragraph) -> None:
        if self._current.seqs:
            self.finished.append(self._current)
        self._current = following

    def document(self, paragraph: Paragraph, *, finished: bool) -> dict[str, Any]:
        """A paragraph as readers get it."""
        return {
            "seqs": paragraph.seqs,
            "title": paragraph.title,
            "text": self._narrator.paragraph(paragraph.lines),
            "continued": paragraph.continued,
            "finished": finished,
        } | ({"undone_by": max(paragraph.undone.values())} if len(paragraph.undone) == len(paragraph.seqs) else {})
