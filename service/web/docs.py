"""The documentation site at `/docs/`: the files that `make docs` builds, or a page that explains how to build them."""

from __future__ import annotations

import re
import sys
from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from flask import Response, abort, redirect, request, send_file
from werkzeug.wrappers import Response as AnyResponse

ADDRESS = "/docs/"

FOLDERS = (Path(__file__).resolve().parents[2] / "build/docs", Path(sys.prefix) / "share/oraclewheel/docs")
"""Possible folders of a built site: in a checkout, and in the image (`Dockerfile`)."""

TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".xml": "text/xml; charset=utf-8",
    ".yaml": "application/yaml",
}
"""Media types by suffix. Other files are not served."""

_VERSIONED = re.compile(r"\.[0-9a-f]{8}\.min\.(?:css|js)$")
"""Names with a digest of the content."""
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)

_NOT_BUILT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Documentation - Oracle Wheel</title>
<h1>Documentation</h1>
<p>This service has the <a href="/docs">API reference</a>, but its documentation site has not been built.</p>
<p>Operators: run <code>make docs</code> in the source folder. You need not restart the service.</p>
"""


def answer(headers: Mapping[str, str], path: str = "") -> AnyResponse:
    """A file of the site. For a folder, its `index.html`."""
    folder = next((each for each in FOLDERS if (each / "index.html").is_file()), None)
    if folder is None:
        return _not_built(headers) if not path else abort(404)
    file = (folder / path.replace("\0", "?")).resolve()
    if not file.is_relative_to(folder.resolve()):
        abort(404)
    if file.is_dir():
        if path and not path.endswith("/"):
            return redirect(f"{request.path}/", 308)
        file /= "index.html"
    if file.suffix not in TYPES or not file.is_file():
        abort(404)
    return _sent(file, headers)


def _not_built(headers: Mapping[str, str]) -> Response:
    return Response(
        _NOT_BUILT, content_type=TYPES[".html"], headers={**headers, "Content-Security-Policy": _policy("")}
    )


def _sent(file: Path, headers: Mapping[str, str]) -> Response:
    response = send_file(file)
    response.content_type = TYPES[file.suffix]
    response.headers.update(headers)
    response.headers["Content-Security-Policy"] = _policy_of(file, file.stat().st_mtime_ns)
    if _VERSIONED.search(file.name):
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response


@lru_cache(maxsize=256)
def _policy_of(file: Path, _changed: int) -> str:
    return _policy(file.read_text(encoding="utf-8") if file.suffix == ".html" else "")


def _policy(html: str) -> str:
    """A content security policy that allows scripts of this service and the inline scripts in this page."""
    digests = {b64encode(sha256(script.encode()).digest()).decode() for script in _INLINE.findall(html)}
    scripts = " ".join(["'self'", *(f"'sha256-{digest}'" for digest in sorted(digests))])
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
