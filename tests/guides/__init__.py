"""Plays the examples in the player guides: the rules generate their quotations, pictures, and numbers.

A page of docs/play contains the player's commands as JSON. A picture shows the current board, a quotation narrates the
commands before it, and the text between ``<!-- numbers: … -->`` and ``<!-- end -->`` comes from the default ruleset.
``python -m tests.guides`` generates quotations, numbers, and pictures again.
"""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.kernel.record import Commit
from domain.kernel.terms import Seat
from domain.registry import GAMES
from service.core.history.lines import narrate_commit
from service.core.history.narration import Narrator
from service.core.positions.rows import as_bytes, build_public
from tools.simulation.selfplay import SelfPlay

FOLDER = Path(__file__).parents[2] / "docs" / "play"
PART = re.compile(
    r"(?P<command>```json\n(?P<json>.*?)```\n)|(?P<quote>(?:^>[^\n]*\n)+)|!\[[^\]]*\]\((?P<picture>[^)]*)\)"
    r"|(?P<open><!-- numbers: (?P<numbers>[a-z ]+) -->\n).*?(?P<close><!-- end -->\n)",
    re.DOTALL | re.MULTILINE,
)
YOU = Seat(1)


@dataclass(frozen=True)
class Example:
    """The game from which a guide takes its example."""

    seed: str
    setup: Setup
    names: tuple[str, ...]
    """Names of the seats; seat 1 is the reader."""
    bot: str
    """The bot that plays the other seats, and the reader's seat before the example begins."""
    begins: int
    """The number of commits before the reader's commands."""


@dataclass
class Page:
    """A guide whose example is being played."""

    game: AnyGame
    example: Example
    numbers: dict[str, Callable[[], str]]
    pictures: dict[str, str] = field(default_factory=dict)
    """Pictures by file name."""
    told: list[str] = field(default_factory=list)
    """Paragraphs since the last quotation."""

    def __post_init__(self) -> None:
        seats = [f"player:{self.example.bot}"] + [f"bot:{self.example.bot}"] * (self.example.setup.seats - 1)
        digest = hashlib.sha256(self.example.seed.encode()).digest()
        self.play = SelfPlay(self.game, self.example.setup, seats, digest, "guide")
        self.play.run(self.example.begins)
        self.names = {Seat(number): name for number, name in enumerate(self.example.names, 1)}
        self.narrator = Narrator(self.game, self.names)

    def made(self, text: str) -> str:
        """The page with its generated parts."""
        return PART.sub(self._part, text)

    def _part(self, found: re.Match[str]) -> str:
        if found["command"]:
            for command in found["json"].strip().splitlines():
                self._say(json.loads(command))
        elif found["quote"]:
            quoted, self.told = " ".join(self.told), []
            return textwrap.fill(quoted, 118, initial_indent="> ", subsequent_indent="> ") + "\n"
        elif found["picture"]:
            self._draw(found["picture"])
        elif found["numbers"]:
            return found["open"] + self.numbers[found["numbers"]]() + found["close"]
        return found[0]

    def _say(self, command: dict) -> None:
        """Send the reader's command, and let the bots play until the reader must act again."""
        commits = [self.play.say(YOU, command)]
        assert commits[0].refusal is None, (command, commits[0].refusal)
        while not self.play.over and not any(asked.question.seat == YOU for asked in self.play.position.asked):
            commits.append(self.play.step())
        shown = [line for commit in commits for line in self._shown(commit)]
        text = self.narrator.write_paragraph(shown)
        self.told += [text] if text else []

    def _shown(self, commit: Commit) -> list:
        return narrate_commit(self.game, commit, YOU, self.narrator)

    def _draw(self, name: str) -> None:
        view = orjson.loads(as_bytes(build_public(self.game.knowledge, self.play.position)))
        self.pictures[name] = self.game.presentation.board(
            self.game.title, view, {str(seat): name for seat, name in self.names.items()}
        )


def guides() -> list[str]:
    """The kinds of games that have a guide with an example."""
    from tests.guides.examples import EXAMPLES

    return sorted(EXAMPLES)


def made(kind: str) -> tuple[str, dict[str, str]]:
    """The expected text of a guide, and its pictures by file name relative to ``FOLDER``."""
    from tests.guides.examples import EXAMPLES, NUMBERS

    page = Page(GAMES[kind], EXAMPLES[kind], NUMBERS.get(kind, {}))
    return page.made((FOLDER / f"{kind}.md").read_text(encoding="utf-8")), page.pictures
