from typing import Any

FITS: dict[str, Any] = {}
