"""What not every credential of an account may do: an app acts for a person, and a mailbox can be stolen."""

from __future__ import annotations

from service.core.http.access.auth import CHALLENGE
from service.core.http.context.app import current_context
from service.core.http.problems import Problem
from service.store.ports.accounts import APP, Credential

LIMIT_SECONDS = 24 * 3600
"""Seconds after a sign-in by email in which it cannot change the other ways to sign in. The player is notified of the
sign-in, and can use another way to end it."""


def require_owner(credential: Credential) -> None:
    """Raises the problem of a credential that can neither change how the player signs in nor erase the account.

    It belongs to an app, or comes from a recent sign-in by email.
    """
    require_person(credential)
    require_unlimited(credential)


def require_person(credential: Credential) -> None:
    """Raises the problem of a missing scope for an app, which must not outlive its own revocation."""
    if credential.kind == APP:
        challenge = f'{CHALLENGE}, error="insufficient_scope"'
        detail = "An app cannot create tokens, change how you sign in, or erase the account."
        raise Problem("insufficient-scope", detail, {"WWW-Authenticate": challenge})


def require_unlimited(credential: Credential) -> None:
    """Raises the problem of a credential that comes from a recent sign-in by email."""
    now = current_context().store.schedule.now()
    if credential.limited_until is not None and credential.limited_until > now:
        seconds = -(-(credential.limited_until - now) // 1000)
        raise Problem("sign-in-too-recent", headers={"Retry-After": str(seconds)}, until=credential.limited_until)
