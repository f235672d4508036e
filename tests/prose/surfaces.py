"""The texts that people read, collected by surface."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def markdown(*patterns: str) -> str:
    """Markdown files without code blocks; code spans become one word."""
    texts = []
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            texts.append(re.sub(r"`[^`\n]*`", "X", text))
    return "\n\n".join(texts)


def _sources(*tops: str) -> list[str]:
    return [path.read_text(encoding="utf-8") for top in tops for path in sorted((ROOT / top).rglob("*.py"))]


def docstrings_and_comments(*tops: str) -> str:
    """Docstrings, strings below attributes, and comments of Python code."""
    texts = []
    for source in _sources(*tops):
        texts += [
            match[1]
            for match in re.finditer(r'"""(.*?)"""', source, re.DOTALL)
            if not source[source.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        ]
        texts += re.findall(r"^(?:|.*  |\s+)# (.*)$", source, flags=re.MULTILINE)
    return "\n\n".join(re.sub(r"`+[^`]*`+", "X", text) for text in texts)


def client_comments() -> str:
    """Docstrings and comments of the clients in Python and TypeScript that the project ships."""
    sources = [
        path.read_text(encoding="utf-8")
        for pattern in ("python/*.py", "typescript/*.ts")
        for path in sorted((ROOT / "clients").glob(pattern))
        if path.name != "schema.d.ts"
    ]
    pattern = r'"""(.*?)"""|/\*\*(.*?)\*/|^(?:|[^\n]*  | +)(?:#|//) ([^\n]*)$'
    texts = ["".join(groups) for source in sources for groups in re.findall(pattern, source, re.DOTALL | re.MULTILINE)]
    return "\n\n".join(re.sub(r"`+[^`]*`+", "X", text) for text in texts)


def script_text(source: str) -> list[str]:
    """Comments of JavaScript, TypeScript or CSS, without types and names of JSDoc tags."""
    texts = []
    for block, line in re.findall(r"/\*(.*?)\*/|(?:^|[ \t])// ([^\n]*)$", source, re.DOTALL | re.MULTILINE):
        text = re.sub(r"`+[^`]*`+", "X", re.sub(r"^\s*\* ?", "", block.strip("*"), flags=re.MULTILINE) or line)
        while (inner := re.sub(r"\{[^{}]*\}", "", text)) != text:
            text = inner
        text = re.sub(r"@(?:param|property|template|typedef)\s+[^\s@]*|@[a-z]+", "\n", text)
        texts += [stripped for part in text.split("\n") if (stripped := part.strip())]
    return texts


def lua_text(source: str) -> list[str]:
    """Comments of Lua."""
    return [re.sub(r"`+[^`]*`+", "X", line) for line in re.findall(r"(?:^|[ \t])-- +([^\n]*)$", source, re.MULTILINE)]


def browser_comments() -> str:
    """Comments of the browser client; the types of the API are generated."""
    static = ROOT / "service/web/static"
    paths = [path for end in ("js", "css", "d.ts") for path in sorted(static.rglob(f"*.{end}"))]
    sources = [path.read_text(encoding="utf-8") for path in paths if path != static / "app/api/types.d.ts"]
    return "\n\n".join("\n".join(script_text(source)) for source in sources)


def script_comments() -> str:
    """Comments of the Lua scripts."""
    sources = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "service").rglob("*.lua"))]
    return "\n\n".join("\n".join(lua_text(source)) for source in sources)


def names_of_tests() -> list[str]:
    """Names of test functions."""
    return [
        name
        for source in _sources("tests")
        for name in re.findall(r"^ *(?:async )?def (test_\w+)", source, re.MULTILINE)
    ]


def test_names() -> str:
    """Names of test functions, as words."""
    return "\n".join(name.replace("_", " ") + "." for name in names_of_tests())


def contract() -> str:
    """Summaries, descriptions and titles of the OpenAPI document, each text once."""
    texts: dict[str, None] = {}

    def collect(node: object) -> None:
        if isinstance(node, dict):
            for key, value in node.items():
                if key in {"summary", "description", "title"} and isinstance(value, str):
                    texts[value] = None
                else:
                    collect(value)
        elif isinstance(node, list):
            for item in node:
                collect(item)

    collect(yaml.load((ROOT / "openapi.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))
    return re.sub(r"`[^`]*`", "X", "\n\n".join(texts))


def browser_strings() -> str:
    """String literals of the browser client that start like a sentence."""
    texts = []
    for path in sorted((ROOT / "service/web/static").rglob("*.js")):
        source = re.sub(r"^\s*(//|\*|/\*).*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        texts += [match[1] or match[2] for match in re.finditer(r'"([A-Z][^"\n]{8,})"|`([A-Z][^`\n]{8,})`', source)]
    return re.sub(r"\$\{[^}]*\}", "X", "\n".join(texts))


def product_strings() -> str:
    """String literals of the product that read like a sentence: errors, problems, CLI help, settings, emails, narration."""
    texts = []
    for source in _sources("domain", "service", "workers", "tools"):
        nodes = list(ast.walk(ast.parse(source)))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        texts += [
            node.value
            for node in nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
            and re.match(r"[A-Z]\w* \w+ ", node.value)
        ]
    return "\n\n".join(re.sub(r"`+[^`]*`+", "X", text) for text in texts)


SURFACES = {
    "readme": lambda: markdown("README.md", "CONTRIBUTING.md"),
    "changelog": lambda: markdown("CHANGELOG.md"),
    "docs": lambda: markdown("docs/**/*.md"),
    "api": contract,
    "browser": browser_strings,
    "product strings": product_strings,
    "docstrings and comments": lambda: docstrings_and_comments(
        "domain", "service", "workers", "tools", "bench", "tests"
    ),
    "client comments": client_comments,
    "browser comments": browser_comments,
    "script comments": script_comments,
    "test names": test_names,
}
"""Name of a surface and the function that reads it."""
