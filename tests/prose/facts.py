"""Compares the facts of an older state of the documentation with the pages of today.

`python -m tests.prose.facts REVISION` prints the facts of the pages of that revision that no page, contract or generated reference
has today, and that `facts_dropped.txt` does not list. A fact is a code span, a number with its unit, an HTTP status, a setting, a
path, or the id of a rule clause.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.prose.surfaces import ROOT

BEFORE = ("1fc4e43830", "c57c7918f2")
"""The pages before they were rewritten, and before they were split."""
LIST = Path(__file__).with_name("facts_dropped.txt")
"""One fact per line, a tab, and the reason why the pages of today lack it. A line that begins with # is a comment."""

UNITS = (
    r"%|ms|µs|s|seconds?|minutes?|hours?|days?|weeks?|months?|years?|bytes?|[kKMG]i?B|MB|kB|games?|commits?|commands?|seats?|"
    r"players?|requests?|streams?|connections?|partitions?|workers?|messages?|times|cards?|points?|steps?|tries|attempts|accounts?"
)
PATTERNS: Mapping[str, str] = {
    "code": r"`+([^`\n]+?)`+",
    "number": rf"(?<![\w.,-])(\d[\d,.]*(?:\s|-|\u202f|\u00a0)?(?:{UNITS}))(?![\w])",
    "status": r"(?<![\w.,§:-])((?:1|2|3|4|5)\d\d)(?![\w.,%:-]\d|\w| \w+s\b)",
    "setting": r"\b(ORACLEWHEEL_[A-Z0-9_]+[A-Z0-9])\b",
    "path": r"(?<![\w`/])(/(?:v1|feeds|letters|docs|games|metrics|healthz|readyz)[\w/{}.<>-]*)",
    "clause": r"\b([A-Z]{3}-[A-Z]?\d{2}[a-z]?)\b",
}
SOURCE = re.compile(r"(?:domain|service|workers|tools|tests|bench)/")
"""Paths of the project's own files are no facts: they change when code moves, and broken links fail another test."""
NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def normal(text: str) -> str:
    """Spaces, numbers in words and plural units in one form, so that equal facts are equal strings."""
    text = re.sub(r"\b(\d),(\d{3})\b", r"\1\2", text)
    for number, word in enumerate(NUMBERS, 1):
        text = re.sub(rf"\b{word}\b", str(number), text, flags=re.IGNORECASE)
    return re.sub(r"[\s\u00a0\u202f]+", " ", text)


def facts(text: str) -> set[tuple[str, str]]:
    """Kind and text of each fact."""
    plain = normal(re.sub(r"^( *)```.*?^\1```", "", text, flags=re.DOTALL | re.MULTILINE))
    found = set()
    for kind, pattern in PATTERNS.items():
        for match in re.finditer(pattern, plain):
            fact = match[1].strip(" .,;:")
            if kind == "code" and SOURCE.match(fact):
                continue
            found.add((kind, _number(fact) if kind == "number" else fact))
    return found


def _number(fact: str) -> str:
    """Number and unit with one space, the unit in the singular."""
    found = re.fullmatch(r"([\d.,]+)[ -]?(.+)", fact)
    assert found is not None
    unit = {"second": "s", "seconds": "s"}.get(found[2], found[2])
    return f"{found[1].rstrip('.,')} {unit if len(unit) < 3 else unit.removesuffix('s')}"


def old_pages(revision: str) -> dict[str, str]:
    """The Markdown pages of a revision."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout

    names = git("ls-tree", "-r", "--name-only", revision, "--", "README.md", "docs").split()
    return {name: git("show", f"{revision}:{name}") for name in names if name.endswith(".md")}


def today() -> str:
    """All texts in which a reader can find a fact today."""
    from tests.reference import PAGES

    files = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "openapi.yaml", ROOT / "docs/watching/alerts.yaml"]
    files += [*ROOT.glob("bench/**/*.md"), ROOT / "compose.yaml", ROOT / ".env.example"]
    return normal(
        "\n".join([*(file.read_text(encoding="utf-8") for file in files), *(page() for page in PAGES.values())])
    )


def dropped() -> dict[str, str]:
    """The listed facts and their reasons."""
    lines = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
    return dict(line.split("\t", 1) for line in lines if line and not line.startswith("#"))


def missing(old: Iterable[tuple[str, str, str]], text: str) -> list[tuple[str, str, str]]:
    """The facts (page, kind, fact) that a text lacks."""
    has = facts(text)
    return [
        (page, kind, fact) for page, kind, fact in old if (kind, fact) not in has and not _written(kind, fact, text)
    ]


def _written(kind: str, fact: str, text: str) -> bool:
    """Whether the text has the fact in another form: in a code block, or with other marks around it."""
    return kind != "number" and kind != "status" and re.search(rf"(?<!\w){re.escape(fact)}(?!\w)", text) is not None


def main(revision: str) -> int:
    old = sorted({(page, kind, fact) for page, text in old_pages(revision).items() for kind, fact in facts(text)})
    known = dropped()
    lost = [each for each in missing(old, today()) if each[2] not in known]
    for page, kind, fact in lost:
        print(f"{page}\t{kind}\t{fact}")
    print(f"{len(old)} facts, {len(lost)} missing without a reason", file=sys.stderr)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
