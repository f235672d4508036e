"""Plays a seat by chance to the end of its game: python bot.py URL TOKEN GAME."""

import random
import sys
from typing import Any

from oraclewheel_client.api.commands import list_options
from oraclewheel_client.api.games import get_game
from oraclewheel_client.api.tokens import list_turns
from oraclewheel_client.models import Game, OpenParameter, Options, Turns
from oraclewheel_client.types import UNSET, Unset
from oraclewheel_player import command, connect, send


def choose(part: OpenParameter) -> Any:
    """Any of the choices."""
    if part.one_of:
        return random.choice(part.one_of)
    if part.integer:
        return random.randint(part.integer.min_, part.integer.max_)
    return random.sample(part.subset_of or [], random.randint(part.min_ or 0, part.max_ or 0))


url, token, game = sys.argv[1:]
client = connect(url, token)
known: str | Unset = UNSET
while True:
    # Waits until a turn is pending; with a tag, until the list is another than the one that has this tag.
    answer = list_turns.sync_detailed(client=client, prefer="wait=10", if_none_match=known)
    turns = answer.parsed.turns if isinstance(answer.parsed, Turns) else []
    known = answer.headers.get("ETag", UNSET)
    seat = next((turn.seat for turn in turns if turn.game == game), None)
    if seat is not None:
        told = list_options.sync(game, client=client, seat=seat)
        if isinstance(told, Options) and told.options:
            send(client, game, seat, command(random.choice(told.options[: told.answers or None]), choose))
            known = UNSET
            continue
    stands = get_game.sync(game, client=client)
    if isinstance(stands, Game) and stands.status == "over":
        break
