"""A law that does not hold, and the checks of single things: a line of history, a view, a picture."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from domain.game import AnyGame
from service.projections.history.narration import Narrator

SVG = "{http://www.w3.org/2000/svg}"


class Broken(AssertionError):
    """A law does not hold."""

    def __init__(self, law: str, what: object) -> None:
        super().__init__(f"{law}: {what}")
        self.law = law


def hold(law: str, holds: bool, what: object = "") -> None:
    if not holds:
        raise Broken(law, what)


def narrated(game: AnyGame, narrator: Narrator, line: Any) -> None:
    """The line has a sentence, and nothing of its template is left in it."""
    hold("narrated", line["type"] in game.sentences, f"{line['type']} has no sentence")
    text = narrator.tell(line)
    hold("narrated", bool(text) and not set("{}_[]") & set(text) and text == text.strip(), text)


def is_json(value: Any) -> bool:
    """Whether it is the JSON that it becomes: texts for keys, no tuples that somebody counts on, no floats."""
    match value:
        case dict():
            return all(isinstance(key, str) and is_json(each) for key, each in value.items())
        case list() | tuple():
            return all(map(is_json, value))
        case _:
            return value is None or type(value) in (bool, int, str) or isinstance(value, str)


def picture(document: str) -> None:
    """It is SVG, 800 pixels wide, with a title and a description."""
    try:
        root = ET.fromstring(document)
    except ET.ParseError as error:
        raise Broken("drawn", error) from error
    hold("drawn", root.tag == f"{SVG}svg" and root.get("width") == "800", root.attrib)
    hold("drawn", int(root.get("height")) > 0, root.attrib)
    for part in ("title", "desc"):
        hold("drawn", bool(root.find(f"{SVG}{part}").text), f"no {part}")
