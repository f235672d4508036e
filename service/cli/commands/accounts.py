"""``oraclewheel accounts``: what operators do with the accounts of players."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import click

from domain.kernel.terms import PlayerId
from service.cli.operator import operator_name
from service.cli.stores.opened import opened
from service.features import FEATURES
from service.ops import accounts as administration
from service.ops.accounts import BadAction
from service.store.redis.store import Store

REASON = click.option("--reason", required=True, metavar="TEXT", help="Why, for the operators' log.")


@click.group("accounts")
def command() -> None:
    """Find, suspend, reset and erase accounts.

    Each command that changes an account needs a reason and adds an entry to the operators' log.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel accounts find Ash
    """


@contextmanager
def _store() -> Iterator[Store]:
    with opened() as (_, store):
        try:
            yield store
        except BadAction as error:
            raise click.ClickException(str(error)) from error


@command.command("find")
@click.argument("text")
def find(text: str) -> None:
    """List accounts by name, id or email address.

    TEXT is an id, a confirmed email address, or a part of a name. Reads every account.

    Exit status: 0 on success, 1 if there is none, 2 for invalid arguments.

    Example: oraclewheel accounts find Ash
    """
    if not text.strip():
        raise click.BadParameter("the text is empty", param_hint="TEXT")
    with _store() as store:
        found = administration.find_accounts(store, text)
        for player in found:
            suspended = " (suspended)" if store.accounts.suspension(player.id) is not None else ""
            click.echo(f"{player.id}  {_instant(player.made_at)}  {player.name}{suspended}")
        if not found:
            raise click.ClickException("There is no such account.")
        if len(found) == administration.MOST_FOUND:
            click.echo("There may be more. Give more of the name.", err=True)


@command.command("show")
@click.argument("player_id", metavar="ID")
def show(player_id: PlayerId) -> None:
    """Show an account.

    Lists its suspension, and how many credentials, subscriptions and games it has. Shows no address and no content.

    Exit status: 0 on success, 1 if there is none, 2 for invalid arguments.

    Example: oraclewheel accounts show ID
    """
    with _store() as store:
        status = administration.read_account(store, player_id)
        rows = {
            "id": status.player.id,
            "name": status.player.name,
            "created": _instant(status.player.made_at),
            "last used": "unknown" if status.last_used_at is None else _instant(status.last_used_at),
            "credentials": _counts(status.credentials),
            "apps": str(status.apps),
            "subscriptions": str(status.subscriptions),
            "games": _counts(status.games),
            "suspended": "no",
        }
        if status.suspension is not None:
            rows["suspended"] = f"since {_instant(status.suspension.since)}, until {_end(status.suspension.until)}"
            rows["reason"] = status.suspension.reason
        for name, text in rows.items():
            click.echo(f"{name:<14}{text}")


@command.command("suspend")
@click.argument("player_id", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why. The player can read it.")
@click.option(
    "--until",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"]),
    help="End of the suspension in UTC. Default: when you restore the account.",
)
def suspend(player_id: PlayerId, reason: str, until: datetime | None) -> None:
    """Suspend an account.

    Its tokens, sessions and feeds stop at once. Running games go on under their rules for absent players.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel accounts suspend ID --until 2030-08-01 --reason "Insults in three games."
    """
    ends = None if until is None else round(until.replace(tzinfo=UTC).timestamp() * 1000)
    with _store() as store:
        administration.suspend_account(store, operator_name(), player_id, reason, ends)
        click.echo(f"{player_id}: suspended until {_end(ends)}.")


@command.command("restore")
@click.argument("player_id", metavar="ID")
@REASON
def restore(player_id: PlayerId, reason: str) -> None:
    """End the suspension of an account.

    Its tokens and sessions work again.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel accounts restore ID --reason "The appeal was right."
    """
    with _store() as store:
        administration.restore_account(store, operator_name(), player_id, reason)
        click.echo(f"{player_id}: restored.")


@command.command("reset-sign-in")
@click.argument("player_id", metavar="ID")
@REASON
@click.option("--remove-ways-back", is_flag=True, help="Also remove passkeys, recovery codes and sign-in by email.")
def reset_sign_in(player_id: PlayerId, reason: str, *, remove_ways_back: bool) -> None:
    """Give an account a new token and revoke all others.

    Ends all sessions and disconnects all apps. Prints the new token once: hand it to the player. It is valid until revoked.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel accounts reset-sign-in ID --reason "Lost the browser."
    """
    with _store() as store:
        token = administration.reset_sign_in(
            store, FEATURES, operator_name(), player_id, reason, remove_ways=remove_ways_back
        )
        click.echo(token)


@command.command("erase")
@click.argument("player_id", metavar="ID")
@REASON
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def erase(player_id: PlayerId, reason: str, *, yes: bool) -> None:
    """Erase an account.

    This cannot be undone. The player resigns from running games. Games keep the id.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel accounts erase ID --reason "Asked for by email."
    """
    with _store() as store:
        player = administration.read_account(store, player_id).player
        if not yes:
            click.confirm(f"Erase the account {player.name} ({player.id})?", abort=True)
        # The sweeper finds the games within a minute, so no worker is woken.
        administration.erase_account(store, FEATURES, lambda _: None, operator_name(), player_id, reason)
        click.echo(f"{player_id}: erased.")


@command.command("log")
@click.option("--account", "subject", metavar="ID", default="", help="Only entries about this account.")
@click.option("--count", type=click.IntRange(1, 10_000), default=100, show_default=True, help="Number of entries.")
def log(subject: str, count: int) -> None:
    """List what operators have done, the newest first.

    Entries are never changed or removed.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel accounts log --account ID
    """
    with _store() as store:
        found = store.operators.newest(count, subject)
        for each in found:
            click.echo(f"{_instant(each.at)}  {each.operator}  {each.action}  {each.subject}  {each.reason}".rstrip())
        if not found:
            click.echo("There are no entries.")


def _instant(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d %H:%M} UTC"


def _end(until: int | None) -> str:
    return "it is restored" if until is None else _instant(until)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "none"
