"""The process that turns pictures into PNGs: the library holds the interpreter's lock while it paints."""

from __future__ import annotations

from typing import Any

from service.api.context.messages import answer_until_gone
from service.post.painting import painted


def answer(question: Any) -> bytes:
    """The PNG that a question asks for."""
    return painted(question["svg"], question["width"])


if __name__ == "__main__":
    answer_until_gone(answer)
