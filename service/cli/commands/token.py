"""``oraclewheel token``: create the first admin token, or a token for a player who lost theirs."""

from __future__ import annotations

import click

from domain.kernel.terms import PlayerId
from service.cli.operator import operator_name
from service.cli.stores.opened import opened
from service.core.accounts import apps
from service.core.accounts.scopes import ADMIN, OWNER
from service.core.http.access.ids import new_id
from service.core.http.context.tokens import digest_of, new_token
from service.store.ports.accounts import Credential, Player
from service.store.redis.store import Store


@click.command("token")
@click.option("--admin", "name", metavar="NAME", help="Create an account with this name and all rights.")
@click.option("--player", "player_id", metavar="ID", help="Create another token for the player with this id.")
@click.option("--revoke-others", is_flag=True, help="With --player: revoke the player's other tokens.")
def command(name: str | None, player_id: PlayerId | None, revoke_others: bool) -> None:
    """Create an access token.

    Creates an admin account or a new token for a player who lost theirs. The token is printed once and cannot be shown again.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel token --admin operator
    """
    if (name is None) == (player_id is None) or (revoke_others and player_id is None):
        raise click.UsageError("Give either --admin NAME or --player ID; --revoke-others needs --player.")
    if name is not None and not name.strip():
        raise click.BadParameter("the name is empty", param_hint="--admin")
    with opened() as (_, store):
        if name is not None:
            click.echo(admin(store, name), nl=False)
        elif player_id is not None:
            click.echo(another(store, player_id, revoke_others=revoke_others), nl=False)
    click.echo()


def admin(store: Store, name: str) -> str:
    """Create an account with all rights and return its token."""
    token, now = new_token("t"), store.schedule.now()
    player = Player(PlayerId(new_id("p")), name, now)
    credential = Credential(new_id("c"), player.id, (*OWNER, ADMIN), now, "oraclewheel token", minted_by="")
    store.operators.append(operator_name(), "account.create-admin", player.id, "")
    store.accounts.create(player, credential, digest_of(token))
    return token


def another(store: Store, player_id: PlayerId, *, revoke_others: bool) -> str:
    """Create another token for a player. Raises `click.ClickException` if there is no such player."""
    if store.accounts.player(player_id) is None:
        raise click.ClickException(f"There is no player with the id {player_id!r}. Check the id.")
    store.operators.append(operator_name(), "account.create-token", player_id, "")
    if revoke_others:
        apps.revoke_all(store, player_id)
    token = new_token("t")
    made = Credential(new_id("c"), player_id, OWNER, store.schedule.now(), "oraclewheel token", minted_by="")
    store.accounts.add_token(made, digest_of(token))
    return token
