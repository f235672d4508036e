"""Settings that have a new name. The old names are errors at the start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from service.ops.settings.reading import PREFIX, BadSetting

RENAMED: Mapping[str, str] = {
    "ANSWER_SECONDS": "RESPONSE_SECONDS",
    "ARCHIVE_COPIES": "ARCHIVE_CACHE_MIB",
    "CONFIRMATIONS": "CONFIRMATION_EMAILS_DAY",
    "CONFIRMATIONS_ADDRESS": "CONFIRMATION_EMAILS_ADDRESS_DAY",
    "PATIENCE": "READY_WAIT_SECONDS",
    "PUMPS": "SETTLE_WORKERS",
    "REFUSALS": "REFUSAL_BURST",
    "SIDES": "SIDE_WORKERS",
    "THINKERS": "SEARCH_WORKERS",
    "THINK_1": "SEARCH_1_SIMULATIONS",
    "THINK_2": "SEARCH_2_SIMULATIONS",
    "THINK_3": "SEARCH_3_SIMULATIONS",
    "THINK_SECONDS": "SEARCH_SECONDS",
    "UNASKED": "UNREQUESTED_BURST",
}
"""New names by old names, without the prefix."""


def require_new_names(names: Iterable[str]) -> None:
    """Raises `BadSetting` for an old name."""
    for old in sorted(names):
        if new := RENAMED.get(old.removeprefix(PREFIX)) if old.startswith(PREFIX) else None:
            raise BadSetting(f"{old} is now called {PREFIX}{new}. Use the new name.")
