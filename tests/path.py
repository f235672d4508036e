"""The files that run from the POST of a command to its commit and its view (`make architecture` writes them into the docs).

A game of Nim is played over the API on a real server. What runs while modules are imported or the service starts does not count,
and neither do files that only define data.
"""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from service.store.redis.client import Script
from tests import stores
from tests.core.http.conftest import World
from tests.rooms import ROOT

PAGE = ROOT / "docs" / "explanation" / "life-of-a-command.md"
BEGIN, END = "<!-- files -->", "<!-- end of files -->"
PRODUCT = ("domain/", "service/", "workers/")
STEPS = ("The request is accepted", "A worker settles it", "The view is read")
SCRIPTS = "service/store/redis/lua"


@contextmanager
def noted(files: dict[str, None]) -> Iterator[None]:
    """Note each product file of which a function is called, in any thread, and each Lua script."""

    def note(frame: Any, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(f"{ROOT}/") or frame.f_code.co_name == "<module>":
            return
        path = name[len(str(ROOT)) + 1 :]
        if path.startswith(PRODUCT):
            files.setdefault(path)
        if path.endswith("redis/client.py"):
            for value in frame.f_locals.values():
                if isinstance(value, Script):
                    files.setdefault(f"{SCRIPTS}/{value.file}.lua")

    sys.setprofile(note)
    threading.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def trace() -> dict[str, list[str]]:
    """The files by step, each in the step and order in which it is first used."""
    world = World()
    first, second = world.player("Ash"), world.player("Birk")
    game = first.make_game("nim", 2)
    second.join(game["id"], game["invitation"])
    first.start(game["id"])
    path = f"/v1/games/{game['id']}"
    files: dict[str, None] = {}
    ends = []

    def play(player: Any, heap: int) -> Iterator[Callable[[], Any]]:
        yield lambda: player.post(f"{path}/commands", {"type": "take", "heap": heap, "objects": 1}, want=202)
        yield lambda: world.work(game["id"])
        yield lambda: player.get(f"{path}/view", want=200)

    world.asleep = True
    for step in play(first, 2):  # what happens only once in a process does not count
        step()
    for step in play(second, 3):
        with noted(files):
            step()
        ends.append(len(files))
    names = list(files)
    return {step: names[begin:end] for step, begin, end in zip(STEPS, [0, *ends], ends, strict=False)}


def about(path: str) -> str:
    """The first sentence of a file."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".lua"):
        said = " ".join(line.removeprefix("--").strip() for line in text.splitlines()[:3] if line.startswith("--"))
    else:
        said = " ".join((ast.get_docstring(ast.parse(text)) or "").split())
    return said.split(". ")[0].rstrip(".").replace("|", "\\|") + "."


def table(steps: dict[str, list[str]]) -> str:
    lines = []
    for step, paths in steps.items():
        lines += ["", f"### {step}", "", "| file | what it is |", "|---|---|"]
        lines += [f"| `{path}` | {about(path)} |" for path in paths]
    return "\n".join(lines[1:])


def page(text: str, steps: dict[str, list[str]]) -> str:
    """The page with new tables."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{table(steps)}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    with stores.scope():
        found = trace()
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
        print({step: len(paths) for step, paths in found.items()}, sum(map(len, found.values())))
    stores.stop_server()
