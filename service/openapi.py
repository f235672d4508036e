"""The committed OpenAPI document: ``python -m service.openapi`` writes it, ``--check`` compares it with the routes."""

from __future__ import annotations

import sys
from pathlib import Path

from service.api_reference.document import as_yaml, document
from service.application import create_app
from service.ops.settings import Settings
from service.store.redis.client import RedisClient
from service.store.redis.store import Store

FILE = Path(__file__).parents[1] / "openapi.yaml"


def main(arguments: list[str]) -> int:
    """Write the file, or with ``--check`` report whether it is up to date. Returns the exit status."""
    store = Store(RedisClient("redis://localhost"))  # never connects: no route is called
    text = as_yaml(document(create_app(store, Settings())))
    if "--check" not in arguments:
        FILE.write_text(text)
        return 0
    if FILE.exists() and FILE.read_text() == text:
        return 0
    sys.stderr.write(f"{FILE.name} is not what the routes say: run python -m service.openapi\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
