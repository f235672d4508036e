"""Generate the tables and the drawing of the architecture page from the code (`make architecture`).

The table lists the packages with the first sentence of each. The drawing has the layers that the linter checks.
`tests/test_architecture.py` compares the files in `docs/` with the output of this module.
"""

from __future__ import annotations

from service.features import FEATURES
from tests.drawing import drawing
from tests.rooms import ROOT, folders, sentence

PAGE = ROOT / "docs" / "architecture.md"
DRAWING = ROOT / "docs" / "architecture.svg"

# -- the tree ---------------------------------------------------------------------------------------------------------


PARTS = {
    "domain": "rules",
    "domain/games": "rules",
    "service/core": "core",
    "service/store": "core",
    "service/ops": "operation",
    "service": "service",
    "": "beside the service",
}
"""Folders whose packages the table lists, with the part that these belong to. The features have a table of their own."""

CLOSED = ("domain", "service", "domain/games", "service/core", "service/store", "service/ops", "service/features")
"""Packages that the table does not list, because it lists what is in them."""


def tree() -> str:
    """The packages at the level at which features and games are packages, each with its part and its sentence."""
    lines = []
    for folder in folders():
        name, _, last = str(folder.relative_to(ROOT)).rpartition("/")
        part, path = PARTS.get(name), f"{name}/{last}".strip("/")
        if part is not None and path not in CLOSED:
            lines.append(f"| `{path}/` | {part} | {sentence(folder / '__init__.py')} |")
    return "\n".join(["| package | part | what it is |", "|---|---|---|", *lines])


def features() -> str:
    """The features, each with its sentence."""
    rows = [(each, f" [How to use it]({each.page})" if each.page else "") for each in FEATURES]
    lines = [f"| `service/features/{each.name}/` | {each.summary}{link} |" for each, link in rows]
    return "\n".join(["| feature | what it does |", "|---|---|", *lines])


# -- writing and comparing --------------------------------------------------------------------------------------------


def page(text: str) -> str:
    """The page with new tables, each of which is between two comments."""
    for name, table in (("features", features()), ("tree", tree())):
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{table}\n{end}{rest.partition(end)[2]}"
    return text


if __name__ == "__main__":
    DRAWING.write_text(drawing(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
