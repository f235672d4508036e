"""A page of history for one reader in the requested format: JSON, plain text or HTML, as commits or in paragraphs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Response, request

from service.api.access.auth import GameAccess
from service.api.access.history_digest import MOST, PAGE, changes_since, retold
from service.api.access.reading import read_page
from service.api.http.responses import answer, next_page, query_number
from service.api.reference.parameters import ENTRIES, MOST_ENTRIES
from service.projections.history import text

JSON, TEXT, HTML = "application/json", "text/plain", "text/html"
GUARD = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
"""A page runs and loads nothing, whatever names it contains."""


@dataclass(frozen=True, slots=True)
class Told:
    """A page of history."""

    document: dict[str, Any]
    """As JSON."""
    paragraphs: list[Any]
    """As text for people."""


def read(access: GameAccess, after: int, newest: int, status: str, *, digest: bool) -> Told:
    """The page after a commit, with the changes for the caller if requested (``since``)."""
    if digest:
        most = query_number("limit", PAGE, 1, MOST)
        page = retold(access, after, newest, most, status)
        document = {"events": [], "paragraphs": page.paragraphs, "after": page.read_to, "more": page.more}
        told = Told(document, page.paragraphs)
    else:
        told = _entries(access, after, newest, query_number("limit", ENTRIES, 1, MOST_ENTRIES))
    if "since" in request.args and newest:
        told.document["since"] = changes_since(access, after, newest, status)
    return told


def _entries(access: GameAccess, after: int, newest: int, limit: int) -> Told:
    if not newest:
        return Told({"events": [], "after": after, "more": False}, [])
    page = read_page(access, access.seat, after, newest, limit)
    more = page.more and page.read_to < newest
    return Told({"events": page.entries, "after": page.read_to, "more": more}, text.of_events(page.entries))


def reply(told: Told, form: str, access: GameAccess, headers: Mapping[str, str]) -> Response:
    """The page in the format."""
    headers = {**headers, **(next_page(after=told.document["after"]) if told.document["more"] else {})}
    if form == JSON:
        return answer(told.document, headers=headers)
    since = told.document.get("since")
    if form == TEXT:
        body = text.as_text(told.paragraphs, since)
    else:
        following = re.match("<(.*)>", headers.get("Link", ""))
        body = text.as_html(access.rules.title, told.paragraphs, since, following[1] if following else "")
    response = Response(body, mimetype=form)
    response.headers.update({**headers, **GUARD})
    return response
