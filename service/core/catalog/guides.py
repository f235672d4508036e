"""Pages for players, as Markdown and HTML: guides from docs/play with their pictures, and clauses from docs/rules."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from markdown_it import MarkdownIt

from domain.kernel.game import AnyGame

DISTRIBUTION = "oraclewheel"
GUIDES, RULES = "play", "rules"
"""The folders of docs whose pages are served."""
SHARED = "share/oraclewheel"
"""Their location in the wheel, below the data folder of the installation."""

STYLE = (
    ":root{color-scheme:light dark}body{max-width:44em;margin:2em auto;padding:0 1em;font:1.05em/1.5 Georgia,serif}"
    "img{max-width:100%;height:auto}table{border-collapse:collapse}td,th{border:1px solid;padding:.2em .6em;text-align:left}"
    "pre{overflow:auto;padding:.6em;border:1px solid}td{vertical-align:top}tr[id] td:first-child{white-space:nowrap}"
    ":target{outline:.2em solid;outline-offset:-.2em;scroll-margin-top:4em}"
    "@media(max-width:40em){table{font-size:.8em;display:block;overflow-x:auto}td,th{padding:.2em}}"
)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_OUTSIDE = re.compile(r"\[([^\]]*)\]\((?:\.\./[^)]*|[^)/]*\.md[^)]*)\)")
"""A link to another page of docs. Those pages are not served."""
_CLAUSE = re.compile(r"<tr>\n<td>(?=([A-Z]+-[A-Z]?\d+[a-z]?)</td>)|<strong(?=>([A-Z]+-[A-Z]?\d+[a-z]?)</strong>)")
"""The text of a clause: a table row that begins with its id, or the id in bold."""
_NAME = re.compile(r"[a-z0-9-]+\.svg")


@dataclass(frozen=True, slots=True)
class GuidePage:
    """A page. The pictures of a guide are served as ``guide/<name>``, relative to it."""

    markdown: str
    html: str
    digest: str
    """Digest of the page, hex; the first part of its ETag."""


@lru_cache(maxsize=32)
def load_guide(game: AnyGame) -> GuidePage | None:
    """The guide of a game; None if it has none. Cached in the process."""
    path = _find_file(GUIDES, f"{game.key}.md")
    if path is None:
        return None
    text = _COMMENT.sub("", path.read_text(encoding="utf-8")).replace(f"]({game.key}/", "](guide/")
    return _render_page(text, f"{game.title}: a guide")


@lru_cache(maxsize=32)
def load_clauses(game: AnyGame) -> GuidePage | None:
    """The rules of a game by clause; None if there is no such page. In HTML each clause id is an anchor."""
    path = _find_file(RULES, f"{game.key}.md")
    return None if path is None else _render_page(path.read_text(encoding="utf-8"), f"{game.title}: the rules")


def _render_page(text: str, title: str) -> GuidePage:
    text = _OUTSIDE.sub(r"\1", text)
    body = _CLAUSE.sub(_add_anchor, MarkdownIt("commonmark", {"html": False}).enable("table").render(text))
    html = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n<body>\n{body}</body></html>\n'
    )
    return GuidePage(text, html, hashlib.sha256(html.encode()).hexdigest()[:24])


def _add_anchor(match: re.Match[str]) -> str:
    row, bold = match.groups()
    return f'<tr id="{row}">\n<td>' if row else f'<strong id="{bold}"'


@lru_cache(maxsize=128)
def load_picture(game: AnyGame, name: str) -> bytes | None:
    """A picture of the guide by file name; None if missing."""
    path = _find_file(GUIDES, f"{game.key}/{name}") if _NAME.fullmatch(name) else None
    return None if path is None else path.read_bytes()


def _find_file(folder: str, name: str) -> Path | None:
    """A file of the folder, from the checkout if there is one, otherwise from the installed distribution."""
    here = Path(__file__).parents[3] / "docs" / folder / name
    if here.is_file():
        return here
    try:
        files = distribution(DISTRIBUTION).files or ()
    except PackageNotFoundError:
        return None
    found = next((file for file in files if file.as_posix().endswith(f"{SHARED}/{folder}/{name}")), None)
    return None if found is None else Path(str(found.locate()))
