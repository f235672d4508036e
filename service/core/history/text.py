"""History for people without a client: plain text, or an HTML page without scripts or external resources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

STYLE = (
    ":root{color-scheme:light dark}body{max-width:40em;margin:2em auto;padding:0 1em;font:1.05em/1.5 Georgia,serif}"
    "h2{font-size:1.1em;margin:1.5em 0 .2em}p{margin:.3em 0}small{opacity:.7}"
)


def to_paragraphs(entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Entries of history as paragraphs without headings, one per commit."""
    return [
        {"seqs": [entry["seq"]], "title": "", "text": " ".join(line["text"] for line in entry["lines"])}
        for entry in entries
        if entry["lines"]
    ]


def render_text(paragraphs: Sequence[Mapping[str, Any]], since: Mapping[str, Any] | None) -> str:
    """Paragraphs separated by empty lines, after the changes since the last turn."""
    parts = ["\n".join(_list_changes(since))] if since is not None and _list_changes(since) else []
    parts += ["\n".join(filter(None, (each["title"], _mark_undone(each)))) for each in paragraphs if _is_shown(each)]
    return "".join(part + "\n\n" for part in parts).removesuffix("\n")


def render_html(
    title: str, paragraphs: Sequence[Mapping[str, Any]], since: Mapping[str, Any] | None, following: str = ""
) -> str:
    """As `render_text`, as an HTML page. ``following`` is the address of the next page; empty if missing."""
    body = [f"<h1>{escape(title)}</h1>"]
    if since is not None and _list_changes(since):
        body.append("<ul>" + "".join(f"<li>{escape(text)}</li>" for text in _list_changes(since)) + "</ul>")
    marked: set[int] = set()
    for each in paragraphs:
        if not _is_shown(each):
            continue
        if each["title"]:
            body.append(f"<h2>{escape(each['title'])}</h2>")
        if not each["text"]:
            continue
        first = each["seqs"][0]
        mark = "" if first in marked else f' id="seq-{first}"'
        marked.add(first)
        body.append(f"<p{mark}>{escape(_mark_undone(each))}</p>")
    if following:
        body.append(f'<p><a rel="next" href="{escape(following)}">Next page</a></p>')
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n<body>\n'
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _is_shown(paragraph: Mapping[str, Any]) -> bool:
    """Whether it has text, or is finished with only a heading. A turn without events so far is omitted."""
    return bool(paragraph["text"] or (paragraph["title"] and paragraph["finished"]))


def _mark_undone(paragraph: Mapping[str, Any]) -> str:
    text = str(paragraph["text"])
    return f"Undone: {text}" if text and "undone_by" in paragraph else text


def _list_changes(since: Mapping[str, Any]) -> list[str]:
    questions = [
        sentence for each in since["questions"] for sentence in (each["text"], each["timeout_text"]) if sentence
    ]
    return [*(line["text"] for line in since["changes"]), *questions]
