"""An application that reports which modules gevent has patched in its process after the service is loaded."""

from __future__ import annotations

import json
import ssl
import sys

from gevent import monkey

from service.ops.server import app

NEEDED = ("ssl", "socket", "selectors", "threading", "time", "os")
KEPT = "select"


def answer(_environ, start_response):
    """WSGI: the patched modules, and the modules that imported ``ssl.SSLContext`` before it was patched."""
    before = monkey.get_original("ssl", "SSLContext")
    modules = {name: module for name, module in sys.modules.items() if name.partition(".")[0] not in ("ssl", "gevent")}
    told = {
        "loaded": [app.__name__],
        "patched": [name for name in NEEDED if monkey.is_module_patched(name)],
        "kept": not monkey.is_module_patched(KEPT),
        "context": ssl.SSLContext.__module__,
        "early": sorted(name for name, module in modules.items() if before in [*vars(module).values()]),
    }
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(told).encode()]
