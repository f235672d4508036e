"""The accounts of a load test: created and deleted by the test, or given by their tokens."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from service.cli.terminal.client import ApiError
from tools.load.line import Line
from tools.load.shapes import Me, Newcomer

LIMITED = (
    "The service registered {made} accounts and now limits this address. Start the service with"
    " ORACLEWHEEL_RATE_REGISTRATIONS=0 during the load test, use fewer --accounts, or give tokens of existing accounts with"
    " --tokens."
)
CLOSED = "Registration is closed. Give tokens of existing accounts with --tokens (`oraclewheel token` creates them)."
BROKEN_OFF = "Stopped during registration. All new accounts were deleted."
LEFT = "{left} of the new accounts could not be deleted."
INVITED = "The service requires a registration code. Give it with --code."


class NoAccounts(RuntimeError):
    """There are not enough players for a game; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Account:
    """An account that can take a seat."""

    name: str
    token: str
    own: bool
    """Created by the load test, and deleted by it."""


def registered(line: Line, count: int, code: str | None, stopped: threading.Event | None = None) -> list[Account]:
    """Register so many accounts. If that fails or is stopped, deletes them again; raises `NoAccounts`.

    Stops only between two registrations: without the response, the token of a new account would be unknown.
    """
    made: list[Account] = []
    mark = secrets.token_hex(3)
    try:
        for number in range(1, count + 1):
            if stopped is not None and stopped.is_set():
                raise NoAccounts(BROKEN_OFF)
            made.append(_made(line, f"Load {mark}-{number}", code, len(made)))
    except NoAccounts as error:
        if left := erased(line, made):
            raise NoAccounts(f"{error} {LEFT.format(left=left)}") from error
        raise
    except BaseException:
        erased(line, made)
        raise
    return made


def _made(line: Line, name: str, code: str | None, before: int) -> Account:
    body = {"name": name, **({"code": code} if code else {})}
    key = {"Idempotency-Key": secrets.token_hex(24)}
    try:
        answer = line.ask("account", "POST", "/v1/players", None, body, key, later=(502, 503, 504))
        if answer.status == 429:
            raise NoAccounts(LIMITED.format(made=before))
        if answer.status != 201:
            said = {"registration-closed": CLOSED, "wrong-code": INVITED}.get(answer.code)
            raise NoAccounts(said or f"The service rejected the registration: {answer.code}.")
        return Account(name, answer.read(Newcomer).token, own=True)
    except ApiError as error:
        raise NoAccounts(str(error)) from error


def brought(line: Line, file: Path) -> list[Account]:
    """The accounts of the tokens in a file, one per line; raises `NoAccounts` if a token is invalid."""
    found: dict[str, Account] = {}
    try:
        tokens = file.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise NoAccounts(f"{file} cannot be read: {getattr(error, 'strerror', error)}.") from error
    for number, token in enumerate(tokens, 1):
        if not (token.isascii() and token.isprintable()):  # cannot be sent in a header
            raise NoAccounts(f"Line {number} of {file} is not a token.")
        try:
            answer = line.ask("account", "GET", "/v1/me", token)
            if answer.status != 200:
                raise NoAccounts(f"The token in line {number} of {file} was rejected: {answer.code}.")
            me = answer.read(Me)
        except ApiError as error:
            raise NoAccounts(str(error)) from error
        found[me.id] = Account(me.name, token, own=False)
    return list(found.values())


def erased(line: Line, accounts: Sequence[Account]) -> int:
    """Delete the accounts created by the test; returns the number of failures."""
    left = 0
    for account in accounts:
        if not account.own:
            continue
        try:
            answer = line.ask("erased", "DELETE", "/v1/me", account.token, {"name": account.name})
        except ApiError:
            left += 1
            continue
        left += answer.status not in (
            200,
            204,
            401,
        )  # 401: already deleted by an earlier request whose response was lost
    return left
