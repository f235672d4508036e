"""``oraclewheel token``: the first admin token, and a new token for a player who lost his."""

from __future__ import annotations

import click

from service.api.access.ids import new_id
from service.api.context.tokens import digest_of, new_token
from service.cli.stores.opened import opened
from service.store.ports import Credential, Player, Store


@click.command("token")
@click.option("--admin", "name", metavar="NAME", help="Make an account of that name whose token may do everything.")
@click.option("--player", metavar="ID", help="Make another token for the player with this id.")
@click.option("--revoke-others", is_flag=True, help="With --player: the tokens that he had are void from now on.")
def command(name: str | None, player: str | None, revoke_others: bool) -> None:
    """Make a token and print it, this once."""
    if (name is None) == (player is None) or (revoke_others and player is None):
        raise click.UsageError("Say either --admin NAME or --player ID.")
    with opened() as (_, store):
        if name is not None:
            click.echo(admin(store, name), nl=False)
        elif player is not None:
            click.echo(another(store, player, revoke_others=revoke_others), nl=False)
    click.echo()


def admin(store: Store, name: str) -> str:
    """The token of a new account that may do everything."""
    token, now = new_token("t"), store.log.now()
    player = Player(new_id("p"), name, now)
    credential = Credential(new_id("c"), player.id, ("read", "play", "admin"), now, "oraclewheel token")
    store.accounts.create(player, credential, digest_of(token))
    return token


def another(store: Store, player: str, *, revoke_others: bool) -> str:
    """Another token for a player; raises `click.ClickException` if there is no such player."""
    if store.accounts.player(player) is None:
        raise click.ClickException(f"There is no player with the id {player!r}.")
    if revoke_others:
        for credential in store.accounts.tokens(player):
            store.accounts.revoke(player, credential.id)
    token = new_token("t")
    made = Credential(new_id("c"), player, ("read", "play"), store.log.now(), "oraclewheel token")
    store.accounts.add_token(made, digest_of(token))
    return token
