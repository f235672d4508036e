"""Serves the browser client: its files, and its one page at the URL of every page. It has no data of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

from flask import Blueprint, Flask, Response, abort, request

from service.ops.settings import Settings
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
"""Media types of the served files by suffix. Other files, such as type declarations, are not served."""

FOLDERS = ("app", "style")
SINGLE = ("sw.js", "icon.svg", "manifest.webmanifest")

START = "app/main.js"
PAGES: Mapping[str, tuple[str, ...]] = {
    "/": ("app/pages/home/home.js",),
    "/new": ("app/pages/new/new.js",),
    "/me": ("app/pages/me/me.js",),
    "/sign-in": ("app/pages/sign-in/sign-in.js",),
    "/check": ("app/pages/check/check.js",),
    "/tournaments": ("app/pages/tournaments/list.js",),
    "/tournaments/new": ("app/pages/tournaments/new.js",),
    "/tournaments/<which>": ("app/pages/tournaments/tournament.js",),
    "/players/<which>": ("app/pages/player/player.js",),
    "/games/<which>": ("app/pages/game.js", "app/pages/table/table.js"),
    "/games/<which>/replay": ("app/pages/replay/replay.js",),
}
"""URLs of pages, and the modules that the router (`app/router.js`) loads there, which the page's head preloads.

Otherwise all pages are the same file. Only the API knows whether a game has begun, so a game's page preloads the
modules that most visitors need.
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
"""No inline code and no external sources. Only `app/parts/trusted.js` can turn text into a script or markup."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True, slots=True)
class File:
    """A file to send. ``tag`` is the ETag, from the content only, so that it is the same in every process and release."""

    body: bytes
    media_type: str
    tag: str


def install(app: Flask, settings: Settings) -> Flask:
    """Add the site to the app, unless it is disabled in the settings."""
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


def _page(modules: tuple[str, ...], which: str = "") -> Response:  # noqa: ARG001 - only the router in the browser needs it
    """The page, with preload links for its modules in the head."""
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
    """The file with this path; 404 if it does not exist or may not be served."""
    where = (STATIC / path.replace("\0", "?")).resolve()  # no file name contains NUL, and `resolve` raises for it
    if where.suffix not in TYPES or not where.is_relative_to(STATIC) or not where.is_file():
        abort(404)
    return _sent(_read(where))


def _sent(file: File, headers: Mapping[str, str] = HEADERS) -> Response:
    """The response with the file, or 304 if the client has it."""
    response = Response(file.body, content_type=file.media_type, headers=dict(headers))
    response.set_etag(file.tag)
    response.make_conditional(request)
    return response


def _read(where: Path) -> File:
    """The file, cached until it changes on disk."""
    return _kept(where, where.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _kept(where: Path, _changed: int) -> File:
    return _file(where.read_bytes(), TYPES[where.suffix])


def _file(body: bytes, media_type: str) -> File:
    return File(body, media_type, sha256(body).hexdigest()[:24])
