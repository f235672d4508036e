"""The packages of the product: folders, their descriptions, and every import."""

from __future__ import annotations

import ast
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("domain", "service", "workers", "tools")


def sentence(file: Path) -> str:
    """The first paragraph of a file's docstring, on one line."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def folders() -> list[Path]:
    """Every folder that is a package, in tree order."""
    found = [each.parent for top in PACKAGES for each in (ROOT / top).rglob("__init__.py")]
    return sorted(found, key=lambda folder: folder.relative_to(ROOT).parts)


def graph() -> grimp.ImportGraph:
    """Every import of the product, anywhere in a file."""
    return grimp.build_graph(*PACKAGES, cache_dir=None)
