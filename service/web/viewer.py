"""The API's description to search and to try: Swagger UI, whose two files come with a package, in a page of ours."""

from __future__ import annotations

from pathlib import Path

import flask_swagger_ui

PAGE = "/docs/try"

FILES = Path(flask_swagger_ui.__file__).parent / "dist"
"""Where the package keeps what it brings; its own routes and its page, which has a script in it, are not used."""

SERVED = ("swagger-ui-bundle.js", "swagger-ui.css")
"""What this page needs of that."""

POLICY = (
    "default-src 'none'; "
    "script-src 'self'; "
    "style-src 'self'; "
    "img-src 'self' data:; "
    "connect-src 'self'; "
    "base-uri 'none'; "
    "form-action 'none'; "
    "frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
"""Nothing inline, no eval, nothing from elsewhere, and no text becomes markup, whoever wrote it."""
