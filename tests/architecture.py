"""The architecture page from the code itself (`make architecture`): its tree, its walk of a command, its drawing.

Nothing in them is written by hand: the tree is the folders with the sentences that stand in them, the walk is the files that
one command really passes through, and the drawing's arrows are real imports, late ones and those for types alone included.
`tests/test_architecture.py` compares what stands in `docs/` with what this would write.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from tests.api.conftest import World
from tests.drawing import drawing
from tests.driver import Player
from tests.rooms import PACKAGES, ROOT, entries, folders, sentence
from workers import advance

PAGE = ROOT / "docs" / "architecture.md"
DRAWING = ROOT / "docs" / "architecture.svg"

# -- the tree ---------------------------------------------------------------------------------------------------------


def tree() -> str:
    """The folders, each with its sentence and the files that stand in it."""
    lines = []
    for folder in folders():
        files = [name.removesuffix(".py") for name in entries(folder) if name.endswith(".py")]
        lines.append(f"| `{folder.relative_to(ROOT)}/` | {sentence(folder / '__init__.py')} | {' '.join(files)} |")
    return "\n".join(["| room | what it is | its files |", "|---|---|---|", *lines])


# -- the walk ---------------------------------------------------------------------------------------------------------


def passed(action: Callable[[], Any]) -> list[str]:
    """The files of the product that an action enters, in the order in which it enters them first."""
    seen: dict[str, None] = {}

    def look(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(ROOT)):
            file = Path(frame.f_code.co_filename).relative_to(ROOT)
            if file.parts[0] in PACKAGES:
                seen.setdefault(str(file))

    sys.setprofile(look)
    try:
        action()
    finally:
        sys.setprofile(None)
    return list(seen)


class Watched(World):
    """A service whose worker's part is written down apart from the request that wakes it."""

    def __init__(self) -> None:
        super().__init__()
        self.settled: list[str] = []

    def work(self, game: str) -> None:
        outer = sys.getprofile()
        sys.setprofile(None)
        # What follows at once is settled in the same pass, however slowly a busy machine may walk.
        usual, advance.PASS = advance.PASS, 600.0
        self.settled = passed(lambda: World.work(self, game))
        advance.PASS = usual
        sys.setprofile(outer)


def steps() -> Mapping[str, list[str]]:
    """A turn ends in a game of Battalia on the store in memory: what the request, the worker and the view pass through."""
    world = Watched()
    game, ash, birk = world.table(kind="battalia", options={"quick_setup": True})

    def mover() -> Player:
        return ash if ash.options(game)["asked"] else birk

    def end_turn(player: Player) -> None:
        player.send(game, {"type": "end_turn"}, want=200)

    end_turn(mover())  # what is made but once is made now, and no part of the walk
    player = mover()
    seen = birk.get(f"/v1/games/{game}/view").headers["ETag"]
    sent = passed(lambda: end_turn(player))
    read = passed(lambda: birk.get(f"/v1/games/{game}/view", headers={"If-None-Match": seen}, want=200))
    return {"sent": sent, "settled": world.settled, "read": read}


def walk() -> str:
    """The files in the order in which the command enters them, those of one folder that follow each other on one line."""
    lines = []
    for title, files in zip(TITLES, steps().values(), strict=True):
        lines += ["", f"**{title}**", ""]
        rooms: list[tuple[str, list[str]]] = []
        for file in files:
            room, _, name = file.rpartition("/")
            if not rooms or rooms[-1][0] != room:
                rooms.append((room, []))
            rooms[-1][1].append(name.removesuffix(".py"))
        lines += [f"{at}. `{room}/` {', '.join(names)}" for at, (room, names) in enumerate(rooms, start=1)]
    return "\n".join(lines[1:])


TITLES = (
    "POST /v1/games/{id}/commands: the request is checked, queued, and its outcome awaited",
    "A worker settles it: claim, decide, seal, append",
    "GET /v1/games/{id}/view: another player reads what came of it",
)


# -- writing and comparing --------------------------------------------------------------------------------------------


def page(text: str) -> str:
    """The page with its made parts made anew; each stands between two comments that name it."""
    for name, make in {"tree": tree, "walk": walk}.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        after = rest.partition(end)[2]
        text = f"{before}{begin}\n{make()}\n{end}{after}"
    return text


def anew() -> str:
    """The page as a process of its own makes it: what is remembered in this one would be left out of the walk."""
    command = [sys.executable, "-m", "tests.architecture", "--print"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=True, encoding="utf-8").stdout


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        sys.stdout.reconfigure(encoding="utf-8")
        sys.stdout.write(page(PAGE.read_text(encoding="utf-8")))
        sys.exit()
    DRAWING.write_text(drawing(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
