"""Elements of an SVG document in light and dark colors; all texts are escaped."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Self
from xml.etree import ElementTree as ET

from domain.drawing import lettering

Number = float | int
FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Verdana, sans-serif"
WIDTH = 800
"""Width of every picture, in its own units. The picture scales to the available width."""
SMALLEST = 14
"""Minimum font size of text lines; signs can be smaller if many share a space."""
SCHEMES = ("auto", "light", "dark")
"""Color schemes: by the preference of the reader's device, or always light or dark."""

_DARK = "@media (prefers-color-scheme:dark){"
_STYLE = re.compile(r"<style>" + re.escape(_DARK) + r"(.*?)}</style>", re.DOTALL)
_RULE = re.compile(r"\.(c[0-9]+)\{(fill|stroke):([^}]*)\}")
_CLASSED = re.compile(r'<[^<>]* class="([^"<>]*)"[^<>]*>')
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""


class Tone(str):
    """A color for light mode, as text, and the color that replaces it in dark mode."""

    __slots__ = ("dark",)
    dark: str

    def __new__(cls, light: str, dark: str) -> Self:
        """Both colors as ``#rrggbb``."""
        self = super().__new__(cls, light)
        self.dark = dark
        return self


class Picture:
    """A document 800 units wide, with a title and a description for screen readers."""

    def __init__(self, title: str, description: str, ground: Tone) -> None:
        self.root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": "",
                "width": "100%",
                "role": "img",
                "aria-labelledby": "title description",
                "font-family": FONT,
                "style": "height:auto",
            },
        )
        ET.SubElement(self.root, "title", {"id": "title"}).text = _written_text(title)
        ET.SubElement(self.root, "desc", {"id": "description"}).text = _written_text(description)
        self._definitions = ET.SubElement(self.root, "defs")
        self._ground = _add(self.root, "rect", {"width": WIDTH, "height": 0, "fill": ground})

    def group(self, **attributes: object) -> SvgGroup:
        """Add a group of elements with common attributes; see `SvgGroup.group`."""
        return SvgGroup(_add(self.root, "g", _referring(attributes)))

    def add(self, group: SvgGroup) -> None:
        """Add a group on top that was drawn before the picture was created (`SvgGroup.apart`)."""
        self.root.append(group.element)

    def pattern(self, name: str, size: Number) -> SvgGroup:
        """A pattern, repeated in squares of this size, that ``fill="url(#name)"`` uses."""
        attributes: dict[str, object] = {"id": name, "width": size, "height": size, "patternUnits": "userSpaceOnUse"}
        return SvgGroup(_add(self._definitions, "pattern", attributes))

    def document(self, height: float) -> str:
        """The complete document with this height."""
        tall = math.ceil(height)
        self.root.set("viewBox", f"0 0 {WIDTH} {tall}")
        self._ground.set("height", str(tall))
        rules = _classes(self.root)
        if rules:
            style = ET.Element("style")
            style.text = _DARK + "".join(rules) + "}"
            self.root.insert(2, style)
        return ET.tostring(self.root, encoding="unicode")


def in_scheme(document: str, scheme: str) -> str:
    """A picture in one of `SCHEMES`. ``light`` and ``dark`` have no style element, which some pages do not allow."""
    match scheme:
        case "light":
            return _STYLE.sub("", document, count=1)
        case "dark":
            return _darkened(document)
        case _:
            return document


def _darkened(document: str) -> str:
    style = _STYLE.search(document)
    if style is None:
        return document
    rules = {name: (what, dark) for name, what, dark in _RULE.findall(style[1])}

    def painted(found: re.Match[str]) -> str:
        tag = found[0]
        for name in found[1].split():
            if name in rules:
                what, dark = rules[name]
                tag = re.sub(f' {what}="[^"]*"', f' {what}="{dark}"', tag, count=1)
        return tag

    return _CLASSED.sub(painted, document[: style.start()] + document[style.end() :])


def _classes(root: ET.Element) -> list[str]:
    """Add a class to every color that differs in dark mode. Returns the CSS rules of the classes."""
    names: dict[tuple[str, str, str], str] = {}
    for element in root.iter():
        for what in ("fill", "stroke"):
            colour = element.get(what)
            if isinstance(colour, Tone) and colour.dark != colour:
                name = names.setdefault((what, colour, colour.dark), f"c{len(names)}")
                element.set("class", f"{element.get('class', '')} {name}".strip())
    return [f".{name}{{{what}:{dark}}}" for (what, _, dark), name in names.items()]


class SvgGroup:
    """Elements in drawing order. In attribute names, underscores become hyphens."""

    def __init__(self, element: ET.Element) -> None:
        self.element = element

    @classmethod
    def apart(cls) -> SvgGroup:
        """A group that is not in a picture yet; see `Picture.add`."""
        return cls(ET.Element("g"))

    def group(self, **attributes: object) -> SvgGroup:
        """A group inside this one. ``ref`` and ``kind`` name what it shows (``data-ref`` and ``data-kind``)."""
        return SvgGroup(_add(self.element, "g", _referring(attributes)))

    def rectangle(self, x: Number, y: Number, width: Number, height: Number, **attributes: object) -> None:
        """A rectangle by its upper left corner. ``tip`` is its tooltip, for this and every other shape."""
        self._shape("rect", {"x": x, "y": y, "width": width, "height": height, **attributes})

    def circle(self, x: Number, y: Number, radius: Number, **attributes: object) -> None:
        self._shape("circle", {"cx": x, "cy": y, "r": radius, **attributes})

    def line(self, x1: Number, y1: Number, x2: Number, y2: Number, **attributes: object) -> None:
        self._shape("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2, **attributes})

    def polygon(self, points: Iterable[tuple[Number, Number]], **attributes: object) -> None:
        self._shape("polygon", {"points": _points(points), **attributes})

    def polyline(self, points: Iterable[tuple[Number, Number]], **attributes: object) -> None:
        self._shape("polyline", {"points": _points(points), "fill": "none", **attributes})

    def path(self, course: str, **attributes: object) -> None:
        """A path in SVG path syntax."""
        self._shape("path", {"d": course, **attributes})

    def text(self, x: Number, y: Number, words: str, size: Number = 16, **attributes: object) -> float:
        """A line of text; ``anchor`` is start, middle or end. Returns its width.

        Text wider than ``fit`` gets a smaller font, down to `SMALLEST`, and is then condensed to fit.
        """
        anchor, fit = attributes.pop("anchor", "start"), attributes.pop("fit", None)
        bold = attributes.get("font_weight") == "bold"
        room = lettering.width(words, size, bold=bold)
        if isinstance(fit, float | int) and room > fit:
            size = max(min(size, SMALLEST), math.floor(size * fit / room))
            room = min(fit, lettering.width(words, size, bold=bold))
            if lettering.width(words, size, bold=bold) > fit:
                attributes |= {"textLength": float(fit), "lengthAdjust": "spacingAndGlyphs"}
        element = _add(self.element, "text", {"x": x, "y": y, "font_size": size, "text_anchor": anchor, **attributes})
        element.text = _written_text(words)
        return room

    def lines(self, x: Number, y: Number, words: str, size: Number, room: Number, **attributes: object) -> float:
        """Text in as many lines as it needs. Returns their height."""
        bold = attributes.get("font_weight") == "bold"
        lines = lettering.wrapped(words, size, room, bold=bold)
        for place, line in enumerate(lines):
            self.text(x, y + place * size * LEADING, line, size, fit=room, **attributes)
        return len(lines) * size * LEADING

    def _shape(self, name: str, attributes: dict[str, object]) -> None:
        tip = attributes.pop("tip", None)
        element = _add(self.element, name, _referring(attributes))
        if tip is not None:
            ET.SubElement(element, "title").text = _written_text(str(tip))


LEADING = 1.35
"""Line height, relative to the font size."""


def _referring(attributes: dict[str, object]) -> dict[str, object]:
    """``ref`` is the key by which an Option names the thing shown, ``kind`` is the kind of thing."""
    named = {f"data_{name}": attributes.pop(name) for name in ("ref", "kind") if name in attributes}
    return {**named, **attributes}


def star(x: Number, y: Number, outer: Number, inner: Number, tips: int = 5) -> list[tuple[float, float]]:
    """The corners of a star that rests on two of its tips."""
    radii = (outer, inner)
    turns = [(-math.pi / 2 + math.pi * corner / tips, radii[corner % 2]) for corner in range(2 * tips)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn, radius in turns]


def counted(number: int, what: str) -> str:
    """A number with its noun: ``1 point``, ``2 points``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _points(points: Iterable[tuple[Number, Number]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _add(parent: ET.Element, name: str, attributes: dict[str, object]) -> ET.Element:
    return ET.SubElement(parent, name, _written(attributes))


def _written(attributes: dict[str, object]) -> dict[str, str]:
    return {
        key if key in _CAMEL else key.replace("_", "-"): _number(value)
        for key, value in attributes.items()
        if value is not None
    }


_CAMEL = frozenset(("textLength", "lengthAdjust", "patternUnits"))


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return value if isinstance(value, Tone) else _written_text(str(value))


def _written_text(words: str) -> str:
    """The text without characters that XML does not allow."""
    return _UNWRITABLE.sub("\ufffd", words)
