"""Generate the tree and the drawing of the architecture page from the code (`make architecture`).

The tree lists the packages with the first sentence of each. The arrows of the drawing are imports, including those within
functions and only for types. `tests/test_architecture.py` compares the files in `docs/` with the output of this module.
"""

from __future__ import annotations

from tests.drawing import drawing
from tests.rooms import ROOT, entries, folders, sentence

PAGE = ROOT / "docs" / "architecture.md"
DRAWING = ROOT / "docs" / "architecture.svg"

# -- the tree ---------------------------------------------------------------------------------------------------------


def tree() -> str:
    """The folders, each with its sentence and its files."""
    lines = []
    for folder in folders():
        files = [name.removesuffix(".py") for name in entries(folder) if name.endswith(".py")]
        lines.append(f"| `{folder.relative_to(ROOT)}/` | {sentence(folder / '__init__.py')} | {' '.join(files)} |")
    return "\n".join(["| room | what it is | its files |", "|---|---|---|", *lines])


# -- writing and comparing --------------------------------------------------------------------------------------------


def page(text: str) -> str:
    """The page with a new tree, which is between two comments."""
    begin, end = "<!-- tree -->", "<!-- end of tree -->"
    before, _, rest = text.partition(begin)
    after = rest.partition(end)[2]
    return f"{before}{begin}\n{tree()}\n{end}{after}"


if __name__ == "__main__":
    DRAWING.write_text(drawing(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
