"""The drawing of the architecture page: the packages of the product in layers. Each imports only from the layers below it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from xml.sax.saxutils import escape

from tests.rooms import ROOT

WIDTH, HEIGHT, GAP, SIDE = 880, 30, 8, 10
DOMAIN = (("domain.games", "domain.table"), ("domain.drawing",), ("domain.kernel",))
"""The layers of the domain, which other contracts of the linter check in more detail."""
PARTS = {
    "domain": ("rules", "#fff8c5"),
    "service.core": ("core", "#ddf4ff"),
    "service.store": ("core", "#ddf4ff"),
    "service.features": ("features", "#dafbe1"),
    "service.ops": ("operation", "#f6f8fa"),
    "": ("other", "#ffffff"),
}
"""By the beginning of a package's name: the part of the product that it belongs to, with the color of that."""


def layers() -> Sequence[Sequence[str]]:
    """The packages of each layer, the highest first, as the linter checks them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return [*(tuple(name.strip() for name in row.split("|")) for row in rows if row != "domain"), *DOMAIN]


def _count(package: str) -> int:
    """Its files."""
    path = ROOT / package.replace(".", "/")
    return len([*path.rglob("*.py")]) or 1


def _part(package: str) -> tuple[str, str]:
    return PARTS[next(name for name in PARTS if package.startswith(name))]


def _box(x: float, y: float, width: float, text: str, color: str) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{HEIGHT}" rx="4" fill="{color}" stroke="#8c959f"/>'
        f'<text x="{x + width / 2:g}" y="{y + HEIGHT / 2 + 4:g}" text-anchor="middle">{escape(text)}</text>'
    )


def drawing() -> str:
    """The drawing as SVG."""
    rows, shapes = layers(), []
    for place, row in enumerate(rows):
        width = (WIDTH - 2 * SIDE - GAP * (len(row) - 1)) / len(row)
        for number, package in enumerate(row):
            x, y = SIDE + number * (width + GAP), SIDE + place * (HEIGHT + GAP)
            shapes.append(_box(x, y, width, f"{package} ({_count(package)})", _part(package)[1]))
    below = SIDE + len(rows) * (HEIGHT + GAP) + GAP
    for number, (part, color) in enumerate(dict(PARTS.values()).items()):
        shapes.append(_box(SIDE + number * 130, below, 120, part, color))
    height = below + HEIGHT + SIDE
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    font = 'font-family="system-ui, sans-serif" font-size="12" fill="#1f2328"'
    ground = f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    return "\n".join((f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>', ground, *shapes, "</svg>\n"))
