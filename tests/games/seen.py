"""The appearance of a picture, computed from its SVG: bounding boxes, overlaps, and the contrast of texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from xml.etree import ElementTree as ET

from domain.drawing.lettering import width

SVG = "{http://www.w3.org/2000/svg}"
SLACK = 0.6
"""Tolerance in SVG units for overlaps."""
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
Look = dict[str, str]


@dataclass
class Seen:
    """A shape or a line of text of the picture."""

    tag: str
    box: Box
    look: Look
    """Own and inherited attributes."""
    dark: Look
    """Colors in dark mode."""
    words: str = ""
    corners: list[tuple[float, float]] = field(default_factory=list)
    badge: int | None = None
    """The badge that it belongs to."""

    def covers(self, x: float, y: float) -> bool:
        """Whether its filled area contains the point."""
        if self.look.get("fill", "#000000") in ("none", "transparent") or self.look.get("fill", "").startswith("url"):
            return False
        left, top, right, bottom = self.box
        if not (left <= x <= right and top <= y <= bottom):
            return False
        if self.tag == "circle":
            return (x - (left + right) / 2) ** 2 + (y - (top + bottom) / 2) ** 2 <= ((right - left) / 2) ** 2
        return self.tag == "rect" or (self.tag == "polygon" and _inside(self.corners, x, y))


@dataclass
class Sight:
    """All visible elements of a document."""

    width: float
    height: float
    things: list[Seen]
    refs: set[tuple[str, str]]
    """References for clients: pairs of key and kind."""

    @property
    def texts(self) -> list[Seen]:
        return [thing for thing in self.things if thing.tag == "text" and thing.words]


def sight(document: str) -> Sight:
    root = ET.fromstring(document)
    _, _, wide, tall = map(float, root.get("viewBox").split())
    style = root.find(f"{SVG}style")
    rules = re.findall(r"\.(c\d+)\{(fill|stroke):(#\w+)\}", "" if style is None else style.text)
    classes = {name: (what, colour) for name, what, colour in rules}
    things = list(_walk(root, {}, {}, classes, [0], None))
    refs = {(e.get("data-ref"), e.get("data-kind")) for e in root.iter() if e.get("data-ref") is not None}
    refs |= {(e.get("data-seat"), "seat") for e in root.iter() if e.get("data-seat") is not None}
    return Sight(wide, tall, things, refs)


def faults(document: str) -> list[str]:
    """All visual faults of a picture."""
    seen = sight(document)
    return [*_outside(seen), *_badges(seen), *_collisions(seen), *_small(seen), *_faint(seen)]


def _outside(seen: Sight) -> Iterator[str]:
    for thing in seen.things:
        left, top, right, bottom = thing.box
        if left < -SLACK or top < -SLACK or right > seen.width + SLACK or bottom > seen.height + SLACK:
            yield f"outside: {thing.tag} {thing.words!r} {thing.box} of {seen.width} x {seen.height}"


def _badges(seen: Sight) -> Iterator[str]:
    plates = [thing for thing in seen.things if thing.badge is not None and thing.tag == "rect"]
    for one, other in combinations(plates, 2):
        if one.badge != other.badge and _overlap(one.box, other.box):
            yield f"badges on each other: {one.box} {other.box}"
    for thing in seen.texts:
        plate = next((each for each in plates if each.badge == thing.badge), None)
        if plate is not None and not _within(thing.box, plate.box):
            yield f"out of its badge: {thing.words!r} {thing.box} {plate.box}"


def _collisions(seen: Sight) -> Iterator[str]:
    for one, other in combinations(seen.texts, 2):
        if _overlap(one.box, other.box):
            yield f"words on each other: {one.words!r} {other.words!r} {one.box} {other.box}"


def _small(seen: Sight) -> Iterator[str]:
    for thing in seen.texts:
        size = float(thing.look["font-size"])
        if size < (9 if thing.badge is not None else 14):
            yield f"too small: {thing.words!r} {size}"


def _faint(seen: Sight) -> Iterator[str]:
    """WCAG 2.2 AA: a contrast of 4.5 to 1, for text of every size."""
    for place, thing in enumerate(seen.things):
        if thing.tag != "text" or not thing.words:
            continue
        left, top, right, bottom = thing.box
        for x in (left + 1, (left + right) / 2, right - 1):
            ground = next((g for g in reversed(seen.things[:place]) if g.covers(x, (top + bottom) / 2)), None)
            if ground is None:
                yield f"on nothing: {thing.words!r}"
                continue
            for scheme, words, under in (("light", thing.look, ground.look), ("dark", thing.dark, ground.dark)):
                ratio = contrast(words.get("fill", "#000000"), under.get("fill", "#000000"))
                if ratio < 4.5:
                    yield f"faint ({scheme}, {ratio:.2f}): {thing.words!r}, {words.get('fill')} on {under.get('fill')}"


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colors as defined by WCAG."""
    lights = sorted((_light(one), _light(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _light(colour: str) -> float:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    lin = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    return 0.2126 * lin[0] + 0.7152 * lin[1] + 0.0722 * lin[2]


def _walk(element, look: Look, dark: Look, classes, count: list[int], badge: int | None) -> Iterator[Seen]:
    if element.tag in (f"{SVG}defs", f"{SVG}style", f"{SVG}title", f"{SVG}desc"):
        return
    names = element.get("class", "").split()
    own = {key: value for key, value in element.attrib.items() if key in _INHERITED}
    look = {**look, **own}
    dark = {**dark, **own} | {classes[name][0]: classes[name][1] for name in names if name in classes}
    if "badge" in names:
        count[0] += 1
        badge = count[0]
    tag = element.tag.removeprefix(SVG)
    if tag in _BOXES:
        box, corners = _BOXES[tag](element, look)
        full = {**look, **{k: v for k, v in element.attrib.items() if k == "font-size"}}
        words = (element.text or "").strip() if tag == "text" else ""
        yield Seen(tag, box, full, dark, words, corners, badge)
    for child in element:
        yield from _walk(child, look, dark, classes, count, badge)


_INHERITED = ("fill", "stroke", "stroke-width", "font-weight", "text-anchor", "font-size")


def _text(element, look):
    size, words = float(look["font-size"]), element.text or ""
    wide = width(words, size, bold=look.get("font-weight") == "bold")
    if element.get("textLength"):
        wide = float(element.get("textLength"))
    x, y = float(element.get("x")), float(element.get("y"))
    left = {"start": x, "middle": x - wide / 2, "end": x - wide}[look["text-anchor"]]
    return (left, y - 0.74 * size, left + wide, y + 0.2 * size), []


def _rect(element, look):
    x, y, wide, tall = (float(element.get(name, 0)) for name in ("x", "y", "width", "height"))
    half = _half_stroke(look)
    return (x - half, y - half, x + wide + half, y + tall + half), []


def _circle(element, look):
    x, y, r = (float(element.get(name)) for name in ("cx", "cy", "r"))
    r += _half_stroke(look)
    return (x - r, y - r, x + r, y + r), []


def _line(element, look):
    x1, y1, x2, y2 = (float(element.get(name)) for name in ("x1", "y1", "x2", "y2"))
    return (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)), []


def _many(element, look):
    text = element.get("points") or element.get("d")
    if re.search("[a-z]", text):
        raise AssertionError(f"where does {text} lie?")
    numbers = [float(number) for number in re.findall(r"-?[0-9.]+", text)]
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    xs, ys = zip(*points, strict=True)
    return (min(xs), min(ys), max(xs), max(ys)), points


_BOXES = {"text": _text, "rect": _rect, "circle": _circle, "line": _line} | dict.fromkeys(
    ("polygon", "polyline", "path"), _many
)


def _half_stroke(look) -> float:
    return 0.0 if look.get("stroke", "none") == "none" else float(look.get("stroke-width", 1)) / 2


def _overlap(one: Box, other: Box) -> bool:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across > SLACK and down > SLACK


def _within(inner: Box, outer: Box) -> bool:
    left, top, right, bottom = outer
    slack = 1.2
    return (
        left - slack <= inner[0]
        and inner[2] <= right + slack
        and top - slack <= inner[1]
        and inner[3] <= bottom + slack
    )


def _inside(corners: list[tuple[float, float]], x: float, y: float) -> bool:
    found = False
    for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            found = not found
    return found
