"""Renders SVG pictures as PNG for email and chat programs that cannot show SVG."""

from __future__ import annotations

import re
from pathlib import Path

FAMILY = "DejaVu Sans"
"""The font of all pictures, on every machine."""
FONTS = tuple(str(Path(__file__).with_name("fonts") / name) for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"))
_ELSEWHERE = re.compile(
    "[\u0700-\u0e7f\u0f00-\u109f\u1100-\u13ff\u1700-\u1cff\u2e80-\ua69f\uaa00-\ud7ff\uf900-\ufaff\U0001f000-\U0003ffff]"
)
"""Scripts and symbols that the font lacks, such as Chinese. System fonts are used for them."""


def render_png(svg: str, width: int) -> bytes:
    """An SVG document as PNG, ``width`` pixels wide."""
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
