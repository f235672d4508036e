"""External entrants of a ladder: accounts by their tokens, whose programs play over REST."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.cli.terminal.client import ApiError
from tools.load.accounts import Account, NoAccounts, brought, registered
from tools.load.line import Line


class NotEntered(RuntimeError):
    """An entrant is invalid, or the service cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """An external entrant, with its name on the ladder."""

    name: str
    account: Account


def entered(line: Line, given: Iterable[tuple[str, Path]], taken: Sequence[str]) -> list[Entrant]:
    """The entrants, each with the account of the token in its file; ``taken`` are the names of bots.

    Raises `NotEntered` for a duplicate name or account, and for a token that is rejected or may not play.
    """
    found: list[Entrant] = []
    ids: dict[str, str] = {}
    for name, file in given:
        if name in (*taken, *(each.name for each in found)):
            raise NotEntered(f"Two entrants are called {name!r}. Give each a different name.")
        account, me = _account(line, name, file)
        if me["id"] in ids:
            raise NotEntered(f"{ids[me['id']]} and {name} use the same account. Each entrant needs its own.")
        ids[me["id"]] = name
        found.append(Entrant(name, account))
    return found


def _account(line: Line, name: str, file: Path) -> tuple[Account, Mapping[str, Any]]:
    try:
        accounts = brought(line, file)
    except NoAccounts as error:
        raise NotEntered(f"{name} cannot be entered. {error}") from error
    if len(accounts) != 1:
        raise NotEntered(
            f"{name} cannot be entered: {file} must contain one token, but contains {len(accounts) or 'none'}."
        )
    me = _read(line, "/v1/me", accounts[0].token)
    if "play" not in me["scopes"]:
        raise NotEntered(
            f"{name} cannot be entered: the token in {file} can read but not play. Use a token with the scope `play`."
        )
    return accounts[0], me


def host(line: Line, code: str | None) -> Account:
    """A new account that creates the games and plays in none of them; raises `NotEntered`."""
    try:
        return registered(line, 1, code)[0]
    except NoAccounts as error:
        raise NotEntered(f"The ladder cannot create the account that it needs. {error}") from error


def check_offer(line: Line, kind: str, bots: Sequence[str]) -> Mapping[str, Any]:
    """The service's description of the kind of game; raises `NotEntered` for an unknown kind or bot."""
    every = _read(line, "/v1/kinds", None).get("kinds")
    if not isinstance(every, list):
        raise NotEntered(
            "No Oracle Wheel service was found at this address: GET /v1/kinds returned no kinds. Check --url."
        )
    offered = {row["key"]: row for row in every}
    if kind not in offered:
        raise NotEntered(f"The service has no game {kind!r}. Choose from {', '.join(offered)}.")
    known = seatable(offered[kind])
    if unknown := [bot for bot in bots if bot not in known]:
        raise NotEntered(f"The service has no bot {unknown[0]!r} for {kind}. Choose from {', '.join(known)}.")
    found: Mapping[str, Any] = offered[kind]
    return found


def seatable(offer: Mapping[str, Any]) -> Sequence[str]:
    """The bots for a kind of game, search bots last."""
    return [*offer["bots"], *offer.get("search_bots", ())]


def _read(line: Line, path: str, token: str | None) -> Mapping[str, Any]:
    try:
        answer = line.ask("read", "GET", path, token)
        if answer.status != 200:
            raise NotEntered(
                f"No Oracle Wheel service was found at this address: GET {path} returned {answer.status}. Check --url."
            )
        told: Mapping[str, Any] = answer.json
    except ApiError as error:
        raise NotEntered(str(error)) from error
    return told
