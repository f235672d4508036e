"""Small pages for people who follow a link. They run and load nothing, and their button posts to the same URL."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from flask import Response, redirect, request

HTML = "text/html"
PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
STYLE = (
    ":root{color-scheme:light dark}body{max-width:30em;margin:4em auto;padding:0 1em;font:1.05em/1.5 Georgia,serif}"
    "button{font:inherit;padding:.5em 1em}"
)
PAGE_BLUEPRINTS = ("events",)
"""The blueprints with URLs that people are sent to."""


def html_page(
    title: str, text: str, button: str = "", status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A page; ``text`` is HTML, the other parameters are plain text."""
    form = f'<form method="post"><button>{escape(button)}</button></form>' if button else ""
    body = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
        f"<body><h1>{escape(title)}</h1><p>{text}</p>{form}</body></html>\n"
    )
    return Response(body, status, mimetype=HTML, headers={**(headers or {}), **PAGE_HEADERS})


def page_redirect(url: str) -> Response:
    """A redirect (303) that is not stored and that hides the URL of the link from the next page."""
    response = redirect(url, 303)
    assert isinstance(response, Response)
    response.headers.update(PAGE_HEADERS)
    return response


def is_browser_visit() -> bool:
    """Whether a browser opens a URL meant for people, or one outside the API: it prefers HTML."""
    is_page = request.blueprint in PAGE_BLUEPRINTS or not request.path.startswith("/v1/")
    return is_page and request.accept_mimetypes.best_match(("application/json", HTML)) == HTML
