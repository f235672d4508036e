"""The API reference as one page without scripts and external files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from service.core.http.problems import REFUSED

Json = Mapping[str, Any]

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #888; --get: #2a7; --post: #27c; --patch: #a70; --delete: #c33 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
overflow-wrap: anywhere }
code, pre { font: 14px/1.45 ui-monospace, monospace } pre { overflow: auto; padding: .7rem; border: 1px solid var(--line) }
nav ul { columns: 2; padding: 0; list-style: none } details { border-top: 1px solid var(--line); padding: .4rem 0 }
details:target::details-content { content-visibility: visible; block-size: auto }
summary { cursor: pointer } table { border-collapse: collapse } td, th { padding: .2rem .8rem .2rem 0; text-align: left;
vertical-align: top } .m { display: inline-block; width: 4.5rem; font-weight: 600 } .get { color: var(--get) }
.post { color: var(--post) } .patch { color: var(--patch) } .delete { color: var(--delete) } small { color: var(--quiet) }
"""


def page(document: Json, more: str = "") -> str:
    """The page for an OpenAPI document. ``more`` is the URL of a page with search and requests, if there is one.

    The service then also has the documentation site.
    """
    info = document["info"]
    link = (
        f' · <a href="{escape(more)}">search it and try it out</a> · <a href="/docs/">documentation</a>' if more else ""
    )
    body = [
        f"<h1>{escape(info['title'])} <small>{escape(info['version'])}</small></h1>",
        *map(_paragraph, info["description"].split("\n\n")),
        f'<p><a href="/openapi.yaml">openapi.yaml</a>{link}</p>',
        *_operations(document),
        "<h2>Schemas</h2>",
        *_schemas(document["components"]["schemas"]),
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(info["title"])}</title>'
    return (
        f'<!doctype html><html lang="en"><head>{head}<style>{_STYLE}</style></head><body>{"".join(body)}</body></html>'
    )


def _paragraph(text: str) -> str:
    return f"<h3>{_prose(text[3:])}</h3>" if text.startswith("## ") else f"<p>{_prose(text)}</p>"


def _prose(text: str) -> str:
    """Text with `code` and **bold** in it, as HTML."""
    parts = escape(text.strip()).split("`")
    html = "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html)


def _operations(document: Json) -> Iterator[str]:
    groups: dict[str, list[tuple[str, str, Json]]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            groups.setdefault(operation["tags"][0], []).append((path, method, operation))
    for tag, listed in groups.items():
        yield f"<h2>{escape(tag.title())}</h2>"
        for path, method, operation in listed:
            yield _operation(path, method, operation, document)


def _operation(path: str, method: str, operation: Json, document: Json) -> str:
    components = document["components"]
    name = f'<span class="m {method}">{method.upper()}</span><code>{escape(path)}</code>'
    parts = [
        f'<details id="{escape(operation["operationId"])}"><summary>{name} {escape(operation["summary"])}</summary>',
        f"<p>{_prose(operation.get('description', ''))}</p>",
        _parameters([_resolved(each, components) for each in operation.get("parameters", ())]),
    ]
    if "requestBody" in operation:
        parts += ["<h4>Body</h4>", *_contents(operation["requestBody"]["content"])]
    for status, named in operation["responses"].items():
        if status == "default":
            continue
        response = _resolved(named, components)
        parts.append(f"<h4>{status} <small>{_prose(response['description'])}</small></h4>")
        parts += _contents(response.get("content", {}))
    parts += ["<h4>Problems</h4>", _problems(operation["x-problem-codes"], document["x-problems"])]
    return "".join([*parts, "</details>"])


def _problems(codes: Sequence[str], known: Json) -> str:
    """A table of problem codes by status. ``refusal`` represents all refusals by the rules and is not in the catalogue."""
    by: dict[int, list[str]] = {}
    for code in codes:
        by.setdefault(known[code]["status"] if code in known else REFUSED, []).append(f"<code>{escape(code)}</code>")
    rows = [f"<tr><td>{status}</td><td>{', '.join(names)}</td></tr>" for status, names in by.items()]
    return f"<table>{''.join(rows)}</table>"


def _resolved(thing: Json, components: Json) -> Json:
    if "$ref" not in thing:
        return thing
    *_, kind, name = thing["$ref"].split("/")
    found: Json = components[kind][name]
    return found


def _parameters(parameters: list[Json]) -> str:
    rows = [
        f"<tr><td><code>{escape(each['name'])}</code></td><td>{escape(each['in'])}</td>"
        f"<td>{_prose(each.get('description', ''))}</td></tr>"
        for each in parameters
    ]
    return f"<table>{''.join(rows)}</table>" if rows else ""


def _contents(content: Json) -> Iterator[str]:
    for form, body in content.items():
        reference = body["schema"].get("$ref", "").rpartition("/")[2]
        link = f' <a href="#schema-{escape(reference)}">{escape(reference)}</a>' if reference else ""
        yield f"<p><small>{escape(form)}</small>{link}</p><pre>{escape(_shown(body['example']))}</pre>"


def _shown(example: Any) -> str:
    return example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)


def _schemas(schemas: Json) -> Iterator[str]:
    for name, schema in schemas.items():
        text = escape(json.dumps(schema, indent=2, ensure_ascii=False))
        yield f'<details id="schema-{escape(name)}"><summary><code>{escape(name)}</code></summary><pre>{text}</pre></details>'
