"""A release before the present one: the same rules, but that of Nim one may ask for more objects than the heap holds."""

from __future__ import annotations

from pathlib import Path

import domain
from service.process.frozen.bundle import Bundle, of_tree

RELEASE = "0.0.9"
TREE = Path(domain.__file__).parents[1]

PRESENT = of_tree(TREE)
OTHERS = ("domain/battalia/", "domain/fronela/")
CALLED = b'RELEASE = "' + domain.RELEASE.encode() + b'"'
REPAIRED = b"        if not 1 <= command.objects <= size:\n"
MISTAKEN = b"        command = replace(command, objects=min(command.objects, size))\n" + REPAIRED


def edited(source: bytes, old: bytes, new: bytes) -> bytes:
    assert 1 == source.count(old), old
    return source.replace(old, new)


def older(release: str = RELEASE, *, whole: bool = False) -> Bundle:
    """The rules of that release; but for the ``whole`` of them Nim alone, which is loaded sooner."""
    files = dict(PRESENT.files)
    if not whole:
        files = {path: source for path, source in files.items() if not path.startswith(OTHERS)}
        lines = files["domain/registry.py"].splitlines(keepends=True)
        others = (b"BATTALIA", b"FRONELA")
        files["domain/registry.py"] = b"".join(line for line in lines if not any(name in line for name in others))
    files["domain/__init__.py"] = edited(files["domain/__init__.py"], CALLED, f'RELEASE = "{release}"'.encode())
    files["domain/nim/game.py"] = edited(files["domain/nim/game.py"], REPAIRED, MISTAKEN)
    return Bundle(release, files, TREE)
