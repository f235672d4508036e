"""Recovery codes: each signs in to its account once."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "recovery_codes",
    "Signs in a player who has lost every other way with a code that works once.",
    page="how-to/sign-in.md",
    api={"service.features.recovery_codes.api": "sign-in"},
    reset_sign_in="service.features.recovery_codes.codes:erase_codes",
    erase_account="service.features.recovery_codes.codes:erase_codes",
)
