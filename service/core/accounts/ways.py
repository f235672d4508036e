"""The ways to sign in without a token."""

from __future__ import annotations

EMAIL, PASSKEY, RECOVERY_CODE = WAYS = ("email", "passkey", "recovery-code")
