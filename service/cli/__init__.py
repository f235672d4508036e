"""``oraclewheel``: the command line. Each subcommand is a module, imported when it is called."""

from __future__ import annotations

from importlib import import_module

import click

from domain import RELEASE
from service.features import FEATURES

SUBCOMMANDS: dict[str, str] = {
    "accounts": "service.cli.commands.accounts",
    "audit": "service.cli.commands.audit",
    "backup": "service.cli.commands.backup",
    "bench": "service.cli.commands.bench",
    "check-release": "service.cli.commands.check_release",
    "doctor": "service.cli.commands.doctor",
    "export": "service.cli.commands.export",
    "import": "service.cli.commands.imports",
    "ladder": "tools.commands.ladder",
    "load": "tools.commands.load",
    "migrate": "service.cli.commands.migrate",
    "play": "service.cli.commands.play",
    "restore": "service.cli.commands.restore",
    "serve": "service.cli.commands.serve",
    "settings": "service.cli.commands.settings",
    "simulate": "tools.commands.simulate",
    "token": "service.cli.commands.token",
    "top": "service.cli.commands.top",
    "witness": "service.cli.commands.witness",
    **{name: module for feature in FEATURES for name, module in feature.commands.items()},
}
"""Name and module of each subcommand. The module's ``command`` is the subcommand."""

TOOLS = frozenset({"ladder", "load", "simulate"})
"""The subcommands that need the extra ``tools``."""


class Lazy(click.Group):
    """A group that imports a subcommand's module only when the subcommand is used."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(SUBCOMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in SUBCOMMANDS:
            return None
        try:
            command: click.Command = import_module(SUBCOMMANDS[name]).command
        except ModuleNotFoundError:
            if name not in TOOLS:
                raise
            return _missing(name)
        return command


def _missing(name: str) -> click.Command:
    """A placeholder for a tool that is not installed, so that `oraclewheel --help` works without it."""

    def fail() -> None:
        raise click.ClickException(f"`oraclewheel {name}` is not installed. Run: pip install 'oraclewheel[tools]'")

    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    short_help = "Not installed: pip install 'oraclewheel[tools]'."
    return click.Command(name, settings, fail, short_help=short_help, add_help_option=False)


@click.command(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(RELEASE, prog_name="oraclewheel")
def main() -> None:
    """Board games played by post.

    Run and operate the service, play in the terminal, simulate games, and check exports.
    Run `oraclewheel COMMAND --help` for the options of a command.
    """
