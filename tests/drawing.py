"""The drawing of the architecture page: the parts of the product, their packages, and their imports as arrows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

import grimp

from tests.rooms import ROOT, entries, graph

SMALL = 6.1
"""The width of a letter of a package's name, in pixels."""
LABELS = {"domain": "domain (files by themselves)", "service": "service (files by themselves)"}
FOUNDATION = ("logging", "metrics", "private_files", "processes", "settings", "staging")
"""The packages of `service.ops` below the store; the others are above it."""
GAP, PAD, CHIP, TITLE, WIDTH = 34, 9, 20, 24, 1120
TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 8 4 0 8z" fill="#57606a"/></marker></defs>'
)


@dataclass
class Box:
    """A part of the product, with its packages; importing packages come first."""

    name: str
    rows: Sequence[Sequence[tuple[str, int]]]
    """Packages (or files) of the same level, each with its number of files."""
    x: float = 0
    y: float = 0
    floor: float = 0
    """The lower end of its row, which may be below the box."""

    @property
    def width(self) -> float:
        rows = (sum(_chip(*room) + PAD for room in row) for row in self.rows)
        return max([len(self.name) * 7.6 + PAD, *rows]) + PAD

    @property
    def height(self) -> float:
        return TITLE + len(self.rows) * (CHIP + 6) + 5


def _chip(name: str, files: int) -> float:
    return len(f"{name} {files}" if files else name) * SMALL + 12


def parts() -> Mapping[str, list[str]]:
    """The boxes of the drawing, each with its modules (packages or single files)."""
    found: dict[str, list[str]] = {"domain": []}
    for name in sorted(entries(ROOT / "domain")):
        if name == "games":
            found |= {
                f"domain.games.{game}": [f"domain.games.{game}"] for game in sorted(entries(ROOT / "domain" / name))
            }
        elif (ROOT / "domain" / name).is_dir():
            found[f"domain.{name}"] = [f"domain.{name}"]
        elif name != "registry.py":
            found["domain"].append(f"domain.{name.removesuffix('.py')}")
    found["domain.registry"] = ["domain.registry"]
    found["service.ops (used by all)"] = []
    found["service"] = []
    for name in sorted(entries(ROOT / "service")):
        if name.endswith(".py"):
            found["service"].append(f"service.{name.removesuffix('.py')}")
        elif name != "ops":
            found[f"service.{name}"] = [f"service.{name}"]
    for name in modules(ROOT / "service" / "ops"):
        if name in FOUNDATION:
            found["service.ops (used by all)"].append(f"service.ops.{name}")
        else:
            found[f"service.ops.{name}"] = [f"service.ops.{name}"]
    found["workers"] = ["workers"]
    return found


def modules(package: Path) -> list[str]:
    """The modules and packages in a package, by name."""
    return sorted(name.removesuffix(".py") for name in entries(package))


def _arrows(imports: grimp.ImportGraph, inside: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    """The imports between these boxes, by their modules."""
    home = {}
    for name, modules in inside.items():
        for module in modules:
            home[module] = name
            home |= dict.fromkeys(imports.find_descendants(module), name)
    arrows: dict[str, set[str]] = defaultdict(set)
    for module, name in home.items():
        targets = {home[each] for each in imports.find_modules_directly_imported_by(module) if each in home}
        arrows[name] |= targets - {name}
    return {name: arrows[name] for name in inside}


def _heights(arrows: Mapping[str, set[str]]) -> dict[str, int]:
    """The level of each, counted from the top, below all its importers. Raises `graphlib.CycleError` for a cycle."""
    heights = dict.fromkeys(arrows, 0)
    for name in reversed([*TopologicalSorter(arrows).static_order()]):
        for other in arrows[name]:
            heights[other] = max(heights[other], heights[name] + 1)
    return heights


def _reduced(arrows: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """The arrows that no path over other arrows replaces."""

    def reach(name: str) -> set[str]:
        return arrows[name].union(*(reach(other) for other in arrows[name])) if arrows[name] else set()

    beyond = {name: set().union(*(reach(other) for other in targets)) for name, targets in arrows.items()}
    return [(name, other) for name, targets in arrows.items() for other in sorted(targets - beyond[name])]


def _rooms(imports: grimp.ImportGraph, name: str, modules: Sequence[str]) -> list[list[tuple[str, int]]]:
    """The content of a box, row by row, importers first."""
    children = sorted(imports.find_children(name)) if modules == [name] else list(modules)
    if not children:
        return []
    heights = _heights(_arrows(imports, {each: [each] for each in children}))
    rows: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for child in children:
        files = len([each for each in imports.find_descendants(child) if not imports.find_children(each)])
        rows[heights[child]].append((child.rpartition(".")[2], files))
    wrapped = []
    for _, row in sorted(rows.items()):
        wrapped += [row[at : at + 5] for at in range(0, len(row), 5)]
    return wrapped


@dataclass
class Bend:
    """A point where an arrow passes between the boxes of another row."""

    x: float = 0
    y: float = 0
    width: float = 10
    height: float = 0
    floor: float = 0


def drawing() -> str:
    """An SVG document: the parts of the product as boxes, their packages, and their imports."""
    imports, inside = graph(), parts()
    arrows = _arrows(imports, inside)
    heights = _heights(arrows)
    boxes = {name: Box(LABELS.get(name, name), _rooms(imports, name, modules)) for name, modules in inside.items()}
    levels: list[list[Box | Bend]] = [[] for _ in range(max(heights.values()) + 1)]
    for name, box in boxes.items():
        levels[heights[name]].append(box)
    ways: list[list[Box | Bend]] = []
    for one, other in _reduced(arrows):
        bends = [Bend() for _ in range(heights[one] + 1, heights[other])]
        for level, bend in enumerate(bends, start=heights[one] + 1):
            levels[level].append(bend)
        ways.append([boxes[one], *bends, boxes[other]])
    y = _placed(levels, ways)
    left = min(0, *(box.x - PAD for box in boxes.values()))
    width = max(WIDTH, *(box.x + box.width + PAD for box in boxes.values())) - left
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} 0 {width:.0f} {y:.0f}" font-family="sans-serif" font-size="11">',
        TIP,
        f'<rect x="{left:.0f}" width="{width:.0f}" height="{y:.0f}" fill="#fff"/>',
        *map(_arrow, ways),
    ]
    for box in boxes.values():
        lines += _drawn(box)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _placed(levels: Sequence[list[Box | Bend]], ways: Sequence[Sequence[Box | Bend]]) -> float:
    """Place everything below the middle of its importers if possible; return the height of the picture."""
    above: dict[int, list[Box | Bend]] = defaultdict(list)
    for way in ways:
        for one, other in pairwise(way):
            above[id(other)].append(one)

    def wished(part: Box | Bend) -> float:
        importers = above[id(part)]
        return sum(each.x + each.width / 2 for each in importers) / len(importers) if importers else WIDTH / 2

    y = 20.0
    for level in levels:
        level.sort(key=wished)
        tall = max(part.height for part in level)
        x = (WIDTH - sum(part.width for part in level) - GAP * (len(level) - 1)) / 2
        for part in level:
            part.x, part.y, part.floor = x, y, y + tall
            x += part.width + GAP
        y += tall + GAP
    return y


def _arrow(way: Sequence[Box | Bend]) -> str:
    start = way[0]
    x, y = start.x + start.width / 2, start.y + start.height
    path = [f"M{x:.0f} {y:.0f}V{start.floor:.0f}"]
    y = start.floor
    for part in way[1:]:
        x2, y2 = part.x + part.width / 2, part.y - (0 if isinstance(part, Bend) else 2)
        bend = max(20, (y2 - y) / 2)
        path.append(f"C{x:.0f} {y + bend:.0f} {x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}")
        x, y = x2, y2
        if isinstance(part, Bend):
            y = part.floor
            path.append(f"V{y:.0f}")
    return f'<path d="{"".join(path)}" fill="none" stroke="#57606a" stroke-width="1.2" marker-end="url(#tip)"/>'


def _drawn(box: Box) -> list[str]:
    frame = f'x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}"'
    lines = [
        f'<rect {frame} rx="6" fill="#f6f8fa" stroke="#57606a"/>',
        f'<text x="{box.x + PAD:.0f}" y="{box.y + 16:.0f}" font-size="12.5" font-weight="bold">{escape(box.name)}</text>',
    ]
    y = box.y + TITLE
    for row in box.rows:
        x = box.x + PAD
        for name, files in row:
            wide = _chip(name, files)
            lines.append(
                f'<rect x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{CHIP}" rx="4" '
                f'fill="{"#ddf4ff" if files else "#fff"}" stroke="#8c959f"/>'
                f'<text x="{x + 6:.0f}" y="{y + 14:.0f}">{escape(name)}'
                + (f'<tspan fill="#57606a"> {files}</tspan>' if files else "")
                + "</text>"
            )
            x += wide + PAD
        y += CHIP + 6
    return lines
