"""Reference pages of the documentation site that are generated from the product: settings, commands, problem codes, API routes.

MkDocs loads this module as a hook (`mkdocs.yml`) and adds the pages to the site while it builds. They are not stored in `docs/`,
so they always match the code.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, get_type_hints

import click
import yaml

ROOT = Path(__file__).resolve().parents[1]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def settings() -> str:
    """Every setting with type, default, range and meaning."""
    from service.ops.settings import Settings
    from service.ops.settings.declared import name_of, written

    types = get_type_hints(Settings)
    parts = [
        (
            "# Settings\n\nSet the configuration as environment variables or in a file `.env` in the working directory. The environment takes "
            "precedence, and an empty value counts as not set. `oraclewheel settings` shows the current values and their source.\n"
        )
    ]
    for each in dataclasses.fields(Settings):
        known: Mapping[str, Any] = each.metadata
        facts = [f"Type: {TYPES.get(types[each.name], 'list, separated by commas')}"]
        default = "" if "for each core" in known["meaning"] else written(each.default)
        facts += [f"Default: `{default}`"] if default else ["Default: empty"] if not each.default else []
        if known["choices"]:
            facts.append("Allowed: " + ", ".join(f"`{choice}`" for choice in known["choices"] if choice))
        if known["most"] is not None:
            facts.append(f"Range: {known['least'] or 0} to {known['most']}")
        elif known["least"] is not None:
            facts.append(f"Minimum: {known['least']}")
        if known["secret"]:
            facts.append("Secret: never shown")
        parts.append(f"## {name_of(each)}\n\n{known['meaning']}\n\n{' · '.join(facts)}\n")
    return "\n".join(parts)


TYPES = {str: "text", int: "integer", float: "number", bool: "`1` or empty", Path: "path"}


def commands() -> str:
    """Every command of `oraclewheel` with its help text."""
    from service.cli import main

    parts = ["# Commands\n\nRun `oraclewheel COMMAND --help` for the same texts.\n"]
    context = click.Context(main, info_name="oraclewheel")
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        parts.append(f"## {name}\n\n```text\n{_help(command, context, name)}\n```\n")
    return "\n".join(parts)


def _help(command: click.Command, parent: click.Context, name: str) -> str:
    context = click.Context(command, info_name=name, parent=parent, terminal_width=100, max_content_width=100)
    texts = [command.get_help(context)]
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            below = command.get_command(context, child)
            assert below is not None
            texts.append(_help(below, context, child))
    return "\n\n".join(texts)


def problems() -> str:
    """Every problem code by HTTP status."""
    from service.core.http.problems import CATALOGUE

    by: dict[int, list[str]] = defaultdict(list)
    for code, (status, title) in CATALOGUE.items():
        by[status].append(f"### {code}\n\n{title}\n")
    parts = [
        (
            "# Problem codes\n\nErrors are `application/problem+json` (RFC 9457). `code` is one of the codes below, by HTTP status. "
            "[Handle errors](../how-to/handle-errors.md) explains how to handle them. A refusal by the rules of a game "
            "has [its own code](refusals.md) and names the clause of the rules.\n"
        )
    ]
    for status, sections in sorted(by.items()):
        parts += [f"## {status} {HTTPStatus(status).phrase}\n", *sections]
    return "\n".join(parts)


def refusals() -> str:
    """Every code with which the rules refuse a command, by kind of game."""
    from domain.kernel.errors import RuleViolation
    from domain.registry import GAMES

    classes = sorted(descendants(RuleViolation), key=lambda cls: cls.code)
    parts = [
        (
            "# Refusal codes\n\nA command that the rules refuse has no effect on the game. With `Prefer: wait` the response is 409 with one of these "
            "codes, and `rule` names a clause of the rules. The page shows the usual clause; a refusal can name a more specific one. "
            "[Play a turn](../how-to/play-a-turn.md) explains how to send commands.\n"
        )
    ]
    titles = {"": "All games", **{kind: game.title for kind, game in GAMES.items()}}
    for kind, title in titles.items():
        parts.append(f"## {title}\n")
        for cls in classes:
            if kind == (
                package if (package := cls.__module__.removeprefix("domain.games.").split(".")[0]) in GAMES else ""
            ):
                meaning = " ".join((cls.__doc__ or "").replace("``", "`").split("\n\n")[0].split())
                clause = f" Clause: {cls.rule}." if cls.rule else ""
                parts.append(f"### {cls.code}\n\n{meaning}{clause}\n")
    return "\n".join(parts)


def descendants(cls: type) -> set[type]:
    """All subclasses that are loaded, at any depth."""
    return {below for child in cls.__subclasses__() for below in (child, *descendants(child))}


def routes() -> str:
    """Every operation of the API by tag."""
    contract = yaml.load((ROOT / "openapi.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    by: dict[str, list[tuple[str, str, str]]] = {tag["name"]: [] for tag in contract.get("tags", ())}
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            if method in {"get", "post", "put", "patch", "delete"}:
                row = (f"`{method.upper()}`", f"`{path}`", operation["summary"])
                by.setdefault(operation["tags"][0], []).append(row)
    about = {tag["name"]: tag.get("description", "") for tag in contract.get("tags", ())}
    parts = [
        (
            "# API routes\n\n`openapi.yaml` in the repository is the full contract. A running service shows it at `/docs`, and at "
            "`/docs/try` you can send requests. [Concepts](../explanation/concepts.md) explains the terms.\n"
        )
    ]
    for tag, rows in by.items():
        if rows:
            parts.append(
                f"## {tag.capitalize()}\n\n{about.get(tag, '')}\n\n{_table(('Method', 'Path', 'Summary'), rows)}\n"
            )
    return "\n".join(parts)


def events() -> str:
    """Every event of every kind of game, with its fields."""
    from domain.registry import GAMES
    from domain.table import features

    parts = [
        (
            "# Events\n\nThe events in a game's log, by kind of game. `GET /v1/kinds/{kind}` has the JSON Schema of each, and "
            "`GET /v1/games/{game}/events` returns them with a sentence. A reader does not see every field of every event.\n"
        )
    ]
    kinds = {"All games": features.EVENTS, **{game.title: game.rules.events for game in GAMES.values()}}
    for title, classes in kinds.items():
        rows = [
            (f"`{name}`", ", ".join(f"`{field.name}`" for field in dataclasses.fields(cls)), _meaning(cls))
            for name, cls in classes.items()
        ]
        parts.append(f"## {title}\n\n{_table(('Event', 'Fields', 'Meaning'), rows)}\n")
    return "\n".join(parts)


def _meaning(cls: type) -> str:
    """The first sentence of a class's own docstring; dataclasses without one have a generated text."""
    text = " ".join((cls.__doc__ or "").replace("``", "`").split())
    return "" if text.startswith(f"{cls.__name__}(") else re.split(r"(?<=[.;:]) ", text)[0]


PAGES: Mapping[str, Callable[[], str]] = {
    "reference/routes.md": routes,
    "reference/problems.md": problems,
    "reference/refusals.md": refusals,
    "reference/settings.md": settings,
    "reference/commands.md": commands,
    "reference/events.md": events,
}
"""Path of a generated page below `docs/`, and the function that writes it."""


def expand(nav: Any) -> Any:
    """The navigation with the matching pages in place of each pattern such as `decisions/*.md`."""
    if isinstance(nav, dict):
        return {title: expand(child) for title, child in nav.items()}
    if isinstance(nav, list):
        return [expand(child) for child in nav]
    if "*" not in nav:
        return nav
    pages = sorted((ROOT / "docs").glob(nav), key=lambda page: (page.name != "README.md", page.name))
    return [page.relative_to(ROOT / "docs").as_posix() for page in pages]


def on_config(config: Any) -> Any:
    """MkDocs event: expands patterns in the navigation."""
    config.nav = expand(config.nav)
    return config


def on_files(files: Any, config: Any) -> Any:
    """MkDocs event: adds the generated pages."""
    from mkdocs.structure.files import File

    for path, text in PAGES.items():
        files.append(File.generated(config, path, content=text()))
    return files
