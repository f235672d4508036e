"""The sentences of a game: those of its recordings, and of lines that are made up for what no recording holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from domain.game import AnyGame
from domain.play.parts.around import EVENTS, SENTENCES
from domain.registry import GAMES
from domain.terms import Seat
from service.audit.form import read
from service.projections.history.lines import _table_line
from service.projections.history.narration import Narrator
from service.store.codec import decode_commit
from tests.golden.made_up import ASKED, LINES, PARAGRAPHS

FOLDER = Path(__file__).parent / "narration"
RECORDINGS = Path(__file__).parents[1] / "recordings"
KINDS = sorted(LINES)
EACH = 3
"""So many sentences of each template are taken from the recordings."""
NAMES = {Seat(number): name for number, name in enumerate(("Ash", "Birk", "Cyd", "Dara", "Eve", "Fyn"), 1)}

Line = Mapping[str, Any]
Key = tuple[str, int]
"""The type, with the manner after a dot; and which of its templates is told."""


@dataclass
class Gathered:
    """Sentences by their templates."""

    game: AnyGame
    found: dict[Key, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.narrator = Narrator(self.game, NAMES)
        self.templates = {**self.game.sentences, **self.game.remarks, **SENTENCES}

    def add(self, line: Line, most: int | None = None) -> None:
        """One more sentence, if there are not so many yet."""
        key = self._key(line)
        sentences = self.found.setdefault(key, [])
        if most is None or len(sentences) < most:
            sentence = self.narrator.tell(line)
            if sentence not in sentences:
                sentences.append(sentence)

    def _key(self, line: Line) -> Key:
        """Which template tells it, as `Narrator` chooses."""
        manner = self.game.gloss(line).get("manner")
        name = f"{line['type']}.{manner}"
        name = name if manner and name in self.templates else line["type"]
        templates = several(self.templates.get(name, ""))
        shown = {**self.game.gloss(line), **line}
        return name, next(place for place, template in enumerate(templates) if _fits(template, shown))


def _fits(template: str, shown: Line) -> bool:
    fields = [part.partition("}")[0].partition(":")[0] for part in template.split("{")[1:]]
    return all(shown.get(name) is not None for name in fields)


def several(templates: str | Sequence[str]) -> Sequence[str]:
    return (templates,) if isinstance(templates, str) else templates


def recorded(game: AnyGame) -> Iterator[Line]:
    """Every line of every recording of the game, as the public and as each seat reads it."""
    for path in sorted(RECORDINGS.glob(f"{game.key}-*.ndjson")):
        for each in read(path.read_bytes()).commits:
            commit = decode_commit(game, each.header.seq, each.header.at, each.header.release, each.body)
            for event in commit.events:
                if type(event) in EVENTS.values():
                    yield from filter(
                        None, [_table_line(event, None)]
                    )  # words to one seat alone are no line of the public's
                else:
                    seats: Iterable[Seat | None] = (None, *NAMES)
                    yield from filter(None, (game.reveal(event, seat) for seat in seats))


def gathered(kind: str) -> Gathered:
    """What a game's recordings tell, and what is made up."""
    found = Gathered(GAMES[kind])
    for line in recorded(found.game):
        found.add(line, EACH)
    for line in LINES[kind]:
        found.add(line)
    return found


def missing(kind: str) -> list[Key]:
    """The templates of a game that nothing is told by."""
    game = GAMES[kind]
    tables = {**game.sentences, **game.remarks, **SENTENCES}
    every = {(name, place) for name, table in tables.items() for place in range(len(several(table)))}
    return sorted(every - gathered(kind).found.keys())


def told(kind: str) -> str:
    """The file of a game."""
    game, found = GAMES[kind], gathered(kind)
    parts = [f"# {game.title}: every sentence of its history, of its questions, and of what has changed for a seat"]
    order = [*EVENTS, *game.events, *game.remarks]
    for name, place in sorted(found.found, key=lambda key: (order.index(key[0].partition(".")[0]), key)):
        sentences = found.found[name, place]
        parts.append("\n".join((f"## {name}" + (f" ({place + 1})" if place else ""), *sentences)))
    narrator = Narrator(game, NAMES)
    for kind_, about in ASKED[kind].items():
        asked = narrator.ask({"kind": kind_, "seat": 1, "about": about})
        parts.append(f"## to be answered: {kind_}\n{asked}")
    for name, lines in PARAGRAPHS.get(kind, {}).items():
        headings = [heading for line in lines if (heading := narrator.heading(line))]
        parts.append("\n".join((f"## a paragraph: {name}", *headings, narrator.paragraph(lines))))
    return "\n\n".join(parts) + "\n"
