"""Elements of an SVG document; whatever is put into them is escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.etree import ElementTree as ET

Number = float | int
FONT = "'Gill Sans', 'Noto Sans', 'DejaVu Sans', Verdana, sans-serif"


class Picture:
    """A document of a size, with a title and a description for those who hear it."""

    def __init__(self, width: int, height: int, title: str, description: str) -> None:
        self.root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {width} {height}",
                "width": str(width),
                "height": str(height),
                "role": "img",
                "aria-labelledby": "title description",
                "font-family": FONT,
            },
        )
        ET.SubElement(self.root, "title", {"id": "title"}).text = title
        ET.SubElement(self.root, "desc", {"id": "description"}).text = description
        self.rectangle(0, 0, width, height, fill="#f6f0e2")

    def group(self, **attributes: object) -> Group:
        """A group of elements with attributes in common."""
        return Group(_add(self.root, "g", attributes))

    def add(self, group: Group) -> None:
        """Put a group on top that was drawn before the picture's size was known (`Group.apart`)."""
        self.root.append(group.element)

    def rectangle(self, x: Number, y: Number, width: Number, height: Number, **attributes: object) -> None:
        """See `Group.rectangle`."""
        Group(self.root).rectangle(x, y, width, height, **attributes)

    def document(self) -> str:
        """The whole as text."""
        return ET.tostring(self.root, encoding="unicode")


class Group:
    """Elements in the order in which they lie on each other; attribute names with underscores for dashes."""

    def __init__(self, element: ET.Element) -> None:
        self.element = element

    @classmethod
    def apart(cls, **attributes: object) -> Group:
        """A group that is in no picture yet; see `Picture.add`."""
        return cls(ET.Element("g", _written(attributes)))

    def rectangle(self, x: Number, y: Number, width: Number, height: Number, **attributes: object) -> None:
        """A rectangle by its upper left corner; ``tip`` is shown where one points at the shape; so for every other shape."""
        self._shape("rect", {"x": x, "y": y, "width": width, "height": height, **attributes})

    def circle(self, x: Number, y: Number, radius: Number, **attributes: object) -> None:
        """A circle by its centre."""
        self._shape("circle", {"cx": x, "cy": y, "r": radius, **attributes})

    def line(self, x1: Number, y1: Number, x2: Number, y2: Number, **attributes: object) -> None:
        """A straight line."""
        self._shape("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2, **attributes})

    def polygon(self, points: Iterable[tuple[Number, Number]], **attributes: object) -> None:
        """A closed shape."""
        self._shape("polygon", {"points": _points(points), **attributes})

    def polyline(self, points: Iterable[tuple[Number, Number]], **attributes: object) -> None:
        """An open line of many points."""
        self._shape("polyline", {"points": _points(points), "fill": "none", **attributes})

    def path(self, course: str, **attributes: object) -> None:
        """A path in SVG's own words."""
        self._shape("path", {"d": course, **attributes})

    def text(self, x: Number, y: Number, words: str, size: Number = 12, **attributes: object) -> None:
        """A line of text; ``anchor`` is start, middle or end."""
        anchor = attributes.pop("anchor", "start")
        element = _add(self.element, "text", {"x": x, "y": y, "font_size": size, "text_anchor": anchor, **attributes})
        element.text = words

    def _shape(self, name: str, attributes: dict[str, object]) -> None:
        tip = attributes.pop("tip", None)
        element = _add(self.element, name, attributes)
        if tip is not None:
            ET.SubElement(element, "title").text = str(tip)


def star(x: Number, y: Number, outer: Number, inner: Number, tips: int = 5) -> list[tuple[float, float]]:
    """The corners of a star that stands on two of its tips."""
    radii = (outer, inner)
    turns = [(-math.pi / 2 + math.pi * corner / tips, radii[corner % 2]) for corner in range(2 * tips)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn, radius in turns]


def shortened(words: str, most: int) -> str:
    """The words, cut where they would not fit."""
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def counted(number: int, what: str) -> str:
    """``1 point``, ``2 points``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _points(points: Iterable[tuple[Number, Number]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _add(parent: ET.Element, name: str, attributes: dict[str, object]) -> ET.Element:
    return ET.SubElement(parent, name, _written(attributes))


def _written(attributes: dict[str, object]) -> dict[str, str]:
    return {key.replace("_", "-"): _number(value) for key, value in attributes.items() if value is not None}


def _number(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
