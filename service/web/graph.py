"""Finds all modules and styles that a page needs, so that the browser can preload them at once.

Modules import each other, and a browser finds an import only after it has loaded the importing module. Without
preloading, it waits for one round trip for each level of imports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

IMPORTED = re.compile(r'^(?:import|export)\b(?:[^;"(]*\bfrom)?\s*"(\.[^"]+\.js)";', re.MULTILINE)
"""An import or export that runs before the module itself. Dynamic `import()` calls are not matched."""
STYLED = re.compile(r'^export const STYLE = "(/[^"]+\.css)";', re.MULTILINE)
"""The page's own style, which the router loads before it shows the page."""


def closure(static: Path, entries: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The URLs of these modules and all their imports, and of the entries' own styles, without duplicates."""
    found: dict[Path, None] = {}
    for entry in entries:
        _follow((static / entry).resolve(), found)
    modules = ["/" + module.relative_to(static).as_posix() for module in found]
    return modules, [style for entry in entries for style in _named(static / entry)[1]]


def _follow(module: Path, found: dict[Path, None]) -> None:
    if module in found:
        return
    found[module] = None
    for name in _named(module)[0]:
        _follow((module.parent / name).resolve(), found)


def _named(module: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return _read(module, module.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _read(module: Path, _changed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The imports of a module and its style, cached until the file changes."""
    text = module.read_text(encoding="utf-8")
    return tuple(IMPORTED.findall(text)), tuple(STYLED.findall(text))


def links(static: Path, entries: tuple[str, ...]) -> Iterator[str]:
    """The lines for a page's head that preload these modules and styles."""
    modules, styles = closure(static, entries)
    for style in styles:
        yield f'<link rel="preload" as="style" href="{style}">'
    for module in modules:
        yield f'<link rel="modulepreload" href="{module}">'
