"""The available games: those that installed packages register in the entry point group `oraclewheel.games`."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from domain.kernel.game import AnyGame, Game

GROUP = "oraclewheel.games"


class BrokenGame(RuntimeError):
    """An installed package registers a game that cannot be used."""

    def __init__(self, entry: EntryPoint, reason: str) -> None:
        super().__init__(
            f"The package {package_of(entry)!r} registers the game {entry.name!r} as {entry.value!r}, but {reason}. "
            "Repair, upgrade or uninstall this package."
        )


def package_of(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else "unknown"


def load_games() -> dict[str, AnyGame]:
    """All registered games by key, in the order of their keys. Raises `BrokenGame`."""
    games: dict[str, AnyGame] = {}
    packages: dict[str, str] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            game = entry.load()
        except Exception as error:
            raise BrokenGame(entry, f"loading it failed with {error!r}") from error
        if not isinstance(game, Game):
            raise BrokenGame(entry, f"that is of the type {type(game).__name__!r} instead of a Game")
        if game.key != entry.name:
            raise BrokenGame(entry, f"the key of that game is {game.key!r}")
        if game.key in games:
            raise BrokenGame(entry, f"the package {packages[game.key]!r} registers a game with this name too")
        games[game.key], packages[game.key] = game, package_of(entry)
    return games


GAMES = load_games()
if not GAMES:
    raise RuntimeError("No game is installed. Install this project again: `make setup` or `pip install -e .`")
