"""A letter as it is sent: plain text, HTML with the boards in it, and the headers that mail programs go by."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from html import escape

STYLE = (
    ":root{color-scheme:light dark}body{max-width:40em;margin:0 auto;padding:1em;font:16px/1.5 Georgia,serif}"
    "h1{font-size:1.2em;margin:.2em 0}h2{font-size:1em;margin:1.2em 0 .2em}p{margin:.3em 0}"
    "img{max-width:100%;height:auto}.asked{font-size:1.1em}"
    ".open{display:inline-block;margin:.6em 0;padding:.5em 1em;border:1px solid;border-radius:.4em}"
    "footer{margin-top:2em;border-top:1px solid;padding-top:.5em;font-size:.85em;opacity:.8}"
)
LONGEST_LINE = 900
"""Characters of a header's line; RFC 5322 allows 998."""

BOARD_WIDTH = 640
"""Pixels that a board in a letter is wide."""


@dataclass(frozen=True, slots=True)
class Section:
    """What a letter says of one game."""

    title: str
    """What the game is, and with whom."""
    asked: Sequence[str]
    """What the player is to answer, and by when in their own time, a sentence each."""
    changes: Sequence[str]
    """What has changed for them since their last turn, a sentence each."""
    paragraphs: Sequence[tuple[str, str]]
    """What has happened since: heading (maybe empty) and text, the oldest first."""
    left_out: bool
    """Whether more has happened before the first of them."""
    link: str
    """Where the game is opened; empty where there is no such place."""
    board: bytes = b""
    """The board as PNG; empty for none."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter before it has headers."""

    to: str
    """The address alone."""
    subject: str
    message_id: str
    """Without brackets; the same whenever the same letter is made again."""
    sections: Sequence[Section]
    opening: str = ""
    """A sentence before everything else."""
    call: str = "Open the game"
    """What is said of the sections' links."""
    thread: str = ""
    """The id of the thread that it belongs to, without brackets."""
    reason: str = ""
    """Why it was sent: a sentence at its end."""
    unsubscribe: str = ""
    """The address by which the reader has no more of these."""
    headers: Mapping[str, str] = field(default_factory=dict)


def message(letter: Letter, sender: str, at: int) -> EmailMessage:
    """The letter from ``sender`` (an address, maybe with a name), written at an instant (milliseconds of Unix time)."""
    made = EmailMessage(policy=SMTP)
    made["From"] = sender
    made["To"] = Address(addr_spec=letter.to)
    made["Subject"] = one_line(letter.subject)
    made["Date"] = format_datetime(datetime.fromtimestamp(at // 1000, UTC))
    made["Message-ID"] = f"<{letter.message_id}>"
    if letter.thread:
        made["In-Reply-To"] = f"<{letter.thread}>"
        made["References"] = f"<{letter.thread}>"
    made["Auto-Submitted"] = "auto-generated"
    made["X-Auto-Response-Suppress"] = "All"
    if letter.unsubscribe:
        made["List-Unsubscribe"] = f"<{letter.unsubscribe}>"
        made["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    for name, value in letter.headers.items():
        made[name] = value
    made.set_content(as_text(letter), cte="quoted-printable")
    boards = [section.board for section in letter.sections]
    names = [f"board-{number}.{letter.message_id}" for number in range(len(boards))]
    made.add_alternative(as_html(letter, names), subtype="html", cte="quoted-printable")
    html = list(made.iter_parts())[1]
    assert isinstance(html, EmailMessage)
    for number, (board, name) in enumerate(zip(boards, names, strict=True), 1):
        if board:
            html.add_related(
                board, "image", "png", cid=f"<{name}>", disposition="inline", filename=f"board-{number}.png"
            )
    # Folded at the usual width an address in a header would be encoded, and no mail program would find it.
    made.policy = SMTP.clone(max_line_length=LONGEST_LINE)
    return made


def one_line(text: str) -> str:
    """A text as it may stand in a header: on one line, and nothing in it that reads as an encoded word (RFC 2047).

    In such a word a line's end, and so another header, would be hidden from who looks for control characters alone.
    """
    return " ".join(re.sub(r"[\x00-\x1f\x7f\u2028\u2029]", " ", text).split()).replace("=?", "= ?")


def is_addressable(address: str) -> bool:
    """Whether a letter can be written to the address: not if it reads as an encoded word."""
    try:
        Address(addr_spec=address)
    except ValueError:
        return False
    return True


def as_text(letter: Letter) -> str:
    """The letter for those who read plain text."""
    parts = [letter.opening] if letter.opening else []
    for section in letter.sections:
        parts.append(section.title if not section.asked else section.title + "\n" + "\n".join(section.asked))
        if section.link:
            parts.append(f"{letter.call}: {section.link}")
        if section.changes:
            parts.append("\n".join(f"* {change}" for change in section.changes))
        if section.left_out:
            parts.append("[…]")
        parts += ["\n".join(filter(None, paragraph)) for paragraph in section.paragraphs]
    if letter.reason:
        parts.append(f"-- \n{letter.reason}")
    if letter.unsubscribe:
        parts[-1] += f"\nUnsubscribe: {letter.unsubscribe}"
    return "\n\n".join(parts) + "\n"


def as_html(letter: Letter, boards: Sequence[str]) -> str:
    """The letter for those who see it; ``boards`` names the picture of each section."""
    body = [f"<p>{escape(letter.opening)}</p>"] if letter.opening else []
    for section, name in zip(letter.sections, boards, strict=True):
        body.append(f"<h1>{escape(section.title)}</h1>")
        body += [f'<p class="asked">{escape(text)}</p>' for text in section.asked]
        if section.link:
            body.append(f'<p><a class="open" href="{escape(section.link)}">{escape(letter.call)}</a></p>')
        if section.changes:
            body.append("<ul>" + "".join(f"<li>{escape(change)}</li>" for change in section.changes) + "</ul>")
        if section.board:
            alt = f"Board: {section.title}"
            body.append(f'<p><img src="cid:{escape(name)}" width="{BOARD_WIDTH}" alt="{escape(alt)}"></p>')
        if section.left_out:
            body.append("<p>[…]</p>")
        for heading, text in section.paragraphs:
            body += [f"<h2>{escape(heading)}</h2>"] if heading else []
            body.append(f"<p>{escape(text)}</p>")
    last = [escape(letter.reason)] if letter.reason else []
    if letter.unsubscribe:
        last.append(f'<a href="{escape(letter.unsubscribe)}">Unsubscribe</a>')
    body += [f"<footer><p>{'<br>'.join(last)}</p></footer>"] if last else []
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(letter.subject)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n<body>\n'
        + "\n".join(body)
        + "\n</body></html>\n"
    )
