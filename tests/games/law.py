"""The error for a broken law, and checks of single values: a history line, a view, a picture."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

from domain.kernel.game import AnyGame
from service.core.history.narration import Narrator
from tests.games.seen import faults

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
    """Check that the line has a sentence without leftovers of its template."""
    hold("narrated", line["type"] in game.presentation.sentences, f"{line['type']} has no sentence")
    text, fallback = narrator.narrate(line), line["type"].replace("_", " ")
    hold(
        "narrated",
        text != f"{fallback[:1].upper()}{fallback[1:]}.",
        f"every sentence of {line['type']} names other fields",
    )
    lawful_text(text)


def lawful_text(text: str, *, may_be_empty: bool = False) -> None:
    """Check that a narrated text contains neither keys nor leftovers of a template."""
    hold("narrated", bool(text) or may_be_empty, "nothing is told")
    hold("narrated", not set("{}_[]") & set(text) and text == text.strip(), text)


def is_json(value: Any) -> bool:
    """Whether the value can be written as JSON: keys are strings, and there are no floats."""
    match value:
        case dict():
            return all(isinstance(key, str) and is_json(each) for key, each in value.items())
        case list() | tuple():
            return all(map(is_json, value))
        case _:
            return value is None or type(value) in (bool, int, str) or isinstance(value, str)


def picture(document: str) -> None:
    """Check that this is an SVG of full width with a title and a description, in which nothing is hidden, cut off, or faint."""
    try:
        root = ET.fromstring(document)
    except ET.ParseError as error:
        raise Broken("drawn", error) from error
    hold("drawn", root.tag == f"{SVG}svg" and root.get("width") == "100%", root.attrib)
    hold("drawn", re.fullmatch(r"0 0 800 [1-9]\d*", root.get("viewBox")) is not None, root.attrib)
    for part in ("title", "desc"):
        hold("drawn", bool(root.find(f"{SVG}{part}").text), f"no {part}")
    found = faults(document)
    hold("drawn", not found, found[:5])
