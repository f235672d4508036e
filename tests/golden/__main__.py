"""Generate the golden files: ``python -m tests.golden``."""

from __future__ import annotations

from tests.golden.telling import FOLDER, KINDS, told

for kind in KINDS:
    (FOLDER / f"{kind}.txt").write_text(told(kind), encoding="utf-8")
