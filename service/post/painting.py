"""Pictures painted as PNGs, for who shows no SVG: mail and chats."""

from __future__ import annotations

import re
from pathlib import Path

FAMILY = "DejaVu Sans"
"""The font of all pictures, wherever the service runs."""
FONTS = tuple(str(Path(__file__).with_name("fonts") / name) for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"))
_ELSEWHERE = re.compile(
    "[\u0700-\u0e7f\u0f00-\u109f\u1100-\u13ff\u1700-\u1cff\u2e80-\ua69f\uaa00-\ud7ff\uf900-\ufaff\U0001f000-\U0003ffff]"
)
"""Scripts and pictures that it has no signs for, such as Chinese: they are looked for among the system's founts."""


def painted(svg: str, width: int) -> bytes:
    """An SVG document as a PNG, so many pixels wide."""
    from resvg_py import svg_to_bytes

    png: bytes = svg_to_bytes(
        svg_string=svg,
        width=width,
        skip_system_fonts=_ELSEWHERE.search(svg) is None,
        font_files=list(FONTS),
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )
    return png
