"""Signing in by email: a link or a code goes to the confirmed address of the account."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "email_sign_in",
    "Signs in with a link or a code that is sent to a confirmed email address.",
    page="how-to/sign-in.md",
    api={"service.features.email_sign_in.api": "sign-in"},
    pages=("service.features.email_sign_in.link_page",),
    jobs={"side": "service.features.email_sign_in.jobs"},
    minutely=("service.features.email_sign_in.jobs.send_pending",),
    signed_in="service.features.email_sign_in.notices:report_sign_in",
    reset_sign_in="service.features.email_sign_in.addresses:erase_address",
    erase_account="service.features.email_sign_in.addresses:erase_address",
)
