"""Generate the quotations, numbers, and pictures of all guides: ``python -m tests.guides``."""

from __future__ import annotations

from tests.guides import FOLDER, aloud, guides, made

for kind in guides():
    text, pictures = made(kind)
    (FOLDER / f"{kind}.md").write_text(text, encoding="utf-8")
    for name, picture in pictures.items():
        (FOLDER / name).parent.mkdir(exist_ok=True)
        (FOLDER / name).write_text(picture, encoding="utf-8")
aloud.PAGE.write_text(aloud.made(), encoding="utf-8")
