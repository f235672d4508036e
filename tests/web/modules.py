"""Modules of the browser client and their imports, parsed from the source text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

IMPORTED = re.compile(
    r"""^\s*(?:import|export)\b(?:[^;"(]*\bfrom)?\s*"(?P<still>\.[^"]+)"|\bimport\("(?P<later>\.[^"]+)"\)""",
    re.MULTILINE,
)
COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)


def imported(module: Path) -> Iterator[re.Match[str]]:
    """Each import of the module, without type imports in comments."""
    return IMPORTED.finditer(COMMENT.sub("", module.read_text(encoding="utf-8")))


def needed(module: Path, found: set[Path] | None = None) -> set[Path]:
    """The module and everything that must be loaded before it runs."""
    found = set() if found is None else found
    if module not in found:
        found.add(module)
        for each in imported(module):
            if each["still"]:
                needed((module.parent / each["still"]).resolve(), found)
    return found
