"""The sentences of a game, from its recordings and from made-up lines for events that no recording contains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from domain.kernel.game import AnyGame
from domain.kernel.terms import Seat
from domain.registry import GAMES
from domain.table.features import EVENTS, SENTENCES, reveal
from service.audit.parser import parse_export
from service.core.history.narration import Narrator
from service.store.codec import decode_commit
from tests.golden.made_up import ASKED, LINES, PARAGRAPHS

FOLDER = Path(__file__).parent / "narration"
RECORDINGS = Path(__file__).parents[1] / "recordings"
KINDS = sorted(LINES)
EACH = 3
"""Maximum number of sentences taken from the recordings for each template."""
NAMES = {Seat(number): name for number, name in enumerate(("Ash", "Birk", "Cyd", "Dara", "Eve", "Fyn"), 1)}

Line = Mapping[str, Any]
Key = tuple[str, int]
"""The event type, with the variant after a dot, and the index of its template."""


@dataclass
class Gathered:
    """Sentences by template."""

    game: AnyGame
    found: dict[Key, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.narrator = Narrator(self.game, NAMES)
        self.templates = {**self.game.presentation.sentences, **self.game.presentation.remarks, **SENTENCES}

    def add(self, line: Line, most: int | None = None) -> None:
        """Add the sentence of the line, unless its template already has `most` sentences."""
        key = self._key(line)
        sentences = self.found.setdefault(key, [])
        if most is None or len(sentences) < most:
            sentence = self.narrator.narrate(line)
            if sentence not in sentences:
                sentences.append(sentence)

    def _key(self, line: Line) -> Key:
        """The template of the line, chosen as `Narrator` does."""
        manner = self.game.presentation.gloss(line).get("manner")
        name = f"{line['type']}.{manner}"
        name = name if manner and name in self.templates else line["type"]
        templates = several(self.templates.get(name, ""))
        shown = {**self.game.presentation.gloss(line), **line}
        return name, next(place for place, template in enumerate(templates) if _fits(template, shown))


def _fits(template: str, shown: Line) -> bool:
    fields = [part.partition("}")[0].partition(":")[0] for part in template.split("{")[1:]]
    return all(shown.get(name) is not None for name in fields)


def several(templates: str | Sequence[str]) -> Sequence[str]:
    return (templates,) if isinstance(templates, str) else templates


def recorded(game: AnyGame) -> Iterator[Line]:
    """All lines of all recordings of the game, as seen by the public and by each seat."""
    for path in sorted(RECORDINGS.glob(f"{game.key}-*.ndjson")):
        for each in parse_export(path.read_bytes()).commits:
            commit = decode_commit(game, each.header.seq, each.header.at, each.header.release, each.body)
            for event in commit.events:
                if type(event) in EVENTS.values():
                    yield from filter(None, [reveal(event, None)])  # private messages have no public line
                else:
                    seats: Iterable[Seat | None] = (None, *NAMES)
                    yield from filter(None, (game.knowledge.reveal(event, seat) for seat in seats))


def gathered(kind: str) -> Gathered:
    """The sentences of a game's recordings and of its made-up lines."""
    found = Gathered(GAMES[kind])
    for line in recorded(found.game):
        found.add(line, EACH)
    for line in LINES[kind]:
        found.add(line)
    return found


def missing(kind: str) -> list[Key]:
    """The templates of a game without a sentence."""
    game = GAMES[kind]
    tables = {**game.presentation.sentences, **game.presentation.remarks, **SENTENCES}
    every = {(name, place) for name, table in tables.items() for place in range(len(several(table)))}
    return sorted(every - gathered(kind).found.keys())


def told(kind: str) -> str:
    """The content of a game's golden file."""
    game, found = GAMES[kind], gathered(kind)
    parts = [f"# {game.title}: every sentence of its history, of its questions, and of what has changed for a seat"]
    order = [*EVENTS, *game.rules.events, *game.presentation.remarks]
    for name, place in sorted(found.found, key=lambda key: (order.index(key[0].partition(".")[0]), key)):
        sentences = found.found[name, place]
        parts.append("\n".join((f"## {name}" + (f" ({place + 1})" if place else ""), *sentences)))
    narrator = Narrator(game, NAMES)
    for kind_, about in ASKED[kind].items():
        asked = narrator.describe_question({"kind": kind_, "seat": 1, "about": about})
        parts.append(f"## to be answered: {kind_}\n{asked}")
    for name, lines in PARAGRAPHS.get(kind, {}).items():
        headings = [heading for line in lines if (heading := narrator.find_heading(line))]
        parts.append("\n".join((f"## a paragraph: {name}", *headings, narrator.write_paragraph(lines))))
    return "\n\n".join(parts) + "\n"
