"""A pytest plugin that saves every file audited by the audit's tests, with the audit's findings.

`pytest -p tests.web.check.collecting tests/audit`, with the folder to write into as `ORACLEWHEEL_COLLECT`.
"""

import hashlib
import json
import os
from pathlib import Path

from service.audit import auditor
from service.core.catalog.draws import build_draw_documents

FOLDER = Path(os.environ["ORACLEWHEEL_COLLECT"])
REAL = auditor.audit
SEEN = set()


def kept(data, *, games=None, keys=(), heads=(), **given):
    """Audit as usual, and save the file and the findings."""
    told = {"games": games} if games is not None else {}
    report = REAL(data, **told, keys=keys, heads=heads, **given)
    name = hashlib.sha256(repr((data, tuple(keys), tuple(heads))).encode()).hexdigest()
    if name not in SEEN:
        SEEN.add(name)
        (FOLDER / f"{name}.ndjson").write_bytes(data)
        tables = {kind: build_draw_documents(game.rules) for kind, game in (games or {}).items()}
        line = {
            "file": f"{name}.ndjson",
            "keys": [str(key) for key in keys],
            "heads": list(heads),
            "tables": tables,
            "found": [[d.check, d.seq, d.line] for d in report.divergences],
            "by": os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0],
        }
        with (FOLDER / "files.ndjson").open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")
    return report


auditor.audit = kept
