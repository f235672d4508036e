"""Validates titles and labels, which are shown next to the names of players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service.core.accounts.names import clean_name, is_plain, is_readable
from service.core.http.problems import invalid_fields
from service.core.http.schemas.requests import MAX_TITLE


def checked_naming(body: Mapping[str, Any]) -> dict[str, Any]:
    """The ``title`` (empty for the default) and ``tags`` of a new game. Raises the problems of wrong ones."""
    title = checked(body["title"], "/title") if "title" in body else ""
    return {"title": title, "tags": checked_tags(body["tags"])}


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags. Raises the problem of one that is there twice."""
    repeated = [place for place, tag in enumerate(tags) if tag in tags[:place]]
    if repeated:
        raise invalid_fields([(f"/tags/{place}", "Must differ from the other tags.") for place in repeated])
    return tuple(tags)


def checked(text: str, pointer: str) -> str:
    """The text, cleaned like the name of a player. Raises the problem of one that is unreadable or misleading."""
    cleaned = clean_name(text, MAX_TITLE)
    if not is_readable(cleaned):
        raise invalid_fields([(pointer, "Must contain visible letters and must not stack combining marks.")])
    if not is_plain(text):
        detail = "Must not contain control characters, text direction marks or invisible characters."
        raise invalid_fields([(pointer, detail)])
    return cleaned
