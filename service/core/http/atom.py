"""Atom feeds (RFC 4287), written with the standard library. Content is only escaped here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

NAMESPACE = "http://www.w3.org/2005/Atom"
MEDIA_TYPE = "application/atom+xml"

MAX_TITLE_LENGTH = 100
"""Characters of a title that is derived from an entry's text."""

_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot contain, even escaped."""


@dataclass(frozen=True, slots=True)
class AtomEntry:
    """One entry. Instants are milliseconds of Unix time."""

    id: str
    """A permanent, unique URI. It is the same each time the entry is served."""
    title: str
    text: str
    published: int
    updated: int
    link: str = ""
    """A page for people; empty if missing."""


@dataclass(frozen=True, slots=True)
class AtomFeed:
    """A page of a feed, newest entry first."""

    id: str
    title: str
    updated: int
    entries: Sequence[AtomEntry]
    link: str = ""
    older: str = ""
    """Relative address of the next older page (RFC 5005); empty if missing."""


def render_atom(feed: AtomFeed) -> bytes:
    """The document as UTF-8. It does not contain the feed's own address, so sharing an entry does not reveal that address."""
    root = ET.Element("feed", {"xmlns": NAMESPACE})
    _add(root, "id", feed.id)
    _add(root, "title", feed.title)
    _add(root, "updated", _format_instant(feed.updated))
    _add(ET.SubElement(root, "author"), "name", "Oracle Wheel")
    _add(root, "generator", "Oracle Wheel")
    _add_link(root, "alternate", feed.link)
    _add_link(root, "next", feed.older)
    for entry in feed.entries:
        _add_entry(root, entry)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def derive_title(text: str) -> str:
    """A title derived from the text: its first sentence, cut to `MAX_TITLE_LENGTH` characters."""
    first = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
    if len(first) <= MAX_TITLE_LENGTH:
        return first
    return first[: MAX_TITLE_LENGTH - 1].rsplit(" ", 1)[0] + "…"


def _add_entry(root: ET.Element, entry: AtomEntry) -> None:
    element = ET.SubElement(root, "entry")
    _add(element, "id", entry.id)
    _add(element, "title", entry.title or derive_title(entry.text) or "…")
    _add(element, "published", _format_instant(entry.published))
    _add(element, "updated", _format_instant(entry.updated))
    _add_link(element, "alternate", entry.link)
    _add(element, "content", entry.text, type="text")


def _add(parent: ET.Element, name: str, text: str, **attributes: str) -> None:
    ET.SubElement(parent, name, attributes).text = _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def _add_link(parent: ET.Element, rel: str, href: str) -> None:
    if href:
        ET.SubElement(parent, "link", {"rel": rel, "href": href})


def _format_instant(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
