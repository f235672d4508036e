"""An API client for `play`, over REST only."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import requests

from domain.kernel.terms import GameId

WAIT = 10
"""Seconds that the service may hold a request."""
PATIENCE = 60
WENT_BACK = "log-diverged"
"""Error code: the service continues from an older copy of a game than the client has seen."""
LISTENING = 30
"""Seconds after which a silent stream is closed, to poll instead."""


class ApiError(Exception):
    """The service returned a problem (RFC 9457), or did not answer."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(problem.get("detail") or problem.get("title") or f"HTTP {status}")
        self.status = status
        self.problem = problem

    @property
    def code(self) -> str:
        return str(self.problem.get("code", ""))

    def __str__(self) -> str:
        """The problem as text, with the rule's clause. If there are several errors, each with its field."""
        errors = self.problem.get("errors", ())
        if errors:
            return "\n".join(f"{_field(error)}: {sentence(error.get('detail', ''))}" for error in errors)
        rule = f" ({self.problem['rule']})" if self.problem.get("rule") else ""
        return f"{sentence(self.args[0])}{rule}"


def _field(error: Mapping[str, Any]) -> str:
    """The location of an error, in readable form: ``options, foo``."""
    return ", ".join(str(error.get("pointer") or error.get("parameter") or "").strip("/").split("/"))


def sentence(words: str) -> str:
    """The text with a capital letter and a full stop."""
    words = words.strip()
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "?", "!")) else ".") if words else words


class TerminalClient:
    """One player at one service."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url.rstrip("/")
        self._session = requests.Session()
        self._session.headers["Accept"] = "application/json"
        if token is not None:
            self.use(token)

    def use(self, token: str) -> None:
        self._session.headers["Authorization"] = f"Bearer {token}"

    def call(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None, **params: Any
    ) -> Any:
        """The JSON response. Raises `ApiError`."""
        try:
            answer = self._session.request(
                method, self.url + path, json=body, params=params, headers=headers, timeout=PATIENCE
            )
        except requests.RequestException as error:
            detail = f"No service answers at {self.url}. Is it running? `make run` starts one on this machine."
            raise ApiError(0, {"detail": detail, "code": "no-answer"}) from error
        if not answer.ok:
            raise ApiError(answer.status_code, _problem(answer))
        try:
            return answer.json() if answer.content else None
        except ValueError as error:
            detail = f"No Oracle Wheel service was found at {self.url}: the response to {method} {path} is not JSON. Check --url."
            raise ApiError(answer.status_code, {"detail": detail, "code": "no-json"}) from error

    def register(self, name: str, code: str | None = None) -> Mapping[str, Any]:
        """Create an account: ``id``, ``name``, ``token``. The token is used from now on."""
        made: Mapping[str, Any] = self.call("POST", "/v1/players", {"name": name, **({"code": code} if code else {})})
        self.use(made["token"])
        return made

    def me(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.call("GET", "/v1/me")
        return found

    def game(self, game_id: GameId) -> Any:
        return self.call("GET", f"/v1/games/{game_id}")

    def view(self, game_id: GameId) -> Any:
        return self.call("GET", f"/v1/games/{game_id}/view")

    def options(self, game_id: GameId, only: str | None = None) -> Any:
        """The possible commands with the question as text. With ``only="answers"``, only answers to questions."""
        query: dict[str, Any] = {"only": only, "with": "labels"}  # `with` cannot be a parameter name in Python
        return self.call("GET", f"/v1/games/{game_id}/options", None, None, **query)

    def send(self, game_id: GameId, command: Mapping[str, Any], seen: int | None = None) -> Any:
        """Send a command and wait for its result. Raises `ApiError` for a refusal, and 412 if the game has changed."""
        headers = {"Prefer": f"wait={WAIT}"}
        if seen is not None:
            headers["If-Match"] = f'"{seen}"'
        outcome = self.call("POST", f"/v1/games/{game_id}/commands", dict(command), headers)
        while outcome["status"] == "pending":
            outcome = self.call(
                "GET", f"/v1/games/{game_id}/commands/{outcome['id']}", headers={"Prefer": f"wait={WAIT}"}
            )
        if outcome["status"] == "refused":
            raise ApiError(409, {"detail": "This move is not allowed.", **(outcome.get("refusal") or {})})
        return outcome

    def withdraw(self, game_id: GameId) -> None:
        """Delete an own game that has not started."""
        self.call("DELETE", f"/v1/games/{game_id}")

    def events(self, game_id: GameId, after: int | None, held: str = "") -> Iterator[Mapping[str, Any]]:
        """The entries of history after a commit; None: since the player's last turn.

        ``held``, a seq and its head, is compared with the log. Raises `ApiError` with the code `WENT_BACK` if the log
        no longer has it.
        """
        where: dict[str, Any] = {"since": "my-last-turn"} if after is None else {"after": after}
        headers = {"Game-Head": held} if held else None
        more = True
        while more:
            page = self.call("GET", f"/v1/games/{game_id}/events", headers=headers, **where)
            yield from page["events"]
            where, more = {"after": page["after"]}, page["more"]

    def save(self, game_id: GameId, path: Path) -> None:
        """Write the export of a game into a file. Raises `ApiError`, and `OSError` if the file cannot be written."""
        part = path.with_name(path.name + ".part")
        try:
            with self._session.get(
                f"{self.url}/v1/games/{game_id}/export", headers={"Accept": "*/*"}, stream=True, timeout=PATIENCE
            ) as answer:
                if not answer.ok:
                    raise ApiError(answer.status_code, _problem(answer))
                with part.open("wb") as file:
                    for block in answer.iter_content(1 << 16):
                        file.write(block)
        except requests.RequestException as error:
            raise ApiError(0, {"detail": "The connection was lost. Try again.", "code": "no-answer"}) from error
        part.replace(path)

    def wait_for_news(self, game_id: GameId, after: int) -> None:
        """Wait on the game's stream until something happens after a commit, for at most `LISTENING` seconds."""
        headers = {"Accept": "text/event-stream"}
        path = f"{self.url}/v1/games/{game_id}/events"
        until = time.monotonic() + LISTENING
        try:
            with self._session.get(path, headers=headers, params={"after": after}, stream=True, timeout=30) as answer:
                # One byte at a time: a message must not wait for a block to fill.
                for line in answer.iter_lines(chunk_size=1):
                    if line.startswith(b"data:") or time.monotonic() > until:
                        return
        except requests.RequestException:
            time.sleep(1)


def _problem(answer: requests.Response) -> Mapping[str, Any]:
    try:
        problem = answer.json()
    except ValueError:
        problem = None
    return problem if isinstance(problem, dict) else {"detail": f"{answer.status_code} {answer.reason}"}


# -- tokens -----------------------------------------------------------------------------------------------------------


class TokenFile:
    """The tokens by service and name, in a JSON file that only its owner can read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def usual(cls) -> TokenFile:
        """The file in the user's configuration folder."""
        home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
        return cls(Path(home) / "oraclewheel" / "tokens.json")

    def read(self) -> dict[str, dict[str, str]]:
        """Service → name → token. The name used last is last."""
        try:
            known: dict[str, dict[str, str]] = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        return known

    def find(self, url: str, name: str | None) -> tuple[str, str] | None:
        """The name and token to use: those of the given name, or those used last."""
        known = self.read().get(url, {})
        if name is None:
            return next(reversed(known.items()), None)
        return (name, known[name]) if name in known else None

    def keep(self, url: str, name: str, token: str) -> None:
        """Store a token as the one used last."""
        known = self.read()
        names = {each: its_token for each, its_token in known.get(url, {}).items() if each != name}
        known[url] = {**names, name: token}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(known, file, indent=2)
        fresh.replace(self._path)
