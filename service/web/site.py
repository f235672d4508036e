"""The browser's client as it is served: its files, and its one page at every address of a page. It has no data of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

from flask import Blueprint, Flask, Response, abort, request

from service.settings import Settings
from service.web import docs, viewer
from service.web.graph import links

STATIC = Path(__file__).resolve().parent / "static"

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

START = "app/main.js"
PAGES: Mapping[str, tuple[str, ...]] = {
    "/": ("app/pages/home/home.js",),
    "/new": ("app/pages/new/new.js",),
    "/me": ("app/pages/me/me.js",),
    "/check": ("app/pages/check/check.js",),
    "/games/<which>": ("app/pages/game.js", "app/pages/table/table.js"),
    "/games/<which>/replay": ("app/pages/replay/replay.js",),
}
"""Addresses of pages, and the modules that the router (`app/router.js`) loads there: their links stand in the page's head.

All pages are the same file otherwise. Whether a game has begun only the API knows; it is told of those modules that most come for.
"""

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
    for number, (page, modules) in enumerate(PAGES.items()):
        blueprint.add_url_rule(page, f"page_{number}", partial(_page, (START, *modules)))
    for folder in FOLDERS:
        blueprint.add_url_rule(f"/{folder}/<path:path>", f"in_{folder}", partial(_within, folder))
    blueprint.add_url_rule(docs.ADDRESS, "docs", partial(docs.answer, HEADERS))
    blueprint.add_url_rule(f"{docs.ADDRESS}<path:path>", "in_docs", partial(docs.answer, HEADERS))
    blueprint.add_url_rule(viewer.PAGE, "viewer", _viewer)
    for name in viewer.SERVED:
        blueprint.add_url_rule(f"/swagger-ui/{name}", f"swagger {name}".replace(".", "_"), partial(_brought, name))
    for name in SINGLE:
        blueprint.add_url_rule(f"/{name}", name.replace(".", "_"), partial(_answer, name))
    app.register_blueprint(blueprint)
    return app


def _page(modules: tuple[str, ...], which: str = "") -> Response:  # noqa: ARG001 - the router in the browser reads it
    """The one page, with what it is going to load in its head."""
    frame = _read(STATIC / "index.html")
    head = "".join(f"{line}\n" for line in links(STATIC, modules)) + "</head>"
    return _sent(_file(frame.body.replace(b"</head>", head.encode(), 1), frame.media_type))


def _within(folder: str, path: str) -> Response:
    return _answer(f"{folder}/{path}")


def _viewer() -> Response:
    return _sent(_read(STATIC / "viewer.html"), {**HEADERS, "Content-Security-Policy": viewer.POLICY})


def _brought(name: str) -> Response:
    return _sent(_read(viewer.FILES / name))


def _answer(path: str) -> Response:
    """The file of that name, 404 where there is none that may be served."""
    where = (STATIC / path.replace("\0", "?")).resolve()  # no name holds a NUL, and none may be asked for
    if where.suffix not in TYPES or not where.is_relative_to(STATIC) or not where.is_file():
        abort(404)
    return _sent(_read(where))


def _sent(file: File, headers: Mapping[str, str] = HEADERS) -> Response:
    """The file, 304 if the reader has it."""
    response = Response(file.body, content_type=file.media_type, headers=dict(headers))
    response.set_etag(file.tag)
    response.make_conditional(request)
    return response


def _read(where: Path) -> File:
    """The file as it was when it was changed last: read once, and again by who works on it."""
    return _kept(where, where.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _kept(where: Path, _changed: int) -> File:
    return _file(where.read_bytes(), TYPES[where.suffix])


def _file(body: bytes, media_type: str) -> File:
    return File(body, media_type, sha256(body).hexdigest()[:24])
