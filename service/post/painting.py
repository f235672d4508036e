"""Pictures painted as PNGs, for who shows no SVG: mail and chats."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

FAMILY = "DejaVu Sans"
"""The fount that words are set in wherever the service runs: it comes with matplotlib, in every wheel of it."""
_FILES = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
_ELSEWHERE = re.compile(
    "[\u0700-\u0e7f\u0f00-\u109f\u1100-\u13ff\u1700-\u1cff\u2e80-\ua69f\uaa00-\ud7ff\uf900-\ufaff\U0001f000-\U0003ffff]"
)
"""Scripts and pictures that it has no signs for, such as Chinese: they are looked for among the system's founts."""


@cache
def founts() -> tuple[str, ...]:
    """The files of the fount."""
    spec = find_spec("matplotlib")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf"
    return tuple(str(folder / name) for name in _FILES)


def painted(svg: str, width: int) -> bytes:
    """An SVG document as a PNG, so many pixels wide."""
    from resvg_py import svg_to_bytes

    png: bytes = svg_to_bytes(
        svg_string=svg,
        width=width,
        skip_system_fonts=_ELSEWHERE.search(svg) is None,
        font_files=list(founts()),
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )
    return png
