"""What a page loads until it can be used, read out of its modules: so that a browser can be told of all of it at once.

Modules import each other, and a browser learns of each only when it has read the one that imports it. On a line with a delay, that
is as many delays as the graph is deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

IMPORTED = re.compile(r'^(?:import|export)\b(?:[^;"(]*\bfrom)?\s*"(\.[^"]+\.js)";', re.MULTILINE)
"""An import or export that is carried out before the module itself; what `import()` loads comes later, if at all."""
STYLED = re.compile(r'^export const STYLE = "(/[^"]+\.css)";', re.MULTILINE)
"""A page's own style: the router waits for it before it shows the page."""


def closure(static: Path, entries: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The modules that these need, themselves among them, and the styles that these name: by their addresses, each once."""
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
    """What a module imports and the style it names, as it was when it was changed last."""
    text = module.read_text(encoding="utf-8")
    return tuple(IMPORTED.findall(text)), tuple(STYLED.findall(text))


def links(static: Path, entries: tuple[str, ...]) -> Iterator[str]:
    """The lines of a page's head that tell the browser of these modules and styles."""
    modules, styles = closure(static, entries)
    for style in styles:
        yield f'<link rel="preload" as="style" href="{style}">'
    for module in modules:
        yield f'<link rel="modulepreload" href="{module}">'
