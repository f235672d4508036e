"""The rooms of the product as its files are: folders, their sentences, their entries, every import."""

from __future__ import annotations

import ast
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("domain", "service", "workers", "tools")


def sentence(file: Path) -> str:
    """What a file says it is for: the first paragraph of its docstring, on one line."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def folders() -> list[Path]:
    """Every room: a folder that is a package, in the order of a tree."""
    found = [each.parent for top in PACKAGES for each in (ROOT / top).rglob("__init__.py")]
    return sorted(found, key=lambda folder: folder.relative_to(ROOT).parts)


def entries(folder: Path) -> list[str]:
    """What somebody sees who opens a room; ``__init__.py`` says what the room is, and is not counted."""
    return sorted(
        each.name for each in folder.iterdir() if not each.name.startswith("__") and each.suffix not in {".pyc", ".pyi"}
    )


def graph() -> grimp.ImportGraph:
    """Every import of the product, wherever in a file it stands."""
    return grimp.build_graph(*PACKAGES, cache_dir=None)
