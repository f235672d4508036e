"""A page of history for one reader in the requested format: JSON, plain text or HTML, as commits or in paragraphs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Response, request

from service.core.history import text
from service.core.http.access.auth import GameAccess
from service.core.http.access.history_digest import MAX_PARAGRAPHS, PARAGRAPHS, changes_since, read_paragraphs
from service.core.http.access.reading import read_page
from service.core.http.reference.parameters import ENTRIES, MOST_ENTRIES
from service.core.http.responses import json_response, next_page_header, query_number

JSON, TEXT, HTML = "application/json", "text/plain", "text/html"
PAGE_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
"""A page runs and loads nothing, whatever names it contains."""


@dataclass(frozen=True, slots=True)
class EventsPage:
    """A page of history."""

    document: dict[str, Any]
    """As JSON."""
    paragraphs: list[Any]
    """As text for people."""


def read_history(access: GameAccess, after: int, newest: int, status: str, *, digest: bool) -> EventsPage:
    """The page after a commit, with the changes for the caller if requested (``since``)."""
    if digest:
        most = query_number("limit", PARAGRAPHS, 1, MAX_PARAGRAPHS)
        read = read_paragraphs(access, after, newest, most, status)
        document = {"events": [], "paragraphs": read.paragraphs, "after": read.read_to, "more": read.more}
        page = EventsPage(document, read.paragraphs)
    else:
        page = _read_commits(access, after, newest, query_number("limit", ENTRIES, 1, MOST_ENTRIES))
    if "since" in request.args and newest:
        page.document["since"] = changes_since(access, after, newest, status)
    return page


def _read_commits(access: GameAccess, after: int, newest: int, limit: int) -> EventsPage:
    if not newest:
        return EventsPage({"events": [], "after": after, "more": False}, [])
    page = read_page(access, access.seat, after, newest, limit)
    more = page.more and page.read_to < newest
    return EventsPage({"events": page.entries, "after": page.read_to, "more": more}, text.to_paragraphs(page.entries))


def render_page(page: EventsPage, media_type: str, access: GameAccess, headers: Mapping[str, str]) -> Response:
    """The page in the format."""
    headers = {**headers, **(next_page_header(after=page.document["after"]) if page.document["more"] else {})}
    if media_type == JSON:
        return json_response(page.document, headers=headers)
    since = page.document.get("since")
    if media_type == TEXT:
        body = text.render_text(page.paragraphs, since)
    else:
        following = re.match("<(.*)>", headers.get("Link", ""))
        body = text.render_html(access.game.title, page.paragraphs, since, following[1] if following else "")
    response = Response(body, mimetype=media_type)
    response.headers.update({**headers, **PAGE_HEADERS})
    return response
