"""A player at a table in a terminal: shows what happens and sends the player's commands, until the game is over."""

from __future__ import annotations

import shutil
import sys
import textwrap
import time
from collections.abc import Mapping, Sequence
from typing import Any

import click

from domain.kernel.terms import GameId
from domain.table import features
from service.cli.terminal import board
from service.cli.terminal.asking import Prompt, read_options
from service.cli.terminal.bots import RandomBot
from service.cli.terminal.client import WENT_BACK, ApiError, TerminalClient
from service.cli.terminal.lobby import free, local_time

PAUSE = 1.0
"""Seconds between two polls of a lobby."""
NEWS = frozenset(("stale", "not-your-turn", "already-answered", "game-over", WENT_BACK))
"""Codes for a command that came too late because the game had changed."""
RECENT = 30
"""Number of history lines shown to a player who joins a running game."""


class Seated:
    """One player, or their bot, at one table."""

    def __init__(
        self,
        client: TerminalClient,
        game_id: GameId,
        bot: RandomBot | None,
        *,
        watch: bool = False,
        hosts: bool = False,
    ) -> None:
        """With ``watch`` the player only watches; with ``hosts`` the player starts the game even then."""
        self.client, self.game_id, self.bot = client, game_id, bot
        self.watch, self.hosts = watch, hosts
        self.kind = ""
        self.told_up_to: int | None = None
        """The last commit whose events were shown; None before the first."""
        self.held = ""
        """The newest shown commit with its head. They reveal a log that went back, even if it has grown again since."""
        self.shown = -1
        """The seq of the view that was drawn last."""

    def play(self) -> None:
        """Play until the end. Raises `Quit`, and `ApiError` if the service fails."""
        summary = self._lobby()
        self.kind = summary["kind"]
        while summary["status"] != "over":
            self._show(summary)
            mine = [asked for asked in summary["pending_questions"] if asked["seat"] in summary["your_seats"][:1]]
            if not mine or self.watch or not self._turn(mine):
                # Wait from the seq of the summary: later events may start our turn, even if they are already shown.
                self.client.wait_for_news(self.game_id, summary["seq"])
            summary = self.client.game(self.game_id)
        self._show(summary)
        self._end(summary)

    def _lobby(self) -> Any:
        summary = self.client.game(self.game_id)
        waiting = False
        while summary["status"] == "lobby":
            if not free(summary) and (summary["your_seats"] or self.hosts) and self._start():
                return self.client.game(self.game_id)
            if not waiting:
                click.echo("Waiting for the other players …", err=True)
                waiting = True
            time.sleep(PAUSE)
            summary = self.client.game(self.game_id)
        return summary

    def _start(self) -> bool:
        """Start the game, if the player is its creator."""
        try:
            self.client.call("POST", f"/v1/games/{self.game_id}/start", {})
        except ApiError as error:
            if error.code in ("not-creator", "seats-open"):
                return False
            raise
        return True

    # -- output -------------------------------------------------------------------------------------------------------

    def _show(self, summary: Mapping[str, Any]) -> None:
        try:
            self._tell(summary)
        except ApiError as error:
            if error.code != WENT_BACK:
                raise
            self._went_back(error.problem)
            self._tell(summary)
        if self.bot is None or summary["status"] == "over":
            view = self.client.view(self.game_id)
            if view["seq"] != self.shown:
                self.shown = view["seq"]
                self._draw(view)

    def _went_back(self, problem: Mapping[str, Any]) -> None:
        """Report that the game was restored from an older copy, and discard what was seen, to read everything again."""
        held, stands = problem["client"]["seq"], problem["server"]["seq"]
        click.echo(
            f"The game was restored from an older copy. You had seen commit {held}; it is now at commit {stands}. Check your latest"
            " moves, and send them again if they are missing."
        )
        self.told_up_to, self.held, self.shown = None, "", -1

    def _tell(self, summary: Mapping[str, Any]) -> None:
        """Print the events so far. After joining, only those since the player's last turn, and at most `RECENT` lines."""
        first = self.told_up_to is None
        since = None if first and summary["your_seats"] and not self.watch else self.told_up_to or 0
        lines = []
        self.told_up_to = self.told_up_to or 0
        for entry in self.client.events(self.game_id, since, self.held):
            self.told_up_to, self.held = entry["seq"], f"{entry['seq']} {entry['head']}"
            lines += [f"  {entry['seq']:4}  {line.get('text', line.get('type', ''))}" for line in entry["lines"]]
        if first and not self.held and summary["head"]:
            # There are no events since the last turn, whose result was shown then.
            self.told_up_to, self.held = summary["seq"], f"{summary['seq']} {summary['head']}"
        if first and len(lines) > RECENT:
            click.echo(f"  … {len(lines) - RECENT} earlier lines")
            lines = lines[-RECENT:]
        for line in lines:
            click.echo(fitted(line, "        "))

    def _draw(self, view: Mapping[str, Any]) -> None:
        click.echo("\n" + fitted(board.text(self.kind, view), "  ") + "\n")

    def _look(self) -> None:
        self._draw(self.client.view(self.game_id))

    def _talk(self, text: str) -> None:
        try:
            self.client.call("POST", f"/v1/games/{self.game_id}/talk", {"text": text})
        except ApiError as error:
            click.echo(f"Refused: {error}")

    def _legend(self) -> None:
        lines = board.legend(self.kind, self.client.view(self.game_id))
        click.echo(fitted("\n".join(lines), "  ") or "This game has no symbols of its own.")

    def _end(self, summary: Mapping[str, Any]) -> None:
        """Print the winners, and how to check the game."""
        outcome = summary["outcome"]
        names = {row["seat"]: _name(row) for row in summary["seats"]}
        winners = " and ".join(names[seat] for seat in outcome["winners"])
        scores = ", ".join(f"{names[int(seat)]} {score}" for seat, score in outcome["scores"].items())
        click.echo(f"The game is over: {board.why(self.kind, outcome['reason'])}{board.clause(outcome['clause'])}.")
        click.echo(f"Won by {winners or 'no one'}.{f' {scores}.' if scores else ''}")
        click.echo(
            f"\nThis was game {self.game_id}. Check that it was played by the rules, without trusting the service:\n"
            f"  oraclewheel play {self.game_id} --url {self.client.url} --save {self.game_id}.ndjson\n"
            f"  oraclewheel audit {self.game_id}.ndjson"
        )

    # -- input --------------------------------------------------------------------------------------------------------

    def _turn(self, mine: Sequence[Mapping[str, Any]]) -> bool:
        """Answer the pending questions. False if there is nothing to do."""
        document = self.client.options(self.game_id, "answers" if self.bot is not None else None)
        options, table = read_options(document)
        if not options and (self.bot is not None or not any(asked["kind"] in features.ASKS for asked in mine)):
            return False
        if self.bot is not None:
            self._say(self.bot.choose(options), document["seq"])
            return True
        word = board.word(self.kind)
        for asked in mine:
            text = document.get("question") if len(mine) == 1 else None
            what = f"{text.rstrip('.')}{board.clause(asked['rule'])}" if text else board.question(asked, word)
            click.echo(fitted(f"{what}.{_deadline(asked['deadline'])}", "  "))
        aids = {"board": self._look, "legend": self._legend, "undo": self.take_back}
        chosen = Prompt(word, board.standing(self.kind), aids, self._talk, board.label(self.kind)).ask(options, table)
        if chosen is None:
            self.shown = -1
        else:
            self._say(chosen, document["seq"])
        return True

    def take_back(self) -> None:
        """Undo this seat's last command that changed the game, or ask the others for their consent."""
        newest = self.client.game(self.game_id)["seq"]
        own = [entry["seq"] for entry in self.client.events(self.game_id, max(0, newest - RECENT)) if _changed(entry)]
        if not own:
            click.echo("There is nothing to undo.")
            return
        outcome = self._say({"type": "request_undo", "seq": own[-1]}, None)
        if self.told_up_to is None:  # the first output begins after this
            for line in outcome.get("lines", ()):
                click.echo(fitted(f"  {line['text']}", "  "))

    def _say(self, chosen: Mapping[str, Any], seen: int | None) -> Mapping[str, Any]:
        """Send a command. Returns its result; empty if it is refused."""
        try:
            outcome: Mapping[str, Any] = self.client.send(self.game_id, chosen, seen)
        except ApiError as error:
            if error.status == 429:
                time.sleep(PAUSE)
            elif error.code in NEWS or (error.status == 409 and self.bot is None):
                click.echo(f"Refused: {error}")
            else:
                raise
            return {}
        return outcome


def _changed(entry: Mapping[str, Any]) -> bool:
    """Whether the entry is a command of this reader that changed the game and is not undone."""
    played = any(line["type"] not in features.EVENTS for line in entry["lines"])
    return played and "command" in entry and "undone_by" not in entry


def fitted(text: str, indent: str) -> str:
    """The lines wrapped to the terminal with indented continuations; unchanged if there is no terminal."""
    if not sys.stdout.isatty():
        return text
    width = shutil.get_terminal_size().columns - 1
    return "\n".join(
        line
        if "\033" in line or len(line) <= width
        else textwrap.fill(
            line,
            width,
            subsequent_indent=indent,
            break_on_hyphens=False,
            drop_whitespace=True,
            replace_whitespace=False,
        )
        for line in text.split("\n")
    )


def _name(row: Mapping[str, Any]) -> str:
    who = row["player"]["name"] if row["player"] else f"the {row['bot']} bot" if row["bot"] else "no one"
    return f"{who} (seat {row['seat']})"


def _deadline(due: int | None) -> str:
    """The deadline of a question in local time. ``due`` is in milliseconds of Unix time."""
    return "" if due is None else f" Deadline: {local_time(due)}."
