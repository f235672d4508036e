"""Plays random legal commands for a seat until the game is over: python bot.py URL TOKEN GAME."""

import random
import sys
from typing import Any

from oraclewheel_client.api.commands import list_options
from oraclewheel_client.api.games import get_game
from oraclewheel_client.api.tokens import list_turns
from oraclewheel_client.models import Game, OpenParameter, Options, Turns
from oraclewheel_client.types import UNSET, Unset
from oraclewheel_player import command, connect, send


def choose(parameter: OpenParameter) -> Any:
    """A random value for an open parameter."""
    if parameter.one_of:
        return random.choice(parameter.one_of)
    if parameter.integer:
        return random.randint(parameter.integer.min_, parameter.integer.max_)
    return random.sample(parameter.subset_of or [], random.randint(parameter.min_ or 0, parameter.max_ or 0))


url, token, game = sys.argv[1:]
client = connect(url, token)
etag: str | Unset = UNSET
while True:
    # Waits until a turn is pending; with an ETag, until the list differs from the one that has this ETag.
    response = list_turns.sync_detailed(client=client, prefer="wait=10", if_none_match=etag)
    turns = response.parsed.turns if isinstance(response.parsed, Turns) else []
    etag = response.headers.get("ETag", UNSET)
    seat = next((turn.seat for turn in turns if turn.game == game), None)
    if seat is not None:
        options = list_options.sync(game, client=client, seat=seat)
        if isinstance(options, Options) and options.options:
            send(client, game, seat, command(random.choice(options.options[: options.answers or None]), choose))
            etag = UNSET
            continue
    summary = get_game.sync(game, client=client)
    if isinstance(summary, Game) and summary.status == "over":
        break
