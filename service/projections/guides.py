"""The guides for players: pages of docs/play, each with its pictures, as Markdown and as HTML."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from markdown_it import MarkdownIt

from domain.game import AnyGame

DISTRIBUTION = "oraclewheel"
FOLDER = "docs/play"
SHARED = "share/oraclewheel/play"
"""Where the wheel puts them, below the folder that its installation has for data."""

STYLE = (
    ":root{color-scheme:light dark}body{max-width:44em;margin:2em auto;padding:0 1em;font:1.05em/1.5 Georgia,serif}"
    "img{max-width:100%;height:auto}table{border-collapse:collapse}td,th{border:1px solid;padding:.2em .6em;text-align:left}"
    "pre{overflow:auto;padding:.6em;border:1px solid}"
)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./[^)]*\)")
"""A link to another page of docs, which is not served."""
_NAME = re.compile(r"[a-z0-9-]+\.svg")


@dataclass(frozen=True, slots=True)
class Guide:
    """A page, whose pictures stand beside it as ``guide/<name>``."""

    markdown: str
    html: str
    digest: str
    """Of all that is in it, hex: what an ETag begins with."""


@lru_cache(maxsize=32)
def guide(game: AnyGame) -> Guide | None:
    """The guide of a game, or None if it has none; read once in a process."""
    path = _file(f"{game.key}.md")
    if path is None:
        return None
    text = _COMMENT.sub("", path.read_text(encoding="utf-8")).replace(f"]({game.key}/", "](guide/")
    text = _OUTSIDE.sub(r"\1", text)
    page = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    html = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(game.title)}: a guide</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n<body>\n{page}</body></html>\n'
    )
    return Guide(text, html, hashlib.sha256(html.encode()).hexdigest()[:24])


@lru_cache(maxsize=128)
def picture(game: AnyGame, name: str) -> bytes | None:
    """A picture of the guide by its file's name, or None if there is none of this name."""
    path = _file(f"{game.key}/{name}") if _NAME.fullmatch(name) else None
    return None if path is None else path.read_bytes()


def _file(name: str) -> Path | None:
    """A file of the guides: of the checkout, or else of the installed distribution."""
    here = Path(__file__).parents[2] / FOLDER / name
    if here.is_file():
        return here
    try:
        files = distribution(DISTRIBUTION).files or ()
    except PackageNotFoundError:
        return None
    found = next((file for file in files if file.as_posix().endswith(f"{SHARED}/{name}")), None)
    return None if found is None else Path(str(found.locate()))
