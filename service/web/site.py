"""The browser's client as it is served: its files, and its one page at every address of a page. It has no data of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

from flask import Blueprint, Flask, Response, abort, request

from service.settings import Settings

STATIC = Path(__file__).parent / "static"

TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""What is served, by the ends of names; whatever else lies there (types for the check of types) is not."""

FOLDERS = ("app", "style")
SINGLE = ("sw.js", "icon.svg", "manifest.webmanifest")

PAGES = ("/", "/new", "/me", "/check", "/games/<which>", "/games/<which>/replay")
"""Addresses of pages: all are the same file, and its router reads the address (`app/router.js`)."""

POLICY = (
    "default-src 'none'; "
    "script-src 'self'; "
    "style-src 'self'; "
    "img-src 'self' data: blob:; "
    "connect-src 'self'; "
    "font-src 'self'; "
    "manifest-src 'self'; "
    "worker-src 'self'; "
    "base-uri 'none'; "
    "form-action 'self'; "
    "frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; "
    "trusted-types ow"
)
"""Nothing inline, nothing from elsewhere, and no text becomes a script or a page but through `app/parts/trusted.js`."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True, slots=True)
class File:
    """A file as it is sent; ``tag`` is that of its bytes, so that every process and every release says the same."""

    body: bytes
    media_type: str
    tag: str


def install(app: Flask, settings: Settings) -> Flask:
    """The app with the site in it, unless the settings leave it out."""
    if settings.web == "off":
        return app
    blueprint = Blueprint("web", __name__)
    for page in PAGES:
        blueprint.add_url_rule(page, view_func=_page)
    for folder in FOLDERS:
        blueprint.add_url_rule(f"/{folder}/<path:path>", f"in_{folder}", partial(_within, folder))
    for name in SINGLE:
        blueprint.add_url_rule(f"/{name}", name.replace(".", "_"), partial(_answer, name))
    app.register_blueprint(blueprint)
    return app


def _page(which: str = "") -> Response:  # noqa: ARG001 - the router in the browser reads it
    return _answer("index.html")


def _within(folder: str, path: str) -> Response:
    return _answer(f"{folder}/{path}")


def _answer(path: str) -> Response:
    """The file of that name, 304 if the reader has it, 404 where there is none that may be served."""
    where = (STATIC / path.replace("\0", "?")).resolve()  # no name holds a NUL, and none may be asked for
    if where.suffix not in TYPES or not where.is_relative_to(STATIC) or not where.is_file():
        abort(404)
    file = _read(where, where.stat().st_mtime_ns)
    response = Response(file.body, content_type=file.media_type, headers=dict(HEADERS))
    response.set_etag(file.tag)
    response.make_conditional(request)
    return response


@lru_cache(maxsize=256)
def _read(where: Path, _changed: int) -> File:
    """The file as it was when it was changed last: read once, and again by who works on it."""
    body = where.read_bytes()
    return File(body, TYPES[where.suffix], sha256(body).hexdigest()[:24])
