"""Passkeys (WebAuthn): sign in with a device or a password manager, without a name or a password."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "passkeys",
    "Signs in with passkeys, without a name or a password.",
    page="how-to/sign-in.md",
    api={"service.features.passkeys.api": "sign-in"},
    reset_sign_in="service.features.passkeys.storage:erase_passkeys",
    erase_account="service.features.passkeys.storage:erase_passkeys",
)
