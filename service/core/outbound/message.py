"""Builds an email: plain text and headers, and HTML with inline pictures if it has sections."""

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
    "h1{font-size:1.2em;margin:.2em 0}h2{font-size:1.1em;margin:1.2em 0 .2em}h3{font-size:1em;margin:1.2em 0 .2em}p{margin:.3em 0}"
    "img{max-width:100%;height:auto}.asked{font-size:1.1em}"
    ".open{display:inline-block;margin:.6em 0;padding:.5em 1em;border:1px solid;border-radius:.4em}"
    "footer{margin-top:2em;border-top:1px solid;padding-top:.5em;font-size:.85em;opacity:.8}"
)
MAX_HEADER_LENGTH = 900
"""Maximum characters of a header line; RFC 5322 allows 998."""

SINCE = "Since your last turn"
"""Heading of the changes, the board and the history."""
LEFT_OUT = "Earlier turns are left out. Open the game to read them."

BOARD_WIDTH = 640
"""Width of a board in pixels."""


@dataclass(frozen=True, slots=True)
class Section:
    """The part of an email about one game."""

    title: str
    """The game and the other players."""
    questions: Sequence[str]
    """The player's questions, with deadlines in their local time, one sentence each."""
    changes: Sequence[str]
    """What has changed since their last turn, one sentence each."""
    paragraphs: Sequence[tuple[str, str]]
    """The history since then, oldest first: heading (may be empty) and text."""
    is_truncated: bool
    """Whether earlier paragraphs are omitted."""
    link: str
    """Address of the game; empty if missing."""
    board: bytes = b""
    """The board as PNG; empty if missing."""


@dataclass(frozen=True, slots=True)
class EmailDraft:
    """The content of an email, before headers are added."""

    to: str
    """The bare address."""
    subject: str
    message_id: str
    """Without brackets. The same each time the same email is built."""
    sections: Sequence[Section] = ()
    """Without sections, the email is plain text."""
    opening: str = ""
    """The text before everything else."""
    call: str = "Open the game"
    """Text of the sections' links."""
    thread: str = ""
    """The id of the email's thread, without brackets."""
    reason: str = ""
    """Why it was sent: the last sentence."""
    unsubscribe: str = ""
    """The unsubscribe address."""
    headers: Mapping[str, str] = field(default_factory=dict)


def build_message(letter: EmailDraft, sender: str, at: int) -> EmailMessage:
    """The email from ``sender`` (an address, optionally with a name), dated at an instant (milliseconds of Unix time)."""
    made = EmailMessage(policy=SMTP)
    made["From"] = sender
    made["To"] = Address(addr_spec=letter.to)
    made["Subject"] = sanitize_header(letter.subject)
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
    made.set_content(render_text(letter), cte="quoted-printable")
    if letter.sections:
        _add_html(made, letter)
    # At the usual line width, addresses in headers would be folded and encoded, and mail programs would not find them.
    made.policy = SMTP.clone(max_line_length=MAX_HEADER_LENGTH)
    return made


def _add_html(made: EmailMessage, letter: EmailDraft) -> None:
    boards = [section.board for section in letter.sections]
    names = [f"board-{number}.{letter.message_id}" for number in range(len(boards))]
    made.add_alternative(render_html(letter, names), subtype="html", cte="quoted-printable")
    html = list(made.iter_parts())[1]
    assert isinstance(html, EmailMessage)
    for number, (board, name) in enumerate(zip(boards, names, strict=True), 1):
        if board:
            html.add_related(
                board, "image", "png", cid=f"<{name}>", disposition="inline", filename=f"board-{number}.png"
            )


def sanitize_header(text: str) -> str:
    """A text for a header: on one line, with nothing that reads as an encoded word (RFC 2047).

    An encoded word could hide a line break, and so another header, from a check for control characters.
    """
    return " ".join(re.sub(r"[\x00-\x1f\x7f\u2028\u2029]", " ", text).split()).replace("=?", "= ?")


def is_addressable(address: str) -> bool:
    """Whether an email can be sent to the address. An address that reads as an encoded word is refused."""
    try:
        Address(addr_spec=address)
    except ValueError:
        return False
    return True


def render_text(letter: EmailDraft) -> str:
    """The plain text version."""
    parts = [letter.opening] if letter.opening else []
    for section in letter.sections:
        parts.append(section.title if not section.questions else section.title + "\n" + "\n".join(section.questions))
        if section.link:
            parts.append(f"{letter.call}: {section.link}")
        if section.changes or section.paragraphs:
            parts.append("\n".join([f"{SINCE}:", *(f"* {change}" for change in section.changes)]))
        if section.is_truncated:
            parts.append(LEFT_OUT)
        parts += ["\n".join(filter(None, paragraph)) for paragraph in section.paragraphs]
    if letter.reason:
        parts.append(f"-- \n{letter.reason}")
    if letter.unsubscribe:
        parts[-1] += f"\nUnsubscribe: {letter.unsubscribe}"
    return "\n\n".join(parts) + "\n"


def render_html(letter: EmailDraft, boards: Sequence[str]) -> str:
    """The HTML version. ``boards`` has the content id of each section's picture."""
    body = [f"<p>{escape(letter.opening)}</p>"] if letter.opening else []
    for section, name in zip(letter.sections, boards, strict=True):
        body.append(f"<h1>{escape(section.title)}</h1>")
        body += [f'<p class="asked">{escape(text)}</p>' for text in section.questions]
        if section.link:
            body.append(f'<p><a class="open" href="{escape(section.link)}">{escape(letter.call)}</a></p>')
        if section.changes or section.paragraphs:
            body.append(f"<h2>{SINCE}</h2>")
        if section.changes:
            body.append("<ul>" + "".join(f"<li>{escape(change)}</li>" for change in section.changes) + "</ul>")
        if section.board:
            alt = f"Board: {section.title}"
            body.append(f'<p><img src="cid:{escape(name)}" width="{BOARD_WIDTH}" alt="{escape(alt)}"></p>')
        if section.is_truncated:
            body.append(f"<p>{LEFT_OUT}</p>")
        for heading, text in section.paragraphs:
            body += [f"<h3>{escape(heading)}</h3>"] if heading else []
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
