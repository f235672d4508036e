"""The random draws behind each event type: JSON for ``/v1/kinds``, table rows for docs/audit.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from domain.kernel.draws import Draw, draws_of
from domain.kernel.game.rules import Rules


def build_draw_documents(rules: Rules[Any, Any, Any]) -> dict[str, list[dict[str, Any]]]:
    """Draws by event type, in the order in which they are drawn."""
    return {name: [_document(draw) for draw in declared] for name, declared in draws_of(rules.events).items()}


def _document(draw: Draw) -> dict[str, Any]:
    document: dict[str, Any] = {"field": draw.field, "how": draw.how}
    if draw.faces:
        document["faces"] = draw.faces
    if draw.of:
        document["of"] = list(draw.of)
    if draw.text:
        document["text"] = draw.text
    return document


def list_markdown_rows(rules: Rules[Any, Any, Any]) -> Iterator[str]:
    """Markdown table rows, one per draw."""
    for name, declared in draws_of(rules.events).items():
        for draw in declared:
            yield f"| `{name}` | `{draw.field}` | {_what(draw)} |"


def _what(draw: Draw) -> str:
    sizes = {"die": f" of {draw.faces}", "number": f" below {draw.faces}"}
    size = sizes[draw.how] if draw.faces else ""
    each = " for each" if "[]" in draw.field else ""
    of = f" ({', '.join(map(str, draw.of))})" if draw.of else ""
    return f"a {draw.how}{size}{each}{of}" + (f"; {draw.text}" if draw.text else "")
