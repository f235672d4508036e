"""Swagger UI for the API description: a page of this service with two files from a package."""

from __future__ import annotations

from pathlib import Path

import flask_swagger_ui

PAGE = "/docs/try"

FILES = Path(flask_swagger_ui.__file__).parent / "dist"
"""The package's folder. Its own routes are not used, and neither is its page, which contains an inline script."""

SERVED = ("swagger-ui-bundle.js", "swagger-ui.css")
"""The files of the package that this page needs."""

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
"""No inline code, no eval and no external sources. No text becomes markup."""
