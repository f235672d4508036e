"""The operators' pages for accounts and reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.kernel.terms import PlayerId
from service.core.feature import load
from service.features import FEATURES
from service.ops.accounts import BadAction, restore_account, suspend_account
from service.store.redis.store import Store

DAY = 24 * 3_600_000
MOST_DAYS = 3650
UNKNOWN = "Nothing was done: there is no such report, or it is closed."

REPORTS = "moderation"
"""The feature that has the reports. Without it there are none."""


def reports_module() -> Any:
    """The functions for reports; None without the feature."""
    return load(f"service.features.{REPORTS}.reports") if REPORTS in {each.name for each in FEATURES} else None


def suspend(store: Store, operator: str, player_id: PlayerId, reason: str, days: str) -> str:
    """Suspend an account for some days (empty: until it is restored); returns the result as a sentence."""
    if days and not (days.isascii() and days.isdecimal() and len(days) <= 4 and 1 <= int(days) <= MOST_DAYS):
        return f"Nothing was done: the days must be 1 to {MOST_DAYS}, or empty."
    if player_id == operator:
        return "Nothing was done: you cannot suspend your own account, because you could not restore it."
    until = store.schedule.now() + int(days) * DAY if days else None
    return _tried(lambda: suspend_account(store, operator, player_id, reason, until), "The account is suspended.")


def restore(store: Store, operator: str, player_id: PlayerId, reason: str) -> str:
    """End a suspension; returns the result as a sentence."""
    return _tried(lambda: restore_account(store, operator, player_id, reason), "The account is restored.")


def _tried(action: Any, done: str) -> str:
    try:
        action()
    except BadAction as error:
        return f"Nothing was done: {error}"
    return done


def read_reports(store: Store) -> list[Mapping[str, Any]]:
    """The reports that are not closed, oldest first, each with its message."""
    reports = reports_module()
    if reports is None:
        return []
    found: list[Mapping[str, Any]] = []
    for id_, report in reports.list_open_reports(store).items():
        message = reports.get_reported_message(store, report)
        found.append({"id": id_, "report": report, "text": None if message is None else message.text})
    return found


RESULTS = {
    "assign": "The report is assigned to you.",
    "answer": "The answer is stored. The reporter can read it.",
    "close": "The report is closed.",
}
"""Actions on reports, each with the sentence of its success."""


def act_on_report(store: Store, operator: str, id_: str, action: str, answer: str) -> str:
    """Do one of `RESULTS`, with an answer for ``answer``; returns the result as a sentence."""
    reports, text = reports_module(), answer.strip()
    if reports is None:
        return UNKNOWN
    if action == "answer" and not 1 <= len(text) <= reports.LONGEST_ANSWER:
        return f"Nothing was done: the answer must have 1 to {reports.LONGEST_ANSWER} characters."
    if action == "assign":
        done = reports.assign_report(store, operator, id_, operator)
    elif action == "close":
        done = reports.close_report(store, operator, id_)
    else:
        done = reports.answer_report(store, operator, id_, text)
    return RESULTS[action] if done else UNKNOWN
